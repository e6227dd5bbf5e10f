// SPDX-License-Identifier: Apache-2.0
#include <opalign/report/format.hpp>

#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <opalign/base/suggest.hpp>
#include <opalign/report/jsonl.hpp>
#include <opalign/report/text.hpp>

namespace opalign::report {
namespace {

Expected<void> write_jsonl(const store::Reader& reader, const store::Filter& filter,
                           std::ostream& out) {
  return reader.each(filter, [&](const store::Record& record) {
    out << to_json_line(record) << '\n';
    return out.good();
  });
}

Expected<void> write_text(const store::Reader& reader, const store::Filter& filter,
                          std::ostream& out) {
  TRY_ASSIGN(const store::Facts facts, reader.facts());
  return reader.each(filter, [&](const store::Record& record) {
    out << render_record(record, facts, Style{}) << '\n';
    return out.good();
  });
}

constexpr std::array<Format, 2> k_formats{{
    {"jsonl", "one JSON object a line", write_jsonl},
    {"text", "what `opalign show RUN ID` prints", write_text},
}};

}  // namespace

std::span<const Format> formats() { return k_formats; }

Expected<const Format*> find_format(std::string_view name) {
  for (const Format& format : k_formats)
    if (format.name == name)
      return &format;
  std::vector<std::string_view> names;
  for (const Format& format : k_formats)
    names.push_back(format.name);
  return fail(fmt::format("format '{}' is unknown; there are: {}", name, fmt::join(names, ", ")),
              did_you_mean(name, names));
}

}  // namespace opalign::report
