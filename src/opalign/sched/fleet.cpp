// SPDX-License-Identifier: Apache-2.0
// Who runs what: places, queues, limits. Frames are read in fleet_frames.cpp, deaths are charged in
// fleet_deaths.cpp.
#include <opalign/sched/fleet.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace opalign::sched {
namespace {

/// A worker that has been on one job for this long gets no more of them behind it; if nobody wants
/// the job any more, it is ended.
constexpr double k_long_job_s = 0.05;
/// A job that has run for this long blocks those behind it.
constexpr double k_blocking_job_s = 0.5;
constexpr double k_exit_report_s = 5;
/// An import on a loaded machine takes long, but not for ever; so does a worker's first call.
constexpr double k_import_s = 300;
constexpr double k_warm_up_s = 120;

/// Bytes of private memory of a process; 0 where /proc does not tell.
std::size_t private_bytes(pid_t pid) {
  std::FILE* file = std::fopen(fmt::format("/proc/{}/statm", pid).c_str(), "re");
  if (file == nullptr)
    return 0;
  long size = 0;
  long resident = 0;
  long shared = 0;
  const int read = std::fscanf(file, "%ld %ld %ld", &size, &resident, &shared);
  std::fclose(file);
  return read == 3 ? static_cast<std::size_t>(resident - shared) *
                         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))
                   : 0;
}

bool is_idle(const std::shared_ptr<OutputSlot>& slot) { return !slot->busy; }

}  // namespace

Fleet::Fleet(FleetOptions options, worker::Launch launch, int arena_fd, int pool_fd)
    : m_options(std::move(options)),
      m_launch(std::move(launch)),
      m_arena_fd(arena_fd),
      m_pool_fd(pool_fd),
      m_memory_checked(Clock::now()) {}

Expected<void> Fleet::start() {
  m_started = Clock::now();
  TRY_ASSIGN(m_server, worker::Forkserver::launch(m_launch));
  return {};
}

bool Fleet::can_take(const Worker& worker) const {
  if (!worker.ready || !worker.active || worker.retired || worker.lost)
    return false;
  // Behind a moved job none is queued: so a death there has nobody else to blame.
  if (!worker.queue.empty() &&
      (worker.queue.front().moved || seconds_since(worker.head_since) > k_long_job_s))
    return false;
  return std::ranges::any_of(worker.slots, is_idle);
}

int Fleet::capacity() const {
  std::ptrdiff_t places = 0;
  for (const auto& worker : m_workers)
    if (can_take(*worker))
      places += std::ranges::count_if(worker->slots, is_idle);
  return static_cast<int>(places) - static_cast<int>(m_backlog.size() + m_alone.size());
}

void Fleet::submit(Job job) {
  m_backlog.push_back(std::move(job));
  assign();
}

void Fleet::add_poll(std::vector<pollfd>& polls) const {
  const auto add = [&](int fd, bool write) {
    if (fd >= 0)
      polls.push_back({fd, static_cast<short>(write ? POLLIN | POLLOUT : POLLIN), 0});
  };
  add(m_server.control().fd(), m_server.control().wants_write());
  add(m_server.output_fd(), false);
  for (const auto& worker : m_workers)
    if (!worker->lost)
      add(worker->channel.fd(), worker->channel.wants_write());
}

Expected<void> Fleet::handle() {
  m_server.drain_output();
  TRY(handle_control());
  if (!m_hello && seconds_since(m_started) > k_import_s)
    return fail(fmt::format("{}: its import has not ended after {} s\n{}", runner(), k_import_s,
                            m_server.output_tail()),
                "try: opalign env doctor");
  for (std::size_t i = 0; i < m_workers.size(); ++i) {
    Worker& worker = *m_workers[i];
    if (worker.lost) {
      // Its exit is reported by the forkserver at once; this is for one that lies.
      if (seconds_since(worker.lost_since) > k_exit_report_s) {
        kill(worker);
        bury(worker, 0, 0);
        --i;
      }
      continue;
    }
    if (!worker.ready && seconds_since(worker.asked) > k_warm_up_s) {
      break_off(worker);
      continue;
    }
    if (worker.channel.wants_write() && worker.channel.flush() != worker::Channel::State::open)
      lose(worker);
    receive(worker);  // first: an answer may have waited here longer than it took to make
    if (worker.lost)
      continue;
    unblock(worker);
    if (!worker.queue.empty() && worker.queue.front().moved &&
        seconds_since(worker.head_since) > k_long_job_s) {
      worker.retired = true;  // a new worker costs less than a long answer that nobody wants
      kill(worker);
    }
  }
  if (seconds_since(m_memory_checked) > 1)
    check_memory();
  TRY(request_workers());
  assign();
  return {};
}

