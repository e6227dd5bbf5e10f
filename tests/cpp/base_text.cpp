// SPDX-License-Identifier: Apache-2.0
// hash64, hex16 and "did you mean".
#include <array>
#include <string_view>

#include <doctest/doctest.h>

#include <opalign/base/hash.hpp>
#include <opalign/base/suggest.hpp>

using namespace opalign;

TEST_CASE("the hash is XXH3") {
  CHECK(hash64("") == 0x2d06800538d394c2);
  CHECK(hash64("paddle.abs") != hash64("paddle.Abs"));
  CHECK(hex16(0) == "0000000000000000");
  CHECK(hex16(0xfedcba9876543210) == "fedcba9876543210");
}

TEST_CASE("edit distance") {
  CHECK(edit_distance("", "", 2) == 0);
  CHECK(edit_distance("abc", "abc", 0) == 0);
  CHECK(edit_distance("abc", "abd", 2) == 1);
  CHECK(edit_distance("abc", "acb", 2) == 1);
  CHECK(edit_distance("abc", "ab", 2) == 1);
  CHECK(edit_distance("ab", "xaby", 2) == 2);
  CHECK(edit_distance("TENSOR", "tensor", 3) == 1);
  CHECK(edit_distance("kitten", "sitting", 3) == 3);
  CHECK(edit_distance("kitten", "sitting", 2) == 3);
  CHECK(edit_distance("", "abc", 2) == 3);
}

TEST_CASE("did you mean") {
  constexpr std::array<std::string_view, 4> k_names{"float32", "float64", "int32", "bool"};
  CHECK(suggest("flaot32", k_names) == "float32");
  CHECK(suggest("FLOAT64", k_names) == "float64");
  CHECK(suggest("boolean", k_names).empty());
  CHECK(suggest("", k_names).empty());
  CHECK(suggest("x", k_names).empty());
  CHECK(did_you_mean("int3", k_names) == "did you mean \"int32\"?");
  CHECK(did_you_mean("string", k_names).empty());
}
