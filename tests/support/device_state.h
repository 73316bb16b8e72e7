#pragma once
// Sessions, login, and dispatch of the test device, without HTTP.

#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "tests/support/device.h"
#include "tests/support/device_operations.h"

namespace tapedeck::tests {

struct ApiRequest {
  Params params;          ///< query first, then form and multipart fields
  std::string path_api;   ///< the API name after "entry.cgi/", if there is one
  std::string cookie_id;  ///< the cookie `id`, if there is one
  UploadedFile file;
};

/// Thread-safe.
class DeviceState {
 public:
  explicit DeviceState(const DeviceOptions& options);

  [[nodiscard]] DeviceAnswer answer(const ApiRequest& request);
  [[nodiscard]] std::map<std::string, unsigned> counts() const;
  [[nodiscard]] DeviceSecrets secrets() const;

 private:
  struct FileAnswers {
    std::vector<std::string> bodies;              ///< in order
    std::map<std::string, std::string> variants;  ///< of a login
  };

  DeviceAnswer dispatch(const ApiRequest& request);
  DeviceAnswer run(const Operation& operation, OperationCall call);
  DeviceAnswer login(const ApiRequest& request);
  DeviceAnswer login_from_files(const ApiRequest& request);
  DeviceAnswer logout(const ApiRequest& request);
  DeviceAnswer from_files(const std::string& name, DeviceSession* session);
  DeviceAnswer compound(const ApiRequest& request, const DeviceSession& session);
  DeviceSession* session_of(const ApiRequest& request);
  DeviceSession& new_session(const Params& params);
  std::string token(std::size_t length);
  void load_files(const std::string& folder);

  DeviceOptions options_;
  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::map<std::string, DeviceSession> sessions_;
  DeviceWide device_;
  std::map<std::string, FileAnswers> files_;
  std::map<std::string, unsigned> counts_;
  DeviceSecrets secrets_;
};

}  // namespace tapedeck::tests
