// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/runner_spec.hpp>

#include <charconv>

#include <fmt/format.h>

namespace opalign {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_lower(c) || is_digit(c) || c == '_'; }
bool is_version(char c) { return c > ' ' && c != ':' && c != '+' && c != '@' && c != '/'; }

/// A place in the text that moves only forward.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : m_text(text) {}

  [[nodiscard]] bool at_end() const { return m_at == m_text.size(); }
  bool skip(char c) {
    if (at_end() || m_text[m_at] != c)
      return false;
    ++m_at;
    return true;
  }
  template <class Predicate>
  std::string_view take_while(Predicate predicate) {
    std::size_t start = m_at;
    while (!at_end() && predicate(m_text[m_at]))
      ++m_at;
    return m_text.substr(start, m_at - start);
  }
  /// From "(" to the ")" that closes it; empty, without moving, where nothing closes it.
  std::string_view take_parenthesized() {
    int depth = 0;
    for (std::size_t end = m_at; end < m_text.size(); ++end) {
      depth += m_text[end] == '(' ? 1 : m_text[end] == ')' ? -1 : 0;
      if (depth == 0) {
        std::string_view taken = m_text.substr(m_at, end + 1 - m_at);
        m_at = end + 1;
        return taken;
      }
    }
    return {};
  }
  [[nodiscard]] bool next_is(char c) const { return !at_end() && m_text[m_at] == c; }
  [[nodiscard]] tl::unexpected<Error> expected(std::string_view what) const {
    std::string got = at_end() ? "the end" : fmt::format("'{}'", m_text.substr(m_at));
    return fail(
        fmt::format("runner '{}', column {}: expected {}, got {}", m_text, m_at + 1, what, got),
        "a runner reads framework@version:device, like paddle@3.3.1:cpu or torch:cuda:1");
  }

 private:
  std::string_view m_text;
  std::size_t m_at = 0;
};

Expected<std::string> take_word(Cursor& cursor, std::string_view what) {
  std::string_view word = cursor.take_while(is_word);
  if (word.empty() || !is_lower(word.front()))
    return cursor.expected(what);
  return std::string(word);
}

Expected<int> take_index(Cursor& cursor) {
  std::string_view digits = cursor.take_while(is_digit);
  int index = 0;
  auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (digits.empty() || code != std::errc())
    return cursor.expected("the number of a device");
  return index;
}

Expected<std::string> take_transform(Cursor& cursor) {
  TRY_ASSIGN(std::string transform, take_word(cursor, "the name of a transform"));
  if (!cursor.next_is('('))
    return transform;
  std::string_view arguments = cursor.take_parenthesized();
  if (arguments.empty())
    return cursor.expected("a text in parentheses");
  return transform + std::string(arguments);
}

}  // namespace

Expected<RunnerSpec> parse_runner_spec(std::string_view text) {
  Cursor cursor(text);
  RunnerSpec spec;
  TRY_ASSIGN(spec.framework, take_word(cursor, "the name of a framework"));
  if (cursor.skip('@')) {
    spec.version = cursor.take_while(is_version);
    if (spec.version->empty())
      return cursor.expected("a version");
  }
  if (cursor.skip(':')) {
    TRY_ASSIGN(spec.device, take_word(cursor, "a device"));
    if (cursor.skip(':')) {
      TRY_ASSIGN(spec.index, take_index(cursor));
    }
  }
  while (cursor.skip('+')) {
    TRY_ASSIGN(std::string transform, take_transform(cursor));
    spec.transforms.push_back(std::move(transform));
  }
  if (!cursor.at_end())
    return cursor.expected("':', '+' or the end");
  return spec;
}

std::string to_string(const RunnerSpec& spec) {
  std::string text = spec.framework;
  if (spec.version)
    text += "@" + *spec.version;
  text += ":" + spec.device;
  if (spec.device != "cpu" || spec.index != 0)
    text += fmt::format(":{}", spec.index);
  for (const std::string& transform : spec.transforms)
    text += "+" + transform;
  return text;
}

Expected<void> check_transforms(const RunnerSpec& spec) {
  if (spec.transforms.empty())
    return {};
  return fail(fmt::format("runner '{}': '+{}': no transform is available yet", to_string(spec),
                          spec.transforms.front()),
              "name the runner without '+'");
}

}  // namespace opalign
