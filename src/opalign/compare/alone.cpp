// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/pair.hpp>

#include <utility>

#include <fmt/format.h>

#include <opalign/compare/fate.hpp>
#include <opalign/compare/tensor.hpp>
#include <opalign/compare/walk.hpp>
#include <opalign/compare/words.hpp>

namespace opalign::compare {
namespace {

/// Looks for malformed tensors and, where they are not wanted, for nan and infinities.
class Search {
 public:
  Search(const Context& context, Stage stage)
      : m_touched(context.touched),
        m_stage(stage),
        m_finite(context.values && context.inputs_finite) {}

  void tensor(const std::string& path, const TensorView& view) {
    if (!readable(view))
      return found(Reason::structure, path + ": malformed tensor from the target");
    const std::optional<std::int64_t> flat =
        m_finite ? first_nonfinite(view, m_touched) : std::nullopt;
    if (flat)
      found(Reason::nonfinite,
            fmt::format("{}: {} from finite inputs", element_path(path, unravel(*flat, view.shape)),
                        element_text(view, *flat)));
  }

  void result(const std::string& path, const Result& result, int depth) {
    if (depth > k_max_depth)
      return found(Reason::structure,
                   fmt::format("{}: nested deeper than {} levels", path, k_max_depth));
    if (const auto* view = std::get_if<TensorView>(&result.value))
      tensor(path, *view);
    else if (const auto* real = std::get_if<double>(&result.value))
      tensor(path, {DType::float64, {}, reinterpret_cast<const std::byte*>(real)});
    else if (const auto* complex = std::get_if<std::complex<double>>(&result.value))
      tensor(path, {DType::complex128, {}, reinterpret_cast<const std::byte*>(complex)});
    else if (const auto* sequence = std::get_if<ResultSequence>(&result.value))
      for (std::size_t i = 0; i < sequence->items.size(); ++i)
        this->result(fmt::format("{}[{}]", path, i), sequence->items[i], depth + 1);
    else if (const auto* mapping = std::get_if<ResultMapping>(&result.value))
      for (const auto& [key, value] : mapping->items)
        this->result(fmt::format("{}[\"{}\"]", path, one_line(key, 60)), value, depth + 1);
  }

  [[nodiscard]] const std::optional<Judgement>& judgement() const { return m_judgement; }

 private:
  void found(Reason reason, std::string message) {
    if (!m_judgement)
      m_judgement = Judgement{Verdict::differs, m_stage, reason, "", std::move(message), {}};
  }

  const Touched& m_touched;
  Stage m_stage;
  bool m_finite;
  std::optional<Judgement> m_judgement;
};

}  // namespace

Judgement judge_alone(const Context& context, const Outcome& target) {
  const std::optional<Fate> fate = fate_of(target);
  const auto failed = [&] {
    return Judgement{fate->as_target, fate->stage,     fate->reason,
                     target.runner,   account(target), {}};
  };
  if (fate && !fate->has_results)
    return failed();

  Search outputs(context, Stage::forward), gradients(context, Stage::backward);
  outputs.result("output", target.outputs, 0);
  for (std::size_t i = 0; i < target.gradients.size(); ++i)
    if (target.gradients[i])
      gradients.tensor(gradient_path(context, i), *target.gradients[i]);

  Judgement judgement{Verdict::pass, Stage::none, Reason::none, "", "", {}};
  if (outputs.judgement())
    judgement = *outputs.judgement();
  else if (std::optional<Judgement> modified = judge_inputs(target))
    judgement = *modified;
  else if (fate)
    return failed();
  else if (gradients.judgement())
    judgement = *gradients.judgement();
  if (judgement.verdict != Verdict::pass)
    judgement.runner = target.runner;
  return judgement;
}

}  // namespace opalign::compare
