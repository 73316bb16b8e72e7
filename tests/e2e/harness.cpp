#include "tests/e2e/harness.h"
#include "tests/support/test_paths.h"

#include <sys/stat.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace tapedeck::tests {

namespace {

/// Long enough for a busy machine. On a quiet one, results come immediately.
constexpr std::chrono::seconds patience{60};

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  if (what.empty()) {
    return;
  }
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

std::string value_in(const std::string& body, const std::string& key) {
  const std::string lead = "\"" + key + "\":\"";
  const auto at = body.find(lead);
  return at == std::string::npos ? ""
                                 : body.substr(at + lead.size(), body.find('"', at + lead.size()) - at - lead.size());
}

/// Returns both texts from 20 characters before the first difference to 60 after it.
std::string first_difference(const std::string& a, const std::string& b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto at = static_cast<std::size_t>(ends.first - a.begin());
  const std::size_t from = at < 20 ? 0 : at - 20;
  return "at " + std::to_string(at) + ": " + a.substr(from, 80) + " | " + b.substr(from, 80);
}

std::string in_words(const Seen& step) {
  return std::to_string(step.status) + " " + step.content_type + " " + step.location + " " + step.body;
}

Seen seen(const Step& step, const Reply& reply, const Transcript& own, const std::string& base) {
  Seen result{step.name, reply.status, reply.header("location"), reply.header("content-type"), reply.body};
  for (std::string* text : {&result.location, &result.body}) {
    replace_all(*text, own.sid, "<sid>");
    replace_all(*text, own.token, "<token>");
    replace_all(*text, own.did, "<did>");
    replace_all(*text, base, "");
  }
  result.body = without_secrets(result.body);
  return result;
}

}  // namespace

std::string binary() {
  const char* other = std::getenv("TAPEDECK_BIN");
  return other == nullptr ? built_program : other;
}

Ran run_tapedeck(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), binary());
  return run(std::move(arguments));
}

std::string shared_folder() {
  const char* given = std::getenv("TAPEDECK_SHARED");
  const std::string folder = given == nullptr ? std::string(source_folder) + "/../shared" : given;
  return std::filesystem::is_directory(folder) ? folder : "";
}

bool wait_for_end_of(pid_t process) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (process > 0 && std::chrono::steady_clock::now() < deadline) {
    // A process that was not reaped yet has also ended.
    const std::string stat = read_file("/proc/" + std::to_string(process) + "/stat");
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos || stat.substr(name_end, 3) == ") Z") return true;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return process <= 0;
}

Server::Server(const std::string& folder, std::vector<std::string> arguments, const std::string& listen,
               const std::vector<std::string>& wrapper) {
  static std::atomic<int> count{0};
  const std::string name = folder + "/" + arguments.front() + std::to_string(++count);
  ready_ = name + ".ready";
  std::vector<std::string> argv = wrapper;
  argv.push_back(binary());
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  argv.insert(argv.end(), {"--listen", listen, "--ready-file", ready_});
  child_ = std::make_unique<Child>(Spawn{argv, {}, "", name + ".out", name + ".err"});
  if (!wait_for_file(ready_, *child_, patience)) {
    throw std::runtime_error("not ready: " + child_->err());
  }
  const std::string ready = read_file(ready_);
  url_ = ready.substr(0, ready.find('\n'));
}

void Server::kill() {
  child_->signal(SIGKILL);
  child_->wait(patience);
}

int Server::stop(int signal) {
  child_->signal(signal);
  return child_->wait(patience).value_or(-1);
}

Server builtin_replay(const std::string& folder, std::vector<std::string> options) {
  const std::string input = folder + "/input";
  if (mkfifo(input.c_str(), 0600) != 0 && errno != EEXIST) throw std::runtime_error("cannot make " + input);
  options.insert(options.begin(), {"replay", "--exit-with-stdin"});
  // A FIFO that is open in both directions never ends.
  return {folder, std::move(options), "127.0.0.1:0", {"sh", "-c", "exec \"$@\" <>'" + input + "'", "sh"}};
}

