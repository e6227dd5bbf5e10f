// SPDX-License-Identifier: Apache-2.0
// Values of the case language as JSON of the worker protocol (docs/protocol.md, "Values"). It only
// writes; worker/reply.hpp reads what comes back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <opalign/case/case.hpp>

namespace opalign::plan {

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// Appends a value. Input tensors are numbered in the order of the text: `next_tensor` is the
/// number of the first one and is moved past the last.
void append_value(std::string& out, const cases::Value& value, std::size_t& next_tensor);

/// Appends `"args":[…],"kwargs":{…}` of a call.
void append_arguments(std::string& out, const std::vector<cases::Argument>& arguments,
                      std::size_t& next_tensor);

}  // namespace opalign::plan
