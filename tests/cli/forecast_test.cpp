// Tests that breaking changes of a firmware are found exactly and in few runs among harmless ones.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "cli/commands/projection.h"
#include "tests/replay/asking.h"
#include "tests/support/cassette_fixture.h"
#include "tests/support/needs.h"
#include "tools/forecast/breakage.h"

namespace tapedeck::cli {
namespace {

using nlohmann::json;
using testing::cassette_with;
using testing::record;
using testing::Recorded;
using testing::TestCassette;
using tools::ChangedRun;
using tools::ElementSet;

constexpr int calls = 20, harmless_of_call = 12, harmless_changes = 200;

std::string call_of(int number) { return "SVC.Test.Call" + std::to_string(number) + "/1/get"; }
std::string api_of(int number) { return "SVC.Test.Call" + std::to_string(number); }

/// The responses of one firmware: for each call success or an error code, and the oldest version of each API.
struct Device {
  std::map<int, json> data;
  std::map<int, int> errors;
  std::map<int, int> oldest;
};

Device old_device() {
  Device device;
  for (int number = 0; number < calls; ++number) {
    json items = json::array();
    for (int item = 0; item < 3; ++item) {
      json one = {{"name", "item" + std::to_string(item)}, {"needed", 100 + item}, {"either", "a"}, {"other", "b"}};
      for (int field = 0; field < harmless_of_call / 2; ++field) one["extra" + std::to_string(field)] = 7 + field;
      items.push_back(std::move(one));
    }
    device.data[number] = {{"items", std::move(items)}, {"total", 3}};
    for (int field = 0; field < harmless_of_call / 2; ++field) {
      device.data[number]["flat" + std::to_string(field)] = "text" + std::to_string(field);
    }
    device.oldest[number] = 1;
  }
  return device;
}

TestCassette cassette_of(const Device& device) {
  std::vector<Recorded> rows;
  json apis = json::object();
  for (const auto& [number, oldest] : device.oldest) apis[api_of(number)] = {{"minVersion", oldest}, {"maxVersion", 3}};
  rows.push_back(record("SVC.API.Info/1/query?query=all", json{{"data", apis}, {"success", true}}.dump()));
  for (const auto& [number, data] : device.data) {
    const auto error = device.errors.find(number);
    rows.push_back(record(call_of(number), error != device.errors.end()
                                               ? testing::error(error->second)
                                               : json{{"data", data}, {"success", true}}.dump()));
  }
  return cassette_with(std::move(rows));
}

/// Returns false if a field that the client needs is missing or has another type.
bool client_passes(replay::ReplayHandler& handler) {
  if (replay::call(handler, "SVC.API.Info/1/query?query=all").status != 200) return false;
  for (int number = 0; number < calls; ++number) {
    const json answer = json::parse(replay::call(handler, call_of(number)).body, nullptr, false);
    if (answer.is_discarded() || !answer.value("success", false)) return false;
    for (const json& item : answer["data"]["items"]) {
      if (!item.contains("needed") || !item["needed"].is_number()) return false;
      if (!item.contains("either") && !item.contains("other")) return false;
    }
  }
  return true;
}

template <class Change>
void each_item(Device& device, int call, const Change& change) {
  for (json& item : device.data[call]["items"]) change(item);
}

/// Changes a field that no client reads.
void change_harmless(Device& device, int call, int field, std::mt19937& random) {
  const bool is_flat = field >= harmless_of_call / 2;
  const std::string name =
      is_flat ? "flat" + std::to_string(field - harmless_of_call / 2) : "extra" + std::to_string(field);
  const auto change = [&, kind = random() % 4](json& object) {
    const json value = object[name];
    if (kind == 0) object.erase(name);
    if (kind == 1) object[name + "_new"] = true;
    if (kind == 2) object[name] = value.is_string() ? json(5) : json(std::to_string(value.get<int>()));
    if (kind == 3) {
      object.erase(name);
      object["renamed_" + name] = value;
    }
  };
  if (is_flat) {
    change(device.data[call]);
  } else {
    each_item(device, call, change);
  }
}

struct Plant {
  const char* name;
  /// Plants changes that break the client only together, and returns them as "CALL PATH".
  std::function<std::set<std::string>(Device& device, int call)> plant;
};

const std::vector<Plant>& plants() {
  static const std::vector<Plant> all = {
      {"renamed field",
       [](Device& device, int call) {
         each_item(device, call, [](json& item) {
           item["needed_mb"] = item["needed"];
           item.erase("needed");
         });
         return std::set{call_of(call) + " /data/items/*/needed"};
       }},
      {"retyped field",
       [](Device& device, int call) {
         each_item(device, call, [](json& item) { item["needed"] = std::to_string(item["needed"].get<int>()); });
         return std::set{call_of(call) + " /data/items/*/needed"};
       }},
      {"removed field",
       [](Device& device, int call) {
         each_item(device, call, [](json& item) { item.erase("needed"); });
         return std::set{call_of(call) + " /data/items/*/needed"};
       }},
      {"error code",
       [](Device& device, int call) {
         device.errors[call] = 105;
         return std::set{call_of(call) + " "};
       }},
      {"raised minVersion",
       [](Device& device, int call) {
         device.oldest[call] = 2;
         return std::set{api_of(call) + " "};
       }},
      {"two that only break together", [](Device& device, int call) {
         each_item(device, call, [](json& item) {
           item.erase("either");
           item.erase("other");
         });
         return std::set{call_of(call) + " /data/items/*/either", call_of(call) + " /data/items/*/other"};
       }}};
  return all;
}

struct Found {
  std::set<std::set<std::string>> sets;
  bool is_complete = false;
  std::size_t changes = 0, runs = 0;
};

Found find_breaking(const TestCassette& before, const TestCassette& after) {
  const tools::FirmwareResponses old_responses = tools::responses_of(cassettes::CassetteReader(before.path()));
  const tools::FirmwareResponses new_responses = tools::responses_of(cassettes::CassetteReader(after.path()));
  const tools::FirmwareComparison comparison = tools::compare_firmwares(old_responses, new_responses);
  const Projection projection(old_responses, comparison);
  Found found;
  const auto run = [&](std::span<const ElementSet> sets) {
    std::vector<ChangedRun> runs;
    for (const ElementSet& set : sets) {
      ++found.runs;
      const std::string file = before.folder().file("changes.toml");
      std::ofstream(file) << projection.toml(set);
      replay::ReplayOptions options;
      options.cassettes = {before.path(), after.path()};
      options.overlay_files = {file};
      replay::ReplayHandler handler(options, 1);
      runs.emplace_back().passes = client_passes(handler);
    }
    return runs;
  };
  tools::BreakageSearch search(run, {});
  const tools::Breakage breakage = search.find(tools::all_elements(comparison.changes.size()));
  found.changes = comparison.changes.size();
  found.is_complete = breakage.is_complete && !breakage.is_flaky;
  for (const tools::BreakingSet& set : breakage.sets) {
    std::set<std::string> names;
    for (const std::size_t place : set.changes) {
      names.insert(comparison.changes[place].call + " " + comparison.changes[place].path);
    }
    found.sets.insert(std::move(names));
  }
  return found;
}

}  // namespace

TEST_CASE("forecast: finds exactly the planted breaking changes among 200 harmless ones") {
  const TestCassette before = cassette_of(old_device());
  for (std::uint32_t seed = 0; seed < 30; seed += tests::is_long() ? 1 : 5) {
    std::mt19937 random(seed);
    Device device = old_device();
    std::vector<std::pair<int, int>> fields;
    for (int call = 0; call < calls; ++call) {
      for (int field = 0; field < harmless_of_call; ++field) fields.emplace_back(call, field);
    }
    std::shuffle(fields.begin(), fields.end(), random);
    fields.resize(harmless_changes);
    for (const auto& [call, field] : fields) change_harmless(device, call, field, random);
    // Each kind alone five times, and some with a second one.
    std::set<std::set<std::string>> planted;
    const Plant& first = plants()[seed % plants().size()];
    const int call = static_cast<int>(random() % (calls / 2));
    planted.insert(first.plant(device, call));
    if (seed >= 24) planted.insert(plants()[random() % 3].plant(device, calls / 2 + call));
    CAPTURE(seed, first.name);
    const auto begin = std::chrono::steady_clock::now();
    const Found found = find_breaking(before, cassette_of(device));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    CHECK(found.sets == planted);
    CHECK(found.is_complete);
    CHECK(found.changes >= 150);  // an error or a raised version hides the fields of its call
    const double limit = 4 * std::log2(static_cast<double>(found.changes));
    if (planted.size() == 1 && planted.begin()->size() == 1) CHECK(static_cast<double>(found.runs) < limit);
    if (std::getenv("TAPEDECK_TABLE") != nullptr) {
      std::cout << "| " << seed << " | " << first.name << (planted.size() > 1 ? " and another" : "") << " | "
                << found.changes << " | " << found.runs << " | " << took.count() << " |\n";
    }
  }
}

}  // namespace tapedeck::cli
