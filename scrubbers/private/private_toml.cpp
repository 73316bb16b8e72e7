#include "scrubbers/private/private_toml.h"

namespace tapedeck::scrubbers {

void apply_private(const base::TomlFile& file, PrivateOptions& options) {
  const toml::table* const table = file.table("private");
  if (table == nullptr) return;
  for (const auto& [key, node] : *table) {
    if (key.str() != "keep" && key.str() != "replace") file.unknown_key(key, "`private`", "keep, replace");
    std::vector<std::string>& list = key.str() == "keep" ? options.keep : options.replace;
    for (std::string& one : file.texts(key.str(), node)) {
      if (one.empty()) file.fail(node.source(), "an empty text is in every value");
      list.push_back(std::move(one));
    }
  }
}

}  // namespace tapedeck::scrubbers
