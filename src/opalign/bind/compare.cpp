// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/compare.hpp>

#include <optional>
#include <span>
#include <string>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <opalign/bind/array.hpp>
#include <opalign/bind/bind.hpp>

namespace opalign::bind {
namespace {

namespace nb = nanobind;

Outcome outcome_of(std::string runner, const Array& output) {
  Outcome outcome;
  outcome.runner = std::move(runner);
  outcome.status = OutcomeStatus::finished;
  outcome.outputs.value = output.view;
  return outcome;
}

Judgement compare_arrays(nb::handle target, nb::handle reference, std::string_view policy_name,
                         std::optional<double> atol, std::optional<double> rtol) {
  const Array a = array_of(target, "target"), b = array_of(reference, "reference");
  const compare::Policy policy = value_or_throw(compare::make_policy(policy_name, atol, rtol));
  const nb::gil_scoped_release released;
  const Outcome against = outcome_of("reference", b);
  return compare::judge(policy, {}, outcome_of("target", a), {&against, 1});
}

void bind_stats(nb::module_& module) {
  nb::class_<TensorStats>(module, "TensorStats",
                          "Errors |a - b| of the target's a against the reference's b, over\n"
                          "elements where both are finite; complex ones count by modulus.")
      .def_ro("numel", &TensorStats::numel)
      .def_ro("bit_equal", &TensorStats::bit_equal, "Elements with the same bits")
      .def_ro("mismatched", &TensorStats::mismatched, "Elements outside the policy's limit")
      .def_ro("class_mismatched", &TensorStats::class_mismatched,
              "Of those, elements of another class: finite, +inf, -inf, nan")
      .def_ro("max_abs", &TensorStats::max_abs)
      .def_ro("mean_abs", &TensorStats::mean_abs)
      .def_ro("rms_abs", &TensorStats::rms_abs)
      .def_ro("max_rel", &TensorStats::max_rel, "|a - b| / |b|, b at least the smallest normal")
      .def_ro("max_ulp", &TensorStats::max_ulp, "In units of the last place; 0 for integers")
      .def_ro("bias", &TensorStats::bias, "Mean of a - b, real part")
      .def_ro("cosine", &TensorStats::cosine)
      .def_ro("first_mismatch", &TensorStats::first_mismatch, "Flat index, -1 if none")
      .def_ro("worst", &TensorStats::worst, "Flat index, -1 if none");
}

void bind_leaf(nb::module_& module) {
  using Element = LeafComparison::Element;
  nb::class_<Element>(module, "Element", "Two elements, printed so that they read back.")
      .def_ro("index", &Element::index)
      .def_ro("target", &Element::target)
      .def_ro("reference", &Element::reference);
  nb::class_<LeafComparison>(module, "LeafComparison", "One pair of tensors that was compared.")
      .def_ro("path", &LeafComparison::path)
      .def_prop_ro(
          "reason", [](const LeafComparison& l) { return label(l.reason); },
          "Empty where they agree")
      .def_ro("message", &LeafComparison::message)
      .def_ro("dtype", &LeafComparison::dtype)
      .def_ro("shape", &LeafComparison::shape)
      .def_ro("stats", &LeafComparison::stats)
      .def_ro("elements", &LeafComparison::elements, "Those worth showing, worst first");
}

}  // namespace

void bind_compare(nb::module_& module) {
  bind_stats(module);
  bind_leaf(module);
  nb::class_<Judgement>(module, "Judgement", "What the comparison says.")
      .def_prop_ro(
          "verdict", [](const Judgement& j) { return label(j.verdict); },
          "A label of `opalign verdicts`: \"pass\", \"vacuous\", \"differs\"")
      .def_prop_ro("is_failure", [](const Judgement& j) { return info(j.verdict).is_failure; })
      .def_prop_ro("stage", [](const Judgement& j) { return label(j.stage); })
      .def_prop_ro(
          "reason", [](const Judgement& j) { return label(j.reason); },
          "Empty of a pass, else \"shape\", \"dtype\", \"nonfinite\", \"value\"")
      .def_ro("message", &Judgement::message, "One line")
      .def_ro("leaves", &Judgement::leaves)
      .def("__repr__", [](const Judgement& j) {
        return std::string(label(j.verdict)) + (j.message.empty() ? "" : ": " + j.message);
      });
  module.def("compare", compare_arrays, nb::arg("target").none(), nb::arg("reference").none(),
             nb::kw_only(), nb::arg("policy") = compare::k_default_policy,
             nb::arg("atol") = nb::none(), nb::arg("rtol") = nb::none(),
             R"doc(Holds an array against a reference: shape, dtype, nan and inf, then values.

Both are NumPy arrays, or tensors with __dlpack__ in the CPU's memory, of any shape, strides and
dtype of opalign. Values agree where |a - b| <= atol + rtol * |b|, b the reference's; `policy` names
a table of tolerances for each dtype, of which `atol` and `rtol` replace all.

Raises Error for arrays that cannot be read and for an unknown policy.)doc");
}

}  // namespace opalign::bind
