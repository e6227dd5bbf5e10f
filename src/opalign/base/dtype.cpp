// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/dtype.hpp>

#include <array>

namespace opalign {
namespace {

struct Facts {
  std::string_view name;
  std::size_t size;
  DTypeKind kind;
};

constexpr std::array<Facts, k_dtype_count> k_facts{{
    {"bool", 1, DTypeKind::boolean},
    {"uint8", 1, DTypeKind::unsigned_integer},
    {"uint16", 2, DTypeKind::unsigned_integer},
    {"uint32", 4, DTypeKind::unsigned_integer},
    {"uint64", 8, DTypeKind::unsigned_integer},
    {"int8", 1, DTypeKind::signed_integer},
    {"int16", 2, DTypeKind::signed_integer},
    {"int32", 4, DTypeKind::signed_integer},
    {"int64", 8, DTypeKind::signed_integer},
    {"float16", 2, DTypeKind::floating},
    {"bfloat16", 2, DTypeKind::floating},
    {"float32", 4, DTypeKind::floating},
    {"float64", 8, DTypeKind::floating},
    {"complex64", 8, DTypeKind::complex},
    {"complex128", 16, DTypeKind::complex},
    {"float8_e4m3fn", 1, DTypeKind::floating},
    {"float8_e5m2", 1, DTypeKind::floating},
}};

const Facts& facts(DType dtype) { return k_facts[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::string_view name(DType dtype) { return facts(dtype).name; }
std::size_t size_of(DType dtype) { return facts(dtype).size; }
DTypeKind kind_of(DType dtype) { return facts(dtype).kind; }

bool is_differentiable(DType dtype) {
  return kind_of(dtype) == DTypeKind::floating || kind_of(dtype) == DTypeKind::complex;
}

std::optional<DType> parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < k_facts.size(); ++i)
    if (k_facts[i].name == text)
      return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace opalign
