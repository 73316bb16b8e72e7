#pragma once
// Finds secrets that were not learned, by their shape or by the name beside them. A low number of false alarms is more
// important than completeness: a hash, a UUID, a time, or a number is only a finding if it looks random and directly
// follows a telling name, which is the name of a secret (token, passwd, sid, …). A placeholder such as <SESSION_ID> is
// never a finding.

#include <functional>
#include <string_view>
#include <vector>

namespace tapedeck::scan {

class Heuristics {
 public:
  /// A result of scan(): a named value with the index `learned`, or a possible secret according to `rule`.
  struct Suspect {
    std::string_view
        rule;  ///< static text: "named:token", "token:npm", "jwt", "private-key", "url-userinfo", "learned-named"
    std::string_view value;  ///< part of the view that was scanned
    std::size_t learned = none;
  };
  static constexpr std::size_t none = ~std::size_t{0};
  using Sink = std::function<void(const Suspect&)>;

  /// A learned value that is only a finding if it is the whole value beside a telling name.
  struct Named {
    std::string_view value;
    std::size_t index;
  };

  /// With `shapes` false, only named values are searched for.
  Heuristics(bool shapes, std::vector<Named> named);

  void scan(std::string_view view, const Sink& sink) const;
  /// Checks a value whose name is elsewhere, such as in another column of its row.
  void check(std::string_view name, std::string_view value, const Sink& sink) const;

 private:
  class Values;
  /// Returns the equal named value, or null.
  [[nodiscard]] const Named* find_named(std::string_view value) const;
  void at_separator(std::string_view view, std::size_t at, Values& values, const Sink& sink) const;
  void find_named_value(std::string_view view, std::size_t at, std::size_t value_at, const Sink& sink) const;
  void find_tokens(std::string_view view, const Sink& sink) const;
  void find_published(std::string_view view, const Sink& sink) const;
  void find_private_keys(std::string_view view, const Sink& sink) const;

  bool shapes_;
  std::vector<Named> named_;          ///< sorted by value
  std::vector<std::size_t> lengths_;  ///< lengths of the named values, ascending
};

/// Returns true if a value could be a random token: 16 characters or more, of mixed classes, with enough entropy.
[[nodiscard]] bool looks_random(std::string_view value);

/// Returns the rule of a telling name, such as "named:token" for `X-Syno-Token` and `access_token`; "" for others.
[[nodiscard]] std::string_view telling_rule(std::string_view name);

}  // namespace tapedeck::scan
