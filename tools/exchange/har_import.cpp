#include "tools/exchange/har_import.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "api/call.h"
#include "api/json_spans.h"
#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"
#include "cassettes/write/cassette_writer.h"
#include "tools/content/stopped.h"
#include "tools/exchange/har_entry.h"
#include "tools/exchange/import_error.h"

namespace tapedeck::tools {

namespace {

constexpr std::string_view api_path = "/webapi/";

ImportError fault_at(std::string_view text, std::size_t offset, const std::string& what) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {lines + 1, before.size() - line_begin + 1, what};
}

std::vector<std::string_view> entries_of(std::string_view text) {
  try {
    const auto stores_nothing = [](int, nlohmann::json::parse_event_t, nlohmann::json&) { return false; };
    [[maybe_unused]] const auto nothing = nlohmann::json::parse(text, stores_nothing);
  } catch (const nlohmann::json::parse_error& error) {
    throw fault_at(text, std::max<std::size_t>(error.byte, 1) - 1, "not a JSON file");
  } catch (const nlohmann::json::exception&) {  // a number out of range
    throw fault_at(text, 0, "not a JSON file");
  }
  const auto log = api::json_member(text, "log");
  const auto list = log ? api::json_member(*log, "entries") : std::nullopt;
  auto entries = list ? api::json_elements(*list) : std::nullopt;
  if (!entries) throw fault_at(text, 0, "not a HAR file: log.entries is missing");
  return std::move(*entries);
}

/// An entry, and where it begins in the text.
struct PlacedEntry {
  HarEntry entry;
  std::size_t offset = 0;
};

struct FoundRequests {
  std::vector<api::Interaction> interactions;  ///< requests to the device, by start
  std::string base_path;
  std::uint64_t left_out = 0, websockets = 0, undated = 0;
  std::vector<std::string> faults, broken;
};

/// Returns the part of the path before "/webapi/", or nothing if the request is not an API call.
std::optional<std::string> base_of(const std::string& target) {
  const std::string path(http::split_target(target).path);
  const std::size_t at = path.find(api_path);
  return at == std::string::npos ? std::nullopt : std::optional(path.substr(0, at));
}

std::string device_of(const std::map<std::string, std::uint64_t>& calls, const std::string& first) {
  const auto most =
      std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == calls.end() || most->second == 0 ? first : most->first;
}

std::vector<PlacedEntry> read_entries(std::string_view text, const HarImportOptions& options,
                                      std::vector<std::string>& faults) {
  std::vector<PlacedEntry> all;
  std::int64_t before_us = 0;
  for (const std::string_view entry_text : entries_of(text)) {
    const auto offset = static_cast<std::size_t>(entry_text.data() - text.data());
    try {
      all.push_back({read_entry(entry_text, before_us, options.attached), offset});
      before_us = all.back().entry.interaction.started_us;
    } catch (const EntryFault& fault) {
      faults.emplace_back(fault_at(text, offset, fault.what()).what());
    }
    if (options.progress && !options.progress("reading", offset, text.size())) throw Stopped();
  }
  // Entries without a date before the first one with a date get that date.
  const auto dated = std::find_if(all.begin(), all.end(), [](const PlacedEntry& one) { return one.entry.has_date; });
  if (dated == all.end()) return all;
  for (auto placed = all.begin(); placed != dated; ++placed) {
    api::Interaction& interaction = placed->entry.interaction;
    const std::int64_t shift = dated->entry.interaction.started_us - interaction.started_us;
    for (std::int64_t* const time : {&interaction.started_us, &interaction.ended_us}) *time += shift;
    if (interaction.first_byte_us != 0) interaction.first_byte_us += shift;
  }
  return all;
}

FoundRequests found_in(std::string_view text, const HarImportOptions& options) {
  FoundRequests found;
  std::vector<PlacedEntry> all = read_entries(text, options, found.faults);
  const auto first =
      std::find_if(all.begin(), all.end(), [](const PlacedEntry& one) { return !one.entry.origin.empty(); });
  if (first == all.end()) {
    const std::string why = found.faults.empty() ? "" : " (" + found.faults.front() + ")";
    throw fault_at(text, 0, "the archive contains no HTTP request" + why);
  }
  std::map<std::string, std::uint64_t> calls;
  for (const auto& [entry, offset] : all) {
    if (!entry.origin.empty() && base_of(entry.interaction.request.target)) ++calls[entry.origin];
  }
  const std::string device = device_of(calls, first->entry.origin);
  std::set<std::string> bases;
  for (auto& [entry, offset] : all) {
    if (entry.origin != device) {
      ++(entry.is_websocket ? found.websockets : found.left_out);
      continue;
    }
    found.undated += entry.has_date ? 0 : 1;
    if (entry.interaction.completeness == api::Completeness::broken) {
      found.broken.emplace_back(fault_at(text, offset, entry.interaction.reason).what());
    }
    if (auto base = base_of(entry.interaction.request.target)) bases.insert(std::move(*base));
    found.interactions.push_back(std::move(entry.interaction));
  }
  if (bases.size() == 1) found.base_path = *bases.begin();
  std::stable_sort(found.interactions.begin(), found.interactions.end(),
                   [](const auto& a, const auto& b) { return a.started_us < b.started_us; });
  return found;
}

void append_all(FoundRequests& found, scrubbers::Scrubber& scrubber, cassettes::CassetteWriter& writer,
                const HarImportOptions& options) {
  std::uint64_t done = 0;
  for (api::Interaction& interaction : found.interactions) {
    if (interaction.request.target.starts_with(found.base_path + "/")) {
      interaction.request.target.erase(0, found.base_path.size());
    }
    const std::uint64_t known = scrubber.generation();
    writer.append(scrubber.scrub(interaction), nullptr, known);
    // Limits the memory that the writer's queue needs.
    if (++done % 256 == 0) writer.flush();
    if (options.progress && !options.progress("scrubbing", done, found.interactions.size())) throw Stopped();
  }
  writer.flush();
  if (writer.stats().not_recorded > 0) throw std::runtime_error("an interaction could not be stored");
}

}  // namespace

