// SPDX-License-Identifier: Apache-2.0
// Matrices in the last two dims. Off the diagonal, |x| < 1/(sqrt 2 * n) in a matrix of n rows or
// columns: no row of them sums to 0.71, while the diagonal is at least 1 (1/2 in a triangular one).
// So the first kind is positive definite and the others are regular by Gershgorin's theorem, in any
// dtype, and no determinant overflows.
#include <cstring>

#include <fmt/format.h>

#include <opalign/value/draw.hpp>
#include <opalign/value/philox.hpp>

namespace opalign::value {
namespace {

enum class Form : std::uint8_t { general, mirrored };

struct Entry {
  double real, imaginary;
};

/// Copies element (j, i) to (i, j), conjugated.
void mirror(const Target& target, std::byte* matrix, std::int64_t n, std::int64_t i,
            std::int64_t j) {
  const std::size_t size = size_of(target.dtype);
  std::byte* out = matrix + static_cast<std::size_t>(i * n + j) * size;
  std::memcpy(out, matrix + static_cast<std::size_t>(j * n + i) * size, size);
  const auto conjugate = [out](auto part) {
    std::memcpy(&part, out + sizeof part, sizeof part);
    part = -part;
    std::memcpy(out + sizeof part, &part, sizeof part);
  };
  if (target.dtype == DType::complex64)
    conjugate(float{});
  else if (target.dtype == DType::complex128)
    conjugate(double{});
}

/// at(i, j, entry uniform in (-1, 1) by part) is what stands in row i and column j.
template <class At>
Expected<void> draw_matrices(const char* fill, Form form, const Target& target, At at) {
  const Shape& shape = target.shape;
  if (shape.size() < 2)
    return fail(fmt::format("{}: expected a matrix, got the shape {}", fill, to_string(shape)));
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
  const bool mirrored = form == Form::mirrored;
  if (mirrored && rows != columns)
    return fail(
        fmt::format("{}: expected a square matrix, got the shape {}", fill, to_string(shape)));
  if (target.numel == 0)
    return {};

  const bool rounds = target.is_real() || target.is_complex();
  const std::size_t row_bytes = static_cast<std::size_t>(columns) * size_of(target.dtype);
  std::vector<double> numbers;
  for (std::int64_t row = 0; row < target.numel / columns; ++row) {
    const std::int64_t i = row % rows;
    std::byte* out = target.out + static_cast<std::size_t>(row) * row_bytes;
    const std::int64_t first = mirrored ? i : 0;
    Stream stream(target.key, 1 + static_cast<std::uint64_t>(row));
    numbers.clear();
    for (std::int64_t j = first; j < columns; ++j) {
      Entry entry{centred(stream.next()), 0};
      if (target.is_complex())
        entry.imaginary = centred(stream.next());
      entry = at(i, j, entry);
      numbers.push_back(rounds ? entry.real : static_cast<double>(to_integer(entry.real)));
      if (target.is_complex())
        numbers.push_back(entry.imaginary);
    }
    store(target.part(), std::span<const double>(numbers),
          out + static_cast<std::size_t>(first) * size_of(target.dtype));
    for (std::int64_t j = 0; j < first; ++j)
      mirror(target, out - static_cast<std::size_t>(i) * row_bytes, columns, i, j);
  }
  return {};
}

/// What a number is multiplied by off the diagonal.
double small(const Target& target) {
  if (target.shape.size() < 2)
    return 0;
  const std::int64_t n = std::max(target.shape.back(), target.shape[target.shape.size() - 2]);
  return 0.5 / static_cast<double>(std::max<std::int64_t>(n, 1));
}

Entry scaled(const Entry& entry, double factor) {
  return {entry.real * factor, entry.imaginary * factor};
}

/// Real, in (1, 2).
Entry large(const Entry& entry) { return {1.5 + 0.5 * entry.real, 0}; }

}  // namespace

Expected<void> draw(const PositiveDefinite&, const Target& target) {
  return draw_matrices(
      "spd", Form::mirrored, target,
      [factor = small(target)](std::int64_t i, std::int64_t j, const Entry& entry) {
        return i == j ? large(entry) : scaled(entry, factor);
      });
}

Expected<void> draw(const WellConditioned&, const Target& target) {
  return draw_matrices(
      "well_conditioned", Form::general, target,
      [factor = small(target)](std::int64_t i, std::int64_t j, const Entry& entry) {
        return i == j ? large(entry) : scaled(entry, factor);
      });
}

Expected<void> draw(const Triangular& how, const Target& target) {
  return draw_matrices("triangular", Form::general, target,
                       [factor = small(target), upper = how.upper](std::int64_t i, std::int64_t j,
                                                                   const Entry& entry) {
                         if (i == j)
                           return Entry{entry.real + (entry.real < 0 ? -0.5 : 0.5), 0};
                         return upper == (i < j) ? scaled(entry, factor) : Entry{0, 0};
                       });
}

Expected<void> draw(const Symmetric&, const Target& target) {
  const DTypeKind kind = kind_of(target.dtype);
  return draw_matrices("symmetric", Form::mirrored, target,
                       [kind](std::int64_t i, std::int64_t j, const Entry& entry) {
                         switch (kind) {
                           case DTypeKind::boolean:
                             return Entry{entry.real < 0 ? 0.0 : 1.0, 0};
                           case DTypeKind::unsigned_integer:
                             return Entry{100 + 100 * entry.real, 0};
                           case DTypeKind::signed_integer:
                             return scaled(entry, 100);
                           case DTypeKind::floating:
                           case DTypeKind::complex:
                             break;
                         }
                         return i == j ? Entry{entry.real, 0} : entry;
                       });
}

}  // namespace opalign::value
