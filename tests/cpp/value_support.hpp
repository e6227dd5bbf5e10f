// SPDX-License-Identifier: Apache-2.0
// What the tests of fills share: filled tensors, and their elements as doubles.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include <opalign/base/float_bits.hpp>
#include <opalign/value/fill.hpp>

namespace value_test {

using opalign::DType;
using opalign::Shape;

inline std::vector<DType> all_dtypes() {
  std::vector<DType> result;
  for (int i = 0; i < opalign::k_dtype_count; ++i)
    result.push_back(static_cast<DType>(i));
  return result;
}

inline std::vector<std::byte> filled(const opalign::value::Fill& how, DType dtype,
                                     const Shape& shape, std::uint64_t key = 7) {
  std::vector<std::byte> out(static_cast<std::size_t>(opalign::numel(shape).value()) *
                             opalign::size_of(dtype));
  const opalign::Expected<void> done = opalign::value::fill(how, dtype, shape, key, out);
  if (!done)
    FAIL(done.error().text());
  return out;
}

inline std::string error_of(const opalign::value::Fill& how, DType dtype, const Shape& shape) {
  std::vector<std::byte> out(static_cast<std::size_t>(opalign::numel(shape).value()) *
                             opalign::size_of(dtype));
  const opalign::Expected<void> done = opalign::value::fill(how, dtype, shape, 7, out);
  return done ? "no error" : done.error().text();
}

template <class T>
double read(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return static_cast<double>(value);
}

/// Part `part` (1: imaginary) of element i.
inline double element(const std::vector<std::byte>& data, DType dtype, std::size_t i,
                      std::size_t part = 0) {
  const std::byte* at = data.data() + i * opalign::size_of(dtype);
  switch (dtype) {
    case DType::boolean:
    case DType::uint8:
      return read<std::uint8_t>(at);
    case DType::uint16:
      return read<std::uint16_t>(at);
    case DType::uint32:
      return read<std::uint32_t>(at);
    case DType::uint64:
      return read<std::uint64_t>(at);
    case DType::int8:
      return read<std::int8_t>(at);
    case DType::int16:
      return read<std::int16_t>(at);
    case DType::int32:
      return read<std::int32_t>(at);
    case DType::int64:
      return read<std::int64_t>(at);
    case DType::float32:
    case DType::complex64:
      return read<float>(at + part * sizeof(float));
    case DType::float64:
    case DType::complex128:
      return read<double>(at + part * sizeof(double));
    case DType::float16:
      return opalign::float16_value(static_cast<std::uint16_t>(read<std::uint16_t>(at)));
    case DType::bfloat16:
      return opalign::bfloat16_value(static_cast<std::uint16_t>(read<std::uint16_t>(at)));
    case DType::float8_e4m3fn:
      return opalign::float8_e4m3fn_value(static_cast<std::uint8_t>(read<std::uint8_t>(at)));
    case DType::float8_e5m2:
      return opalign::float8_e5m2_value(static_cast<std::uint8_t>(read<std::uint8_t>(at)));
  }
  return 0;
}

/// The elements as doubles; of complex ones the real parts.
inline std::vector<double> numbers(const opalign::value::Fill& how, DType dtype, const Shape& shape,
                                   std::uint64_t key = 7, std::size_t part = 0) {
  const std::vector<std::byte> data = filled(how, dtype, shape, key);
  std::vector<double> result(data.size() / opalign::size_of(dtype));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = element(data, dtype, i, part);
  return result;
}

struct Moments {
  double mean = 0, variance = 0, least = 0, most = 0;
};

inline Moments moments(const std::vector<double>& values) {
  Moments result{0, 0, values.at(0), values.at(0)};
  for (const double x : values) {
    result.mean += x / static_cast<double>(values.size());
    result.least = x < result.least ? x : result.least;
    result.most = x > result.most ? x : result.most;
  }
  for (const double x : values)
    result.variance += (x - result.mean) * (x - result.mean) / static_cast<double>(values.size());
  return result;
}

}  // namespace value_test
