// SPDX-License-Identifier: Apache-2.0
#include <opalign/value/philox.hpp>

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

using namespace opalign::value;

TEST_CASE("philox: the published known answers") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) ==
        PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox: batches are the blocks one by one, for any length and place") {
  constexpr std::uint64_t k_key = 0x299f31d0a4093822, k_stream = 0x0370734413198a2e;
  // The counter of the third known answer lies in the range.
  for (const std::uint64_t first : std::vector<std::uint64_t>{0, 0x85a308d3243f6a80, 0xfffffffc}) {
    for (std::size_t size = 0; size <= 70; ++size) {
      std::vector<std::uint32_t> words(size);
      random_words(k_key, k_stream, first, words);
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t block = first + i / 4;
        REQUIRE(words[i] ==
                philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                        0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0})[i % 4]);
      }
    }
  }
}

TEST_CASE("philox: a stream reads its words in pairs, and keys and streams differ") {
  std::vector<std::uint32_t> words(400);
  random_words(5, 9, 0, words);
  Stream stream(5, 9);
  for (std::size_t i = 0; i < words.size(); i += 2)
    REQUIRE(stream.next() == (words[i] | std::uint64_t{words[i + 1]} << 32));
  CHECK(Stream(5, 9).next() != Stream(5, 10).next());
  CHECK(Stream(5, 9).next() != Stream(6, 9).next());
}

TEST_CASE("philox: below(n) reaches 0 and n - 1 and nothing else") {
  Stream stream(1, 1);
  std::vector<int> seen(6);
  for (int i = 0; i < 600; ++i)
    ++seen.at(stream.below(6));
  CHECK(*std::min_element(seen.begin(), seen.end()) > 60);
  CHECK(scale_to(~std::uint64_t{0}, 10) == 9);
  CHECK(scale_to(0, 10) == 0);
}
