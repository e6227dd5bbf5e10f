// SPDX-License-Identifier: Apache-2.0
#include <opalign/value/store.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include <opalign/base/float_bits.hpp>

namespace opalign::value {
namespace {

template <class T>
T saturate(std::int64_t x) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>)
    return x != 0;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return x < 0 ? 0 : static_cast<std::uint64_t>(x);
  else
    return static_cast<T>(std::clamp<std::int64_t>(x, Limits::min(), Limits::max()));
}

template <class T>
T convert(std::int64_t x) {
  return saturate<T>(x);
}

template <class T>
T convert(double x) {
  if constexpr (std::is_same_v<T, bool>)
    return x != 0;
  if constexpr (std::is_same_v<T, std::uint64_t>)
    if (x >= 0x1p63)
      return x >= 0x1p64 ? std::numeric_limits<T>::max() : static_cast<T>(x);
  return saturate<T>(to_integer(x));
}

template <class T, class Number>
void store_each(std::span<const Number> values, std::byte* out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T element = convert<T>(values[i]);
    std::memcpy(out + i * sizeof element, &element, sizeof element);
  }
}

/// False for the floating dtypes.
template <class Number>
bool store_integers(DType dtype, std::span<const Number> values, std::byte* out) {
  switch (dtype) {
    case DType::boolean:
      return store_each<bool>(values, out), true;
    case DType::uint8:
      return store_each<std::uint8_t>(values, out), true;
    case DType::uint16:
      return store_each<std::uint16_t>(values, out), true;
    case DType::uint32:
      return store_each<std::uint32_t>(values, out), true;
    case DType::uint64:
      return store_each<std::uint64_t>(values, out), true;
    case DType::int8:
      return store_each<std::int8_t>(values, out), true;
    case DType::int16:
      return store_each<std::int16_t>(values, out), true;
    case DType::int32:
      return store_each<std::int32_t>(values, out), true;
    case DType::int64:
      return store_each<std::int64_t>(values, out), true;
    default:
      return false;
  }
}

}  // namespace

std::int64_t to_integer(double x) {
  if (x >= 0x1p63)
    return std::numeric_limits<std::int64_t>::max();
  if (x < -0x1p63)
    return std::numeric_limits<std::int64_t>::min();
  if (x != x)
    return 0;
  const std::int64_t whole = static_cast<std::int64_t>(x);
  const double rest = x - static_cast<double>(whole);
  return whole + (rest >= 0.5 ? 1 : rest <= -0.5 ? -1 : 0);
}

std::int64_t ceiling(double x) {
  if (!(x > -0x1p63 && x < 0x1p63))
    return to_integer(x);
  const std::int64_t whole = static_cast<std::int64_t>(x);
  return whole + (static_cast<double>(whole) < x ? 1 : 0);
}

Interval representable(DType dtype, double low, double high) {
  constexpr double k_infinity = std::numeric_limits<double>::infinity();
  // The next double below `high`: no value of a narrower dtype lies between the two.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(high);
  const double below_high = high == 0  ? -std::numeric_limits<double>::denorm_min()
                            : high > 0 ? std::bit_cast<double>(bits - 1)
                                       : std::bit_cast<double>(bits + 1);
  const Interval result{-floor_to(dtype, -low), floor_to(dtype, below_high)};
  return result.bottom <= result.top ? result : Interval{-k_infinity, k_infinity};
}

ExactIntegers exact_integers(DType dtype) {
  constexpr auto up_to = [](int bits) {
    return (std::int64_t{1} << (bits - 1)) - 1 + (std::int64_t{1} << (bits - 1));
  };
  constexpr auto is_signed = [](std::int64_t highest) {
    return ExactIntegers{-highest - 1, highest};
  };
  constexpr auto is_float = [](int precision) {
    return ExactIntegers{-(std::int64_t{1} << precision), std::int64_t{1} << precision};
  };
  switch (dtype) {
    case DType::boolean:
      return {0, 1};
    case DType::uint8:
      return {0, up_to(8)};
    case DType::uint16:
      return {0, up_to(16)};
    case DType::uint32:
      return {0, up_to(32)};
    case DType::uint64:
      return {0, up_to(63)};
    case DType::int8:
      return is_signed(up_to(7));
    case DType::int16:
      return is_signed(up_to(15));
    case DType::int32:
      return is_signed(up_to(31));
    case DType::int64:
      return is_signed(up_to(63));
    case DType::float16:
      return is_float(11);
    case DType::bfloat16:
      return is_float(8);
    case DType::float32:
    case DType::complex64:
      return is_float(24);
    case DType::float64:
    case DType::complex128:
      return is_float(53);
    case DType::float8_e4m3fn:
      return is_float(4);
    case DType::float8_e5m2:
      return is_float(3);
  }
  return {0, 0};
}

void store(DType dtype, std::span<const double> values, std::byte* out) {
  if (!store_integers(dtype, values, out))
    round_into(dtype, values, out);
}

void store(DType dtype, std::span<const std::int64_t> values, std::byte* out) {
  if (store_integers(dtype, values, out))
    return;
  std::array<double, 64> reals;
  for (std::size_t done = 0; done < values.size(); done += reals.size()) {
    const std::size_t n = std::min(reals.size(), values.size() - done);
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(done), n, reals.begin());
    round_into(dtype, {reals.data(), n}, out + done * size_of(dtype));
  }
}

}  // namespace opalign::value
