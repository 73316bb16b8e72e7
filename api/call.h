#pragma once
// A request seen as a call of the device API (spec §4.1; field notes "Discovery", "Parameters").

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"
#include "http/message/urlencoded.h"

namespace tapedeck::api {

/// Where in a request a piece of text stands.
enum class RequestPart { target, body };

/// A place of a stored request that was redacted, or of a live request that holds a session's own value: its text is
/// not compared, its label is. Labels of equal meaning are equal: "SESSION_ID", "TASK_ID:2".
struct Hole {
  RequestPart part = RequestPart::target;
  http::Span span;
  std::string label;
};

/// One parameter, decoded. `raw` is its value's place in `part`. A parameter out of a multipart field has its content's
/// place; the API name behind ".cgi/" is the parameter "api" when the request has no other.
struct Param {
  std::string name;
  std::string value;
  RequestPart part = RequestPart::target;
  http::Span raw;
  std::vector<Hole> holes;  ///< those of the request that lie in `raw`, offsets still those of `part`
  /// Where each of `holes` stands in `value`, in the same order. When it is not filled in, `value` counts as the raw
  /// text.
  std::vector<http::Span> places = {};
  /// Present for the file part of an upload: `value` is the file, which a key names by its hash.
  std::optional<std::string> filename = std::nullopt;
};

/// "SVC.Core.Network": the first label is an alias (field notes), so `rest` is what names the API.
struct ApiName {
  std::string label;  ///< "SVC"; empty when there is no dot
  std::string rest;   ///< "Core.Network"
  [[nodiscard]] static ApiName split(std::string_view name);
  [[nodiscard]] std::string full() const { return label.empty() ? rest : label + "." + rest; }
};

/// A request to any "…/webapi/**.cgi", with or without "/<API name>" behind it, or to any other script (".cgi", ".php")
/// that names an api and a method. Query and body are merged: a name in the body replaces the same name in the query;
/// duplicates within one place are kept in order.
class Call {
 public:
  /// Nothing when the path is no API path, or the verb is OPTIONS or HEAD: a preflight asks nothing of the API, and a
  /// HEAD's answer has no body that could stand for a GET's. Paths are recognised as a server reads them:
  /// "/x/..//webapi/entry%2Ecgi" is one. `base_path` ("" or "/dsm") is left out of the path when it leads it. A second
  /// api, version or method in the same place stays among the parameters. Missing api, version or method are empty
  /// strings here: that is an answer of the device (101), not a parse error.
  [[nodiscard]] static std::optional<Call> from(const http::Request& request, std::string_view base_path = {},
                                                const std::vector<Hole>& holes = {});

  /// A part of a compound request, or a call made by hand.
  Call(std::string api, std::string version, std::string method, std::vector<Param> params, std::string prefix = {});

  [[nodiscard]] const std::string& api() const { return api_; }
  [[nodiscard]] const ApiName& name() const { return name_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const std::string& method() const { return method_; }  ///< as sent
  [[nodiscard]] std::string folded_method() const;                     ///< lower case, as it compares
  /// What leads "/webapi/" in the path ("/photo"); of a script elsewhere its whole path. Empty for the device's own.
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  /// The request has a body that holds no parameters. It is part of the key.
  [[nodiscard]] bool has_opaque_body() const { return has_opaque_body_; }
  /// All but api, version and method.
  [[nodiscard]] const std::vector<Param>& params() const { return params_; }
  [[nodiscard]] const Param* param(std::string_view name) const;
  [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const;
  /// The session id that it names, with or without quotes; empty without one.
  [[nodiscard]] std::string_view session_id() const;
  [[nodiscard]] bool complete() const { return !api_.empty() && !version_.empty() && !method_.empty(); }

  [[nodiscard]] bool is(std::string_view api_rest, std::string_view method) const;  ///< label ignored, method folded
  [[nodiscard]] bool is_login() const { return is("API.Auth", "login"); }
  [[nodiscard]] bool is_logout() const { return is("API.Auth", "logout"); }
  /// A login of API.Auth or of an API below it.
  [[nodiscard]] bool is_any_login() const;
  [[nodiscard]] bool is_info() const { return is("API.Info", "query"); }
  [[nodiscard]] bool is_compound() const { return is("Entry.Request", "request"); }

  /// The parts of a compound request in order, or nothing when `compound` is absent or is no JSON array of objects. A
  /// part's values are JSON text as it was spelled, strings with their quotes; their `raw` is that of `compound`.
  [[nodiscard]] std::optional<std::vector<Call>> parts() const;

 private:
  std::string api_, version_, method_, prefix_;
  ApiName name_;
  std::vector<Param> params_;
  bool has_opaque_body_ = false;
};

/// `value` without the quotes of a JSON string, in which nothing is escaped.
[[nodiscard]] std::string_view without_quotes(std::string_view value);

/// A parameter's value as it compares (semantics §1, "values that are JSON text"): scalars become their text ("ALL" and
/// ALL are equal, so are "1" and 1, True and true; 1 and 1.0 are not), arrays and objects compact JSON whose scalars
/// are strings, whose objects are sorted by key and whose arrays keep their order; a,b is ["a","b"].
[[nodiscard]] std::string canonical_value(std::string_view value);

}  // namespace tapedeck::api
