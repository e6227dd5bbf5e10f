// SPDX-License-Identifier: Apache-2.0
#include <opalign/sched/fleet.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <opalign/worker/reply.hpp>

namespace opalign::sched {
namespace {

using Json = nlohmann::json;

constexpr int k_protocol_version = 1;
constexpr int k_max_failed_starts = 8;
constexpr int k_max_restarts = 3;
constexpr int k_max_attempts = 3;
/// A worker that has been on one job for this long gets no more of them behind it.
constexpr double k_long_job_s = 0.05;
/// A job that has run for this long blocks those behind it.
constexpr double k_blocking_job_s = 0.5;
constexpr double k_exit_report_s = 5;
constexpr std::size_t k_mark_bytes = 64;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::optional<std::int64_t> integer(const Json& frame, const char* key) {
  const auto found = frame.find(key);
  if (found == frame.end() || !found->is_number_integer())
    return std::nullopt;
  return found->get<std::int64_t>();
}

std::string op_of(const Json& frame) {
  const auto found = frame.find("op");
  return found != frame.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::size_t file_size(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
}

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

}  // namespace

Fleet::Fleet(FleetOptions options, worker::Launch launch, int arena_fd, int pool_fd)
    : m_options(std::move(options)),
      m_launch(std::move(launch)),
      m_arena_fd(arena_fd),
      m_pool_fd(pool_fd),
      m_memory_checked(Clock::now()) {}

Expected<void> Fleet::start() {
  TRY_ASSIGN(m_server, worker::Forkserver::launch(m_launch));
  return {};
}

bool Fleet::can_take(const Worker& worker) const {
  if (!worker.ready || !worker.active || worker.retired || worker.lost)
    return false;
  if (!worker.queue.empty() && seconds_since(worker.head_since) > k_long_job_s)
    return false;
  return std::ranges::any_of(worker.outputs, [](const auto& output) { return !output->busy; });
}

int Fleet::capacity() const {
  std::ptrdiff_t places = 0;
  for (const auto& worker : m_workers)
    if (can_take(*worker))
      places +=
          std::ranges::count_if(worker->outputs, [](const auto& output) { return !output->busy; });
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
  add(m_server.control_fd(), m_server.control_wants_write());
  add(m_server.output_fd(), false);
  for (const auto& worker : m_workers)
    if (!worker->lost)
      add(worker->channel.fd(), worker->channel.wants_write());
}

Expected<void> Fleet::handle() {
  m_server.drain_output();
  TRY(handle_control());
  for (std::size_t i = 0; i < m_workers.size(); ++i) {
    Worker& worker = *m_workers[i];
    if (worker.lost) {
      // Its exit is reported by the forkserver at once; this is for one that lies.
      if (seconds_since(worker.lost_since) > k_exit_report_s) {
        bury(worker, 0, 0);
        --i;
      }
      continue;
    }
    unblock(worker);
    if (worker.channel.wants_write() && worker.channel.flush() != worker::Channel::State::open)
      lose(worker);
    receive(worker);
  }
  if (seconds_since(m_memory_checked) > 1)
    check_memory();
  TRY(request_workers());
  assign();
  return {};
}

Expected<void> Fleet::handle_control() {
  std::vector<std::string> frames;
  worker::Channel& control = m_server.control();
  worker::Channel::State state = control.receive(frames);
  if (control.wants_write() && state == worker::Channel::State::open)
    state = control.flush();
  for (const std::string& text : frames) {
    const Json frame = Json::parse(text, nullptr, false);
    if (!frame.is_object())
      return fail(fmt::format("{}: the forkserver sent no frame of the protocol", runner()));
    TRY(on_control(frame));
  }
  if (state == worker::Channel::State::open)
    return {};
  m_server.drain_output();
  return restart("its forkserver ended");
}

Expected<void> Fleet::on_control(const Json& frame) {
  const std::string op = op_of(frame);
  if (op == "hello") {
    const std::int64_t protocol = integer(frame, "protocol").value_or(0);
    if (protocol != k_protocol_version)
      return fail(
          fmt::format("{}: expected protocol {}, got {}", runner(), k_protocol_version, protocol));
    m_version = frame.value("version", "");
    m_hello = true;
    return {};
  }
  if (op == "failed")
    return fail(fmt::format("{}: {}", runner(), frame.value("message", "the import failed")),
                "try: opalign env doctor");
  Worker* worker = find(static_cast<int>(integer(frame, "worker").value_or(0)));
  if (worker == nullptr)
    return {};
  if (op == "forked") {
    worker->pid = static_cast<pid_t>(integer(frame, "pid").value_or(-1));
    worker->pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, worker->pid, 0)));
    if (worker->fate != Fate::none)  // decided to kill it before we knew its pid
      kill(*worker);
  } else if (op == "exited") {
    if (!worker->lost)
      receive(*worker);  // answers that it sent before it went
    bury(*worker, static_cast<int>(integer(frame, "signal").value_or(0)),
         static_cast<int>(integer(frame, "code").value_or(0)));
  }
  if (m_failed_starts > k_max_failed_starts)
    return fail(
        fmt::format("{}: workers die before they are ready\n{}", runner(), m_server.output_tail()),
        "try: opalign env doctor");
  return {};
}

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

