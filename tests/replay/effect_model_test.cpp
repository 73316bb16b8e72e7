// Effects against a model, and against generated bodies.

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <semaphore>
#include <thread>

#include "replay/effects/effect_state.h"
#include "replay/overlays/overlay_file.h"
#include "replay/overlays/overlay_owner.h"
#include "replay/overlays/overlay_store.h"
#include "tests/replay/asking.h"
#include "tests/replay/effect_server.h"

namespace tapedeck::replay {
namespace {

const std::string model_effects = terminal_effect + R"(
[[effect]]
on = "FileStation.CreateFolder/*/create"
[[effect.change]]
in = "FileStation.List/*/list"
where = { folder_path = "{{param.folder_path}}" }
insert = { at = "/data/files", like = 0, set = { name = "{{param.name}}", path = "{{param.folder_path}}/{{param.name}}" } }
count = "/data/total"
)" + delete_effect;

/// The expected state of one owner's device.
struct Model {
  std::map<std::string, std::string> settings = {{"a", "1"}, {"b", "false"}};
  std::map<std::string, std::vector<std::string>> folders = {{"/p", {"x"}}, {"/q", {}}};

  [[nodiscard]] std::string get() const {
    return R"({"data":{"a":)" + settings.at("a") + R"(,"b":)" + settings.at("b") + R"(},"success":true})";
  }
  [[nodiscard]] std::string list(const std::string& folder) const {
    std::string files;
    for (const std::string& name : folders.at(folder)) {
      files += (files.empty() ? "" : ",") + (R"({"name":")" + name + R"(","path":")" + folder + "/" + name + R"("})");
    }
    const std::string total = std::to_string(folders.at(folder).size());
    return R"({"data":{"files":[)" + files + R"(],"total":)" + total + R"(},"success":true})";
  }
};

/// A request of a client, or a reset. `expected` is the model's response.
struct Step {
  std::string scope, call, expected;
};

std::vector<Step> random_steps(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::map<std::string, Model> models;
  std::vector<Step> steps;
  const std::string done = R"({"success":true})";
  while (steps.size() < count) {
    const std::string scope = below(2) == 0 ? "one" : "two";
    const std::string client = "&_sid=client-" + std::to_string(below(4));
    const std::string folder = below(2) == 0 ? "/p" : "/q";
    Model& model = models[scope];
    const unsigned kind = below(100);
    if (kind < 3) {
      model = {};
      steps.push_back({scope, "", ""});
    } else if (kind < 8) {
      const std::string name = below(2) == 0 ? "a" : "b";
      const std::string value = name == "a" ? std::to_string(2 + below(50)) : below(2) == 0 ? "true" : "false";
      model.settings[name] = value;
      steps.push_back({scope, "SVC.Core.Terminal/1/set?" + name + "=" + value + client, done});
    } else if (kind < 10) {  // recorded, with a `get` after it
      model.settings = {{"a", "99"}, {"b", "true"}};
      steps.push_back({scope, "SVC.Core.Terminal/1/set?a=99&b=true" + client, done});
    } else if (kind < 14) {
      const std::string name = "n" + std::to_string(below(20));
      model.folders[folder].push_back(name);
      steps.push_back(
          {scope, "SVC.FileStation.CreateFolder/1/create?folder_path=" + folder + "&name=" + name + client, done});
    } else if (kind < 20) {
      const std::string name = "n" + std::to_string(below(20));
      std::erase(model.folders[folder], name);
      steps.push_back({scope, "SVC.FileStation.Delete/1/delete?path=" + folder + "/" + name + client, done});
    } else if (kind < 60) {
      steps.push_back({scope, "SVC.Core.Terminal/1/get?x=1" + client, model.get()});
    } else {
      steps.push_back({scope, "SVC.FileStation.List/1/list?folder_path=" + folder + client, model.list(folder)});
    }
  }
  return steps;
}

testing::TestCassette model_cassette() {
  using testing::record;
  const Model model;
  return testing::cassette_with({record("SVC.Core.Terminal/1/get?x=1", model.get()),
                                 record("SVC.FileStation.List/1/list?folder_path=/p", model.list("/p")),
                                 record("SVC.FileStation.List/1/list?folder_path=/q", model.list("/q")),
                                 record("SVC.Core.Terminal/1/set?a=99&b=true", testing::ok),
                                 record("SVC.Core.Terminal/1/get?x=1", R"({"data":{"a":99,"b":true},"success":true})")});
}

/// Returns the responses. Each request runs on the next thread in turn.
std::vector<std::string> transcript(const std::vector<Step>& steps, unsigned threads) {
  const testing::TestFolder folder;
  const auto cassette = model_cassette();
  ReplayOptions options = playing(cassette);
  ReplayHandler handler(std::move(options), threads);
  PostedOverlays posted;
  posted.set = "model";
  posted.effects = read_overlay_toml(model_effects, "model.toml", "/").effects;
  (void)handler.overlays().post(std::move(posted));
  std::vector<std::string> bodies(steps.size());
  std::vector<std::unique_ptr<std::binary_semaphore>> turns;
  for (unsigned i = 0; i < threads; ++i) turns.push_back(std::make_unique<std::binary_semaphore>(i == 0 ? 1 : 0));
  std::vector<std::thread> running;
  for (unsigned own = 0; own < threads; ++own) {
    running.emplace_back([&, own] {
      for (std::size_t at = own; at < steps.size(); at += threads) {
        turns[own]->acquire();
        const Step& step = steps[at];
        if (step.call.empty()) {
          handler.scopes().reset(step.scope);
          handler.overlays().counts().forget(overlay_owner_of_run(step.scope));
        } else {
          bodies[at] = call(handler, step.call, {{"X-Tapedeck-Scope", step.scope}}).body;
        }
        turns[(own + 1) % threads]->release();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  return bodies;
}

TEST_CASE("effects: 10,000 random writes and reads agree with a model on 1, 2, and 8 threads") {
  const std::vector<Step> steps = random_steps(7, 10'000);
  for (const unsigned threads : {1U, 2U, 8U}) {
    const std::vector<std::string> bodies = transcript(steps, threads);
    for (std::size_t at = 0; at < steps.size(); ++at) {
      if (bodies[at] == steps[at].expected) continue;
      CAPTURE(threads, at, steps[at].scope, steps[at].call);
      REQUIRE(bodies[at] == steps[at].expected);
    }
  }
}

PendingChange change_of(const std::string& toml, std::vector<std::pair<std::string, std::string>> params) {
  auto effects = read_overlay_toml("[[effect]]\non = \"A/1/set\"\n[[effect.change]]\nin = \"A/1/get\"\n" + toml, "x.toml", "/").effects;
  auto values = std::make_shared<WriteValues>();
  values->params = std::move(params);
  return {std::make_shared<const Effect>(std::move(effects.at(0))), 0, std::move(values), std::nullopt};
}

TEST_CASE("effects: keep all bytes outside of the change in 1,000 generated bodies") {
  std::mt19937 random(11);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto space = [&] {
    const char* const spaces[] = {"", " ", "\n", "\t  ", "\r\n    "};
    return std::string(spaces[below(5)]);
  };
  const auto scalar = [&] {
    const char* const scalars[] = {"1.50", "-0", "1e3", "true", "null", R"("\/a\u00e9")", R"("é, {}[]:\"")", "[ 1 , 2]"};
    return std::string(scalars[below(8)]);
  };
  const auto members = [&] {
    std::string text;
    for (unsigned i = below(4); i > 0; --i) {
      text += "\"k" + std::to_string(i) + "\"" + space() + ":" + space() + scalar() + space() + "," + space();
    }
    return text;
  };
  const PendingChange merge = change_of("merge = \"params\"", {{"port", "2222"}});
  const PendingChange insert = change_of("insert = { at = \"/data/list\", set = { id = \"{{param.id}}\" } }", {{"id", "new"}});
  const PendingChange remove = change_of("remove = { from = \"/data/list\", where = { id = \"{{param.id}}\" } }", {{"id", "gone"}});
  const api::Call read("SVC.A", "1", "get", {});
  const ChangeWarn warn = [](const std::string& path, const std::string&) { FAIL(path); };
  for (int round = 0; round < 1'000; ++round) {
    const std::string lead = space(), between = "," + space(), close = space();
    const auto join = [&](const std::vector<std::string>& elements) {
      std::string text = "[" + lead;
      for (std::size_t i = 0; i < elements.size(); ++i) text += (i > 0 ? between : "") + elements[i];
      return text + (elements.empty() ? "" : close) + "]";
    };
    std::vector<std::string> elements;
    for (unsigned i = 1 + below(4); i > 0; --i) elements.push_back("{" + space() + members() + "\"id\":\"e\"" + space() + "}");
    const std::string head = space() + "{" + space() + members() + "\"data\":" + space() + "{" + space() + members();
    const std::string tail = space() + "}" + space() + "," + space() + "\"success\":true" + space() + "}" + space();
    const std::string port = "\"port\"" + space() + ":" + space();

    const std::string number = std::to_string(below(1000));
    REQUIRE(changed_body(head + port + number + tail, merge, read, api::any_length, warn) ==
            head + port + "2222" + tail);

    const std::string list = head + "\"list\":" + space();
    std::vector<std::string> more = elements;
    more.emplace_back(R"({"id":"new"})");
    const std::string inserted = changed_body(list + join(elements) + tail, insert, read, api::any_length, warn);
    // A list of one element shows no separator.
    if (elements.size() > 1) {
      REQUIRE(inserted == list + join(more) + tail);
    } else {
      REQUIRE(inserted.starts_with(list + "[" + lead + elements[0] + ","));
      REQUIRE(inserted.ends_with(R"({"id":"new"})" + close + "]" + tail));
    }

    std::vector<std::string> fewer = elements;
    elements.insert(elements.begin() + below(static_cast<unsigned>(elements.size()) + 1), R"({"id":"gone"})");
    REQUIRE(changed_body(list + join(elements) + tail, remove, read, api::any_length, warn) ==
            list + join(fewer) + tail);
  }
}

}  // namespace
}  // namespace tapedeck::replay
