// SPDX-License-Identifier: Apache-2.0
#include <opalign/case/case.hpp>

#include <bit>
#include <cmath>

namespace opalign::cases {
namespace {

// -0.0 and 0.0 print differently, so they differ.
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

bool Float::operator==(const Float& other) const { return same(value, other.value); }

bool Complex::operator==(const Complex& other) const {
  return same(real, other.real) && same(imag, other.imag);
}

bool List::operator==(const List&) const = default;
bool Tuple::operator==(const Tuple&) const = default;
bool Slice::operator==(const Slice&) const = default;
bool Tensor::operator==(const Tensor&) const = default;
bool Call::operator==(const Call&) const = default;

}  // namespace opalign::cases
