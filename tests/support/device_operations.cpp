#include "tests/support/device_operations.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace tapedeck::tests {

namespace {

DeviceAnswer network(const OperationCall&) {
  // Keys out of order, an escaped slash, and a number with a redundant fraction are bytes that only a copy preserves.
  return success(
      R"({"use_dhcp_domain":true,"arp_ignore":true,"dns_manual":false,"dns_primary":"192.0.2.53","dns_secondary":"",)"
      R"("enable_ip_conflict_detect":true,"enable_windomain":false,"gateway":"192.0.2.1","gateway_info":{"ifname":)"
      R"("eth0","ip":"192.0.2.10","mask":"255.255.255.0","status":"connected","type":"lan","use_dhcp":true},)"
      R"("ipv4_first":false,"multi_gateway":false,"server_name":"fixture-nas","v6gateway":"","note":"a\/b \u00e9",)"
      R"("load":1.0})");
}

DeviceAnswer portals(const OperationCall& call) {
  std::string extra;
  if (last_value(call.params, "additional").find("default_setting") != std::string::npos) {
    extra =
        R"("additional":{"default_setting":{"alias":"files","fqdn":"","hsts":false,"http_port":7000,"https_port":7001}},)";
  }
  return success(
      R"({"portal":[{)" + extra +
      R"("display_name":"File Station","enable_redirect":false,"id":"SYNO.SDS.App.FileStation3.Instance"}]})");
}

DeviceAnswer rules(const OperationCall& call) {
  const std::string items = last_value(call.params, "items");
  std::string body = R"({"isUpdating":false,"items":{)";
  const bool all = items.empty() || items.find("ALL") != std::string::npos;
  bool first = true;
  for (const char* id : {"ruleDB.Malware.scanner", "ruleDB.Network.firewall"}) {
    if (!all && items.find(id) == std::string::npos) {
      continue;
    }
    body += std::string(first ? "" : ",") + "\"" + id + R"(":{"action":{},"category":"network","id":")" + id +
            R"(","method":{},"severity":"warning","status":"pass","strId":"network_rule","update":"1700000000"})";
    first = false;
  }
  return success(body + R"(},"success":true})");
}

DeviceAnswer scan_start(const OperationCall& call) {
  call.device->scan_progress = 0;
  return success("{}");
}

DeviceAnswer scan_status(const OperationCall& call) {
  unsigned& progress = call.device->scan_progress;
  const std::string body = R"({"items":{"network":{"fail":0,"progress":)" + std::to_string(progress) +
                           R"(,"total":2}},"lastScanTime":"1700000100","sysProgress":)" + std::to_string(progress) +
                           R"(,"sysStatus":"safe","success":true})";
  progress = std::min(progress + 50, 100U);
  return success(body);
}

DeviceAnswer utilization(const OperationCall& call) {
  return success(R"({"cpu":{"15min_load":51,"user_load":)" + std::to_string(3 + call.nth * 7) + R"(},"time":)" +
                 std::to_string(1700000000 + call.nth) + "}");
}

DeviceAnswer system_info(const OperationCall& call) {
  return success(R"({"cpu_clock_speed":1500,"model":"FX-100","serial":"0000FX0000000","up_time":"1:2:)" +
                 std::to_string(10 + call.nth) + R"("})");
}

DeviceAnswer station_info(const OperationCall&) {
  return success(
      R"({"codepage":"enu","model":"FX-100","ram":512,"temperature":41,"temperature_warn":false,"uptime":3720,)"
      R"("version":"25556","version_string":"FX 6.2-25556"})");
}

DeviceAnswer terminal_get(const OperationCall& call) {
  return success(std::string(R"({"enable_ssh":)") + (call.session->ssh_enabled ? "true" : "false") +
                 R"(,"enable_telnet":false,"ssh_port":22})");
}

DeviceAnswer terminal_set(const OperationCall& call) {
  call.session->ssh_enabled = last_value(call.params, "enable_ssh") == "true";
  return success("");
}

DeviceAnswer workgroup_get(const OperationCall& call) {
  return success(R"({"enable_samba":true,"workgroup":")" + call.device->workgroup + "\"}");
}

/// Returns a note as it was set, with the requested type and framing.
DeviceAnswer note_get(const OperationCall& call) {
  DeviceAnswer answer;
  answer.content_type = last_value(call.params, "type");
  answer.body = call.device->notes[last_value(call.params, "name")];
  answer.chunked = last_value(call.params, "chunked") == "yes";
  return answer;
}

DeviceAnswer note_set(const OperationCall& call) {
  call.device->notes[last_value(call.params, "name")] = last_value(call.params, "text");
  return success("{}");
}

DeviceAnswer workgroup_set(const OperationCall& call) {
  call.device->workgroup = last_value(call.params, "workgroup");
  return success("");
}

