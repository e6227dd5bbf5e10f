// SPDX-License-Identifier: Apache-2.0
#include <opalign/worker/reply.hpp>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace opalign::worker {
namespace {

using Json = nlohmann::json;

constexpr int k_max_depth = 64;
constexpr std::size_t k_max_dims = 64;
constexpr std::size_t k_max_text = std::size_t{1} << 16;

tl::unexpected<Error> broken(std::string_view expected) {
  return fail(fmt::format("answer: expected {}", expected));
}

const Json* member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string text_member(const Json& object, const char* key) {
  const Json* found = member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

Expected<double> read_number(const Json& text) {
  if (!text.is_string())
    return broken("a number as text");
  const auto& digits = text.get_ref<const std::string&>();
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    return digits.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
  if (error != std::errc() || end != digits.data() + digits.size())
    return broken("a number as text");
  return value;
}

/// Reads tensors out of a file, as many as fit into the limit together.
class Reader {
 public:
  Reader(std::span<const std::byte> file, std::size_t limit) : m_file(file), m_room(limit) {}

  Expected<TensorView> tensor(const Json& leaf) {
    const Json* offset = member(leaf, "o");
    const Json* shape = member(leaf, "s");
    const std::optional<DType> dtype = parse_dtype(text_member(leaf, "d"));
    if (offset == nullptr || !offset->is_number_unsigned() || shape == nullptr ||
        !shape->is_array() || shape->size() > k_max_dims || !dtype)
      return broken("a tensor with \"o\", \"d\" and \"s\"");
    TensorView view{*dtype, {}, nullptr};
    for (const Json& size : *shape) {
      if (!size.is_number_unsigned())
        return broken("sizes >= 0");
      view.shape.push_back(size.get<std::int64_t>());
    }
    const std::optional<std::int64_t> elements = numel(view.shape);
    const auto begin = offset->get<std::size_t>();
    if (!elements || begin > m_file.size() || begin % 8 != 0 ||
        static_cast<std::size_t>(*elements) > (m_file.size() - begin) / size_of(*dtype))
      return broken("a tensor inside the output file");
    const std::size_t bytes = static_cast<std::size_t>(*elements) * size_of(*dtype);
    if (bytes > m_room)
      return broken("tensors within the output limit");
    m_room -= bytes;
    m_end = std::max(m_end, begin + bytes);
    view.data = m_file.data() + begin;
    return view;
  }

  Expected<Result> result(const Json& node, int depth = 0) {
    if (depth > k_max_depth)
      return broken("less nesting");
    switch (node.type()) {
      case Json::value_t::null:
        return Result{std::monostate()};
      case Json::value_t::boolean:
        return Result{node.get<bool>()};
      case Json::value_t::number_integer:
        return Result{node.get<std::int64_t>()};
      case Json::value_t::number_unsigned:
        if (node.get<std::uint64_t>() > INT64_MAX)
          return Result{ResultOther{fmt::format("int {}", node.get<std::uint64_t>())}};
        return Result{node.get<std::int64_t>()};
      case Json::value_t::number_float:
        return Result{node.get<double>()};
      case Json::value_t::string:
        return Result{node.get<std::string>()};
      case Json::value_t::array: {
        ResultSequence sequence;
        for (const Json& item : node) {
          TRY_ASSIGN(Result child, result(item, depth + 1));
          sequence.items.push_back(std::move(child));
        }
        return Result{std::move(sequence)};
      }
      case Json::value_t::object:
        break;
      default:
        return broken("a value");
    }
    const std::string kind = text_member(node, "$");
    const Json* value = member(node, "v");
    if (kind == "out") {
      TRY_ASSIGN(TensorView view, tensor(node));
      return Result{std::move(view)};
    }
    if (value == nullptr)
      return broken("an object with \"$\" and \"v\"");
    if (kind == "dtype" && value->is_string())
      return Result{ResultDType{value->get<std::string>()}};
    if (kind == "float") {
      TRY_ASSIGN(double number, read_number(*value));
      return Result{number};
    }
    if (kind == "complex" && value->is_array() && value->size() == 2) {
      TRY_ASSIGN(double real, read_number((*value)[0]));
      TRY_ASSIGN(double imag, read_number((*value)[1]));
      return Result{std::complex<double>(real, imag)};
    }
    if (kind == "dict" && value->is_array()) {
      ResultMapping mapping;
      for (const Json& pair : *value) {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string())
          return broken("pairs of a key and a value");
        TRY_ASSIGN(Result child, result(pair[1], depth + 1));
        mapping.items.emplace_back(pair[0].get<std::string>(), std::move(child));
      }
      return Result{std::move(mapping)};
    }
    if (value->is_array()) {  // tuple, slice, shape: a sequence by another name
      return result(*value, depth + 1);
    }
    return Result{ResultOther{value->is_string() ? value->get<std::string>() : kind}};
  }

  /// Bytes of the file that the tensors reach to.
  [[nodiscard]] std::size_t end() const { return m_end; }

 private:
  std::span<const std::byte> m_file;
  std::size_t m_room;
  std::size_t m_end = 0;
};

Stage read_stage(const Json& error) {
  const std::string text = text_member(error, "stage");
  for (Stage stage : {Stage::backward, Stage::fetch})
    if (text == label(stage))
      return stage;
  return Stage::forward;
}

Expected<RunnerError> read_error(const Json& error) {
  RunnerError read;
  read.kind = parse_error_class(text_member(error, "class")).value_or(ErrorClass::other);
  read.stage = read_stage(error);
  read.type = text_member(error, "type");
  read.message = text_member(error, "message");
  read.trace = text_member(error, "trace");
  if (read.type.size() + read.message.size() + read.trace.size() > k_max_text)
    return broken("a shorter error");
  return read;
}

}  // namespace

