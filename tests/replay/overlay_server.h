#pragma once
// A replay server with overlays.

#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "journal/journal.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {

inline const std::string share_answer = R"({"data": {"shares": [ {"name":"a"} ], "total" : 1.0}, "success" : true})";

/// A server with overlays over a cassette with two calls and a page.
struct OverlayServer {
  explicit OverlayServer(const std::string& toml, const std::function<void(ReplayOptions&)>& set = {})
      : cassette(testing::cassette_with({testing::record("SVC.Core.Share/1/list", share_answer),
                                         testing::record("SVC.Core.User/1/list", R"({"data":{"n":1},"success":true})"),
                                         testing::record("SVC.Core.User/1/list", R"({"data":{"n":2},"success":true})"),
                                         testing::record("SVC.Core.Share/1/create", R"({"success":true})"),
                                         testing::record_target("GET", "/page.html", "<html>"),
                                         testing::record("SVC.Entry.Request/1/request?compound=" + parts, whole)})) {
    std::ofstream(folder.file("o.toml")) << toml;
    ReplayOptions options;
    options.cassettes = {cassette.path()};
    options.overlay_files = {folder.file("o.toml")};
    options.journal = &journal;
    options.on_notice = [this](const Notice& notice) { notices += notice.text + " " + notice.hint + "\n"; };
    if (set) set(options);
    handler.emplace(std::move(options), 1);
  }
  http::Response list() { return call(*handler, "SVC.Core.Share/1/list"); }
  std::shared_ptr<testing::FakeExchange> exchange(std::string_view text) {
    http::Request request;
    request.method = "GET";
    request.target = testing::target_of(text);
    auto made = std::make_shared<testing::FakeExchange>(std::move(request));
    handler->handle(made);
    return made;
  }

  static inline const std::string parts =
      R"([{"api":"SVC.Core.Share","method":"list","version":1},{"api":"SVC.Core.User","method":"list","version":1}])";
  static inline const std::string whole =
      R"({"data":{"has_fail":false,"result":[{"api":"SVC.Core.Share","data":{"whole":true},"method":"list","success":true,)"
      R"("version":1},{"api":"SVC.Core.User","data":{"whole":true},"method":"list","success":true,"version":1}]},)"
      R"("success":true})";
  testing::TestFolder folder;
  testing::TestCassette cassette;
  journal::Journal journal;
  std::string notices;
  std::optional<ReplayHandler> handler;
};

inline std::string rule(const std::string& lines, const std::string& call = "Core.Share/1/list") {
  return "[[overlay]]\ncall = \"" + call + "\"\n" + lines + "\n";
}

inline std::string header(const http::Response& response, std::string_view name) {
  return std::string(response.headers.first(name).value_or("none"));
}

}  // namespace tapedeck::replay
