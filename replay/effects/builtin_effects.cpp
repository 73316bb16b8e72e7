#include "api/catalog.h"
#include "replay/effects/effect_reader.h"

namespace tapedeck::replay {
namespace {

/// Returns the APIs that have both `get` and `set`.
std::vector<std::string> get_set_pairs() {
  std::vector<std::string> apis;
  for (const api::CatalogOperation& operation : api::catalog()) {
    if (operation.method != "set" || api::catalog_operation(operation.api, "get") == nullptr) continue;
    apis.emplace_back(operation.api);
  }
  return apis;
}

}  // namespace

std::string builtin_effect_toml(const std::string& api_rest) {
  return "[[effect]]\non = \"" + api_rest + "/*/set\"\n[[effect.change]]\nin = \"" + api_rest +
         "/*/get\"\nmerge = \"params\"\n";
}

std::string builtin_effects_toml() {
  std::string text;
  for (const std::string& api : get_set_pairs()) {
    text.append(text.empty() ? "" : "\n").append(builtin_effect_toml(api));
  }
  return text;
}

const std::vector<EffectPtr>& builtin_effects() {
  static const std::vector<EffectPtr> effects = [] {
    std::vector<Effect> read;
    for (const OverlayBlock& block : overlay_blocks_of_toml(builtin_effects_toml(), "built in")) {
      read.push_back(read_effect(block, "built in"));
      read.back().is_builtin = true;
    }
    return number_effects(std::move(read), "built in");
  }();
  return effects;
}

}  // namespace tapedeck::replay
