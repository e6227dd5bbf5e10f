// SPDX-License-Identifier: Apache-2.0
#include <opalign/value/fill.hpp>

#include <fmt/format.h>

#include <opalign/base/hash.hpp>
#include <opalign/value/draw.hpp>

namespace opalign::value {

std::uint64_t stream_key(std::string_view case_id, std::string_view path, std::uint64_t seed) {
  // Length first: no two triples give one text.
  return hash64(fmt::format("{}:{}{}:{}", case_id.size(), case_id, seed, path));
}

Expected<void> fill(const Fill& how, DType dtype, const Shape& shape, std::uint64_t key,
                    std::span<std::byte> out, const Touched& touched) {
  const std::optional<std::int64_t> count = numel(shape);
  if (!count || out.size() / size_of(dtype) != static_cast<std::size_t>(*count) ||
      out.size() % size_of(dtype) != 0)
    return fail(fmt::format("fill: expected room for {} {}, got {} bytes", to_string(shape),
                            name(dtype), out.size()));
  const Target target{dtype, shape, *count, key, out.data(), touched};
  return std::visit([&target](const auto& fill) { return draw(fill, target); }, how);
}

}  // namespace opalign::value
