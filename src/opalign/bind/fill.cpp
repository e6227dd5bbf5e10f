// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <opalign/bind/array.hpp>
#include <opalign/bind/bind.hpp>
#include <opalign/case/parse.hpp>
#include <opalign/case/print.hpp>
#include <opalign/catalog/domain.hpp>

namespace opalign::bind {
namespace {

namespace nb = nanobind;

nb::any fill(std::string_view domain_text, std::string_view dtype_name, const Shape& shape,
             std::string_view case_text, std::string_view path, std::uint64_t seed) {
  const std::optional<DType> dtype = parse_dtype(dtype_name);
  if (!dtype)
    throw Failure({fmt::format("dtype: expected a name like \"float32\", got \"{}\"", dtype_name),
                   "those of NumPy, bfloat16, float8_e4m3fn and float8_e5m2"});
  const std::optional<std::int64_t> count = numel(shape);
  std::size_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, size_of(*dtype), &bytes))
    throw Failure(
        {fmt::format("shape: expected sizes >= 0 that fit in memory, got {}", to_string(shape)),
         ""});
  const catalog::Domain domain = value_or_throw(catalog::parse_domain(domain_text));
  const value::Fill how = value_or_throw(catalog::evaluate(domain, {*dtype, shape}, {}));
  const std::string id = cases::case_id(cases::print(value_or_throw(cases::parse(case_text))));
  auto data = std::make_unique_for_overwrite<std::byte[]>(bytes);
  {
    const nb::gil_scoped_release released;
    value_or_throw(
        value::fill(how, *dtype, shape, value::stream_key(id, path, seed), {data.get(), bytes}));
  }
  return nb::borrow<nb::any>(python_array(*dtype, shape, std::move(data)));
}

}  // namespace

void bind_fill(nb::module_& module) {
  module.def(
      "fill", fill, nb::arg("domain"), nb::arg("dtype"), nb::arg("shape"), nb::kw_only(),
      nb::arg("case"), nb::arg("path") = "0", nb::arg("seed") = 0,
      R"doc(The elements that a run draws for an input tensor of a case: the same bytes everywhere.

`domain` is text of the domain language, as "uniform(-1, 1)" or "plain()". `dtype` is NumPy's name,
or bfloat16, float8_e4m3fn, float8_e5m2. `shape` has the sizes, outermost first. The values belong
to the text `case`, the tensor's `path` in it ("0": its first argument, "1[2]": the third item of
the second, keyword arguments counted along) and `seed`.

Returns a new NumPy array, dense and row-major; of a dtype that NumPy lacks, an object with
__dlpack__, for torch.from_dlpack and the like. Raises Error for text that cannot be read and for a
domain that makes no sense for the shape.)doc");
}

}  // namespace opalign::bind
