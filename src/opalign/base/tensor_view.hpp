// SPDX-License-Identifier: Apache-2.0
// TensorView: a dense, row-major tensor somewhere in memory; owns nothing.
#pragma once

#include <cstddef>

#include <opalign/base/dtype.hpp>
#include <opalign/base/shape.hpp>

namespace opalign {

struct TensorView {
  DType dtype = DType::float32;
  Shape shape;
  /// numel(shape) elements, native byte order; aligned to at least size_of(dtype) bytes, complex to
  /// its part. May be null when there are no elements.
  const std::byte* data = nullptr;
};

}  // namespace opalign
