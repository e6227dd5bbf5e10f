// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/touched.hpp>

#include <vector>

#include <doctest/doctest.h>

using namespace opalign;

TEST_CASE("windows: all elements once, in order, a few megabytes at a time, each told of") {
  for (const std::size_t width : {1, 2, 6, 32})
    for (const std::int64_t count : {0LL, 1LL, 4096LL, (9LL << 20) + 5}) {
      std::int64_t next = 0;
      std::size_t told = 0, most = 0;
      const Touched touched = [&](std::size_t bytes) {
        told += bytes;
        most = std::max(most, bytes);
        CHECK(told == static_cast<std::size_t>(next) * width);
      };
      each_window(count, width, touched, [&](std::int64_t begin, std::int64_t end) {
        CHECK(begin == next);
        CHECK(begin % 4096 == 0);
        CHECK(begin < end);
        next = end;
        return true;
      });
      CHECK(next == count);
      CHECK(told == static_cast<std::size_t>(count) * width);
      CHECK(most <= std::size_t{8} << 20);
    }
}

TEST_CASE("windows: none after the one that has had enough") {
  int windows = 0;
  each_window(std::int64_t{1} << 30, 8, {},
              [&](std::int64_t, std::int64_t) { return ++windows < 3; });
  CHECK(windows == 3);
}