DeviceAnswer group_list(const OperationCall& call) {
  std::string list;
  for (const auto& [name, description] : call.device->groups) {
    list +=
        (list.empty() ? "" : ",") + std::string(R"({"description":")") + description + R"(","name":")" + name + "\"}";
  }
  return success(R"({"groups":[)" + list + R"(],"total":)" + std::to_string(call.device->groups.size()) + "}");
}

DeviceAnswer group_create(const OperationCall& call) {
  const std::string name = last_value(call.params, "name");
  const bool is_new = call.device->groups.emplace(name, last_value(call.params, "description")).second;
  return is_new ? success(R"({"name":")" + name + "\"}") : error(3201);
}

DeviceAnswer group_delete(const OperationCall& call) {
  return call.device->groups.erase(last_value(call.params, "name")) > 0 ? success("") : error(3205);
}

DeviceAnswer shares(const OperationCall&) {
  std::string body = R"({"offset":0,"shares":[)";
  for (int i = 0; i < 400; ++i) {
    body += std::string(i == 0 ? "" : ",") + R"({"desc":"Gr\u00fc\u00dfe","name":"share-)" + std::to_string(i) +
            R"(","vol_path":"\/volume1"})";
  }
  DeviceAnswer answer = success(body + R"(],"total":400})");
  answer.chunked = true;
  return answer;
}

DeviceAnswer download(const OperationCall&) {
  DeviceAnswer answer;
  answer.content_type = "application/octet-stream";
  for (int i = 0; i < 4096; ++i) {
    answer.body.push_back(static_cast<char>((i * 7) & 0xff));
  }
  answer.headers.emplace_back("Content-Disposition", "attachment; filename=\"fixture.bin\"");
  return answer;
}

DeviceAnswer link(const OperationCall& call) {
  return success(R"({"files":[{"path":"\/video\/a b.mkv","url":"http:\/\/192.0.2.10:5000\/webapi\/entry.cgi?api=)" +
                 call.label + R"(.FileStation.Download&version=1&method=download&_sid=)" + call.session->id +
                 R"("}]})");
}

DeviceAnswer script(const OperationCall& call) {
  DeviceAnswer answer;
  answer.content_type = "application/javascript; charset=\"UTF-8\"";
  answer.body = "SYNO.SDS.Session = {\"isLogined\": true, \"SynoToken\": \"" + call.session->csrf_token +
                "\"};\n\tvar limits = [1, 2,3];\n";
  return answer;
}

std::string base64(const std::string& text) {
  static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, held = 0;
  for (const char c : text) {
    held = held << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) out += alphabet[held >> (bits - 6) & 63];
  }
  if (bits > 0) out += alphabet[held << (6 - bits) & 63];
  return out + std::string((4 - out.size() % 4) % 4, '=');
}

/// Returns tickets that a player sends instead of a cookie. The ID is at each offset of a group of three bytes.
std::vector<std::string> tickets_of(const DeviceSession& session) {
  std::vector<std::string> tickets;
  for (const char* before : {"id=", "sid=", "_sid="}) tickets.push_back(base64(before + session.id + "&file=7"));
  return tickets;
}

DeviceAnswer open_stream(const OperationCall& call) {
  std::string list;
  for (const std::string& ticket : tickets_of(*call.session)) list += (list.empty() ? "\"" : ",\"") + ticket + "\"";
  return success(R"({"format":"raw","tickets":[)" + list + "]}");
}

DeviceAnswer stream(const OperationCall& call) {
  const std::vector<std::string> tickets = tickets_of(*call.session);
  const auto found = std::find(tickets.begin(), tickets.end(), last_value(call.params, "ticket"));
  if (found == tickets.end()) return error(120, R"({"name":"ticket","reason":"unknown"})");
  return success(R"({"stream":)" + std::to_string(found - tickets.begin()) + R"(,"ticket":")" + *found + "\"}");
}

DeviceAnswer upload(const OperationCall& call) {
  return success(R"({"blSkip":false,"file":")" + call.file.name + R"(","bytes":)" + std::to_string(call.file.bytes) +
                 R"(,"progress":1})");
}

DeviceAnswer encryption(const OperationCall&) {
  return success(
      R"({"cipherkey":"__cIpHeRtExT","ciphertoken":"__cIpHeRtOkEn","public_key":"00c0ffee00c0ffee","server_time":1700000000})");
}

DeviceAnswer info(const OperationCall& call) {
  DeviceAnswer answer;
  answer.body = api_info(call.label, last_value(call.params, "query"));
  return answer;
}

DeviceAnswer polling_number(const OperationCall& call) {
  const std::string limit = last_value(call.params, "limit");
  const bool digits = !limit.empty() && limit.find_first_not_of("0123456789") == std::string::npos;
  return digits ? success("{\"limit\":" + limit + "}") : error(120, R"({"name":"limit","reason":"type"})");
}

}  // namespace

