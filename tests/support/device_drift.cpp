#include "tests/support/device_drift.h"

#include <atomic>
#include <ctime>
#include <map>
#include <string_view>

namespace tapedeck::tests {

namespace {

struct Edit {
  std::string_view what, with;
};

const std::multimap<std::string_view, Edit> edits = {
    {"Core.Network/get", {R"("load":1.0)", R"("load":1.0,"mtu":1500)"}},                      // a field added
    {"Core.Network/get", {R"("multi_gateway":false,)", ""}},                                  // a field removed
    {"DSM.Info/getinfo", {R"("codepage":)", R"("code_page":)"}},                              // renamed
    {"DSM.Info/getinfo", {R"("ram":512)", R"("ram":"512")"}},                                 // another type
    {"Core.Network/get", {R"("gateway":"192.0.2.1")", R"("gateway":"192.0.2.254")"}},         // another value
    {"Core.User/list", {R"("code":105)", R"("code":402)"}},                                   // another error code
    {"API.Info/query", {R"({"data":{)", R"({"data":{"SYNO.Core.Fresh":{"maxVersion":1},)"}},  // a new call
    {"Core.Share/list",
     {R"({"desc":"Gr\u00fc\u00dfe","name":"share-0","vol_path":"\/volume1"},)", ""}},  // a shorter list
    {"API.Info/query",
     {R"("SYNO.Core.Network":{"maxVersion":2)", R"("SYNO.Core.Network":{"maxVersion":3)"}},  // another version
};

std::atomic<bool> is_so[2] = {false, false};
std::atomic<unsigned> noisy_answers = 0;

bool is(Drift drift) { return is_so[static_cast<int>(drift)]; }

void move_on(const std::string& operation, DeviceAnswer& answer) {
  const auto [begin, end] = edits.equal_range(operation);
  for (auto edit = begin; edit != end; ++edit) {
    const auto& [what, with] = edit->second;
    const std::size_t at = answer.body.find(what);
    if (at != std::string::npos) answer.body.replace(at, what.size(), with);
  }
  if (operation == "Core.AppPortal/list") answer = error(102);  // a call gone
  if (operation == "Core.Desktop.SessionData/getjs") answer.content_type = "text/javascript; charset=\"UTF-8\"";
}

void add_noise(unsigned count, DeviceAnswer& answer) {
  constexpr unsigned spread = 2654435761U;
  const std::string list = count % 2 == 0 ? R"(["hidden","public"])" : R"(["public","hidden"])";
  const std::string members = R"({"data":{"now":)" + std::to_string(std::time(nullptr) + count) + R"(,"served":)" +
                              std::to_string(1000 + count) + R"(,"nonce":"n)" + std::to_string(count * spread) +
                              R"(","shares":)" + list + ",";
  constexpr std::string_view begin = R"({"data":{)";
  if (answer.body.starts_with(begin)) answer.body.replace(0, begin.size(), members);
}

}  // namespace

Drifting::Drifting(Drift drift) : drift_(drift) { is_so[static_cast<int>(drift_)] = true; }
Drifting::~Drifting() { is_so[static_cast<int>(drift_)] = false; }

void drift(const std::string& operation, DeviceAnswer& answer) {
  if (is(Drift::moved_on)) move_on(operation, answer);
  if (is(Drift::noisy) && operation == "Core.FileServ.SMB/get") add_noise(noisy_answers++, answer);
}

int template_status() { return is(Drift::moved_on) ? 203 : 200; }

}  // namespace tapedeck::tests
