// SPDX-License-Identifier: Apache-2.0
// Tensors with owned bytes and ready-made outcomes for the tests of compare/.
#pragma once

#include <cstring>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include <opalign/base/float_bits.hpp>
#include <opalign/base/outcome.hpp>
#include <opalign/compare/compare.hpp>

namespace compare_test {

using namespace opalign;

inline constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double k_inf = std::numeric_limits<double>::infinity();

inline std::vector<DType> all_dtypes() {
  std::vector<DType> all;
  for (int i = 0; i < k_dtype_count; ++i)
    all.push_back(static_cast<DType>(i));
  return all;
}

template <class T>
void put(std::byte* out, std::size_t index, T value) {
  std::memcpy(out + index * sizeof(T), &value, sizeof(T));
}

/// Writes `value` as element `index`; of complex types a part.
inline void put_number(DType dtype, std::byte* out, std::size_t index, double value) {
  switch (dtype) {
    case DType::boolean:
      return put(out, index, static_cast<std::uint8_t>(value != 0));
    case DType::uint8:
      return put(out, index, static_cast<std::uint8_t>(value));
    case DType::uint16:
      return put(out, index, static_cast<std::uint16_t>(value));
    case DType::uint32:
      return put(out, index, static_cast<std::uint32_t>(value));
    case DType::uint64:
      return put(out, index, static_cast<std::uint64_t>(value));
    case DType::int8:
      return put(out, index, static_cast<std::int8_t>(value));
    case DType::int16:
      return put(out, index, static_cast<std::int16_t>(value));
    case DType::int32:
      return put(out, index, static_cast<std::int32_t>(value));
    case DType::int64:
      return put(out, index, static_cast<std::int64_t>(value));
    case DType::float16:
      return put(out, index, float16_bits(value));
    case DType::bfloat16:
      return put(out, index, bfloat16_bits(value));
    case DType::float32:
    case DType::complex64:
      return put(out, index, static_cast<float>(value));
    case DType::float64:
    case DType::complex128:
      return put(out, index, value);
    case DType::float8_e4m3fn:
      return put(out, index, float8_e4m3fn_bits(value));
    case DType::float8_e5m2:
      return put(out, index, float8_e5m2_bits(value));
  }
}

/// Bytes live as long as the test program.
inline std::byte* allocate(std::size_t size) {
  static std::deque<std::vector<std::byte>> storage;
  return storage.emplace_back(size + 16).data();
}

/// `numbers` are elements; of complex types real and imaginary part, one after the other.
inline TensorView tensor(DType dtype, Shape shape, const std::vector<double>& numbers) {
  std::byte* data = allocate(numbers.size() * size_of(dtype));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    put_number(dtype, data, i, numbers[i]);
  return {dtype, std::move(shape), data};
}

inline TensorView vector(DType dtype, const std::vector<double>& numbers) {
  const bool complex = kind_of(dtype) == DTypeKind::complex;
  const auto count = static_cast<std::int64_t>(numbers.size());
  return tensor(dtype, {complex ? count / 2 : count}, numbers);
}

inline TensorView floats(const std::vector<double>& numbers) {
  return vector(DType::float32, numbers);
}

template <class T>
TensorView integers(DType dtype, const std::vector<T>& numbers) {
  std::byte* data = allocate(numbers.size() * sizeof(T));
  std::memcpy(data, numbers.data(), numbers.size() * sizeof(T));
  return {dtype, {static_cast<std::int64_t>(numbers.size())}, data};
}

inline compare::Policy policy(std::string_view name) {
  return compare::make_policy(name, std::nullopt, std::nullopt).value();
}

inline Result sequence(std::vector<Result> items) { return {ResultSequence{std::move(items)}}; }

inline Outcome done(Result outputs, std::vector<std::optional<TensorView>> gradients) {
  Outcome outcome;
  outcome.status = OutcomeStatus::finished;
  outcome.stage = Stage::backward;
  outcome.outputs = std::move(outputs);
  outcome.has_gradients = !gradients.empty();
  outcome.gradients = std::move(gradients);
  return outcome;
}
inline Outcome done(Result outputs) { return done(std::move(outputs), {}); }

inline Outcome raised(ErrorClass kind, Stage stage = Stage::forward) {
  Outcome outcome;
  outcome.status = stage == Stage::forward ? OutcomeStatus::failed : OutcomeStatus::finished;
  outcome.outputs = {floats({1})};
  outcome.error = RunnerError{kind, stage, "ValueError", "no\n good", ""};
  return outcome;
}

inline Outcome ended(OutcomeStatus status, int signal = 0, Stage stage = Stage::forward) {
  Outcome outcome;
  outcome.status = status;
  outcome.stage = stage;
  outcome.signal = signal;
  outcome.exit_code = signal == 0 ? 3 : 0;
  return outcome;
}

}  // namespace compare_test
