// SPDX-License-Identifier: Apache-2.0
#include <opalign/plan/inputs.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace opalign::plan {
namespace {

struct Collector {
  const std::string& path;
  int argument;
  std::vector<Occurrence>& found;

  void operator()(const cases::Tensor& tensor) const { found.push_back({&tensor, path, argument}); }
  void operator()(const cases::List& list) const { items(list.items); }
  void operator()(const cases::Tuple& tuple) const { items(tuple.items); }
  void operator()(const cases::Slice& slice) const { items(slice.parts); }
  void operator()(const cases::Call& call) const {
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      collect_tensors(call.arguments[i].value, fmt::format("{}.{}", path, i), argument, found);
  }
  template <class Other>
  void operator()(const Other&) const {}

  void items(const std::vector<cases::Value>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::holds_alternative<std::int64_t>(
              values[i].data))  // most lists are of plain integers
        collect_tensors(values[i], fmt::format("{}[{}]", path, i), argument, found);
  }
};

struct NonfiniteFinder {
  bool operator()(const cases::Float& number) const { return !std::isfinite(number.value); }
  bool operator()(const cases::Complex& number) const {
    return !std::isfinite(number.real) || !std::isfinite(number.imag);
  }
  bool operator()(const cases::List& list) const { return any(list.items); }
  bool operator()(const cases::Tuple& tuple) const { return any(tuple.items); }
  bool operator()(const cases::Tensor& tensor) const {
    return any(tensor.full) || any(tensor.values);
  }
  bool operator()(const cases::Call& call) const {
    return std::ranges::any_of(call.arguments, [](const cases::Argument& argument) {
      return has_nonfinite(argument.value);
    });
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
  static bool any(const std::vector<cases::Value>& values) {
    return std::ranges::any_of(values,
                               [](const cases::Value& value) { return has_nonfinite(value); });
  }
};

/// Appends one number of `full=` or `values=`.
Expected<void> append_number(const cases::Value& value, value::Explicit& numbers) {
  double real = 0;
  double imag = 0;
  std::int64_t integer = 0;
  if (const auto* boolean = std::get_if<bool>(&value.data)) {
    integer = *boolean ? 1 : 0;
    real = *boolean ? 1 : 0;
  } else if (const auto* whole = std::get_if<std::int64_t>(&value.data)) {
    integer = *whole;
    real = static_cast<double>(*whole);
  } else if (const auto* number = std::get_if<cases::Float>(&value.data)) {
    real = number->value;
    integer = std::isfinite(real) && std::abs(real) < 9.2e18 ? static_cast<std::int64_t>(real) : 0;
  } else if (const auto* complex = std::get_if<cases::Complex>(&value.data)) {
    real = complex->real;
    imag = complex->imag;
  } else if (const auto* big = std::get_if<cases::BigInteger>(&value.data)) {
    real = std::strtod(big->digits.c_str(), nullptr);
  } else {
    return fail("values of a Tensor: expected numbers");
  }
  numbers.real.push_back(real);
  numbers.imag.push_back(imag);
  numbers.integer.push_back(integer);
  return {};
}

Expected<value::Fill> explicit_fill(const std::vector<cases::Value>& values) {
  value::Explicit numbers;
  for (const cases::Value& value : values) {
    TRY(append_number(value, numbers));
  }
  if (std::ranges::all_of(numbers.imag, [](double part) { return part == 0; }))
    numbers.imag.clear();
  return value::Fill(std::move(numbers));
}

catalog::DomainValue domain_value(const cases::Value& value);

std::vector<catalog::DomainValue> domain_values(const std::vector<cases::Value>& values) {
  std::vector<catalog::DomainValue> converted;
  converted.reserve(values.size());
  for (const cases::Value& value : values)
    converted.push_back(domain_value(value));
  return converted;
}

struct ToDomainValue {
  catalog::DomainValue operator()(bool value) const { return {value}; }
  catalog::DomainValue operator()(std::int64_t value) const { return {value}; }
  catalog::DomainValue operator()(const cases::Float& value) const { return {value.value}; }
  catalog::DomainValue operator()(const std::string& value) const { return {value}; }
  catalog::DomainValue operator()(const cases::TypeName& value) const { return {value.name}; }
  catalog::DomainValue operator()(const cases::Tensor& value) const {
    return {catalog::TensorFacts{value.dtype, value.shape}};
  }
  catalog::DomainValue operator()(const cases::List& value) const {
    return {domain_values(value.items)};
  }
  catalog::DomainValue operator()(const cases::Tuple& value) const {
    return {domain_values(value.items)};
  }
  template <class Other>
  catalog::DomainValue operator()(const Other&) const {
    return {};
  }
};

catalog::DomainValue domain_value(const cases::Value& value) {
  return std::visit(ToDomainValue{}, value.data);
}

std::vector<catalog::NamedValue> domain_names(const catalog::Domain& domain,
                                              const catalog::Bound& bound) {
  std::vector<catalog::NamedValue> names;
  for (const std::string& name : domain.names())
    if (const catalog::BoundParameter* parameter = bound.find(name))
      names.push_back({name, domain_value(*parameter->value)});
  return names;
}

Expected<value::Fill> fill_of(const Occurrence& occurrence, const catalog::Entry* entry,
                              const catalog::Bound& bound, std::string_view parameter) {
  const cases::Tensor& tensor = *occurrence.tensor;
  if (!tensor.values.empty())
    return explicit_fill(tensor.values);
  if (!tensor.full.empty())
    return explicit_fill(tensor.full);
  const catalog::TensorFacts self{tensor.dtype, tensor.shape};
  if (tensor.domain) {
    TRY_ASSIGN(const catalog::Domain domain, catalog::parse_domain(*tensor.domain));
    return catalog::evaluate(domain, self, domain_names(domain, bound));
  }
  if (entry != nullptr)
    if (const auto found = entry->values.find(parameter); found != entry->values.end())
      return catalog::evaluate(found->second, self, domain_names(found->second, bound));
  return value::Fill(value::Plain{});
}

/// More than any memory holds, and few enough that no product with an element's size wraps.
constexpr std::int64_t k_max_elements = std::int64_t{1} << 46;

/// Of a shape whose elements are at most k_max_elements.
std::vector<std::int64_t> dense_strides(const Shape& shape) {
  if (*numel(shape) == 0)
    return std::vector<std::int64_t>(shape.size(), 1);
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
  return strides;
}

/// Elements from the first to behind the last one that the strides reach.
std::optional<std::int64_t> reach(const Shape& shape, const std::vector<std::int64_t>& strides) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t step = 0;
    if (shape[i] == 0)
      return 0;
    if (strides[i] < 0 || __builtin_mul_overflow(shape[i] - 1, strides[i], &step) ||
        __builtin_add_overflow(last, step, &last) || last >= k_max_elements)
      return std::nullopt;
  }
  return last + 1;
}

