// SPDX-License-Identifier: Apache-2.0
#include <opalign/value/pool.hpp>

#include <cmath>

#include <opalign/base/hash.hpp>

#include "value_support.hpp"

using namespace opalign::value;
using namespace value_test;

TEST_CASE("pool: sections in the order of the protocol, aligned") {
  CHECK(pool_offset(DType::float16) == 0);
  CHECK(pool_offset(DType::bfloat16) == 520192);
  CHECK(pool_offset(DType::float32) == 1040384);
  CHECK(pool_offset(DType::float64) == 2080768);
  CHECK(pool_offset(DType::complex64) == 4161536);
  CHECK(pool_offset(DType::complex128) == 6242304);
  CHECK(!pool_offset(DType::int32));
  CHECK(!pool_offset(DType::float8_e5m2));
  CHECK(k_pool_bytes == 10403840);
}

TEST_CASE("pool: one real value in all dtypes, away from 0 and 1") {
  std::vector<std::byte> pool(k_pool_bytes);
  fill_pool(1, pool);
  const auto section = [&pool](DType dtype) {
    const auto first = pool.begin() + static_cast<std::ptrdiff_t>(pool_offset(dtype).value());
    return std::vector<std::byte>(
        first, first + static_cast<std::ptrdiff_t>(k_pool_elements *
                                                   static_cast<std::int64_t>(size_of(dtype))));
  };
  const std::vector<std::byte> doubles = section(DType::float64);
  std::vector<double> values;
  for (std::size_t i = 0; i < std::size_t{k_pool_elements}; ++i)
    values.push_back(element(doubles, DType::float64, i));
  CHECK(std::abs(moments(values).mean) < 0.005);
  for (const DType dtype :
       {DType::float16, DType::bfloat16, DType::float32, DType::complex64, DType::complex128}) {
    CAPTURE(name(dtype));
    const std::vector<std::byte> data = section(dtype);
    const DType part = dtype == DType::complex64    ? DType::float32
                       : dtype == DType::complex128 ? DType::float64
                                                    : dtype;
    std::size_t wrong = 0;
    double product = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::vector<std::byte> rounded(size_of(part));
      opalign::round_into(part, {&values[i], 1}, rounded.data());
      const double x = element(data, dtype, i);
      wrong += x != element(rounded, part, 0) || std::abs(x) < 0.0625 || std::abs(x) >= 1;
      product += kind_of(dtype) == opalign::DTypeKind::complex ? x * element(data, dtype, i, 1) : 0;
    }
    CHECK(wrong == 0);
    CHECK(std::abs(product) / static_cast<double>(k_pool_elements) < 0.005);
  }
  std::vector<std::byte> other(k_pool_bytes);
  fill_pool(2, other);
  CHECK(other != pool);
  CHECK(opalign::hex16(opalign::hash64(
            {reinterpret_cast<const char*>(pool.data()), pool.size()})) == "32e2c0c5b595bb25");
}
