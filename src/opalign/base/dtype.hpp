// SPDX-License-Identifier: Apache-2.0
// DType: the closed list of element types that travel between frameworks, and their facts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace opalign {

/// The numbers reach run.db; they are fixed.
enum class DType : std::uint8_t {
  boolean = 0,
  uint8 = 1,
  uint16 = 2,
  uint32 = 3,
  uint64 = 4,
  int8 = 5,
  int16 = 6,
  int32 = 7,
  int64 = 8,
  float16 = 9,
  bfloat16 = 10,
  float32 = 11,
  float64 = 12,
  complex64 = 13,
  complex128 = 14,
  float8_e4m3fn = 15,
  float8_e5m2 = 16,
};
inline constexpr int k_dtype_count = 17;

enum class DTypeKind : std::uint8_t {
  boolean,
  unsigned_integer,
  signed_integer,
  floating,
  complex
};

/// NumPy's spelling ("bool", "float32", …) and ml_dtypes' for the fp8 types.
[[nodiscard]] std::string_view name(DType dtype);
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);
/// Bytes of one element.
[[nodiscard]] std::size_t size_of(DType dtype);
[[nodiscard]] DTypeKind kind_of(DType dtype);
/// True for floating and complex types: those that a gradient can flow through.
[[nodiscard]] bool is_differentiable(DType dtype);

}  // namespace opalign
