#include "tests/e2e/leak_matrix.h"

#include <algorithm>
#include <stdexcept>

#include "tests/support/needs.h"
#include "tests/support/secret_forms.h"

namespace tapedeck::tests {

using http::testing::RawSocket;

ScriptedDevice::~ScriptedDevice() {
  server_.stop();
  thread_.join();
}

void ScriptedDevice::answer_with(std::string bytes) {
  const std::lock_guard lock(mutex_);
  answer_ = std::move(bytes);
}

void ScriptedDevice::answer_to(const std::string& marker, std::string bytes) {
  const std::lock_guard lock(mutex_);
  answers_[marker] = std::move(bytes);
}

void ScriptedDevice::serve() {
  for (;;) {
    RawSocket client = server_.accept();
    if (client.fd() < 0) return;
    const std::string request = client.read_message();
    if (request.empty()) continue;
    const std::lock_guard lock(mutex_);
    const auto told = std::find_if(answers_.begin(), answers_.end(), [&request](const auto& one) {
      return !one.second.empty() && request.find(one.first) != std::string::npos;
    });
    client.send(told == answers_.end() ? answer_ : told->second);
    client.end_output();
  }
}

std::string answer_of(const std::string& headers, const std::string& body) {
  return "HTTP/1.1 200 OK\r\nConnection: close\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string json_answer(const std::string& body) { return answer_of("Content-Type: application/json\r\n", body); }

std::string post(const std::string& type, const std::string& body) {
  return "POST /webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get HTTP/1.1\r\nHost: 127.0.0.1\r\n"
         "Connection: close\r\nContent-Type: " +
         type + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string get(const std::string& target, const std::string& headers) {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + headers + "\r\n";
}

namespace {

std::string chunked(const std::string& headers, const std::string& body) {
  std::string out = "HTTP/1.1 200 OK\r\nConnection: close\r\n" + headers + "Transfer-Encoding: chunked\r\n\r\n";
  for (const char c : body) out += std::string("1\r\n") + c + "\r\n";
  return out + "0\r\n\r\n";
}

Traffic in_header(const std::string& name, const std::string& planted) {
  return {get(call_target, name + ": a " + planted + " b\r\n"), fine_answer()};
}

Traffic in_answer_header(const std::string& name, const std::string& planted) {
  return {get(call_target), answer_of(name + ": " + planted + "\r\n", R"({"success":true})")};
}

Traffic in_body(const std::string& type, const std::string& before, const std::string& planted,
                const std::string& after) {
  return {get(call_target), answer_of("Content-Type: " + type + "\r\n", before + planted + after)};
}

Traffic in_packed(const std::string& encoding, const std::string& planted) {
  return {get(call_target, "Accept-Encoding: " + encoding + "\r\n"),
          answer_of("Content-Type: text/plain\r\nContent-Encoding: " + encoding + "\r\n",
                    packed("before " + planted + " after", encoding))};
}

}  // namespace

const std::vector<Place>& places() {
  static const std::vector<Place> all = {
      {"query value", Alphabet::target,
       [](const std::string& s) {
         return Traffic{get(call_target + "&note=" + s), fine_answer()};
       }},
      {"query name", Alphabet::target,
       [](const std::string& s) {
         return Traffic{get(call_target + "&n" + s + "=1"), fine_answer()};
       }},
      {"path", Alphabet::target,
       [](const std::string& s) {
         return Traffic{get("/files/" + s + "/x.txt"), fine_answer()};
       }},
      {"form value", Alphabet::target,
       [](const std::string& s) {
         return Traffic{post("application/x-www-form-urlencoded", "a=1&note=" + s + "&z=2"), fine_answer()};
       }},
      {"multipart field", Alphabet::text,
       [](const std::string& s) {
         return Traffic{post("multipart/form-data; boundary=XX",
                             "--XX\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n" + s + "\r\n--XX--\r\n"),
                        fine_answer()};
       }},
      {"JSON request", Alphabet::text,
       [](const std::string& s) {
         return Traffic{post("application/json", R"({"note":")" + s + R"("})"), fine_answer()};
       }},
      {"Referer", Alphabet::header, [](const std::string& s) { return in_header("Referer", s); }},
      {"Origin of a page", Alphabet::header, [](const std::string& s) { return in_header("Accept-Language", s); }},
      {"Cookie", Alphabet::header, [](const std::string& s) { return in_header("Cookie", "stay_login=" + s); }},
      {"User-Agent", Alphabet::header, [](const std::string& s) { return in_header("User-Agent", s); }},
      {"Set-Cookie", Alphabet::header,
       [](const std::string& s) { return in_answer_header("Set-Cookie", "x=" + s + "; Path=/"); }},
      {"Location", Alphabet::header, [](const std::string& s) { return in_answer_header("Location", "/next?v=" + s); }},
      {"another header", Alphabet::header, [](const std::string& s) { return in_answer_header("X-Note", s); }},
      {"reason phrase", Alphabet::header,
       [](const std::string& s) {
         return Traffic{get(call_target),
                        "HTTP/1.1 400 No " + s + " here\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"};
       }},
      {"message of a web login", Alphabet::target,
       [](const std::string& s) {
         return Traffic{post("application/x-www-form-urlencoded", "a=1&ik_message=" + s + "&z=2"), fine_answer()};
       }},
      {"encrypted login", Alphabet::target,
       [](const std::string& s) {
         return Traffic{post("application/x-www-form-urlencoded", "__cIpHeRtExT=" + s), fine_answer()};
       }},
      {"hash of a web login", Alphabet::header, [](const std::string& s) { return in_header("X-SYNO-HASH", s); }},
      {"cookie of a web login", Alphabet::header,
       [](const std::string& s) { return in_header("Cookie", "_SSID=" + s); }},
      {"Set-Cookie of a web login", Alphabet::header,
       [](const std::string& s) { return in_answer_header("Set-Cookie", "_SSID=" + s + "; Path=/"); }},
      {"response to a resumed web login", Alphabet::text,
       [](const std::string& s) {
         return in_body("application/json", R"({"data":{"kk_message":")", s, R"("},"success":true})");
       }},
      {"JSON body", Alphabet::text,
       [](const std::string& s) {
         return in_body("application/json", R"({"data":{"note":")", s, R"("},"success":true})");
       }},
      {"JSON body behind a NUL", Alphabet::text,
       [](const std::string& s) {
         return in_body("application/json", std::string("{\"success\":true}\0", 17), s, "");
       }},
      {"broken JSON body", Alphabet::text,
       [](const std::string& s) { return in_body("application/json", R"({"data":{"note":")", s, R"(",]}{)"); }},
      {"HTML body", Alphabet::text,
       [](const std::string& s) { return in_body("text/html", "<a title='", s, "'>x</a>"); }},
      {"binary body", Alphabet::bytes,
       [](const std::string& s) { return in_body("application/octet-stream", "\x01\xff\x80", s, "\xfe"); }},
      {"chunks of one byte", Alphabet::text,
       [](const std::string& s) {
         return Traffic{get(call_target), chunked("Content-Type: text/plain\r\n", "x " + s + " y")};
       }},
      {"gzip", Alphabet::bytes, [](const std::string& s) { return in_packed("gzip", s); }},
      {"deflate", Alphabet::bytes, [](const std::string& s) { return in_packed("deflate", s); }},
      {"br", Alphabet::bytes, [](const std::string& s) { return in_packed("br", s); }},
      {"zstd", Alphabet::bytes, [](const std::string& s) { return in_packed("zstd", s); }},
      {"error body", Alphabet::text,
       [](const std::string& s) {
         return Traffic{get(call_target),
                        "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Type: text/html\r\nContent-Length: " +
                            std::to_string(s.size()) + "\r\n\r\n" + s};
       }},
  };
  return all;
}

bool may_stand(const std::string& text, Alphabet alphabet) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (alphabet == Alphabet::target) return byte > 0x20 && byte < 0x7F && c != '#' && c != '"' && c != '&';
    return alphabet == Alphabet::bytes || (byte >= 0x20 && byte < 0x7F);
  });
}

std::string Client::ask(const std::string& request) const {
  RawSocket socket = RawSocket::connect(port_);
  socket.send(request);
  return socket.read_all();
}

std::string pass(const Client& client, ScriptedDevice& device, const Traffic& traffic) {
  device.answer_with(traffic.answer);
  std::string got = client.ask(traffic.request);
  if (got.find(" 403 ") != std::string::npos) throw std::runtime_error("refused by the gate");
  return got;
}

void tell_all(const std::string& cassette, const TempDir& folder) {
  write_file(folder / "ls.json", run_tapedeck({"ls", cassette, "--json"}).out);
  write_file(folder / "scan.json", run_tapedeck({"scan", cassette, "--json"}).out);
  std::string shown;
  // One interaction of five, unless the run is long.
  const std::vector<std::string> ids = ids_in(cassette);
  for (std::size_t i = 0; i < ids.size(); i += is_long() ? 1 : 5) shown += run_tapedeck({"show", cassette, ids[i]}).out;
  write_file(folder / "show.txt", shown);
}

}  // namespace tapedeck::tests
