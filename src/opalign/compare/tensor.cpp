// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/tensor.hpp>

#include <limits>

#include <opalign/compare/element.hpp>

namespace opalign::compare {
namespace {

template <class E>
bool is_zero(typename E::Bits bits) {
  if constexpr (k_is_complex<E>)
    return is_zero<typename E::Part>(bits[0]) && is_zero<typename E::Part>(bits[1]);
  else if constexpr (k_is_float<E>)
    return (bits & E::k_magnitude) == 0;
  else
    return bits == 0;
}

template <class E>
bool is_finite(typename E::Bits bits) {
  if constexpr (k_is_complex<E>)
    return E::Part::is_finite(bits[0]) && E::Part::is_finite(bits[1]);
  else if constexpr (k_is_float<E>)
    return E::is_finite(bits);
  else
    return true;
}

template <class E>
bool is_nan(typename E::Bits bits) {
  if constexpr (k_is_complex<E>)
    return is_nan<typename E::Part>(bits[0]) && is_nan<typename E::Part>(bits[1]);
  else if constexpr (k_is_float<E>)
    return E::class_of(bits) == Class::nan;
  else
    return false;
}

/// First index at which `holds(bits)`; the number of elements if there is none.
template <class E, class Holds>
std::int64_t find(const TensorView& view, const Touched& touched, Holds holds) {
  std::int64_t i = 0;
  each_window(*numel(view.shape), size_of(view.dtype), touched,
              [&](std::int64_t, std::int64_t end) {
                while (i < end && !holds(load<E>(view.data, i)))
                  ++i;
                return i == end;
              });
  return i;
}

}  // namespace

bool readable(const TensorView& view) {
  if (static_cast<int>(view.dtype) >= k_dtype_count)
    return false;
  const std::optional<std::int64_t> count = numel(view.shape);
  const auto size = static_cast<std::int64_t>(size_of(view.dtype));
  return count && *count <= std::numeric_limits<std::int64_t>::max() / size &&
         (*count == 0 || view.data != nullptr);
}

Content content_of(const TensorView& view, const Touched& touched) {
  const std::int64_t count = *numel(view.shape);
  if (count == 0)
    return Content::empty;
  return visit_element(view.dtype, [&](auto element) {
    using E = decltype(element);
    if (find<E>(view, touched, [](auto bits) { return !is_zero<E>(bits); }) == count)
      return Content::zero;
    if (find<E>(view, touched, [](auto bits) { return !is_nan<E>(bits); }) == count)
      return Content::nan;
    return Content::something;
  });
}

std::optional<std::int64_t> first_nonfinite(const TensorView& view, const Touched& touched) {
  if (!is_differentiable(view.dtype))
    return std::nullopt;
  const std::int64_t first = visit_element(view.dtype, [&](auto element) {
    using E = decltype(element);
    return find<E>(view, touched, [](auto bits) { return !is_finite<E>(bits); });
  });
  return first < *numel(view.shape) ? std::optional(first) : std::nullopt;
}

std::vector<std::int64_t> unravel(std::int64_t flat, const Shape& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = flat % shape[dim];
    flat /= shape[dim];
  }
  return index;
}

}  // namespace opalign::compare
