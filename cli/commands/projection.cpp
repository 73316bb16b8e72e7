#include "cli/commands/projection.h"

#include <algorithm>

#include "api/call.h"
#include "api/request_key.h"
#include "cli/commands/overlay_block.h"
#include "cli/console/terminal.h"
#include "replay/overlays/overlay_writer.h"

namespace tapedeck::cli {
namespace {

constexpr std::string_view saved_head = "# Changes of another firmware, by `tapedeck forecast`.";

std::string block_text(const tools::ChangeOverlay& overlay) {
  const std::string response = overlay.error ? "error = " + std::to_string(*overlay.error) + "\n"
                                             : "patch = " + replay::toml_lines(overlay.patch) + "\n";
  if (overlay.key.empty()) return "[[overlay]]\ncall = " + replay::toml_text(overlay.call) + "\n" + response;
  return overlay_block(overlay.key, "exact = true\n" + response);
}

std::string without_first_label(const std::string& call) {
  const std::size_t slash = call.find('/');
  return api::ApiName::split(call.substr(0, slash)).rest + (slash == std::string::npos ? "" : call.substr(slash));
}

/// Names of the called operations, such as "Core.Share/1/list", and of their APIs.
struct CalledNames {
  std::set<std::string, std::less<>> calls, apis;
  explicit CalledNames(const Projection::Requests& requests) {
    for (const auto& [key_text, outcome] : requests) {
      const api::RequestKey key = api::RequestKey::parse(key_text.substr(0, key_text.find(' ')));
      if (!key.is_call) continue;
      apis.insert(key.api.rest);
      calls.insert(without_first_label(key.text.substr(0, key.text.find('?'))));
    }
  }
};

}  // namespace

Projection::Projection(const tools::FirmwareResponses& before, const tools::FirmwareComparison& comparison)
    : comparison_(comparison) {
  for (std::size_t i = 0; i < comparison.changes.size(); ++i) {
    std::string block;
    for (const tools::ChangeOverlay& overlay : tools::overlays_for(i, before, comparison))
      block += block_text(overlay) + "\n";
    blocks_.push_back(std::move(block));
  }
}

std::string Projection::block_of(std::size_t number) const {
  const tools::FirmwareChange& change = comparison_.changes[number];
  return "# " + printable(change.call + " " + change.path + (change.path.empty() ? "" : " ") + to_string(change)) +
         "\n" + blocks_[number];
}

std::string Projection::toml(const tools::ElementSet& changes) const {
  std::string text;
  for (const std::size_t change : changes) text += block_of(change);
  return text;
}

std::string Projection::saved(const ForecastResult& result) const {
  tools::ElementSet all;
  for (const tools::BreakingSet& set : result.breakage.sets)
    all.insert(all.end(), set.changes.begin(), set.changes.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return std::string(saved_head) + "\n\n" + toml(all);
}

bool Projection::is_saved(std::string_view head) { return head.starts_with(saved_head); }

tools::ElementSet Projection::called(const Requests& requests) const {
  const CalledNames names(requests);
  tools::ElementSet called;
  for (std::size_t i = 0; i < comparison_.changes.size(); ++i) {
    const tools::FirmwareChange& change = comparison_.changes[i];
    const bool is_called = change.api.empty() ? names.calls.contains(without_first_label(change.call))
                                              : names.apis.contains(change.api) || names.apis.contains("API.Info");
    if (is_called) called.push_back(i);
  }
  return called;
}

std::vector<std::string> Projection::called_of(const std::vector<std::string>& calls, const Requests& requests) {
  const CalledNames names(requests);
  std::vector<std::string> called;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(called),
               [&](const std::string& call) { return names.calls.contains(without_first_label(call)); });
  return called;
}

}  // namespace tapedeck::cli