HarImport import_har(std::string_view text, const std::string& path, const HarImportOptions& options) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  FoundRequests found = found_in(text, options);
  if (cassettes::is_recorded(cassettes::full_path(path))) {
    throw cassettes::CassetteError(cassettes::CassetteError::Kind::io, path + " already exists");
  }
  cassettes::Take take;
  take.tool_version = options.tool_version;
  take.base_path = found.base_path;
  take.key_policy = api::KeyPolicy::current_number;
  take.scrub_policy = options.rules.fingerprint();
  take.started_us = found.interactions.front().started_us;
  take.note = "imported from a HAR";
  cassettes::WriteOptions writing;
  writing.kept_when_killed = false;
  scrubbers::ScrubberOptions scrubbing;
  scrubbing.rules = options.rules;
  scrubbing.base_path = found.base_path;
  scrubbers::Scrubber scrubber(std::move(scrubbing));
  auto writer = std::make_unique<cassettes::CassetteWriter>(path, take, cassettes::CassetteWriter::Begin::now, writing);
  try {
    append_all(found, scrubber, *writer, options);
  } catch (...) {
    writer->discard();
    throw;
  }
  cassettes::FinishOptions finishing;
  finishing.scrubber = &scrubber;
  finishing.progress = options.progress;
  HarImport imported{cassettes::finish(std::move(writer), finishing),
                     found.left_out,
                     found.websockets,
                     std::move(found.faults),
                     std::move(found.broken),
                     found.undated};
  if (!imported.report.finished && !imported.report.left.empty()) {
    for (const char* const suffix : {"-shm", "-wal", ""}) cassettes::remove_if_there(imported.report.left + suffix);
    imported.report.left.clear();
  }
  return imported;
}

}  // namespace tapedeck::tools
