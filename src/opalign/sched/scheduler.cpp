// SPDX-License-Identifier: Apache-2.0
#include <opalign/sched/scheduler.hpp>

#include <algorithm>
#include <map>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>

#include <opalign/base/interrupt.hpp>
#include <opalign/sched/fleet.hpp>
#include <opalign/sched/flight.hpp>
#include <opalign/sched/place_inputs.hpp>
#include <opalign/value/pool.hpp>
#include <opalign/worker/arena.hpp>

namespace opalign::sched {
namespace {

/// Units in flight for each slot: enough that no worker waits for opalign.
constexpr int k_depth = 8;
/// A reference that nobody waits for any more is ended after this: a new worker costs less.
constexpr double k_useless_s = 0.2;
/// A unit is expected to take its inputs, and for each runner about four times as much again:
/// a copy, outputs, gradients, workspace.
constexpr std::size_t k_memory_factor = 4;
/// Of outputs, what stays mapped of all workers' files together. The rest is mapped only while it
/// is judged.
constexpr std::size_t k_kept_maps = std::size_t{96} << 20;
/// Of each file, however many they are: all small outputs.
constexpr std::size_t k_least_kept_map = std::size_t{4} << 20;
/// What may be mapped beyond that before it is taken away.
constexpr std::size_t k_touched = std::size_t{64} << 20;
constexpr int k_poll_ms = 50;
/// After an interrupt, for what is in flight to end.
constexpr std::chrono::seconds k_grace{2};

/// Takes away behind a loop what it has touched of `parts`, which are shared memory.
Touched set_aside(std::vector<std::span<std::byte>> parts) {
  if (std::ranges::all_of(parts, [](std::span<std::byte> part) { return part.empty(); }))
    return {};
  return [parts = std::move(parts), mapped = std::size_t{0}](std::size_t bytes) mutable {
    if ((mapped += bytes) < k_touched)
      return;
    for (const std::span<std::byte> part : parts)
      worker::set_aside(part);
    mapped = 0;
  };
}

class Loop {
 public:
  Loop(const Options& options, const compare::Policy& policy, const Source& next,
       const Sink& finished, const Tick& tick)
      : m_options(options), m_policy(policy), m_next(next), m_finished(finished), m_tick(tick) {}

  Expected<void> set_up(const std::vector<RunnerLaunch>& runners);
  Expected<Totals> run();

 private:
  void dispatch();
  void launch(plan::Unit unit);
  std::string place(Flight& flight);
  void collect();
  void enforce_time_limits();
  Expected<void> judge_complete();
  [[nodiscard]] Judgement judge(const Flight& flight, std::span<const Outcome> outcomes) const;
  Expected<void> finish(Flight& flight);
  [[nodiscard]] bool has_room(const plan::Unit& unit) const;
  [[nodiscard]] std::size_t expected_bytes(std::size_t input_bytes) const;

  const Options& m_options;
  const compare::Policy& m_policy;
  const Source& m_next;
  const Sink& m_finished;
  const Tick& m_tick;