Expected<void> Fleet::request_workers() {
  if (!m_hello)
    return {};
  const auto alive = std::ranges::count_if(
      m_workers, [](const auto& worker) { return !worker->lost && !worker->retired; });
  for (auto n = alive; n < m_options.workers + 1; ++n) {  // one spare
    auto worker = std::make_unique<Worker>();
    worker->number = m_next_worker++;
    TRY_ASSIGN(worker->channel, m_server.request_worker(worker->number, m_options.threads,
                                                        m_options.memory, m_arena_fd, m_pool_fd));
    ++m_workers_started;
    m_workers.push_back(std::move(worker));
  }
  return {};
}

void Fleet::receive(Worker& worker) {
  std::vector<std::string> frames;
  const worker::Channel::State state = worker.channel.receive(frames);
  for (const std::string& text : frames) {
    if (worker.lost)
      return;
    on_frame(worker, text);
  }
  if (state == worker::Channel::State::broken)
    break_off(worker);
  else if (state == worker::Channel::State::closed)
    lose(worker);
}

void Fleet::on_frame(Worker& worker, const std::string& text) {
  const Json frame = Json::parse(text, nullptr, false);
  if (!frame.is_object()) {
    break_off(worker);
    return;
  }
  const std::string op = op_of(frame);
  if (op == "ready" && !worker.ready)
    on_ready(worker, frame);
  else if (op == "need")
    on_need(worker, frame);
  else if (op.empty())
    on_answer(worker, frame);
  else
    break_off(worker);
}

void Fleet::on_ready(Worker& worker, const Json& frame) {
  std::vector<Fd> fds = worker.channel.take_fds();
  if (fds.empty() || integer(frame, "outs") != static_cast<std::int64_t>(fds.size())) {
    break_off(worker);
    return;
  }
  for (Fd& fd : fds) {
    // Without the seal a worker could shrink the file under our map.
    const int seals = ::fcntl(fd.get(), F_GET_SEALS);
    auto output = std::make_shared<OutputFile>();
    Expected<worker::Mapping> map = worker::Mapping::map(fd.get(), file_size(fd.get()), false);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || !map || map->size() < k_mark_bytes) {
      break_off(worker);
      return;
    }
    output->fd = std::move(fd);
    output->map = std::move(*map);
    worker.outputs.push_back(std::move(output));
  }
  Expected<worker::Mapping> mark =
      worker::Mapping::map(worker.outputs.front()->fd.get(), k_mark_bytes, false);
  if (!mark) {
    break_off(worker);
    return;
  }
  worker.mark = std::move(*mark);
  worker.ready = true;
  m_failed_starts = 0;
}