std::string last_value(const Params& params, const std::string& name) {
  const auto [begin, end] = params.equal_range(name);
  return begin == end ? std::string() : std::prev(end)->second;
}

DeviceAnswer success(std::string data) {
  DeviceAnswer answer;
  answer.body = data.empty() ? R"({"success":true})" : R"({"data":)" + std::move(data) + R"(,"success":true})";
  return answer;
}

DeviceAnswer error(int code, const std::string& errors) {
  DeviceAnswer answer;
  const std::string detail = errors.empty() ? "" : R"(,"errors":)" + errors;
  answer.body = R"({"error":{"code":)" + std::to_string(code) + detail + R"(},"success":false})";
  return answer;
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> table = {
      {"API.Info", "query", 1, 1, true, true, {}, info},
      {"API.Encryption", "getinfo", 1, 1, true, true, {}, encryption},
      {"Core.Network", "get", 1, 2, false, true, {}, network},
      {"Core.AppPortal", "list", 1, 2, false, true, {}, portals},
      {"Core.SecurityScan.Status", "rule_get", 1, 1, false, true, {}, rules},
      {"Core.SecurityScan.Status", "system_get", 1, 1, false, true, {}, scan_status},
      {"Core.SecurityScan.Operation", "start", 1, 1, false, true, {"items"}, scan_start},
      {"Core.System.Utilization", "get", 1, 1, false, true, {}, utilization},
      {"Core.System", "info", 1, 3, false, true, {}, system_info},
      {"DSM.Info", "getinfo", 1, 2, false, true, {}, station_info},
      {"Core.Terminal", "get", 1, 3, false, true, {}, terminal_get},
      {"Core.Terminal", "set", 1, 3, false, true, {"enable_ssh"}, terminal_set},
      {"Test.Note", "get", 1, 1, false, true, {"name", "type"}, note_get},
      {"Test.Note", "set", 1, 1, false, true, {"name", "text"}, note_set},
      {"Core.FileServ.SMB", "get", 1, 1, false, true, {}, workgroup_get},
      {"Core.FileServ.SMB", "set", 1, 1, false, true, {"workgroup"}, workgroup_set},
      {"Core.Group", "list", 1, 1, false, true, {}, group_list},
      {"Core.Group", "create", 1, 1, false, true, {"name"}, group_create},
      {"Core.Group", "delete", 1, 1, false, true, {"name"}, group_delete},
      {"Core.Share", "list", 1, 1, false, true, {}, shares},
      {"Core.User", "list", 1, 1, false, false, {}, network},
      {"Core.CurrentConnection", "list", 1, 1, false, true, {"limit"}, polling_number},
      {"Core.Desktop.SessionData", "getjs", 1, 1, false, true, {}, script},
      {"FileStation.Download", "download", 1, 2, false, true, {}, download},
      {"FileStation.List", "getlink", 1, 2, false, true, {}, link},
      {"FileStation.Upload", "upload", 1, 3, false, true, {}, upload},
      {"VideoStation.Streaming", "open", 1, 1, false, true, {}, open_stream},
      {"VideoStation.Streaming", "stream", 1, 1, false, true, {"ticket"}, stream},
  };
  return table;
}

std::string api_info(const std::string& label, const std::string& wanted) {
  std::map<std::string, std::string> entries;
  entries[label + ".API.Auth"] = R"({"maxVersion":7,"minVersion":1,"path":"auth.cgi"})";
  for (const Operation& operation : operations()) {
    entries[label + "." + operation.api] = R"({"maxVersion":)" + std::to_string(operation.max_version) +
                                           R"(,"minVersion":)" + std::to_string(operation.min_version) +
                                           R"(,"path":")" + (operation.api == "API.Info" ? "query.cgi" : "entry.cgi") +
                                           R"(","requestFormat":"JSON"})";
  }
  std::string body;
  const auto add = [&](const std::string& name, const std::string& entry) {
    body += (body.empty() ? "\"" : ",\"") + name + "\":" + entry;
  };
  const bool all = wanted.empty() || wanted == "all";
  std::vector<std::string> names;
  std::istringstream list(wanted);
  for (std::string name; std::getline(list, name, ',');) {
    names.push_back(name);
  }
  for (const auto& [name, entry] : entries) {
    const auto asked = [&name = name](const std::string& want) {
      return want == name || (want.ends_with('.') && name.starts_with(want));
    };
    if (all || std::any_of(names.begin(), names.end(), asked)) {
      add(name, entry);
    }
  }
  return R"({"data":{)" + body + R"(},"success":true})";
}

}  // namespace tapedeck::tests
