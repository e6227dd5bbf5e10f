// SPDX-License-Identifier: Apache-2.0
// The deaths of a fleet's processes: which job each is charged to, and what runs again.
#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <opalign/sched/fleet.hpp>

namespace opalign::sched {
namespace {

constexpr int k_max_restarts = 3;
constexpr int k_max_attempts = 3;

}  // namespace

Expected<void> Fleet::restart(const std::string& why) {
  if (!m_hello || ++m_restarts > k_max_restarts)
    return fail(fmt::format("{}: {}\n{}", runner(), why, m_server.output_tail()),
                "try: opalign env doctor");
  m_hello = false;
  for (const auto& worker : m_workers) {
    receive(*worker);
    // Its parent went first: whatever it was in is not to blame.
    for (auto running = worker->queue.rbegin(); running != worker->queue.rend(); ++running) {
      worker->outputs[running->output]->busy = false;
      if (!running->moved)
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
  std::uint64_t marked = 0;
  Stage stage = Stage::forward;
  if (worker.mark.size() >= k_mark_bytes) {
    std::memcpy(&marked, worker.mark.bytes().data(), sizeof marked);
    const auto byte = static_cast<std::uint8_t>(worker.mark.bytes()[8]);
    if (byte >= static_cast<std::uint8_t>(Stage::forward) &&
        byte <= static_cast<std::uint8_t>(Stage::fetch))
      stage = static_cast<Stage>(byte);
  }
  if (!worker.ready && !worker.retired)
    ++m_failed_starts;

  std::deque<Running> queue = std::move(worker.queue);
  for (Running& running : queue)
    worker.outputs[running.output]->busy = false;
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
      Outcome outcome;
      outcome.stage = stage;
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
        outcome.error = RunnerError{ErrorClass::other, stage, "", "", m_server.output_tail()};
      deliver(worker, job, std::move(outcome));
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

void Fleet::deliver(const Worker&, const Job& job, Outcome outcome,
                    std::shared_ptr<OutputFile> output) {
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
