// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/progress.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace opalign::cli {
namespace {

constexpr double k_redraw_s = 0.2;
constexpr double k_line_s = 10;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

bool can_redraw() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

}  // namespace

Progress::Progress() : m_terminal(can_redraw()), m_begun(Clock::now()), m_shown(m_begun) {}

void Progress::end() {
  if (m_drawn)
    fmt::print(stderr, "\r\x1b[K");
  m_drawn = false;
  std::fflush(stderr);
}

double Progress::elapsed_s() const {
  return std::chrono::duration<double>(Clock::now() - m_begun).count();
}

void Progress::count(const Judgement& judgement) {
  ++m_cases;
  ++m_verdicts[std::string(label(judgement.verdict))];
  for (const std::string& name : judgement.known)
    ++m_known[name];
}

std::string Progress::line() const {
  if (m_cases == 0)
    return fmt::format("{:.0f} s, no case has ended yet", elapsed_s());
  std::string text = fmt::format("{} cases, {:.0f} s, {:.0f} cases/s", m_cases, elapsed_s(),
                                 static_cast<double>(m_cases) / elapsed_s());
  for (const VerdictInfo& entry : verdict_table())
    if (const auto found = m_verdicts.find(std::string(entry.label)); found != m_verdicts.end())
      text += fmt::format(", {} {}", found->second, entry.label);
  return text;
}

void Progress::tick() {
  const double since = std::chrono::duration<double>(Clock::now() - m_shown).count();
  if (since < (m_terminal ? k_redraw_s : k_line_s))
    return;
  m_shown = Clock::now();
  if (m_terminal) {
    fmt::print(stderr, "\r\x1b[K{}", line().substr(0, terminal_width()));
    m_drawn = true;
  } else {
    fmt::print(stderr, "{}\n", line());
  }
  std::fflush(stderr);
}

}  // namespace opalign::cli
