#pragma once
// Finds calls that a cassette has as parts of compounds, for requests without an exact key. Their keys are in no table,
// because the keys of compounds contain them.

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// Use it on one thread. The first call takes apart the first 2,000 compounds of a scope.
class CompoundParts {
 public:
  /// `reader` must outlive it.
  CompoundParts(const cassettes::CassetteReader& reader, const api::KeyPolicy& policy)
      : reader_(reader), policy_(policy) {}

  /// Returns every key of one API and method (without the first label, method in lower case) once, from a scope, or
  /// from recordings without one.
  [[nodiscard]] std::vector<api::RequestKey> of(std::string_view api_rest, std::string_view method,
                                                const std::string& scope);
  /// Returns the keys of that API and method in all scopes together.
  [[nodiscard]] std::vector<api::RequestKey> in_scopes(std::string_view api_rest, std::string_view method);
  /// Returns true if the API occurs with any method and version, in a scope or without one.
  [[nodiscard]] bool has_api(std::string_view api_rest);

 private:
  using Keys = std::vector<api::RequestKey>;
  [[nodiscard]] const Keys& known(const std::string& name, const std::function<Keys()>& compounds);
  [[nodiscard]] const Keys& of_scope(const std::string& scope);
  [[nodiscard]] const Keys& all_scopes();

  const cassettes::CassetteReader& reader_;
  api::KeyPolicy policy_;
  std::unordered_map<std::string, Keys> known_;  ///< key: the scope; only a few scopes are kept
};

}  // namespace tapedeck::replay
