// SPDX-License-Identifier: Apache-2.0
// Boxes (x1, y1, x2, y2): a side, then a place for it, in each direction.
#include <fmt/format.h>

#include <opalign/base/float_bits.hpp>
#include <opalign/value/draw.hpp>

namespace opalign::value {
namespace {

struct Extent {
  double start, end;
};

/// Sides of at least 1, and of twice the coarsest unit of the dtype inside `size`, so that no box
/// is rounded flat; of half the size where that is less.
struct RealSides {
  double size, least;

  RealSides(DType dtype, double limit) : size(floor_to(dtype, limit)) {
    const double unit = size - representable(dtype, 0, size).top;
    least = std::min(std::max(1.0, 2 * unit), size / 2);
  }
  [[nodiscard]] Extent place(double a, double b) const {
    const double side = least + (size - least) * a;
    const double start = (size - side) * b;
    return {start, std::min(start + side, size)};
  }
};

struct IntegerSides {
  double size;

  IntegerSides(DType dtype, double limit)
      : size(static_cast<double>(std::clamp<std::int64_t>(-ceiling(-std::min(limit, 0x1p53)), 1,
                                                          exact_integers(dtype).highest))) {}
  [[nodiscard]] Extent place(double a, double b) const {
    const double side = 1 + static_cast<double>(static_cast<std::int64_t>(size * a));
    const double start = static_cast<double>(static_cast<std::int64_t>((size - side + 1) * b));
    return {start, start + side};
  }
};

template <class Sides>
void draw_boxes(const Target& target, const Sides& width, const Sides& height) {
  static_assert(k_chunk % 4 == 0, "a box lies in one chunk");
  each_chunk<double>(target, Parts::real_only, [&](std::uint64_t first, std::span<double> out) {
    draw_units(target, first, out);
    for (std::size_t i = 0; i < out.size(); i += 4) {
      const Extent x = width.place(out[i], out[i + 1]);
      const Extent y = height.place(out[i + 2], out[i + 3]);
      out[i] = x.start;
      out[i + 1] = y.start;
      out[i + 2] = x.end;
      out[i + 3] = y.end;
    }
  });
}

}  // namespace

Expected<void> draw(const Boxes& how, const Target& target) {
  if (target.shape.empty() || target.shape.back() != 4)
    return fail(
        fmt::format("boxes: expected a last dim of 4, got the shape {}", to_string(target.shape)));
  if (!(how.width > 0 && how.height > 0))
    return fail(fmt::format("boxes: expected a width and a height above 0, got {} and {}",
                            how.width, how.height));
  const DType part = target.part();
  if (target.is_real() || target.is_complex())
    draw_boxes(target, RealSides(part, how.width), RealSides(part, how.height));
  else
    draw_boxes(target, IntegerSides(part, how.width), IntegerSides(part, how.height));
  return {};
}

}  // namespace opalign::value
