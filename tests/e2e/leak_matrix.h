#pragma once
// Defines the places of a secret in a recorder's traffic, for tests that no file of a run contains one: a device with
// scripted responses, and a client that sends exact bytes.

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"

namespace tapedeck::tests {

/// Responds to each request with scripted bytes, on a separate connection each.
class ScriptedDevice {
 public:
  ScriptedDevice() : thread_([this] { serve(); }) {}
  ~ScriptedDevice();
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  void answer_with(std::string bytes);
  /// From now on, requests that contain `marker` get these bytes. An empty text ends that.
  void answer_to(const std::string& marker, std::string bytes);

 private:
  void serve();

  http::testing::RawServer server_;
  std::mutex mutex_;  ///< guards the following members
  std::string answer_;
  std::map<std::string, std::string> answers_;  ///< by marker
  std::thread thread_;
};

/// Returns a complete response with status 200.
[[nodiscard]] std::string answer_of(const std::string& headers, const std::string& body);
[[nodiscard]] std::string json_answer(const std::string& body);

/// The traffic of one cell of the matrix.
struct Traffic {
  std::string request, answer;
};
[[nodiscard]] std::string get(const std::string& target, const std::string& headers = "");
[[nodiscard]] std::string post(const std::string& type, const std::string& body);
/// A call that the device of the matrix knows, and its empty response.
inline const std::string call_target = "/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get";
[[nodiscard]] inline std::string fine_answer() { return json_answer(R"({"data":{},"success":true})"); }

enum class Alphabet { target, header, text, bytes };

/// One place: which bytes it may contain, and the traffic with `planted` in it.
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
  /// Sends the bytes and returns all that comes back.
  [[nodiscard]] std::string ask(const std::string& request) const;

 private:
  std::uint16_t port_;
};

/// The device responds as in `traffic`, and the client sends its request. Returns the response; throws
/// std::runtime_error if the gate refused it.
std::string pass(const Client& client, ScriptedDevice& device, const Traffic& traffic);

/// Writes the output of `ls`, `show`, and `scan` to files beside the cassette.
void tell_all(const std::string& cassette, const TempDir& folder);

}  // namespace tapedeck::tests
