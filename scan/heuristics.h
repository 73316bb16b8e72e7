#pragma once
// Secrets that nobody has learned, recognised by their shape or by the name that they stand beside.
//
// Few false alarms matter more here than completeness: a hash, a UUID, a time or a number is no finding unless a
// telling name (token, passwd, sid …) stands directly before it, and even then it must look random. A placeholder such
// as <SESSION_ID> never is one.

#include <functional>
#include <string_view>
#include <vector>

namespace tapedeck::scan {

class Heuristics {
 public:
  /// What `scan` hands out: either `learned` is the index of a named value, or `rule` says why this may be a secret.
  struct Suspect {
    std::string_view
        rule;  ///< static text: "named:token", "token:npm", "jwt", "private-key", "url-userinfo", "learned-named"
    std::string_view value;  ///< part of the view that was scanned
    std::size_t learned = none;
  };
  static constexpr std::size_t none = ~std::size_t{0};
  using Sink = std::function<void(const Suspect&)>;

  /// A learned value that counts only beside a telling name, and whole.
  struct Named {
    std::string_view value;
    std::size_t index;
  };

  /// With `shapes` false only named values are looked for.
  Heuristics(bool shapes, std::vector<Named> named);

  void scan(std::string_view view, const Sink& sink) const;
  /// A value whose name stands elsewhere, such as in another column of its row.
  void check(std::string_view name, std::string_view value, const Sink& sink) const;

 private:
  class Values;
  /// The named value that is equal; null: none is.
  [[nodiscard]] const Named* find_named(std::string_view value) const;
  void at_separator(std::string_view view, std::size_t at, Values& values, const Sink& sink) const;
  void find_named_value(std::string_view view, std::size_t at, std::size_t value_at, const Sink& sink) const;
  void find_tokens(std::string_view view, const Sink& sink) const;
  void find_published(std::string_view view, const Sink& sink) const;
  void find_private_keys(std::string_view view, const Sink& sink) const;

  bool shapes_;
  std::vector<Named> named_;          ///< sorted by value
  std::vector<std::size_t> lengths_;  ///< of the named values, ascending
};

/// Whether a value could be a random token: 16 characters or more, of mixed classes, with enough entropy.
[[nodiscard]] bool looks_random(std::string_view value);

/// "" when the name tells nothing, else the rule of that name: "named:token" for `X-Syno-Token`, `access_token`, ….
[[nodiscard]] std::string_view telling_rule(std::string_view name);

}  // namespace tapedeck::scan
