// SPDX-License-Identifier: Apache-2.0
// The JSON of the detail table: what a record that is not a pass has to say beyond its row. Keys
// whose value is the default are left out; numbers that JSON lacks are the texts "nan", "inf",
// "-inf".
//
//   {"runner":…, "message":…, "known":[name…], "leaves":[{"stage":3, "reason":5, "path":…,
//    "message":…, "known":name, "dtype":…, "shape":[…], "stats":[…],
//    "elements":[[[index…], target, reference]…]}…],
//    "runners":[{"class":…, "type":…, "stage":…, "message":…, "trace":…, "signal":…, "exit":…}…]}
//
// stats has the members of TensorStats in their order. runners goes with the row's `times`.
#pragma once

#include <string>
#include <string_view>

#include <opalign/base/expected.hpp>
#include <opalign/store/store.hpp>

namespace opalign::store {

[[nodiscard]] std::string encode_detail(const Record& record);
/// Fills judgement.{runner,message,known,leaves} and the errors of the runners that are there
/// already.
Expected<void> decode_detail(std::string_view json, Record& record);

}  // namespace opalign::store