Certificate make_certificate(const TempDir& folder, const std::string& name) {
  Certificate made{folder / (name + ".pem"), folder / (name + ".key"), ""};
  const Ran ran = run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                       "-days", "400", "-subj", "/CN=fixture-nas", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                       made.key, "-out", made.file});
  if (ran.status != 0) throw std::runtime_error("openssl: " + ran.err);
  const Ran print = run({"openssl", "x509", "-in", made.file, "-noout", "-fingerprint", "-sha256"});
  made.fingerprint = print.out.substr(print.out.find('=') + 1);
  made.fingerprint.erase(
      std::remove_if(made.fingerprint.begin(), made.fingerprint.end(), [](char c) { return c == ':' || c == '\n'; }),
      made.fingerprint.end());
  std::transform(made.fingerprint.begin(), made.fingerprint.end(), made.fingerprint.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return made;
}

Step call(const std::string& name, const std::string& query, std::vector<std::string> more) {
  more.insert(more.begin(), "{base}/webapi/entry.cgi?" + query + "&_sid={sid}");
  return {name, std::move(more)};
}

Step login_step() {
  return {"login",
          {"{base}/webapi/auth.cgi?api={label}.API.Auth&version=6&method=login&session=files&format=sid"
           "&enable_syno_token=yes&enable_device_token=yes&account={account}&passwd={password}"}};
}

Step logout_step() {
  return {"logout", {"{base}/webapi/auth.cgi?api={label}.API.Auth&version=6&method=logout&_sid={sid}"}};
}

std::vector<Step> whole_session() {
  const std::string api = "api={label}.";
  const std::string form = "{base}/webapi/entry.cgi";
  return {
      {"info", {"{base}/webapi/query.cgi?api={label}.API.Info&version=1&method=query&query=all"}},
      {"some info", {"{base}/webapi/query.cgi?api={label}.API.Info&version=1&method=query&query={label}.API.Auth"}},
      login_step(),
      call("network", api + "Core.Network&version=1&method=get"),
      {"network by cookie",
       {form + "?" + api + "Core.Network&version=2&method=get", "-H", "Cookie: id={sid}; other=1"}},
      {"network by form",
       {form, "-d", api + "Core.Network&version=2&method=get&form=1&_sid={sid}", "-H", "X-SYNO-TOKEN: {token}"}},
      {"path suffix", {form + "/{label}.Core.AppPortal", "-d", "version=1&method=list&_sid={sid}"}},
      call("portals with more", api + "Core.AppPortal&version=1&method=list&additional=%5B%22default_setting%22%5D"),
      call("rules", api + "Core.SecurityScan.Status&version=1&method=rule_get&items=%22ALL%22"),
      call("load 1", api + "Core.System.Utilization&version=1&method=get"),
      call("load 2", api + "Core.System.Utilization&version=1&method=get"),
      call("load 3", api + "Core.System.Utilization&version=1&method=get"),
      call("scan", api + "Core.SecurityScan.Operation&version=1&method=start&items=ALL"),
      call("scan at 0", api + "Core.SecurityScan.Status&version=1&method=system_get"),
      call("scan at 50", api + "Core.SecurityScan.Status&version=1&method=system_get"),
      call("scan at 100", api + "Core.SecurityScan.Status&version=1&method=system_get"),
      call("ssh before", api + "Core.Terminal&version=3&method=get"),
      {"ssh on", {form, "-d", api + "Core.Terminal&version=3&method=set&enable_ssh=true&_sid={sid}"}},
      call("ssh after", api + "Core.Terminal&version=3&method=get"),
      {"upload",
       {form, "-F", "api={label}.FileStation.Upload", "-F", "version=2", "-F", "method=upload", "-F", "path=/home/a b",
        "-F", "_sid={sid}", "-F", "file=@{file};filename=fixture.txt;type=text/plain"}},
      call("script", api + "Core.Desktop.SessionData&version=1&method=getjs&SynoToken={token}"),
      call("gzip and chunks", api + "Core.Share&version=1&method=list", {"--compressed"}),
      call("chunks", api + "Core.Share&version=1&method=list&plain=1"),
      call("download", api + "FileStation.Download&version=2&method=download&path=%22%2Fa%20b%22"),
      call("link", api + "FileStation.List&version=2&method=getlink"),
      {"redirect", {"{base}/go?_sid={sid}"}},
      {"static", {"{base}/static/app.js"}},
      {"template", {"{base}/webapi/Template"}},
      {"no page", {"{base}/missing.html"}},
      {"bad gateway", {"{base}/webapi/bad-gateway"}},
      {"bad request", {"{base}/webapi/bad-request"}},
      call("101", "version=1&method=get"),
      call("102", api + "Core.Nothing&version=1&method=get"),
      call("103", api + "Core.Network&version=1&method=nothing"),
      call("104", api + "Core.Network&version=99&method=get"),
      call("105", api + "Core.User&version=1&method=list"),
      call("114", api + "Core.Terminal&version=3&method=set"),
      {"119", {form + "?" + api + "Core.System&version=3&method=info"}},
      call("120", api + "Core.CurrentConnection&version=1&method=list&limit=x"),
      {"encryption", {"{base}/webapi/encryption.cgi?" + api + "API.Encryption&version=1&method=getinfo"}},
      {"compound",
       {form, "--data-urlencode",
        R"(compound=[{"api":"{label}.Core.Network","version":1,"method":"get"},{"api":"{label}.Core.User","version":1,"method":"list"}])",
        "-d", api + "Entry.Request&version=1&method=request&mode=sequential&_sid={sid}"}},
      logout_step(),
  };
}

