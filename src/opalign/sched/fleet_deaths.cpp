// SPDX-License-Identifier: Apache-2.0
// The deaths of a fleet's processes: which job each is charged to, and what runs again.
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <opalign/sched/fleet.hpp>

namespace opalign::sched {
namespace {

constexpr int k_max_restarts = 10;
constexpr int k_max_attempts = 3;

}  // namespace

std::uint64_t Fleet::marked_job(const Worker& worker) {
  std::uint64_t marked = 0;
  if (worker.head)
    std::memcpy(&marked, worker.head->bytes().data(), sizeof marked);
  return marked;
}

Stage Fleet::marked_stage(const Worker& worker) {
  const auto byte =
      worker.head ? static_cast<std::uint8_t>(worker.head->bytes()[8]) : std::uint8_t{0};
  return byte >= static_cast<std::uint8_t>(Stage::forward) &&
                 byte <= static_cast<std::uint8_t>(Stage::fetch)
             ? static_cast<Stage>(byte)
             : Stage::forward;
}

Expected<void> Fleet::restart(const std::string& why) {
  const bool was_up = m_hello || !m_version.empty();
  if (!was_up || ++m_restarts > k_max_restarts)
    return fail(fmt::format("{}: {}\n{}", runner(), why, m_server.output_tail()),
                "try: opalign env doctor");
  m_hello = false;
  for (const auto& worker : m_workers) {
    receive(*worker);
    const std::uint64_t marked = marked_job(*worker);
    for (auto running = worker->queue.rbegin(); running != worker->queue.rend(); ++running) {
      running->slot->busy = false;
      if (running->moved)
        continue;
      // Its parent went first, so what a worker was in need not be to blame: it runs apart from
      // now on, and has to be there each time.
      if (running->job.id == marked) {
        running->job.alone = true;
        ++running->job.attempts;
      }
      if (running->job.attempts >= k_max_attempts)
        deliver(running->job, death(*worker, SIGKILL, 0));
      else
        requeue(std::move(running->job));
    }
  }
  m_workers.clear();
  return start();
}

void Fleet::lose(Worker& worker) {
  worker.lost = true;
  worker.lost_since = Clock::now();
}

void Fleet::break_off(Worker& worker) {
  lose(worker);
  if (worker.fate == Fate::none)
    worker.fate = Fate::broke_protocol;
  kill(worker);
}

void Fleet::kill(Worker& worker) {
  worker.doomed = true;
  if (worker.pidfd)
    ::syscall(SYS_pidfd_send_signal, worker.pidfd.get(), SIGKILL, nullptr, 0);
}

void Fleet::bury(Worker& worker, int signal, int exit_code) {
  std::uint64_t marked = marked_job(worker);
  if (!worker.ready && !worker.retired)
    ++m_failed_starts;

  std::deque<Running> queue = std::move(worker.queue);
  for (Running& running : queue)
    running.slot->busy = false;
  std::erase_if(queue, [](const Running& running) { return running.moved; });
  if (worker.fate_job != 0 && (queue.empty() || queue.front().job.id != worker.fate_job)) {
    // It had answered when the kill came: whatever was next is not to blame.
    worker.fate = Fate::none;
    marked = 0;
    if (!queue.empty())
      --queue.front().job.attempts;
  }
  const bool decided = worker.fate != Fate::none;
  if (!queue.empty() && (queue.front().job.id == marked || decided ||
                         queue.front().job.attempts + 1 >= k_max_attempts)) {
    Job& job = queue.front().job;
    m_busy_s += seconds_since(worker.head_since);
    const bool died_by_itself = worker.fate == Fate::none || worker.fate == Fate::broke_protocol;
    if (died_by_itself && worker.executed > 0 && !job.alone && !m_deadly.contains(job.kind)) {
      job.alone = true;
      requeue(std::move(job));
    } else {
      if (died_by_itself)
        m_deadly.insert(job.kind);
      deliver(job, death(worker, signal, exit_code));
    }
    queue.pop_front();
  } else if (!queue.empty()) {
    ++queue.front().job.attempts;
  }
  for (auto running = queue.rbegin(); running != queue.rend(); ++running)
    requeue(std::move(running->job));
  const int number = worker.number;
  std::erase_if(m_workers, [&](const auto& other) { return other->number == number; });
}

Outcome Fleet::death(const Worker& worker, int signal, int exit_code) {
  Outcome outcome;
  outcome.stage = marked_stage(worker);
  outcome.signal = signal;
  outcome.exit_code = exit_code;
  switch (worker.fate) {
    case Fate::none:
      outcome.status = OutcomeStatus::died;
      break;
    case Fate::broke_protocol:
      outcome.status = OutcomeStatus::broke_protocol;
      break;
    case Fate::timed_out:
      outcome.status = OutcomeStatus::timed_out;
      break;
    case Fate::aborted:
      outcome.status = OutcomeStatus::failed;
      outcome.error = worker.abort_error;
      break;
  }
  m_server.drain_output();
  if (!outcome.error && worker.fate == Fate::none && !m_server.output_tail().empty())
    outcome.error = RunnerError{ErrorClass::other, outcome.stage, "", "", m_server.output_tail()};
  return outcome;
}

void Fleet::deliver(const Job& job, Outcome outcome, std::shared_ptr<OutputSlot> output) {
  outcome.runner = m_options.runner;
  m_deliveries.push_back({job.id, std::move(outcome), std::move(output)});
}

void Fleet::requeue(Job job) {
  if (job.alone)
    m_alone.push_back(std::move(job));
  else
    m_backlog.push_front(std::move(job));
}

}  // namespace opalign::sched
