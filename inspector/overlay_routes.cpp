// The routes of the control API for overlays (docs/mocking.md).

#include <nlohmann/json.hpp>

#include "api/json_spans.h"
#include "inspector/input.h"
#include "inspector/routes.h"
#include "replay/overlays/overlay_store.h"
#include "replay/overlays/overlay_writer.h"
#include "replay/overlays/spec_check.h"
#include "replay/replay_handler.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;

/// Returns the members of an overlay as they were written. A long one is only `true`, because no reader shows it.
json shown_rule(const replay::Overlay& overlay) {
  constexpr std::size_t longest = 2'000;
  json rule = json::object();
  for (const replay::OverlayMember& member : overlay.members) {
    rule[member.name] = member.json.size() > longest ? json(true) : json::parse(member.json, nullptr, false);
  }
  return rule;
}

json shown(const replay::OverlayStore::Listed& one) {
  const replay::Overlay& overlay = *one.overlay;
  json object = {{"name", overlay.name}, {"enabled", one.is_enabled}, {"plays", one.plays}};
  if (overlay.call) {
    object["call"] = overlay.call->text();
  } else {
    object["path"] = overlay.verb + " " + overlay.path;
  }
  if (overlay.scope) object["scope"] = *overlay.scope;
  object["rule"] = shown_rule(overlay);
  if (one.set.empty()) {
    object["file"] = overlay.file;
    object["line"] = overlay.line;
  } else {
    object["set"] = one.set;
  }
  return object;
}

/// Returns the posted overlays as the text of a TOML file.
std::string toml_of(const replay::OverlayStore& overlays) {
  std::vector<replay::OverlayPtr> posted;
  for (const auto& one : overlays.list()) {
    if (!one.set.empty()) posted.push_back(one.overlay);
  }
  std::vector<replay::EffectPtr> effects;
  for (const auto& one : overlays.list_effects()) {
    if (!one.set.empty()) effects.push_back(one.effect);
  }
  return replay::overlays_toml(posted, effects);
}

/// Returns a set in the form of POST /overlays.
ControlResponse set_of(const replay::OverlayStore& overlays, const std::string& name) {
  const auto text = overlays.posted(name);
  if (!text) return control_error(404, "no such set; GET /overlays lists them");
  std::string scope;
  std::string_view list = *text;
  std::string effects, toml;
  if (const auto members = api::json_members(*text)) {
    for (const api::JsonMember& member : *members) {
      if (member.key == "scope") scope = "\"scope\":" + std::string(member.value) + ",";
      if (member.key == "overlays") list = member.value;
      if (member.key == "effects") effects = ",\"effects\":" + std::string(member.value);
      if (member.key == "toml") toml = ",\"toml\":" + std::string(member.value);
    }
    if (list == *text) list = "[]";
  }
  return {200, "{\"set\":" + api::json_quoted(name) + "," + scope + "\"overlays\":" + std::string(list) + effects +
                   toml + "}"};
}

/// Returns the differences between overlays and the specification.
json warnings_of(const std::vector<replay::OverlayPtr>& overlays) {
  json warnings = json::array();
  for (const auto& overlay : overlays) {
    for (const std::string& line : replay::spec_differences(*overlay)) warnings.push_back(overlay->name + ": " + line);
  }
  return warnings;
}

}  // namespace

ControlResponse Control::overlays(const ControlCall& call) {
  if (const auto set = call.query.text("set")) return set_of(subject_.replay->overlays(), *set);
  const auto format = call.query.text("format");
  if (format && *format != "json" && *format != "toml") throw BadInput("format must be json or toml");
  if (format == "toml") return {200, toml_of(subject_.replay->overlays()), "application/toml"};
  json list = json::array();
  for (const auto& one : subject_.replay->overlays().list()) list.push_back(shown(one));
  json response = {{"overlays", std::move(list)}};
  add_effects(response);
  return good(response);
}

ControlResponse Control::post_overlays(const ControlCall& call) {
  try {
    replay::PostedOverlays posted = replay::read_posted_overlays(call.body);
    if (!posted.effects.empty() && !subject_.replay->takes_effects()) {
      throw BadInput("effects cannot be used while recording: every response is the device's own");
    }
    for (const replay::Overlay& overlay : posted.overlays) {
      const std::string member(overlay.changing_member());
      if (member.empty() || subject_.replay->takes_effects()) continue;
      throw BadInput("an overlay with " + member + " cannot be used while recording: it can only respond itself");
    }
    return good({{"set", subject_.replay->overlays().post(std::move(posted))}});
  } catch (const std::invalid_argument& error) {
    throw BadInput(error.what());
  }
}

ControlResponse Control::check_overlays(const ControlCall& call) {
  try {
    replay::PostedOverlays posted = replay::read_posted_overlays(call.body);
    const auto overlays = replay::number_overlays(std::move(posted.overlays), "");
    return good(
        {{"overlays", overlays.size()}, {"effects", posted.effects.size()}, {"warnings", warnings_of(overlays)}});
  } catch (const std::invalid_argument& error) {
    throw BadInput(error.what());
  }
}

ControlResponse Control::enable_overlays(const ControlCall& call) {
  const bool is_given = call.object.contains("enabled");
  if (is_given && !call.object["enabled"].is_boolean()) throw BadInput("enabled must be true or false");
  const bool on = !is_given || call.object["enabled"].get<bool>();
  if (!subject_.replay->overlays().enable(text_in(call.object, "name"), on)) {
    return control_error(404, "no such overlay; GET /overlays lists them");
  }
  return good({{"done", true}});
}

ControlResponse Control::delete_overlays(const ControlCall& call) {
  if (!subject_.replay->overlays().remove(text_in(call.object, "set"))) {
    return control_error(404, "no such set; GET /overlays lists them");
  }
  return good({{"done", true}});
}

}  // namespace tapedeck::inspector
