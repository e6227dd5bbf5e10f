// SPDX-License-Identifier: Apache-2.0
// How elements, indices and foreign texts are printed, and that each format decodes as base/ says.
#include <doctest/doctest.h>

#include <cstdlib>

#include <opalign/compare/element.hpp>
#include <opalign/compare/tensor.hpp>
#include <opalign/compare/words.hpp>

#include "compare_data.hpp"

using namespace compare_test;

namespace {

std::string text(DType dtype, const std::vector<double>& number) {
  return compare::element_text(vector(dtype, number), 0);
}

/// Decodes as base/float_bits.hpp does, and prints what reads back to the same bits.
template <class F, class Value, class Bits>
void check_all(DType dtype, Value value, Bits bits) {
  for (std::uint32_t i = 0; i <= std::numeric_limits<typename F::Bits>::max(); ++i) {
    const auto element = static_cast<typename F::Bits>(i);
    const double want = value(element);
    if (std::isnan(want)) {
      CHECK(F::class_of(element) == compare::Class::nan);
      continue;
    }
    CHECK(F::is_finite(element) == std::isfinite(want));
    if (F::is_finite(element)) {
      CHECK(F::value(element) == want);
      const TensorView view{dtype, {}, reinterpret_cast<const std::byte*>(&element)};
      CHECK(bits(std::strtod(compare::element_text(view, 0).c_str(), nullptr)) == element);
    }
  }
}

}  // namespace

TEST_CASE("compare: narrow formats decode exactly and print what reads back") {
  check_all<compare::Float8E4M3FN>(DType::float8_e4m3fn, float8_e4m3fn_value, float8_e4m3fn_bits);
  check_all<compare::Float8E5M2>(DType::float8_e5m2, float8_e5m2_value, float8_e5m2_bits);
  check_all<compare::Float16>(DType::float16, float16_value, float16_bits);
  check_all<compare::BFloat16>(DType::bfloat16, bfloat16_value, bfloat16_bits);
}

TEST_CASE("compare: elements are printed with the digits they need") {
  CHECK(text(DType::float16, {0.1}) == "0.1");
  CHECK(text(DType::bfloat16, {0.1}) == "0.1");
  CHECK(text(DType::float16, {65504}) == "6.55e+04");
  CHECK(text(DType::float32, {0.1}) == "0.1");
  CHECK(text(DType::float64, {0.1 + 0.2}) == "0.30000000000000004");
  CHECK(text(DType::float32, {-0.0}) == "-0");
  CHECK(text(DType::float16, {-0.0}) == "-0");
  CHECK(text(DType::float64, {-k_nan}) == "nan");
  CHECK(text(DType::float8_e5m2, {-k_inf}) == "-inf");
  CHECK(text(DType::complex64, {1.5, -2}) == "1.5-2j");
  CHECK(text(DType::complex128, {k_nan, k_inf}) == "nan+infj");
  CHECK(text(DType::boolean, {1}) == "True");
  CHECK(text(DType::int8, {-5}) == "-5");
  CHECK(compare::element_text(integers<std::uint64_t>(DType::uint64, {UINT64_MAX}), 0) ==
        "18446744073709551615");
}

TEST_CASE("compare: indices and foreign words fit one line") {
  CHECK(compare::unravel(23, {2, 3, 4}) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(compare::unravel(0, {}).empty());
  CHECK(compare::element_path("output", {2, 3}) == "output[2, 3]");
  CHECK(compare::one_line(" a\n\t b\x01 ") == "a b");
  CHECK(compare::one_line("abcdef", 4) == "abcd…");
  CHECK(compare::one_line("abcé", 4) == "abc…");
  CHECK(compare::describe({std::complex<double>(1, -k_inf)}) == "complex 1-infj");
  CHECK(compare::describe(sequence({})) == "sequence of 0");
}

TEST_CASE("compare: content that proves nothing") {
  using compare::Content;
  for (DType dtype : all_dtypes()) {
    CAPTURE(name(dtype));
    CHECK(compare::content_of({dtype, {0}, nullptr}) == Content::empty);
    CHECK(compare::content_of(vector(dtype, {0, 0, 0, 0})) == Content::zero);
    CHECK(compare::content_of(vector(dtype, {0, 0, 0, 1})) == Content::something);
    if (is_differentiable(dtype)) {
      CHECK(compare::content_of(vector(dtype, {-0.0, 0})) == Content::zero);
      CHECK(compare::content_of(vector(dtype, {k_nan, k_nan})) == Content::nan);
      CHECK(compare::content_of(vector(dtype, {k_nan, k_nan, 0, 0})) == Content::something);
    }
  }
}
