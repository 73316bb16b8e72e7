#pragma once
// Which calls one cassette has as parts of compounds: for what is not found by its exact key. Their keys are in no
// table, because those of the compounds have them all (semantics §1, §5).

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// For one thread. Of a scope the first 2,000 compounds are taken apart, when somebody asks for the first time.
class CompoundParts {
 public:
  explicit CompoundParts(const api::KeyPolicy& policy) : policy_(policy) {}

  /// Every key of one API and method (first label left out, method case-folded), each once: of a scope, or of what was
  /// recorded without one.
  [[nodiscard]] std::vector<api::RequestKey> of(const cassettes::CassetteReader& reader, std::string_view api_rest,
                                                std::string_view method, const std::string& scope);
  /// The same of all scopes together.
  [[nodiscard]] std::vector<api::RequestKey> in_scopes(const cassettes::CassetteReader& reader,
                                                       std::string_view api_rest, std::string_view method);
  /// In any method and version, in a scope or without one.
  [[nodiscard]] bool has_api(const cassettes::CassetteReader& reader, std::string_view api_rest);

 private:
  using Keys = std::vector<api::RequestKey>;
  [[nodiscard]] const Keys& known(const std::string& name, const std::function<Keys()>& compounds);
  [[nodiscard]] const Keys& of_scope(const cassettes::CassetteReader& reader, const std::string& scope);
  [[nodiscard]] const Keys& all_scopes(const cassettes::CassetteReader& reader);

  api::KeyPolicy policy_;
  std::unordered_map<std::string, Keys> known_;  ///< by scope; of a few
};

}  // namespace tapedeck::replay
