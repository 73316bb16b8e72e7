#pragma once
// Defines the canonical text by which requests are matched (docs/matching.md, "Keys").

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"

namespace tapedeck::api {

/// For a call: `SVC.Core.AppPortal/1/list?additional=["default_setting"]`, with its prefix after the method
/// (`SVC.Foto.Browse.Item/4/list@/photo?limit=10`) and, for a body without parameters, `#` and the name of the body
/// (key_text.h, content_name). For anything else: verb, path, canonical query, and the name of the body (`GET
/// /scripts/boot.js?v=2 #` + 16 hex digits), which is missing for an empty body. A form with holes has its parameters
/// instead: `POST /x #?a=1&b=<PASSWORD>`. Never empty. In names and values, the bytes % & = + < > # and space,
/// controls, and bytes that are not UTF-8 are percent-encoded. A hole is its label in angle brackets,
/// `taskid=<TASK_ID:1>`, which no encoded value can equal. A request whose response is a part of a body has the item
/// `+Range=bytes%3D0-3`.
struct RequestKey {
  /// The item of the range. No parameter has this name, because its '+' would be encoded.
  static constexpr std::string_view range_item = "+Range";
  /// The verb of a request that opens a WebSocket, also of one to an address with calls.
  static constexpr std::string_view websocket_verb = "WEBSOCKET";

  std::string text;
  bool is_call = false;
  ApiName api;          ///< empty unless it is a call
  std::string version;  ///< empty unless it is a call
  std::string method;   ///< of a call, in lower case; otherwise the verb
  std::string prefix;   ///< Call::prefix() of a call
  bool has_holes = false;

  /// One parameter of the text. Its views are valid until the key is moved.
  struct Item {
    std::string_view name;
    std::string_view value;  ///< canonical and escaped, as in the text
    bool has_hole = false;
    bool operator==(const Item&) const = default;
  };
  /// Returns all parameters, sorted as in the text. Parses them on each call, because most keys are only looked up.
  [[nodiscard]] std::vector<Item> items() const&;
  std::vector<Item> items() const&& = delete;
  /// Returns the part of the text with the parameters, for next_item().
  [[nodiscard]] std::string_view item_text() const&;
  std::string_view item_text() const&& = delete;
  /// Returns the first parameter of `rest` and removes it from there; nothing if there is none.
  [[nodiscard]] static std::optional<Item> next_item(std::string_view& rest);
  /// Returns the parameters of a text in the form of a query, starting at its '?'.
  [[nodiscard]] static std::vector<Item> items_of(std::string_view text);
  /// Returns the name of the body: everything after the "#" of a call, or after the " #" of another request.
  [[nodiscard]] std::string_view body() const&;
  std::string_view body() const&& = delete;

  /// Returns true if it contains a file or a body of which only the redacted form is known (content_name).
  [[nodiscard]] bool has_redacted_content() const;

  /// Returns the key of a request for this range (the header Range).
  [[nodiscard]] RequestKey with_range(std::string_view range) const;
  /// Returns the text with another first label, for a cassette that has only one.
  [[nodiscard]] std::string with_label(std::string_view label) const;
  /// Parses a canonical text, to find the nearest recordings.
  [[nodiscard]] static RequestKey parse(std::string_view text);
};

/// Decides which parameters count. A cassette stores the number of the policy that made its keys, and one with another
/// number than current_number cannot be used.
class KeyPolicy {
 public:
  static constexpr int current_number = 2;
  [[nodiscard]] static KeyPolicy current() { return KeyPolicy(current_number); }
  /// Throws std::invalid_argument for an unknown number.
  explicit KeyPolicy(int number);
  [[nodiscard]] int number() const { return number_; }

  /// Returns the key of a request with redacted places `holes`.
  [[nodiscard]] RequestKey key(const http::Request& request, std::string_view base_path,
                               const std::vector<Hole>& holes) const;
  /// Does the same for a parsed request: `call` is the result of Call::from() with these holes.
  [[nodiscard]] RequestKey key(const http::Request& request, const Call* call, std::string_view base_path,
                               const std::vector<Hole>& holes) const;
  /// Returns the key of a part of a compound request.
  [[nodiscard]] RequestKey key(const Call& part) const;
  /// Returns the parameters of a form or multipart body as in the key of a request that is not a call; empty for
  /// another body.
  [[nodiscard]] std::string body_items(const http::Request& request) const;
  /// Returns true for names that no key has: values of a session or a clock (docs/matching.md, "What keys leave out").
  [[nodiscard]] bool leaves_out(std::string_view param_name) const;
  /// Returns true for names that no key of a login has.
  [[nodiscard]] bool leaves_out_of_login(std::string_view param_name) const;

 private:
  int number_;
};

/// Returns the keys of the calls in a compound (Call::parts), in order, as if each call were sent alone, with their
/// redacted places. Leaves out incomplete calls. Returns nothing for a key that does not belong to a compound or cannot
/// be split.
[[nodiscard]] std::vector<RequestKey> part_keys(const RequestKey& compound, const KeyPolicy& policy);

}  // namespace tapedeck::api