Transcript play(const std::string& base, const std::vector<Step>& steps, const Login& login) {
  const TempDir folder;
  write_file(folder / "upload", "three\nlines\nof a file\n");
  std::string password;
  for (const char c : login.password) {
    const std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    password += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  Transcript result;
  for (const Step& step : steps) {
    std::vector<std::string> arguments = step.curl;
    for (std::string& argument : arguments) {
      replace_all(argument, "{base}", base);
      replace_all(argument, "{label}", login.label);
      replace_all(argument, "{account}", login.account);
      replace_all(argument, "{password}", password);
      replace_all(argument, "{sid}", result.sid);
      replace_all(argument, "{token}", result.token);
      replace_all(argument, "{file}", folder / "upload");
    }
    Reply reply = curl(arguments);
    if (step.name == "login") {
      result.sid = value_in(reply.body, "sid");
      result.token = value_in(reply.body, "synotoken");
      result.did = value_in(reply.body, "did");
    }
    result.steps.push_back(seen(step, reply, result, base));
    result.replies.push_back(std::move(reply));
  }
  return result;
}

std::vector<std::string> differences(const Transcript& left, const Transcript& right) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < left.steps.size() && i < right.steps.size(); ++i) {
    const Seen& a = left.steps[i];
    const Seen& b = right.steps[i];
    if (!(a == b)) {
      found.push_back(a.name + " " + first_difference(in_words(a), in_words(b)));
    }
  }
  if (left.steps.size() != right.steps.size()) {
    found.push_back("another number of steps");
  }
  return found;
}

std::string without_secrets(std::string body) {
  for (const std::string key : {"account", "ciphertoken", "public_key", "camUserName", "camPassWord"}) {
    const std::string lead = "\"" + key + "\":\"";
    for (std::size_t at = body.find(lead); at != std::string::npos; at = body.find(lead, at + lead.size())) {
      const std::size_t begin = at + lead.size();
      body.replace(begin, body.find('"', begin) - begin, "<" + key + ">");
    }
  }
  return body;
}

std::string hash_of(const std::string& cassette) {
  const Ran ran = run_tapedeck({"info", "--hash", cassette});
  return ran.status == 0 ? ran.out.substr(0, ran.out.find(' ')) : "status " + std::to_string(ran.status) + ran.err;
}

std::vector<std::string> ids_in(const std::string& cassette) {
  const Ran listed = run_tapedeck({"ls", "--json", cassette});
  std::vector<std::string> ids;
  for (const auto& line : nlohmann::json::parse(listed.out)) {
    ids.push_back(line.at("id").get<std::string>());
  }
  return ids;
}

std::string percent_all(const std::string& text) {
  std::string out;
  for (const unsigned char c : text) out += {'%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15]};
  return out;
}

}  // namespace tapedeck::tests