Expected<Answer> read_answer(const Json& answer, std::span<const std::byte> output,
                             std::size_t limit, const std::vector<std::string>& input_names) {
  Reader reader(output, limit);
  Outcome outcome;
  outcome.status = OutcomeStatus::finished;
  if (const Json* error = member(answer, "error")) {
    if (!error->is_object())
      return broken("an error object");
    TRY_ASSIGN(outcome.error, read_error(*error));
    outcome.stage = outcome.error->stage;
    if (member(answer, "result") == nullptr)
      outcome.status = OutcomeStatus::failed;
  }
  if (const Json* result = member(answer, "result")) {
    TRY_ASSIGN(outcome.outputs, reader.result(*result));
  } else if (!outcome.error) {
    return broken("\"result\" or \"error\"");
  }
  if (const Json* gradients = member(answer, "grads");
      gradients != nullptr && !gradients->is_null()) {
    if (!gradients->is_array())
      return broken("a list of gradients");
    for (const Json& leaf : *gradients) {
      if (leaf.is_null()) {
        outcome.gradients.emplace_back();
        continue;
      }
      TRY_ASSIGN(TensorView view, reader.tensor(leaf));
      outcome.gradients.emplace_back(std::move(view));
    }
    outcome.has_gradients = true;
    outcome.stage = Stage::backward;
  }
  if (const Json* modified = member(answer, "modified"); modified != nullptr) {
    if (!modified->is_array() || modified->size() > input_names.size())
      return broken("a list of modified inputs");
    for (const Json& index : *modified) {
      if (!index.is_number_unsigned() || index.get<std::size_t>() >= input_names.size())
        return broken("numbers of inputs");
      outcome.modified.push_back(input_names[index.get<std::size_t>()]);
    }
  }
  if (const Json* times = member(answer, "t"); times != nullptr && times->is_array()) {
    if (!times->empty() && times->front().is_number())
      outcome.forward_s = times->front().get<double>();
    if (times->size() > 1 && (*times)[1].is_number())
      outcome.backward_s = (*times)[1].get<double>();
  }
  return Answer{std::move(outcome), reader.end()};
}

}  // namespace opalign::worker
