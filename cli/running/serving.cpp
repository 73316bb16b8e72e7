#include "cli/running/serving.h"

#include <cstdlib>
#include <filesystem>

namespace tapedeck::cli {
namespace {

std::string without_proxy(const char* name) {
  const char* const before = std::getenv(name);
  const std::string given = before == nullptr ? "" : before;
  return given == "*" ? given : given + (given.empty() ? "" : ",") + "127.0.0.1,localhost,::1";
}

/// As paths that hold wherever the command goes, joined like PATH.
std::string absolute_paths(const std::vector<std::string>& cassettes) {
  std::string paths;
  for (const std::string& one : cassettes) {
    paths += (paths.empty() ? "" : ":") + std::filesystem::absolute(one).lexically_normal().string();
  }
  return paths;
}

}  // namespace

Environment environment_of(ReplayRun& run, const std::vector<std::string>& cassettes) {
  return {{"TAPEDECK_URL", run.server().url()},       {"TAPEDECK_CONTROL_URL", run.control()->url()},
          {"TAPEDECK_TOKEN", run.control()->token()}, {"TAPEDECK_CASSETTES", absolute_paths(cassettes)},
          {"NO_PROXY", without_proxy("NO_PROXY")},    {"no_proxy", without_proxy("no_proxy")}};
}

}  // namespace tapedeck::cli
