// Shows effects in the control API.

#include <nlohmann/json.hpp>

#include "inspector/input.h"
#include "inspector/routes.h"
#include "replay/overlays/overlay_store.h"
#include "replay/replay_handler.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;

json shown_effect(const replay::OverlayStore::ListedEffect& listed) {
  const replay::Effect& effect = *listed.effect;
  json changes = json::array();
  for (const replay::EffectChange& change : effect.changes) changes.push_back(change.in.text());
  json one = {{"on", effect.on.text()}, {"changes", std::move(changes)}, {"built_in", effect.is_builtin}};
  if (effect.scope) one["scope"] = *effect.scope;
  if (!listed.set.empty()) {
    one["set"] = listed.set;
  } else if (!effect.is_builtin) {
    one["file"] = effect.file;
    one["line"] = effect.line;
  }
  return one;
}

/// Returns one entry for each write, with its values and the reads that it changes. WriteValues has no secrets.
json shown_writes(const replay::EffectState& state) {
  json writes = json::array();
  const replay::WriteValues* last = nullptr;
  for (const replay::PendingChange& change : state.changes()) {
    if (change.values.get() != last) {
      constexpr std::size_t longest = 200;
      json params = json::array();
      for (const auto& [name, value] : change.values->params) {
        params.push_back({{"name", name}, {"value", value.substr(0, longest)}});
      }
      writes.push_back({{"on", change.effect->on.text()},
                        {"parameters", std::move(params)},
                        {"recorded", change.recorded.has_value()},
                        {"changes", json::array()}});
      last = change.values.get();
    }
    writes.back()["changes"].push_back(change.what().in.text());
  }
  return writes;
}

/// Returns the owner of an effect. Hides the ID of a session that never logged in.
std::string shown_owner(const std::string& owner) {
  return owner.starts_with("id ") ? "a session without login" : owner;
}

}  // namespace

void Control::add_effects(json& response) const {
  replay::OverlayStore& store = subject_.replay->overlays();
  json effects = json::array();
  for (const auto& listed : store.list_effects()) effects.push_back(shown_effect(listed));
  json owners = json::array();
  for (const auto& owner : store.counts().owners()) {
    const std::lock_guard lock(owner->mutex);
    json writes = shown_writes(owner->effects);
    if (!writes.empty()) owners.push_back({{"owner", shown_owner(owner->name)}, {"writes", std::move(writes)}});
  }
  response["effects"] = std::move(effects);
  response["state"] = std::move(owners);
}

}  // namespace tapedeck::inspector