void Fleet::on_need(Worker& worker, const Json& frame) {
  if (worker.queue.empty() ||
      integer(frame, "id") != static_cast<std::int64_t>(worker.queue.front().job.id) ||
      !frame.contains("grads") || !frame["grads"].is_array()) {
    break_off(worker);
    return;
  }
  if (worker.queue.front().moved)  // it is about to be killed
    return;
  GradientRequest request{worker.queue.front().job.id, worker.number, {}};
  for (const Json& gradient : frame["grads"]) {
    std::optional<DType> dtype;
    Shape shape;
    if (gradient.is_array() && gradient.size() == 2 && gradient[0].is_string() &&
        gradient[1].is_array()) {
      dtype = parse_dtype(gradient[0].get<std::string>());
      for (const Json& size : gradient[1])
        shape.push_back(size.is_number_unsigned() ? size.get<std::int64_t>() : -1);
    }
    if (!dtype || !numel(shape)) {
      break_off(worker);
      return;
    }
    request.gradients.emplace_back(*dtype, std::move(shape));
  }
  m_requests.push_back(std::move(request));
}

void Fleet::send_gradients(const GradientRequest& request, const std::string& tensors) {
  if (Worker* worker = find(request.worker)) {
    worker->channel.send(
        fmt::format(R"({{"op":"grads","id":{},"tensors":{}}})", request.job, tensors));
    worker->channel.flush();
  }
}

void Fleet::on_answer(Worker& worker, const Json& frame) {
  if (worker.queue.empty() ||
      integer(frame, "id") != static_cast<std::int64_t>(worker.queue.front().job.id)) {
    break_off(worker);
    return;
  }
  Running& head = worker.queue.front();
  std::shared_ptr<OutputFile> output = worker.outputs[head.output];
  output->used = worker::output_extent(frame);
  if (output->used > output->map.size()) {
    Expected<worker::Mapping> map =
        worker::Mapping::map(output->fd.get(), file_size(output->fd.get()), false);
    if (map)
      output->map = std::move(*map);
  }
  Expected<Outcome> outcome =
      worker::read_outcome(frame, output->map.bytes(), head.job.input_names);
  if (!outcome) {
    break_off(worker);
    return;
  }
  const bool starved = outcome->error && outcome->error->kind == ErrorClass::out_of_memory;
  m_busy_s += seconds_since(worker.head_since);
  Running done = std::move(head);
  worker.queue.pop_front();
  worker.head_since = Clock::now();
  m_restarts = 0;
  if (done.moved) {
    output->busy = false;
  } else if (starved && worker.executed > 0 && !done.job.alone) {
    // Others may have eaten the memory: only a fresh worker can tell.
    output->busy = false;
    done.job.alone = true;
    worker.retired = true;
    requeue(std::move(done.job));
  } else {
    deliver(worker, done.job, std::move(*outcome), std::move(output));
  }
  ++worker.executed;
  worker.retired = worker.retired || done.job.alone;  // spares stay fresh
  if (std::ranges::all_of(worker.queue, &Running::moved) && !worker.queue.empty()) {
    worker.retired = true;  // a new worker costs less than answers that nobody wants
    kill(worker);
  }
  if (worker.retired && worker.queue.empty())
    kill(worker);
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

/// What waits behind a job that takes long is run elsewhere.
void Fleet::unblock(Worker& worker) {
  if (worker.queue.size() < 2 || worker.queue.back().moved ||
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
    if (active < m_options.workers && worker->ready && !worker->active && !worker->lost) {
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
  std::size_t output = 0;
  while (worker.outputs[output]->busy)
    ++output;
  if (worker.queue.empty())
    worker.head_since = Clock::now();
  if (job.resolve) {
    worker.channel.send(fmt::format(R"({{"op":"resolve","id":{},{}}})", job.id, job.body));
  } else {
    worker.channel.send(
        fmt::format(R"({{"op":"run","id":{},"out":{},{}}})", job.id, output, job.body));
  }
  worker.outputs[output]->busy = true;
  worker.queue.push_back({std::move(job), output});
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
