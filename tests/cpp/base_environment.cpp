// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include <doctest/doctest.h>

#include <opalign/base/environment.hpp>
#include <opalign/base/files.hpp>

#include "temporary_directory.hpp"

using namespace opalign;
using opalign::testing::TemporaryDirectory;

namespace {

/// A home for environments, in place of the user's.
class Home {
 public:
  Home() { ::setenv("OPALIGN_HOME", m_folder.path().c_str(), 1); }
  ~Home() { ::unsetenv("OPALIGN_HOME"); }
  void add_venv(const std::string& name) {
    REQUIRE(make_directories(environments_directory() + "/" + name + "/bin"));
    REQUIRE(write_file_atomically(environments_directory() + "/" + name + "/bin/python", ""));
  }
  void add_file(const std::string& name, const std::string& file, const std::string& content) {
    REQUIRE(make_directories(environments_directory() + "/" + name));
    REQUIRE(write_file_atomically(environments_directory() + "/" + name + "/" + file, content));
  }

 private:
  TemporaryDirectory m_folder;
};

std::string found(std::string_view framework, std::optional<std::string> version = {}) {
  Expected<Environment> environment = find_environment(framework, version);
  return environment ? environment->name : environment.error().text();
}

}  // namespace

TEST_CASE("environment: the newest that fits is found") {
  Home home;
  for (const char* name : {"paddle@3.3.1", "paddle@3.10.0", "paddle@3.10.0rc1", "torch@2.13.0"})
    home.add_venv(name);
  CHECK(found("paddle") == "paddle@3.10.0");
  CHECK(found("paddle", "3.3") == "paddle@3.3.1");
  CHECK(found("paddle", "3.10.0rc1") == "paddle@3.10.0rc1");
  CHECK(found("paddle", "3.1") ==
        "no environment fits 'paddle@3.1'; there are: paddle@3.10.0, paddle@3.10.0rc1, "
        "paddle@3.3.1, torch@2.13.0\n  hint: opalign env add paddle==3.1");
  CHECK(found("jax") ==
        "no environment fits 'jax'; there are: paddle@3.10.0, paddle@3.10.0rc1, paddle@3.3.1, "
        "torch@2.13.0\n  hint: opalign env add jax");
}

TEST_CASE("environment: there is none") {
  Home home;
  CHECK(found("paddle", "3.3.1") ==
        "no environment fits 'paddle@3.3.1'; there are no environments yet\n"
        "  hint: opalign env add paddle==3.3.1");
}

TEST_CASE("environment: an adopted interpreter is described by env.json") {
  Home home;
  home.add_file(
      "paddle@build", "env.json",
      R"({"python":"/usr/bin/python3","pythonpath":["/src/build"],"version":"3.4.0","adapter":"/a.py"})");
  Expected<Environment> environment = find_environment("paddle", "build");
  REQUIRE(environment);
  CHECK(environment->python == "/usr/bin/python3");
  CHECK(environment->pythonpath == std::vector<std::string>{"/src/build"});
  CHECK(environment->version == "3.4.0");
  CHECK(environment->adapter == "/a.py");
  CHECK(found("paddle", "3.4") == "paddle@build");
}

TEST_CASE("environment: half-made and damaged folders are not environments") {
  Home home;
  home.add_venv("paddle@1.0");
  home.add_file("paddle@1.0", "incomplete", "");
  home.add_file("paddle@2.0", "env.json", R"({"python": 3})");
  home.add_file("paddle@3.0", "readme", "");
  home.add_venv("notes");
  CHECK(list_environments().empty());
  Expected<Environment> half = read_environment(environments_directory() + "/paddle@1.0");
  REQUIRE_FALSE(half);
  CHECK(half.error().message.ends_with("paddle@1.0: the installation did not finish"));
  CHECK_FALSE(read_environment(environments_directory() + "/paddle@2.0"));
  CHECK_FALSE(read_environment(environments_directory() + "/paddle@3.0"));
}

TEST_CASE("environment: a runner resolves to its environment and version") {
  Home home;
  home.add_venv("torch@2.13.0");
  Expected<ResolvedRunner> runner = resolve_runner("torch");
  REQUIRE(runner);
  CHECK(to_string(runner->spec) == "torch@2.13.0:cpu");
  CHECK(runner->environment.python.ends_with("/envs/torch@2.13.0/bin/python"));
  CHECK_FALSE(resolve_runner("torch+compile"));
}

TEST_CASE("environment: versions are ordered by their numbers") {
  CHECK(is_newer("3.10", "3.9"));
  CHECK(is_newer("3.3.1", "3.3"));
  CHECK(is_newer("3.3.0", "3.3.0rc1"));
  CHECK(is_newer("3.3.0rc2", "3.3.0rc1"));
  CHECK_FALSE(is_newer("3.3.0", "3.3.0+cpu"));
  CHECK_FALSE(is_newer("3.3.0", "3.3.0"));
}
