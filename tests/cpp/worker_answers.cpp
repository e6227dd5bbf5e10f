// SPDX-License-Identifier: Apache-2.0
// What a hostile worker may send: answers that claim too much, and descriptors that nobody wants.
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <nlohmann/json.hpp>

#include <opalign/worker/frame.hpp>
#include <opalign/worker/reply.hpp>

using namespace opalign;
using namespace opalign::worker;

namespace {

constexpr std::size_t k_limit = 64;

/// A file of 256 bytes, a limit of 64, two inputs.
Expected<Answer> read(const std::string& text) {
  static const std::vector<std::byte> file(256);
  return read_answer(nlohmann::json::parse(text), file, k_limit, {"x", "y"});
}

std::string leaf(std::size_t offset, std::size_t floats) {
  return R"({"$":"out","o":)" + std::to_string(offset) + R"(,"d":"float32","s":[)" +
         std::to_string(floats) + "]}";
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

}  // namespace

TEST_CASE("answer: tensors lie in the file and within the limit, all together") {
  const Expected<Answer> good = read(R"({"result":[)" + leaf(8, 2) + "," + leaf(128, 4) +
                                     R"(],"grads":[)" + leaf(0, 10) + "]}");
  REQUIRE(good);
  CHECK(good->end == 144);
  CHECK(read(R"({"result":)" + leaf(192, 16) + "}"));
  CHECK(!read(R"({"result":)" + leaf(200, 16) + "}"));
  CHECK(!read(R"({"result":)" + leaf(0, 17) + "}"));
  CHECK(!read(R"({"result":[)" + leaf(0, 10) + "," + leaf(0, 7) + "]}"));
  CHECK(!read(R"({"result":null,"grads":[)" + leaf(0, 10) + "," + leaf(0, 7) + "]}"));
  CHECK(!read(R"({"result":)" + leaf(4, 1) + "}"));
  CHECK(!read(R"({"result":{"$":"out","o":0,"d":"float32","s":[4294967296,4294967296]}})"));
}

TEST_CASE("answer: a tensor counts however deep it lies, and not where nothing is read") {
  std::string deep = leaf(64, 16);
  for (int level = 0; level < 30; ++level)
    deep = R"({"$":"dict","v":[["k",)" + deep + "]]}";
  const Expected<Answer> answer = read(R"({"result":)" + deep + "}");
  REQUIRE(answer);
  CHECK(answer->end == 128);
  CHECK(!read(R"({"result":[)" + deep + "," + leaf(0, 1) + "]}"));
  CHECK(read(R"({"result":{"$":"x","v":"a","y":)" + leaf(1 << 30, 4) + "}}")->end == 0);
}

TEST_CASE("answer: texts and lists have ends") {
  const std::string text(std::size_t{1} << 16, 'x');
  CHECK(read(R"({"error":{"class":"other","message":"no"}})"));
  CHECK(!read(R"({"error":{"class":"other","message":"no)" + text + R"("}})"));
  CHECK(read(R"({"result":null,"modified":[0,1]})")->outcome.modified.size() == 2);
  CHECK(!read(R"({"result":null,"modified":[0,1,0]})"));
}

TEST_CASE("channel: of many descriptors one waits") {
  Expected<std::pair<Fd, Fd>> pair = make_socket_pair();
  REQUIRE(pair);
  const std::ptrdiff_t before = open_descriptors();
  Channel here(std::move(pair->first)), there(std::move(pair->second));
  std::vector<std::string> frames;
  for (int i = 0; i < 5; ++i) {
    there.send("{}", {0, 1, 2});
    CHECK(here.receive(frames) == Channel::State::open);
  }
  CHECK(frames.size() == 5);
  CHECK(open_descriptors() == before + 1);
  CHECK(here.take_fds().size() == 1);
  CHECK(open_descriptors() == before);
}
