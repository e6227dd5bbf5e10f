// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/compare.hpp>

#include <cmath>

#include <fmt/ranges.h>

namespace opalign::compare {
namespace {

using Table = std::array<Tolerance, k_dtype_count>;

Tolerance& at(Table& table, DType dtype) { return table[static_cast<std::size_t>(dtype)]; }

/// What PaddleAPITest passes to torch.testing.assert_close for every dtype, integers included.
Table paddleapitest() {
  Table table;
  table.fill({1e-2, 1e-2});
  return table;
}

/// The defaults of torch.testing.assert_close. It has no fp8: 0 there, as for integers and bool,
/// since a neighbouring fp8 value is already 6 % (e4m3fn) or 12 % (e5m2) away.
Table torch() {
  Table table;
  at(table, DType::float16) = {1e-5, 1e-3};
  at(table, DType::bfloat16) = {1e-5, 1.6e-2};
  at(table, DType::float32) = at(table, DType::complex64) = {1e-5, 1.3e-6};
  at(table, DType::float64) = at(table, DType::complex128) = {1e-7, 1e-7};
  return table;
}

struct Entry {
  std::string_view name;
  Table (*table)();
};
constexpr std::array k_policies{Entry{"paddleapitest", paddleapitest}, Entry{"torch", torch}};

Expected<void> check(std::string_view option, std::optional<double> value) {
  if (value && !(std::isfinite(*value) && *value >= 0))
    return fail(fmt::format("{}: expected a finite number >= 0, got {}", option, *value));
  return {};
}

}  // namespace

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : k_policies)
    names.push_back(entry.name);
  return names;
}

Expected<Policy> make_policy(std::string_view name, std::optional<double> atol,
                             std::optional<double> rtol) {
  TRY(check("--atol", atol));
  TRY(check("--rtol", rtol));
  for (const Entry& entry : k_policies) {
    if (entry.name != name)
      continue;
    Policy policy{std::string(name), entry.table()};
    for (Tolerance& tolerance : policy.tolerance) {
      tolerance.atol = atol.value_or(tolerance.atol);
      tolerance.rtol = rtol.value_or(tolerance.rtol);
    }
    return policy;
  }
  return fail(fmt::format("unknown policy '{}'", name),
              fmt::format("the policies are {}", fmt::join(policy_names(), ", ")));
}

}  // namespace opalign::compare
