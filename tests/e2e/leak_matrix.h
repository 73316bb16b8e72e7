#pragma once
// The places of a secret in the traffic of a recorder, for the tests that no file of a run holds one: a device that
// answers as it is told, a client that sends bytes as they are.

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"

namespace tapedeck::tests {

/// Answers each request with the bytes it was told, one connection for each.
class ScriptedDevice {
 public:
  ScriptedDevice() : thread_([this] { serve(); }) {}
  ~ScriptedDevice();
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  void answer_with(std::string bytes);
  /// From now on requests that hold `marker` get these bytes; an empty text takes that back.
  void answer_to(const std::string& marker, std::string bytes);

 private:
  void serve();

  http::testing::RawServer server_;
  std::mutex mutex_;  ///< guards what follows
  std::string answer_;
  std::map<std::string, std::string> answers_;  ///< by markers
  std::thread thread_;
};

/// A whole answer of status 200.
[[nodiscard]] std::string answer_of(const std::string& headers, const std::string& body);
[[nodiscard]] std::string json_answer(const std::string& body);

/// What passes for one cell of the matrix.
struct Traffic {
  std::string request, answer;
};
[[nodiscard]] std::string get(const std::string& target, const std::string& headers = "");
[[nodiscard]] std::string post(const std::string& type, const std::string& body);
/// A call that the device of the matrix knows, and an answer without anything.
inline const std::string call_target = "/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get";
[[nodiscard]] inline std::string fine_answer() { return json_answer(R"({"data":{},"success":true})"); }

enum class Alphabet { target, header, text, bytes };

/// One place: which bytes may stand there, and the traffic that has `planted` in it.
struct Place {
  std::string name;
  Alphabet alphabet;
  Traffic (*make)(const std::string& planted);
};
[[nodiscard]] const std::vector<Place>& places();
[[nodiscard]] bool may_stand(const std::string& text, Alphabet alphabet);

class Client {
 public:
  explicit Client(const std::string& url)
      : port_(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)))) {}
  /// Sends the bytes; all that came back.
  [[nodiscard]] std::string ask(const std::string& request) const;

 private:
  std::uint16_t port_;
};

/// The device answers as `traffic` says, and the client asks so. Returns what the client got; throws
/// std::runtime_error when it was refused by the gate.
std::string pass(const Client& client, ScriptedDevice& device, const Traffic& traffic);

/// What `ls`, `show` and `scan` say, as files beside the cassette.
void tell_all(const std::string& cassette, const TempDir& folder);

}  // namespace tapedeck::tests
