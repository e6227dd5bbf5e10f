// SPDX-License-Identifier: Apache-2.0
// Arrays of Python (NumPy, DLPack) as tensors, and back. It looks at no element.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <opalign/base/tensor_view.hpp>

namespace opalign::bind {

/// An array in the CPU's memory, kept alive while this lives. Dense memory is not copied.
struct Array {
  TensorView view;
  nanobind::ndarray<nanobind::ro> owner;
  std::vector<std::byte> gathered;  ///< where `owner` is strided or misaligned
};

/// `role` names the argument in messages.
[[nodiscard]] Array array_of(nanobind::handle object, std::string_view role);

/// A NumPy array; of a dtype that NumPy lacks, an object that only has __dlpack__.
[[nodiscard]] nanobind::object python_array(DType dtype, const Shape& shape,
                                            std::unique_ptr<std::byte[]> data);

}  // namespace opalign::bind
