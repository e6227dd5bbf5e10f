// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/walk.hpp>

#include <map>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <opalign/compare/words.hpp>

namespace opalign::compare {
namespace {

/// A Python number as the 0-D tensor it amounts to; `value` must outlive it.
template <class T>
TensorView scalar(DType dtype, const T& value) {
  return {dtype, {}, reinterpret_cast<const std::byte*>(&value)};
}

template <class T>
constexpr bool k_is_number = std::is_arithmetic_v<T> || std::is_same_v<T, std::complex<double>>;

class Walk {
 public:
  Walk(const Policy& policy, const Context& context, Tally& tally)
      : m_policy(policy), m_context(context), m_tally(tally) {}

  void walk(const std::string& path, const Result& a, const Result& b, int depth) {
    if (depth > k_max_depth)
      return differs(Reason::structure, path,
                     fmt::format("nested deeper than {} levels", k_max_depth));
    std::visit(
        [&]<class A, class B>(const A& x, const B& y) {
          if constexpr (std::is_same_v<A, B>)
            same_kind(path, x, y, depth);
          else
            differs(k_is_number<A> && k_is_number<B> ? Reason::dtype : Reason::structure, path,
                    describe(a) + " != " + describe(b));
        },
        a.value, b.value);
  }

 private:
  void same_kind(const std::string&, std::monostate, std::monostate, int) { m_tally.add_nothing(); }
  void same_kind(const std::string& path, const TensorView& a, const TensorView& b, int) {
    compare_leaf(m_policy, m_context, Stage::forward, path, a, b, m_tally);
  }
  void same_kind(const std::string& path, const bool& a, const bool& b, int) {
    number(path, DType::boolean, a, b);
  }
  void same_kind(const std::string& path, const std::int64_t& a, const std::int64_t& b, int) {
    number(path, DType::int64, a, b);
  }
  void same_kind(const std::string& path, const double& a, const double& b, int) {
    number(path, DType::float64, a, b);
  }
  void same_kind(const std::string& path, const std::complex<double>& a,
                 const std::complex<double>& b, int) {
    number(path, DType::complex128, a, b);
  }
  void same_kind(const std::string& path, const std::string& a, const std::string& b, int) {
    text(path, "str", a, b);
  }
  void same_kind(const std::string& path, const ResultDType& a, const ResultDType& b, int) {
    text(path, "dtype", a.name, b.name);
  }

  /// Frameworks name their own types as they like: another name is another structure, and the same
  /// name says little of what is inside.
  void same_kind(const std::string& path, const ResultOther& a, const ResultOther& b, int) {
    if (a.description != b.description)
      return differs(Reason::structure, path, describe({a}) + " != " + describe({b}));
    m_tally.add_nothing();
  }

  void same_kind(const std::string& path, const ResultSequence& a, const ResultSequence& b,
                 int depth) {
    if (a.items.size() != b.items.size())
      differs(Reason::structure, path, describe({a}) + " != " + describe({b}));
    for (std::size_t i = 0; i < std::min(a.items.size(), b.items.size()); ++i)
      walk(fmt::format("{}[{}]", path, i), a.items[i], b.items[i], depth + 1);
  }

  /// By key: the order of a mapping is the framework's own affair.
  void same_kind(const std::string& path, const ResultMapping& a, const ResultMapping& b,
                 int depth) {
    std::map<std::string_view, const Result*> theirs;
    for (const auto& [key, value] : b.items)
      theirs.emplace(key, &value);
    for (const auto& [key, value] : a.items) {
      const std::string below = fmt::format("{}[\"{}\"]", path, one_line(key, 60));
      const auto found = theirs.find(key);
      if (found == theirs.end()) {
        differs(Reason::structure, below, "only the target returns this key");
        continue;
      }
      walk(below, value, *found->second, depth + 1);
      theirs.erase(found);
    }
    for (const auto& [key, value] : theirs)
      differs(Reason::structure, fmt::format("{}[\"{}\"]", path, one_line(key, 60)),
              "only the reference returns this key");
  }

  template <class T>
  void number(const std::string& path, DType dtype, const T& a, const T& b) {
    compare_leaf(m_policy, m_context, Stage::forward, path, scalar(dtype, a), scalar(dtype, b),
                 m_tally);
  }

  void text(const std::string& path, const char* kind, const std::string& a, const std::string& b) {
    if (m_context.values && a != b)
      return differs(Reason::value, path,
                     fmt::format("{} \"{}\" != \"{}\"", kind, one_line(a, 60), one_line(b, 60)));
    LeafComparison leaf;
    leaf.path = path;
    leaf.dtype = kind;
    m_tally.add(std::move(leaf), Content::something);
  }

  void differs(Reason reason, const std::string& path, const std::string& message) {
    LeafComparison leaf;
    leaf.path = path;
    leaf.reason = reason;
    leaf.message = path + ": " + message;
    m_tally.add(std::move(leaf), Content::something);
  }

  const Policy& m_policy;
  const Context& m_context;
  Tally& m_tally;
};

}  // namespace

void compare_results(const Policy& policy, const Context& context, const Result& a, const Result& b,
                     Tally& tally) {
  Walk(policy, context, tally).walk("output", a, b, 0);
}

}  // namespace opalign::compare
