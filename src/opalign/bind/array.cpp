// SPDX-License-Identifier: Apache-2.0
#include <opalign/bind/array.hpp>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <opalign/bind/bind.hpp>

namespace opalign::bind {
namespace {

namespace nb = nanobind;
using nb::dlpack::dtype_code;

nb::dlpack::dtype dlpack_dtype(DType dtype) {
  const auto code = [dtype] {
    switch (dtype) {
      case DType::bfloat16:
        return dtype_code::Bfloat;
      case DType::float8_e4m3fn:
        return dtype_code::Float8_E4M3FN;
      case DType::float8_e5m2:
        return dtype_code::Float8_E5M2;
      default:
        break;
    }
    switch (kind_of(dtype)) {
      case DTypeKind::boolean:
        return dtype_code::Bool;
      case DTypeKind::unsigned_integer:
        return dtype_code::UInt;
      case DTypeKind::signed_integer:
        return dtype_code::Int;
      case DTypeKind::floating:
        return dtype_code::Float;
      case DTypeKind::complex:
        break;
    }
    return dtype_code::Complex;
  }();
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_of(dtype)), 1};
}

std::optional<DType> dtype_of(nb::dlpack::dtype wanted) {
  for (int i = 0; i < k_dtype_count; ++i)
    if (dlpack_dtype(static_cast<DType>(i)) == wanted)
      return static_cast<DType>(i);
  return std::nullopt;
}

bool numpy_has(DType dtype) {
  return dtype != DType::bfloat16 && (kind_of(dtype) != DTypeKind::floating || size_of(dtype) > 1);
}

/// The name of the dtype of an array of NumPy; empty where the object has none.
std::string dtype_name(nb::handle object) {
  return nb::cast<std::string>(nb::str(nb::getattr(object, "dtype", nb::str(""))));
}

bool is_dense(const TensorView& view, const std::int64_t* strides) {
  std::int64_t step = 1;
  for (std::size_t i = view.shape.size(); i-- > 0; step *= view.shape[i])
    if (view.shape[i] != 1 && strides[i] != step)
      return false;
  const std::size_t part =
      size_of(view.dtype) / (kind_of(view.dtype) == DTypeKind::complex ? 2 : 1);
  return reinterpret_cast<std::uintptr_t>(view.data) % part == 0;
}

/// Appends the elements of dimension `dim` and those inside of it, in their order.
void gather(const TensorView& view, const std::int64_t* strides, std::size_t dim,
            const std::byte* from, std::vector<std::byte>& to) {
  const std::size_t width = size_of(view.dtype);
  if (dim == view.shape.size()) {
    to.insert(to.end(), from, from + width);
    return;
  }
  for (std::int64_t i = 0; i < view.shape[dim]; ++i)
    gather(view, strides, dim + 1, from + i * strides[dim] * static_cast<std::int64_t>(width), to);
}

}  // namespace

Array array_of(nb::handle object, std::string_view role) {
  Array array;
  std::optional<DType> dtype;
  if (!nb::try_cast(object, array.owner, false)) {
    // ml_dtypes adds dtypes to NumPy that leave it neither as a buffer nor by DLPack.
    dtype = parse_dtype(dtype_name(object));
    if (dtype && !numpy_has(*dtype) && nb::hasattr(object, "view"))
      nb::try_cast(object.attr("view")(size_of(*dtype) == 1 ? "uint8" : "uint16"), array.owner);
  } else {
    dtype = dtype_of(array.owner.dtype());
  }
  if (!array.owner.is_valid() || array.owner.device_type() != nb::device::cpu::value || !dtype)
    throw Failure(
        {fmt::format("{}: expected an array in the CPU's memory of a dtype of opalign, got {} {}",
                     role, nb::cast<std::string>(nb::str(object.type().attr("__name__"))),
                     dtype_name(object)),
         "tensors of a GPU are taken after .cpu()"});
  array.view.dtype = *dtype;
  for (std::size_t i = 0; i < array.owner.ndim(); ++i)
    array.view.shape.push_back(static_cast<std::int64_t>(array.owner.shape(i)));
  array.view.data = static_cast<const std::byte*>(array.owner.data());
  if (array.owner.size() > 0 && !is_dense(array.view, array.owner.stride_ptr())) {
    gather(array.view, array.owner.stride_ptr(), 0, array.view.data, array.gathered);
    array.view.data = array.gathered.data();
  }
  return array;
}

nb::object python_array(DType dtype, const Shape& shape, std::unique_ptr<std::byte[]> data) {
  std::vector<std::size_t> sizes(shape.begin(), shape.end());
  std::byte* bytes = data.get();
  const nb::capsule owner(bytes, [](void* p) noexcept { delete[] static_cast<std::byte*>(p); });
  data.release();
  const auto make = [&]<class... Options>(nb::ndarray<Options...>*) {
    return nb::cast(nb::ndarray<Options...>(bytes, sizes.size(), sizes.data(), owner, nullptr,
                                            dlpack_dtype(dtype)));
  };
  return numpy_has(dtype) ? make(static_cast<nb::ndarray<nb::numpy>*>(nullptr))
                          : make(static_cast<nb::ndarray<nb::array_api>*>(nullptr));
}

}  // namespace opalign::bind
