// SPDX-License-Identifier: Apache-2.0
// The bytes of every fill and dtype are part of the format: a failing line is found by its case id
// and seed for as long as they do not change. Whoever changes them on purpose pins the new ones
// here.
#include <opalign/base/hash.hpp>

#include "value_support.hpp"

using namespace opalign::value;
using namespace value_test;

namespace {

std::string hash_of(const std::vector<std::byte>& bytes) {
  return opalign::hex16(
      opalign::hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

struct Pinned {
  const char* hash;
  Fill how;
};

}  // namespace

TEST_CASE("known answers: every fill, over all dtypes") {
  const Pinned pins[]{
      {"000c14daee976b8a", Plain{}},
      {"be5393e4490e5519", Uniform{0.1, 2}},
      {"71ced314a3555be6", Normal{1, 2}},
      {"51bbe6ae82ea1cc2", Integers{-4, 9}},
      {"1e3b9b1c4e8b4169", Integers{0, 100000}},
      {"3193092a6f8f2eb4", Nonzero{1, 2.5}},
      {"2740d086bc298f8b", Mask{0.3}},
      {"457102e30ea0fb0c", Constant{1.1}},
      {"58733283f28ed963", Arange{-1, 0.3}},
      {"f314a823b4579208", OneOf{{1.1, 2, 3}}},
      {"b1ee1648a4a671af", Distinct{16, 2}},
      {"8f9adec2b8dcaac5", Distinct{1000, 1}},
      {"c43e48be499a7e1b", SortedIntegers{0, 12}},
      {"4b9d989569614131", Probability{1}},
      {"fdf249d1408c92fd", PositiveDefinite{}},
      {"5e1bd1f20b687a55", Symmetric{}},
      {"35b95a9079c3d500", Triangular{true}},
      {"5b62a3d46240537d", WellConditioned{}},
      {"ff0a75ce60e4dbb2", Boxes{20, 10}},
      {"9ea3e07e7bb3221e", Split{1}},
      {"4d0fbe18a11f6da2", Explicit{{1, 2.5}, {3, 4}, {5}}},
  };
  for (const Pinned& pin : pins) {
    std::vector<std::byte> all;
    for (const DType dtype : all_dtypes()) {
      const std::vector<std::byte> one = filled(pin.how, dtype, {70, 4, 4}, 0x0123'4567'89ab'cdef);
      all.insert(all.end(), one.begin(), one.end());
    }
    CAPTURE(pin.how.index());
    CHECK(hash_of(all) == pin.hash);
  }
}

TEST_CASE("known answers: the default fill, by dtype") {
  const std::vector<const char*> pins{"ca94f67d16288ffb", "73ff960fdf8b8472", "b0d64ef4a70adf17",
                                      "760003875465ddf3", "c8dc929211e93dcf", "b9fc0dcba87ef223",
                                      "86309fa5c3188ed7", "7a8ffb84f38ae240", "f834371c7a553839",
                                      "60271de1d00b9c7f", "3bf4cf4cbcabdad4", "2de1b8b6de84571f",
                                      "cf1b39e3ccce8678", "1d9ec86139f8da72", "e664daaa779ec127",
                                      "4fa37375b0cd3b58", "5e7b8cc12c4b9160"};
  for (const DType dtype : all_dtypes()) {
    CAPTURE(name(dtype));
    CHECK(hash_of(filled(Plain{}, dtype, {1001}, 42)) == pins.at(static_cast<std::size_t>(dtype)));
  }
}

TEST_CASE("known answers: a few elements that can be read") {
  CHECK(numbers(Plain{}, DType::float32, {3}, 42) ==
        std::vector<double>{0x1.ceaf08p-3, -0x1.0156dp-4, -0x1.b502bep-1});
  CHECK(numbers(Plain{}, DType::int32, {4}, 42) == std::vector<double>{22, -7, -86, -32});
  CHECK(numbers(Normal{0, 1}, DType::float64, {2}, 42) ==
        std::vector<double>{0x1.0c60e56aaf6efp-2, 0x1.33fc6e57137edp+0});
  CHECK(numbers(Distinct{5, -1}, DType::int64, {5}, 42) == std::vector<double>{0, 3, 4, 1, 2});
  CHECK(opalign::hex16(stream_key("0123456789abcdef", "x[1]", 42)) == "9c694787fe613e03");
}
