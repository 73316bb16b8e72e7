#pragma once
// Reads a request as a call of the device API (docs/device-notes.md, "Discovery" and "Parameters").

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"
#include "http/message/urlencoded.h"

namespace tapedeck::api {

/// The part of a request that contains a text.
enum class RequestPart { target, body };

/// A redacted place of a stored request, or a place of a live request with a value of the session. Its label is
/// compared instead of its text. Holes with equal labels have equal meaning: "SESSION_ID", "TASK_ID:2".
struct Hole {
  RequestPart part = RequestPart::target;
  http::Span span;
  std::string label;
};

/// A decoded parameter. `raw` is the place of its value in `part`; for a multipart field, the place of its content. An
/// API name in the path after ".cgi/" becomes the parameter "api" if the request has no other.
struct Param {
  std::string name;
  std::string value;
  RequestPart part = RequestPart::target;
  http::Span raw;
  std::vector<Hole> holes;  ///< the holes within `raw`, with offsets in `value`
  /// Set for an uploaded file: `value` is its content, which appears in keys as a hash.
  std::optional<std::string> filename = std::nullopt;
  /// For a multipart field: what its headers say beyond name and filename, such as "text/csv"; empty for plain text.
  std::string part_head = {};
};

/// "SVC.Core.Network": the first label is an alias, so `rest` identifies the API (docs/device-notes.md).
struct ApiName {
  std::string label;  ///< "SVC"; empty without a dot
  std::string rest;   ///< "Core.Network"
  [[nodiscard]] static ApiName split(std::string_view name);
  [[nodiscard]] std::string full() const { return label.empty() ? rest : label + "." + rest; }
};

/// A request to a "…/webapi/**.cgi", with or without "/<API name>" after it, or to another script (".cgi", ".php") that
/// names an API and a method. Query and body are merged: a name in the body replaces the same name in the query, and
/// duplicates within one part are kept in order.
class Call {
 public:
  /// Returns nothing if the path is not an API path, or if the verb is OPTIONS or HEAD: a preflight does not call the
  /// API, and a HEAD response has no body for a GET. Reads paths as a server does, so "/x/..//webapi/entry%2Ecgi" is an
  /// API path. Removes `base_path` ("" or "/dsm") from the path. A second api, version, or method in the same part
  /// stays among the parameters. A missing one is an empty string, because the device handles it (error 101).
  [[nodiscard]] static std::optional<Call> from(const http::Request& request, std::string_view base_path = {},
                                                const std::vector<Hole>& holes = {});

  /// Makes a part of a compound request, or any other call. Names may have the quotes of a JSON string.
  Call(std::string api, std::string version, std::string method, std::vector<Param> params, std::string prefix = {});

  [[nodiscard]] const std::string& api() const { return api_; }
  [[nodiscard]] const ApiName& name() const { return name_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const std::string& method() const { return method_; }  ///< as sent
  [[nodiscard]] std::string folded_method() const;                     ///< in lower case, for comparisons
  /// Returns the text before "/webapi/" in the path ("/photo"). Empty for the device's own API. Returns the whole path
  /// of a script elsewhere, or if something other than the name of the API is after the script.
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  /// Returns true if the request has a body that is not parameters. Such a body is part of the key.
  [[nodiscard]] bool has_opaque_body() const { return has_opaque_body_; }
  /// Returns all parameters except api, version, and method.
  [[nodiscard]] const std::vector<Param>& params() const { return params_; }
  [[nodiscard]] const Param* param(std::string_view name) const;
  [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const;
  /// Returns the session ID in the parameters, with or without quotes; empty without one.
  [[nodiscard]] std::string_view session_id() const;
  [[nodiscard]] bool complete() const { return !api_.empty() && !version_.empty() && !method_.empty(); }

  [[nodiscard]] bool is(std::string_view api_rest,
                        /// Compares the API without its label, and the method without case.
                        std::string_view method) const;
  [[nodiscard]] bool is_login() const { return is("API.Auth", "login"); }
  [[nodiscard]] bool is_logout() const { return is("API.Auth", "logout"); }
  /// Returns true for a login of any API (session_request.h).
  [[nodiscard]] bool is_any_login() const;
  /// Returns true for calls of API.Auth, APIs below it, and those of applications that begin, continue, or end a
  /// session: login, logout, resume, token.
  [[nodiscard]] bool is_session_call() const;
  [[nodiscard]] bool is_info() const { return is("API.Info", "query"); }
  [[nodiscard]] bool is_compound() const { return is("Entry.Request", "request"); }

  /// Returns the parts of a compound request in order, or nothing if `compound` is absent or not a JSON array of
  /// objects. Values of parts are JSON text in the original spelling, and strings keep their quotes. Their `raw` is the
  /// place of `compound`.
  [[nodiscard]] std::optional<std::vector<Call>> parts() const;

 private:
  std::string api_, version_, method_, prefix_;
  ApiName name_;
  std::vector<Param> params_;
  bool has_opaque_body_ = false;
};

/// Returns `value` without the quotes of a JSON string that has no escapes.
[[nodiscard]] std::string_view without_quotes(std::string_view value);

/// Returns a parameter's value for comparison (docs/matching.md, "What keys leave out"). Scalars become their text
/// ("ALL" and ALL are equal, and so are "1" and 1, True and true; 1 and 1.0 are not). Arrays and objects become compact
/// JSON whose scalars are strings and whose keys are sorted; arrays keep their order. The text a,b becomes ["a","b"] if
/// no white space is at its commas. A string whose text is itself JSON in brackets or quotes keeps its quotes.
[[nodiscard]] std::string canonical_value(std::string_view value);

}  // namespace tapedeck::api
