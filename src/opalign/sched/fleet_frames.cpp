// SPDX-License-Identifier: Apache-2.0
// What a fleet's processes say, read with suspicion: anything that is not a frame of the protocol
// at its place ends the process that sent it.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <opalign/sched/fleet.hpp>
#include <opalign/worker/reply.hpp>

namespace opalign::sched {
namespace {

using Json = nlohmann::json;

constexpr int k_protocol_version = 1;
constexpr int k_max_failed_starts = 8;
constexpr std::int64_t k_max_slots = 64;
constexpr std::size_t k_most_output = std::size_t{1} << 43;

std::optional<std::int64_t> integer(const Json& frame, const char* key) {
  const auto found = frame.find(key);
  if (found == frame.end() || !found->is_number_integer())
    return std::nullopt;
  return found->get<std::int64_t>();
}

std::string text_of(const Json& frame, const char* key) {
  const auto found = frame.find(key);
  return found != frame.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Whether the memory behind a map of the file stays: its owner can neither shrink it nor give it
/// huge pages, of which the system may have none left when one is touched.
bool is_safe_to_map(int fd) {
  struct statfs info{};
  const int seals = ::fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && ::fstatfs(fd, &info) == 0 &&
         info.f_type == TMPFS_MAGIC;
}

std::size_t size_of_file(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
}

/// The case ran out of memory here, not in its worker.
Outcome cannot_map(const Error& error) {
  Outcome outcome;
  outcome.status = OutcomeStatus::failed;
  outcome.stage = Stage::fetch;
  outcome.error = RunnerError{ErrorClass::out_of_memory, Stage::fetch, "",
                              fmt::format("opalign {}", error.text()), ""};
  return outcome;
}

}  // namespace

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
  const std::string op = text_of(frame, "op");
  if (op == "hello") {
    const std::int64_t protocol = integer(frame, "protocol").value_or(0);
    if (protocol != k_protocol_version)
      return fail(
          fmt::format("{}: expected protocol {}, got {}", runner(), k_protocol_version, protocol));
    m_version = text_of(frame, "version");
    m_hello = true;
    return {};
  }
  if (op == "failed")
    return fail(fmt::format("{}: {}", runner(), text_of(frame, "message")),
                "try: opalign env doctor");
  Worker* worker = find(static_cast<int>(integer(frame, "worker").value_or(0)));
  if (worker == nullptr)
    return {};
  if (op == "forked") {
    worker->pid = static_cast<pid_t>(integer(frame, "pid").value_or(-1));
    worker->pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, worker->pid, 0)));
    if (!worker->pidfd && errno != ESRCH)  // else it is gone already, and `exited` follows
      return fail(fmt::format("{}: a worker could not be ended: pidfd_open: {}", runner(),
                              std::strerror(errno)));
    if (worker->doomed)  // decided before its pid was known
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
  if (worker.ready)
    static_cast<void>(worker.channel.take_fds());  // nobody asked for descriptors: close them
  const std::string op = text_of(frame, "op");
  if (op == "ready" && !worker.ready)
    on_ready(worker, frame);
  else if (op.empty())
    on_answer(worker, frame);
  else
    break_off(worker);
}

void Fleet::on_ready(Worker& worker, const Json& frame) {
  std::vector<Fd> fds = worker.channel.take_fds();
  const std::int64_t slots = integer(frame, "slots").value_or(0);
  if (fds.size() != 1 || slots < 1 || slots > k_max_slots) {
    break_off(worker);
    return;
  }
  worker.output = std::move(fds.front());
  if (!is_safe_to_map(worker.output.get()) || size_of_file(worker.output.get()) < k_head_bytes) {
    break_off(worker);
    return;
  }
  Expected<worker::Mapping> head = worker::Mapping::map(worker.output.get(), k_head_bytes, true);
  if (!head) {
    break_off(worker);
    return;
  }
  worker.head = std::make_shared<worker::Mapping>(std::move(*head));
  worker.map = std::make_shared<worker::Mapping>();
  for (std::int64_t number = 0; number < slots; ++number)
    worker.slots.push_back(std::make_shared<OutputSlot>(
        OutputSlot{static_cast<std::size_t>(number), false, worker.head, nullptr, 0}));
  worker.ready = true;
  m_failed_starts = 0;
}

/// Maps what a worker's output file has grown by, but no more than the protocol lets it. Fails
/// where this process cannot.
Expected<void> Fleet::follow_growth(Worker& worker) const {
  const std::size_t limit = std::min(m_options.output_limit, k_most_output) + worker::k_page;
  const std::size_t most =
      std::min(k_head_bytes + worker.slots.size() * (k_slot_bytes + 2 * limit), k_most_output);
  const std::size_t size = std::min(size_of_file(worker.output.get()), most);
  if (size <= worker.map->size())
    return {};
  TRY_ASSIGN(worker::Mapping map, worker::Mapping::map(worker.output.get(), size, false));
  worker.map = std::make_shared<worker::Mapping>(std::move(map));
  return {};
}

void Fleet::on_answer(Worker& worker, const Json& frame) {
  if (worker.queue.empty() ||
      integer(frame, "id") != static_cast<std::int64_t>(worker.queue.front().job.id)) {
    break_off(worker);
    return;
  }
  Running& head = worker.queue.front();
  std::shared_ptr<OutputSlot> output = head.slot;
  Expected<void> mapped = follow_growth(worker);
  output->map = worker.map;
  Expected<worker::Answer> answer = worker::read_answer(
      frame, output->map->bytes(), m_options.output_limit, head.job.input_names);
  if (!answer && !mapped) {
    answer = worker::Answer{cannot_map(mapped.error()), 0};
  } else if (!answer) {
    break_off(worker);
    return;
  }
  output->used = answer->end;
  Outcome* outcome = &answer->outcome;
  // Limits of other runners follow from these.
  outcome->forward_s = std::clamp(outcome->forward_s, 0.0, seconds_since(worker.head_since));
  outcome->backward_s = std::clamp(outcome->backward_s, 0.0, seconds_since(worker.head_since));
  const bool starved = outcome->error && outcome->error->kind == ErrorClass::out_of_memory;
  m_busy_s += seconds_since(worker.head_since);
  Running done = std::move(head);
  worker.queue.pop_front();
  worker.head_since = Clock::now();
  m_restarts = 0;
  if (done.moved) {
    release(*output);
  } else if (starved && worker.executed > 0 && !done.job.alone) {
    // Others may have eaten the memory: only a fresh worker can tell.
    release(*output);
    done.job.alone = true;
    worker.retired = true;
    requeue(std::move(done.job));
  } else {
    deliver(done.job, std::move(*outcome), std::move(output));
  }
  ++worker.executed;
  worker.retired = worker.retired || done.job.alone;  // spares stay fresh
  if (worker.retired && worker.queue.empty())
    kill(worker);
}

}  // namespace opalign::sched