Expected<void> lay_out(const cases::Tensor& tensor, Input& input) {
  const Shape& shape = input.shape;
  std::vector<std::int64_t> strides;
  if (tensor.strides) {
    strides = *tensor.strides;
  } else if (tensor.layout == cases::Layout::transposed && shape.size() >= 2) {
    Shape swapped = shape;
    std::swap(swapped.end()[-1], swapped.end()[-2]);
    strides = dense_strides(swapped);
    std::swap(strides.end()[-1], strides.end()[-2]);
  } else if (tensor.layout == cases::Layout::step && !shape.empty()) {
    strides = dense_strides(shape);
    for (std::int64_t& stride : strides)
      stride *= 2;
  } else if (tensor.layout == cases::Layout::broadcast && !shape.empty()) {
    strides = dense_strides(shape);
    strides.front() = 0;
  } else if (tensor.layout == cases::Layout::offset) {
    strides = dense_strides(shape);
    input.offset = 1;
  }
  if (strides.size() != shape.size() && !strides.empty())
    return fail(fmt::format("strides of Tensor({}): expected {} of them, got {}", to_string(shape),
                            shape.size(), strides.size()));
  if (strides.empty()) {
    input.buffer_numel = *numel(shape) + input.offset;
    return {};
  }
  const std::optional<std::int64_t> elements = reach(shape, strides);
  if (!elements)
    return fail(fmt::format("strides of Tensor({}): expected sizes >= 0 that fit in memory",
                            to_string(shape)));
  input.buffer_numel = *elements + input.offset;
  input.strides = std::move(strides);
  return {};
}

}  // namespace

void collect_tensors(const cases::Value& value, const std::string& path, int argument,
                     std::vector<Occurrence>& found) {
  std::visit(Collector{path, argument, found}, value.data);
}

bool has_nonfinite(const cases::Value& value) { return std::visit(NonfiniteFinder{}, value.data); }

Expected<Input> make_input(const Occurrence& occurrence, const catalog::Entry* entry,
                           const catalog::Bound& bound, std::string_view parameter) {
  const cases::Tensor& tensor = *occurrence.tensor;
  Input input;
  input.path = occurrence.path;
  input.name =
      parameter.empty()
          ? occurrence.path
          : std::string(parameter) +
                occurrence.path.substr(std::min(occurrence.path.find('['), occurrence.path.size()));
  input.dtype = tensor.dtype;
  input.shape = tensor.shape;
  const std::optional<std::int64_t> elements = numel(tensor.shape);
  if (!elements || *elements > k_max_elements)
    return fail(fmt::format("Tensor({}): expected fewer elements", to_string(tensor.shape)));
  TRY(lay_out(tensor, input));
  input.own_fill = !tensor.values.empty() || !tensor.full.empty() || tensor.domain;
  Expected<value::Fill> fill = fill_of(occurrence, entry, bound, parameter);
  if (!fill && input.own_fill)
    return tl::unexpected(fill.error());
  input.fill = fill ? std::move(*fill) : value::Fill(value::Plain{});

  const bool excluded =
      entry != nullptr &&
      (!entry->backward || std::ranges::find(entry->no_grad, parameter) != entry->no_grad.end());
  input.differentiable = is_differentiable(tensor.dtype) && size_of(tensor.dtype) > 1 &&
                         tensor.grad.value_or(true) && !excluded;
  return input;
}

Expected<bool> holds_for(const catalog::Domain& condition, const catalog::Bound& bound) {
  return catalog::evaluate_condition(condition, domain_names(condition, bound));
}

std::size_t buffer_bytes(const Input& input) {
  return static_cast<std::size_t>(input.buffer_numel) * size_of(input.dtype);
}

}  // namespace opalign::plan
