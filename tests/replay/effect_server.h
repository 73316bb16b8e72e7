#pragma once
// A replay server with effects.

#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {

inline const std::string terminal_response =
    R"({"data": { "enable_ssh" : false, "ssh_port":22, "note":null },"success":true})";
inline const std::string terminal_on = R"({"data": { "enable_ssh" : true, "ssh_port":22, "note":null },"success":true})";
inline const std::string listed_files =
    R"({"data":{"files":[ {"isdir":true,"name":"a","path":"/x/a","size":1} ],"total":1},"success":true})";

inline const std::string terminal_effect = R"(
[[effect]]
on = "Core.Terminal/*/set"
[[effect.change]]
in = "Core.Terminal/*/get"
merge = "params"
)";

inline const std::string create_effect = R"(
[[effect]]
on = "FileStation.CreateFolder/*/create"
[[effect.change]]
in     = "FileStation.List/*/list"
where  = { folder_path = "{{param.folder_path}}" }
insert = { at = "/data/files", like = 0, set = { name = "{{param.name}}", path = "{{param.folder_path}}/{{param.name}}", isdir = true } }
count  = "/data/total"
)";

inline const std::string delete_effect = R"(
[[effect]]
on = "FileStation.Delete/*/delete"
[[effect.change]]
in     = "FileStation.List/*/list"
remove = { from = "/data/files", where = { path = "{{param.path}}" } }
count  = "/data/total"
)";

struct EffectServer {
  EffectServer(const std::string& toml, std::vector<testing::Recorded> rows,
               const std::function<void(ReplayOptions&)>& set = {})
      : cassette(testing::cassette_with(std::move(rows))) {
    std::ofstream(folder.file("e.toml")) << toml;
    ReplayOptions options;
    options.cassettes = {cassette.path()};
    if (!toml.empty()) options.overlay_files = {folder.file("e.toml")};
    options.journal = &journal;
    options.on_warning = [this](const std::string& line) { warnings.push_back(line); };
    if (set) set(options);
    handler.emplace(std::move(options), 1);
  }
  http::Response ask(const std::string& text, http::Headers headers = {}) {
    return call(*handler, text, std::move(headers));
  }
  std::string body(const std::string& text, http::Headers headers = {}) { return ask(text, std::move(headers)).body; }

  testing::TestFolder folder;
  testing::TestCassette cassette;
  journal::Journal journal;
  std::vector<std::string> warnings;
  std::optional<ReplayHandler> handler;
};

}  // namespace tapedeck::replay
