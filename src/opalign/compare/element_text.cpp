// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/tensor.hpp>

#include <cstdlib>

#include <fmt/format.h>

#include <opalign/compare/element.hpp>

namespace opalign::compare {
namespace {

/// Shortest decimal that lies nearer to the element than to either neighbour of its format; for the
/// formats narrower than float32, which the library cannot print.
template <class F>
std::string shortest(typename F::Bits bits) {
  using Bits = typename F::Bits;
  const auto magnitude = static_cast<Bits>(bits & F::k_magnitude);
  const std::string sign = bits & F::k_sign ? "-" : "";
  if (magnitude == 0)
    return sign + "0";
  const double value = F::value(magnitude);
  const double below = value - F::value(static_cast<Bits>(magnitude - 1));
  const auto next = static_cast<Bits>(magnitude + 1);
  const double above = F::is_finite(next) ? F::value(next) - value : below;
  std::string text;
  for (int digits = 1; digits <= 9; ++digits) {
    text = fmt::format("{:.{}g}", value, digits);
    const double error = std::strtod(text.c_str(), nullptr) - value;
    if (error > -below / 2 && error < above / 2)
      break;
  }
  return sign + text;
}

template <class E>
std::string text_of(typename E::Bits bits) {
  if constexpr (k_is_complex<E>) {
    const std::string imaginary = text_of<typename E::Part>(bits[1]);
    return fmt::format("{}{}{}j", text_of<typename E::Part>(bits[0]),
                       imaginary.starts_with('-') ? "" : "+", imaginary);
  } else if constexpr (k_is_float<E>) {
    switch (E::class_of(bits)) {
      case Class::nan:
        return "nan";
      case Class::positive_infinity:
        return "inf";
      case Class::negative_infinity:
        return "-inf";
      case Class::finite:
        break;
    }
    if constexpr (std::is_same_v<E, Float64>)
      return fmt::format("{}", std::bit_cast<double>(bits));
    else if constexpr (std::is_same_v<E, Float32>)
      return fmt::format("{}", std::bit_cast<float>(bits));
    else
      return shortest<E>(bits);
  } else if constexpr (std::is_same_v<E, BoolElement>) {
    return bits ? "True" : "False";
  } else {
    return std::to_string(bits);
  }
}

}  // namespace

std::string element_text(const TensorView& view, std::int64_t flat) {
  return visit_element(view.dtype, [&](auto element) {
    return text_of<decltype(element)>(load<decltype(element)>(view.data, flat));
  });
}

}  // namespace opalign::compare
