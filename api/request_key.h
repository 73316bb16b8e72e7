#pragma once
// What is matched: the canonical text of a request (semantics §1).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"

namespace tapedeck::api {

/// Canonical text: `SVC.Core.AppPortal/1/list?additional=["default_setting"]` for a call, with its prefix behind the
/// method (`SVC.Foto.Browse.Item/4/list@/photo?limit=10`) and, if it has a body without parameters, `#` and the name of
/// the body (key_text.h, content_name). For anything else, and for what names no api: verb, path, canonical query and
/// the name of the body: `GET /scripts/boot.js?v=2 #` + 16 hex digits; none for an empty body, and of a form with holes
/// its parameters: `POST /x #?a=1&b=<PASSWORD>`. Never empty.
/// In names and values the bytes % & = + < > # and space, controls and what is not UTF-8 are percent-encoded; a hole
/// stands as its label in angle brackets: `taskid=<TASK_ID:1>`, which therefore no real value can spell.
struct RequestKey {
  std::string text;
  bool is_call = false;
  ApiName api;          ///< of a call
  std::string version;  ///< of a call
  std::string method;   ///< of a call, case-folded; else the verb
  std::string prefix;   ///< of a call: Call::prefix()
  bool has_holes = false;

  /// One parameter of the text, for comparing candidates one by one: views into it, good until the key is moved.
  struct Item {
    std::string_view name;
    std::string_view value;  ///< canonical and escaped, as in the text
    bool has_hole = false;
    bool operator==(const Item&) const = default;
  };
  /// All of them, sorted as in the text: read out of it, since a key that is found has no use for them.
  [[nodiscard]] std::vector<Item> items() const&;
  std::vector<Item> items() const&& = delete;
  /// Where they stand in the text, for who does not want all of them at once: next_item() takes them off it.
  [[nodiscard]] std::string_view item_text() const&;
  std::string_view item_text() const&& = delete;
  /// The first one of `rest`, which moves behind it; nothing when there is none.
  [[nodiscard]] static std::optional<Item> next_item(std::string_view& rest);
  /// Those of a text that is written like a query, from its '?' on.
  [[nodiscard]] static std::vector<Item> items_of(std::string_view text);
  /// What names the body: all behind the "#" of a call, or the " #" of anything else.
  [[nodiscard]] std::string_view body() const&;
  std::string_view body() const&& = delete;

  /// The text with another first label: for a cassette that holds one label only (semantics §1).
  [[nodiscard]] std::string with_label(std::string_view label) const;
  /// Takes the canonical text apart again: the inverse of the builder, for nearest recordings.
  [[nodiscard]] static RequestKey parse(std::string_view text);
};

/// Which parameters count, by a number that the cassette stores; the newest is current(). Requests are stored whole, so
/// keys can be rebuilt under another policy.
class KeyPolicy {
 public:
  static constexpr int current_number = 2;
  [[nodiscard]] static KeyPolicy current() { return KeyPolicy(current_number); }
  /// Throws std::invalid_argument for a number that this program does not know.
  explicit KeyPolicy(int number);
  [[nodiscard]] int number() const { return number_; }

  /// Returns the key of a request whose redacted places are `holes`.
  [[nodiscard]] RequestKey key(const http::Request& request, std::string_view base_path,
                               const std::vector<Hole>& holes) const;
  /// The same of a request that was read: `call` is what Call::from() made of it, with these holes.
  [[nodiscard]] RequestKey key(const http::Request& request, const Call* call, std::string_view base_path,
                               const std::vector<Hole>& holes) const;
  /// Returns the key of a part of a compound request.
  [[nodiscard]] RequestKey key(const Call& part) const;
  /// The parameters of a form or multipart body as a key of what is no call would spell them; empty for another body.
  [[nodiscard]] std::string body_items(const http::Request& request) const;
  /// True for names that no key has: values of a session or of a clock (docs/replay.md, "What keys leave out").
  [[nodiscard]] bool leaves_out(std::string_view param_name) const;
  /// True for names that no key of a login has.
  [[nodiscard]] bool leaves_out_of_login(std::string_view param_name) const;

 private:
  int number_;
};

}  // namespace tapedeck::api
