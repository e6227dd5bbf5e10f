// SPDX-License-Identifier: Apache-2.0
// Fleet: all processes of one runner. It starts and replaces workers, hands them jobs, and turns
// whatever becomes of a job (an answer, garbage, a death) into an Outcome, charged to that job
// alone. It does not know units, references or verdicts.
//
// A worker runs its queue in order, and the mark in its output file (docs/protocol.md) says
// which job it is in. So a death is charged to the marked job; the others in its queue run
// elsewhere. A job that dies in a worker that had run others before is run again in a fresh one,
// alone: only what happens there counts. Once a kind of job has died so, its deaths are believed at
// once.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <poll.h>
#include <nlohmann/json_fwd.hpp>

#include <opalign/base/outcome.hpp>
#include <opalign/sched/job.hpp>
#include <opalign/worker/forkserver.hpp>
#include <opalign/worker/mapping.hpp>

namespace opalign::sched {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Of docs/protocol.md, "Memory": the first page of a worker's output file. The worker writes the
/// mark; opalign writes the board, a byte a slot, which counts the answers judged there.
inline constexpr std::size_t k_head_bytes = 4096;
inline constexpr std::size_t k_slot_bytes = std::size_t{1} << 18;
inline constexpr std::size_t k_board = 64;

struct FleetOptions {
  std::string runner;  ///< canonical spec, for outcomes and messages
  int workers = 2;
  int threads = 1;
  std::size_t memory = 0;        ///< bytes a worker may allocate, 0 for any
  std::size_t output_limit = 0;  ///< bytes that all tensors of an answer may take
  std::size_t kept_map = 0;  ///< bytes of each output file that stay mapped, a multiple of the page
};

class Fleet {
 public:
  Fleet(FleetOptions options, worker::Launch launch, int arena_fd, int pool_fd);

  /// Starts the forkserver; workers follow when it says hello.
  Expected<void> start();

  /// Places for jobs now: free queue positions of active workers, those waiting in here taken off.
  [[nodiscard]] int capacity() const;
  void submit(Job job);

  /// What to wait for; `handle` looks at the same entries after poll(2).
  void add_poll(std::vector<pollfd>& polls) const;
  /// Reads, writes, replaces, assigns. Fails only where the runner as a whole cannot go on.
  Expected<void> handle();

  [[nodiscard]] std::vector<Delivery> take_deliveries() { return std::move(m_deliveries); }

  /// The part of the file with the answer in it that does not stay mapped, which may be empty.
  [[nodiscard]] std::span<std::byte> not_kept(const OutputSlot& output) const;
  /// Takes back a slot whose answer has been judged or is not wanted.
  static void release(OutputSlot& output);

  /// The jobs that are running, each with how long it has been, in seconds.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, double>> running() const;
  /// Kills the worker that runs the job; the job is delivered as timed out.
  void time_out(std::uint64_t job);
  /// Kills the worker that runs the job; the job is delivered with this error instead.
  void abort(std::uint64_t job, RunnerError error);

  [[nodiscard]] const std::string& runner() const { return m_options.runner; }
  [[nodiscard]] bool is_up() const { return m_hello; }
  [[nodiscard]] const std::string& version() const { return m_version; }
  /// Seconds that workers spent on jobs, all together.
  [[nodiscard]] double busy_s() const { return m_busy_s; }

 private:
  struct Running {
    Job job;
    std::shared_ptr<OutputSlot> slot;
    bool moved = false;  ///< it waited behind a long one and runs elsewhere: its answer is dropped
  };
  enum class Fate { none, timed_out, aborted, broke_protocol };
  struct Worker {
    int number = 0;
    Fd pidfd;
    pid_t pid = -1;
    worker::Channel channel;
    Fd output;
    std::shared_ptr<worker::Mapping> head;  ///< of the output file
    std::shared_ptr<worker::Mapping> map;   ///< of all of it, as far as answers reached yet
    std::vector<std::shared_ptr<OutputSlot>> slots;
    std::deque<Running> queue;
    Clock::time_point head_since;  ///< when the head of the queue could start
    std::uint64_t executed = 0;
    bool ready = false;
    bool active = false;   ///< takes jobs; else a spare
    bool retired = false;  ///< takes no more jobs, ends when its queue is empty
    bool lost = false;     ///< its socket is closed or broken: waits for its exit
    Clock::time_point lost_since;
    bool doomed = false;      ///< to be killed, as soon as its pid is known
    Clock::time_point asked;  ///< when it was asked for
    Fate fate = Fate::none;
    std::uint64_t fate_job = 0;  ///< whose fate it is: it may answer before the kill reaches it
    RunnerError abort_error;
  };

  Expected<void> handle_control();
  Expected<void> on_control(const nlohmann::json& frame);
  Expected<void> restart(const std::string& why);
  Expected<void> request_workers();
  void receive(Worker& worker);
  void on_frame(Worker& worker, const std::string& text);
  void on_ready(Worker& worker, const nlohmann::json& frame);
  void on_answer(Worker& worker, const nlohmann::json& frame);
  Expected<void> follow_growth(Worker& worker) const;
  void lose(Worker& worker);
  void break_off(Worker& worker);
  void bury(Worker& worker, int signal, int exit_code);
  void assign();
  void send(Worker& worker, Job job);
  void kill(Worker& worker);
  [[nodiscard]] static std::uint64_t marked_job(const Worker& worker);
  [[nodiscard]] static Stage marked_stage(const Worker& worker);
  [[nodiscard]] Outcome death(const Worker& worker, int signal, int exit_code);
  void deliver(const Job& job, Outcome outcome, std::shared_ptr<OutputSlot> output = nullptr);
  void requeue(Job job);
  void unblock(Worker& worker);
  void check_memory();
  [[nodiscard]] Worker* find(int number);
  [[nodiscard]] bool can_take(const Worker& worker) const;
  [[nodiscard]] Worker* running_worker(std::uint64_t job);

  FleetOptions m_options;
  worker::Launch m_launch;
  int m_arena_fd;
  int m_pool_fd;
  worker::Forkserver m_server;
  std::vector<std::unique_ptr<Worker>> m_workers;
  std::deque<Job> m_backlog;  ///< jobs without a worker; those that lost one come first
  std::deque<Job> m_alone;    ///< jobs that wait for a fresh worker
  std::set<std::string, std::less<>> m_deadly;  ///< kinds of jobs that died in a fresh worker
  std::vector<Delivery> m_deliveries;
  std::string m_version;
  bool m_hello = false;
  Clock::time_point m_started;  ///< when the forkserver was launched
  int m_next_worker = 1;
  int m_failed_starts = 0;  ///< workers in a row that died before they were ready
  int m_restarts = 0;       ///< forkservers in a row that ended without an answer in between
  double m_busy_s = 0;
  Clock::time_point m_memory_checked;
};

}  // namespace opalign::sched
