#pragma once
// The responses of the test device to API calls: a table of operations without HTTP.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapedeck::tests {

struct DeviceSession {
  std::string id, csrf_token, device_id;
  std::map<std::string, unsigned> calls;  ///< how often each operation was called before
  bool ssh_enabled = false;
  unsigned calls_left = 0;  ///< calls until a session ends with 106; 0: no limit
};

/// State of the device that all sessions share. So a client that logs in before every call polls the same scan.
struct DeviceWide {
  unsigned scan_progress = 100;
  std::string workgroup = "WORKGROUP";
  std::map<std::string, std::string> groups{};  ///< name and description
  std::map<std::string, std::string> notes{};   ///< name and text
};

using Params = std::multimap<std::string, std::string>;
/// Returns the last value with this name; the body follows the query. Empty if it is absent.
[[nodiscard]] std::string last_value(const Params& params, const std::string& name);

struct UploadedFile {
  std::string name;
  std::size_t bytes = 0;
};

struct OperationCall {
  std::string label;  ///< of the API name in the request: "SYNO"
  Params params;
  unsigned nth = 0;  ///< 0 for the session's first call of this operation
  DeviceSession* session = nullptr;
  UploadedFile file;
  DeviceWide* device = nullptr;
};

struct DeviceAnswer {
  int status = 200;
  std::string content_type = "application/json; charset=\"UTF-8\"";
  std::string body;
  bool chunked = false;
  std::vector<std::pair<std::string, std::string>> headers;
};

[[nodiscard]] DeviceAnswer success(std::string data);
[[nodiscard]] DeviceAnswer error(int code, const std::string& errors = {});

struct Operation {
  std::string api;  ///< without its first label
  std::string method;
  int min_version = 1, max_version = 1;
  bool open = false;                  ///< needs no session
  bool allowed = true;                ///< false: error 105
  std::vector<std::string> required;  ///< error 114 if one is absent
  std::function<DeviceAnswer(const OperationCall&)> answer;
};

[[nodiscard]] const std::vector<Operation>& operations();
/// Returns the body of API.Info query: `wanted` is "" or "all", a list of names, or a prefix that ends in a dot.
[[nodiscard]] std::string api_info(const std::string& label, const std::string& wanted);

}  // namespace tapedeck::tests
