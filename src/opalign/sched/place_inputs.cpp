// SPDX-License-Identifier: Apache-2.0
#include <opalign/sched/place_inputs.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <opalign/plan/inputs.hpp>

namespace opalign::sched {
namespace {

Expected<void> draw(const plan::Input& input, std::uint64_t key, std::span<std::byte> out,
                    const Touched& touched) {
  Expected<void> drawn = value::fill(input.fill, input.dtype, input.shape, key, out, touched);
  if (!drawn && !input.own_fill)
    drawn = value::fill(value::Plain{}, input.dtype, input.shape, key, out, touched);
  return drawn;
}

/// Copies a dense tensor to where its strides say, one innermost line after the other.
void scatter(const plan::Input& input, const std::byte* dense, std::byte* buffer) {
  const std::size_t width = size_of(input.dtype);
  const std::size_t dims = input.shape.size();
  const std::int64_t line = dims == 0 ? 1 : input.shape.back();
  const std::int64_t line_stride = dims == 0 ? 1 : input.strides.back();
  std::vector<std::int64_t> index(dims, 0);
  const std::int64_t lines = line == 0 ? 0 : *numel(input.shape) / line;
  for (std::int64_t n = 0; n < lines; ++n) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d + 1 < dims; ++d)
      at += index[d] * input.strides[d];
    for (std::int64_t i = 0; i < line; ++i, dense += width)
      std::memcpy(buffer + static_cast<std::size_t>(at + i * line_stride) * width, dense, width);
    for (std::size_t d = dims < 2 ? 0 : dims - 1; d-- > 0;) {
      if (++index[d] < input.shape[d])
        break;
      index[d] = 0;
    }
  }
}

}  // namespace

std::size_t region_bytes(const plan::Unit& unit) {
  std::size_t bytes = 0;
  for (const plan::Input& input : unit.inputs)
    bytes += plan::aligned(plan::buffer_bytes(input));
  return bytes;
}

Expected<std::string> place_inputs(const plan::Unit& unit, std::uint64_t seed, std::size_t offset,
                                   std::span<std::byte> region, const Touched& touched) {
  std::string json = "[";
  std::size_t at = 0;
  std::vector<std::byte> dense;
  for (const plan::Input& input : unit.inputs) {
    const std::size_t width = size_of(input.dtype);
    const std::span<std::byte> buffer = region.subspan(at, plan::buffer_bytes(input));
    const std::uint64_t key = value::stream_key(unit.id, input.path, seed);
    const std::size_t skipped = static_cast<std::size_t>(input.offset) * width;
    if (input.strides.empty() && input.offset == 0) {
      TRY(draw(input, key, buffer, touched));
    } else {
      std::memset(buffer.data(), 0, buffer.size());
      dense.resize(static_cast<std::size_t>(*numel(input.shape)) * width);
      TRY(draw(input, key, dense, {}));
      if (!dense.empty())
        scatter(input, dense.data(), buffer.data() + skipped);
    }
    fmt::format_to(std::back_inserter(json), R"({}[{},"{}",[{}],{})", json.size() == 1 ? "" : ",",
                   offset + at + skipped, name(input.dtype), fmt::join(input.shape, ","),
                   input.differentiable ? 1 : 0);
    if (!input.strides.empty())
      fmt::format_to(std::back_inserter(json), ",[{}]", fmt::join(input.strides, ","));
    json += ']';
    at += plan::aligned(plan::buffer_bytes(input));
  }
  json += ']';
  return json;
}

}  // namespace opalign::sched