  worker::Arena m_arena;
  Fd m_pool;
  Fd m_pool_read_only;
  std::vector<std::unique_ptr<Fleet>> m_fleets;
  std::map<std::uint64_t, Flight> m_flights;
  std::optional<plan::Unit> m_waiting;  ///< read, but there was no room for it
  bool m_exhausted = false;
  bool m_interrupted = false;
  std::uint64_t m_next_flight = 1;
  std::size_t m_bytes_in_flight = 0;
  std::vector<std::uint64_t> m_complete;
};

Expected<void> Loop::set_up(const std::vector<RunnerLaunch>& runners) {
  TRY_ASSIGN(m_arena, worker::Arena::create(m_options.memory_budget));
  TRY_ASSIGN(m_pool, worker::make_memfd("opalign-pool", value::k_pool_bytes));
  {
    TRY_ASSIGN(const worker::Mapping map,
               worker::Mapping::map(m_pool.get(), value::k_pool_bytes, true));
    value::fill_pool(m_options.seed, map.bytes());
  }
  ::fcntl(m_pool.get(), F_ADD_SEALS, F_SEAL_WRITE);
  TRY_ASSIGN(m_pool_read_only, worker::reopen_read_only(m_pool));
  const std::size_t files = runners.size() * static_cast<std::size_t>(m_options.slots + 1);
  const std::size_t kept_map =
      std::max(k_kept_maps / files / worker::k_page * worker::k_page, k_least_kept_map);
  for (const RunnerLaunch& runner : runners) {
    FleetOptions fleet{runner.spec,
                       m_options.slots,
                       m_options.threads,
                       m_options.memory_limit,
                       m_options.output_limit,
                       kept_map};
    m_fleets.push_back(std::make_unique<Fleet>(std::move(fleet), runner.launch, m_arena.worker_fd(),
                                               m_pool_read_only.get()));
  }
  for (const auto& fleet : m_fleets) {
    TRY(fleet->start());
  }
  return {};
}

std::size_t Loop::expected_bytes(std::size_t input_bytes) const {
  return input_bytes * (1 + k_memory_factor * m_fleets.size());
}

bool Loop::has_room(const plan::Unit& unit) const {
  if (m_flights.empty())
    return true;
  if (m_flights.size() >= static_cast<std::size_t>(m_options.slots * k_depth) ||
      m_bytes_in_flight + expected_bytes(region_bytes(unit)) > m_options.memory_budget)
    return false;
  for (std::size_t i = 0; i < m_fleets.size(); ++i)
    if (unit.programs[i].kind != plan::Program::Kind::none && m_fleets[i]->capacity() <= 0)
      return false;
  return true;
}

void Loop::dispatch() {
  const bool all_up =
      std::ranges::all_of(m_fleets, [](const auto& fleet) { return fleet->is_up(); });
  while (all_up && !m_interrupted) {
    if (!m_waiting && !m_exhausted) {
      Offer<plan::Unit> offer = m_next();
      m_waiting = std::move(offer.item);
      m_exhausted = offer.ended;
    }
    if (!m_waiting || !has_room(*m_waiting))
      return;
    launch(*std::exchange(m_waiting, std::nullopt));
  }
}

void Loop::launch(plan::Unit unit) {
  const std::uint64_t number = m_next_flight++;
  Flight flight;
  flight.begun = Clock::now();
  flight.outcomes.resize(m_fleets.size());
  flight.outputs.resize(m_fleets.size());
  flight.unit = std::move(unit);
  flight.input_bytes = region_bytes(flight.unit);
  const std::string tensors = place(flight);
  m_bytes_in_flight += expected_bytes(flight.input_bytes);

  std::vector<std::pair<Fleet*, Job>> jobs;
  for (std::size_t i = 0; i < m_fleets.size(); ++i) {
    if (flight.unit.programs[i].kind == plan::Program::Kind::none)
      flight.outcomes[i].emplace().runner = m_fleets[i]->runner();
    else
      jobs.emplace_back(m_fleets[i].get(), flight.job(number, i, tensors, m_options.seed));
  }
  m_flights.emplace(number, std::move(flight));
  for (auto& [fleet, job] : jobs)
    fleet->submit(std::move(job));
  if (jobs.empty())
    m_complete.push_back(number);
}

/// Draws the inputs of a unit that runs; returns the `tensors` of its run frames.
std::string Loop::place(Flight& flight) {
  const plan::Unit& unit = flight.unit;
  const bool runs = std::ranges::any_of(unit.programs, [](const plan::Program& program) {
    return program.kind == plan::Program::Kind::run;
  });
  if (!runs || unit.inputs.empty())
    return "[]";
  const std::optional<std::size_t> region = m_arena.allocate(flight.input_bytes);
  if (!region) {
    flight.refuse(Verdict::skipped, Reason::memory_limit,
                  fmt::format("inputs of {} bytes do not fit in the memory budget of {}",
                              flight.input_bytes, m_options.memory_budget));
    return "[]";
  }
  flight.region = {new std::size_t(*region), [this](const std::size_t* offset) {
                     m_arena.free(*offset);
                     delete offset;
                   }};
  const std::span<std::byte> not_kept = m_arena.not_kept(*region);
  Expected<std::string> tensors =
      place_inputs(unit, m_options.seed, *region, m_arena.region(*region), set_aside({not_kept}));
  worker::set_aside(not_kept);
  if (tensors)
    return std::move(*tensors);
  flight.refuse(Verdict::invalid, Reason::not_bound, tensors.error().text());
  return "[]";
}

void Loop::collect() {
  for (std::size_t i = 0; i < m_fleets.size(); ++i) {
    for (Delivery& delivery : m_fleets[i]->take_deliveries()) {
      const std::uint64_t number = flight_of(delivery.job);
      Flight& flight = m_flights.at(number);
      flight.outcomes[i] = std::move(delivery.outcome);
      flight.outputs[i] = std::move(delivery.output);
      if (flight.is_complete())
        m_complete.push_back(number);
    }
  }
}

void Loop::enforce_time_limits() {
  for (std::size_t i = 0; i < m_fleets.size(); ++i) {
    for (const auto& [job, elapsed] : m_fleets[i]->running()) {
      const Flight& flight = m_flights.at(flight_of(job));
      if (i != 0 && elapsed > k_useless_s && flight.is_unsupported())
        m_fleets[i]->abort(job, {ErrorClass::other, Stage::forward, "",
                                 "ended early: the target has no kernel for the call", ""});
      else if (elapsed > flight.time_limit_s(i, m_options.time_limit_s))
        m_fleets[i]->time_out(job);
    }
  }
}

Expected<void> Loop::judge_complete() {
  for (const std::uint64_t number : std::exchange(m_complete, {})) {
    const auto found = m_flights.find(number);
    TRY(finish(found->second));
    m_flights.erase(found);
  }
  return {};
}

Judgement Loop::judge(const Flight& flight, std::span<const Outcome> outcomes) const {
  std::vector<std::span<std::byte>> parts;
  for (std::size_t i = 0; i < m_fleets.size(); ++i)
    if (flight.outputs[i])
      parts.push_back(m_fleets[i]->not_kept(*flight.outputs[i]));
  Judgement judgement = compare::judge(m_policy, flight.context(set_aside(parts)), outcomes.front(),
                                       outcomes.subspan(1));
  for (const std::span<std::byte> part : parts)
    worker::set_aside(part);
  return judgement;
}

Expected<void> Loop::finish(Flight& flight) {
  const plan::Unit& unit = flight.unit;
  std::vector<Outcome> outcomes;
  for (std::optional<Outcome>& outcome : flight.outcomes)
    outcomes.push_back(std::move(*outcome));
  Judgement judgement = judge(flight, outcomes);
  // A judgement of the plan stands, unless a name that was only resolved turns out not to exist.
  if (unit.judgement && judgement.verdict != Verdict::invalid)
    judgement = *unit.judgement;
  const Expected<void> stored =
      m_finished({unit, judgement, outcomes, seconds_since(flight.begun)});
  for (std::size_t i = 0; i < m_fleets.size(); ++i)
    if (flight.outputs[i])
      Fleet::release(*flight.outputs[i]);
  m_bytes_in_flight -= expected_bytes(flight.input_bytes);
  return stored;
}

Expected<Totals> Loop::run() {
  const Clock::time_point begun = Clock::now();
  Clock::time_point limits_checked = begun;
  Clock::time_point interrupted_at;
  std::vector<pollfd> polls;
  while (true) {
    TRY(judge_complete());  // frees the slots that dispatch needs
    dispatch();
    if (m_flights.empty() && (m_interrupted || (m_exhausted && !m_waiting)))
      break;
    polls.clear();
    if (!m_interrupted && interrupt_fd() >= 0)
      polls.push_back({interrupt_fd(), POLLIN, 0});
    for (const auto& fleet : m_fleets)
      fleet->add_poll(polls);
    ::poll(polls.data(), polls.size(), m_complete.empty() ? k_poll_ms : 0);
    if (!m_interrupted && interrupt_signal() != 0) {
      m_interrupted = true;
      interrupted_at = Clock::now();
    }
    if (m_interrupted && Clock::now() - interrupted_at > k_grace)
      break;  // what is still running has no verdict and is run again when the run is resumed
    for (const auto& fleet : m_fleets) {
      TRY(fleet->handle());
    }
    collect();
    if (Clock::now() - limits_checked > std::chrono::milliseconds(k_poll_ms)) {
      limits_checked = Clock::now();
      enforce_time_limits();
      TRY(m_tick());
    }
  }
  Totals totals;
  totals.interrupted = m_interrupted;
  const double wall_s = seconds_since(begun);
  for (const auto& fleet : m_fleets) {
    totals.busy +=
        fleet->busy_s() / (wall_s * m_options.slots * static_cast<double>(m_fleets.size()));
    totals.versions.push_back(fleet->version());
  }
  return totals;
}

}  // namespace

Expected<Totals> run(const Options& options, const std::vector<RunnerLaunch>& runners,
                     const compare::Policy& policy, const Source& next, const Sink& finished,
                     const Tick& tick) {
  Loop loop(options, policy, next, finished, tick);
  TRY(loop.set_up(runners));
  return loop.run();
}

}  // namespace opalign::sched