Expected<void> Fleet::request_workers() {
  if (!m_hello)
    return {};
  const auto alive = std::ranges::count_if(
      m_workers, [](const auto& worker) { return !worker->lost && !worker->retired; });
  for (auto n = alive; n < m_options.workers + 1; ++n) {  // one spare
    auto worker = std::make_unique<Worker>();
    worker->number = m_next_worker++;
    worker->asked = Clock::now();
    TRY_ASSIGN(worker->channel, m_server.request_worker(worker->number, m_options.threads,
                                                        m_options.memory, m_arena_fd, m_pool_fd));
    m_workers.push_back(std::move(worker));
  }
  return {};
}

std::span<std::byte> Fleet::not_kept(const OutputSlot& output) const {
  const std::span<std::byte> used = output.map->bytes().first(output.used);
  return used.subspan(std::min(m_options.kept_map, used.size()));
}

void Fleet::release(OutputSlot& output) {
  output.busy = false;
  output.map.reset();
  const std::atomic_ref byte(output.head->bytes()[k_board + output.number]);
  byte.store(static_cast<std::byte>(static_cast<int>(byte.load()) + 1));
}

/// What waits behind a job that takes long is run elsewhere.
void Fleet::unblock(Worker& worker) {
  if (m_options.workers < 2 || worker.queue.size() < 2 || worker.queue.back().moved ||
      seconds_since(worker.head_since) < k_blocking_job_s)
    return;
  for (std::size_t i = worker.queue.size() - 1; i > 0; --i) {
    Running& waiting = worker.queue[i];
    if (!waiting.moved)
      m_backlog.push_front(waiting.job);
    waiting.moved = true;
  }
}

void Fleet::assign() {
  // Active workers are those that take jobs; a ready spare steps in for one that is gone.
  auto active = std::ranges::count_if(
      m_workers, [](const auto& w) { return w->active && !w->lost && !w->retired; });
  for (const auto& worker : m_workers)
    if (active < m_options.workers && worker->ready && !worker->active && !worker->lost &&
        !worker->retired && worker->queue.empty()) {
      worker->active = true;
      ++active;
    }
  for (const auto& worker : m_workers) {
    if (m_alone.empty())
      break;
    if (worker->ready && !worker->active && !worker->lost && worker->executed == 0 &&
        worker->queue.empty()) {
      send(*worker, std::move(m_alone.front()));
      m_alone.pop_front();
    }
  }
  while (!m_backlog.empty()) {
    Worker* best = nullptr;
    for (const auto& worker : m_workers)
      if (can_take(*worker) && (best == nullptr || worker->queue.size() < best->queue.size()))
        best = worker.get();
    if (best == nullptr)
      return;
    send(*best, std::move(m_backlog.front()));
    m_backlog.pop_front();
  }
}

void Fleet::send(Worker& worker, Job job) {
  const std::shared_ptr<OutputSlot> slot = *std::ranges::find_if(worker.slots, is_idle);
  slot->busy = true;
  if (worker.queue.empty())
    worker.head_since = Clock::now();
  if (job.resolve) {
    worker.channel.send(fmt::format(R"({{"op":"resolve","id":{},{}}})", job.id, job.body));
  } else {
    worker.channel.send(
        fmt::format(R"({{"op":"run","id":{},"slot":{},{}}})", job.id, slot->number, job.body));
  }
  worker.queue.push_back({std::move(job), slot});
  worker.channel.flush();
}

Fleet::Worker* Fleet::find(int number) {
  const auto found =
      std::ranges::find_if(m_workers, [&](const auto& w) { return w->number == number; });
  return found == m_workers.end() ? nullptr : found->get();
}

std::vector<std::pair<std::uint64_t, double>> Fleet::running() const {
  std::vector<std::pair<std::uint64_t, double>> jobs;
  for (const auto& worker : m_workers)
    if (!worker->queue.empty() && worker->fate == Fate::none && !worker->queue.front().moved)
      jobs.emplace_back(worker->queue.front().job.id, seconds_since(worker->head_since));
  return jobs;
}

Fleet::Worker* Fleet::running_worker(std::uint64_t job) {
  for (const auto& worker : m_workers)
    if (!worker->queue.empty() && worker->queue.front().job.id == job &&
        !worker->queue.front().moved)
      return worker.get();
  return nullptr;
}

void Fleet::time_out(std::uint64_t job) {
  if (Worker* worker = running_worker(job)) {
    worker->fate = Fate::timed_out;
    worker->fate_job = job;
    kill(*worker);
  }
}

void Fleet::abort(std::uint64_t job, RunnerError error) {
  if (Worker* worker = running_worker(job)) {
    worker->fate = Fate::aborted;
    worker->fate_job = job;
    worker->abort_error = std::move(error);
    kill(*worker);
  }
}

void Fleet::check_memory() {
  m_memory_checked = Clock::now();
  for (const auto& worker : m_workers) {
    if (m_options.memory == 0 || worker->pid <= 0 || worker->retired || !worker->active ||
        private_bytes(worker->pid) < m_options.memory / 2)
      continue;
    worker->retired = true;  // what it leaked would starve an innocent job
    if (worker->queue.empty())
      kill(*worker);
  }
}

}  // namespace opalign::sched
