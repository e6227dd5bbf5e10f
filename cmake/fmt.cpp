// SPDX-License-Identifier: Apache-2.0
// fmt as a static library, made of its headers (portable.cmake): all that is not inline there, and
// the instances of templates that they promise to other files.
#include <fmt/format-inl.h>

namespace fmt::detail {
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
template auto locale_ref::get<std::locale>() const -> std::locale;
template auto dragonbox::to_decimal(float) -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) -> dragonbox::decimal_fp<double>;
}  // namespace fmt::detail
