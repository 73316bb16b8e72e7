#pragma once
// Finds the secrets of one interaction by the names beside them and by their shape. Takes each part apart once: into
// headers, parameters, members of JSON, and elements of XML, and their strings again. A find is a whole string or a
// token inside of one, and is reported with its place in the raw text and its encodings.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/message.h"
#include "scrubbers/redaction/interaction_texts.h"
#include "scrubbers/redaction/redaction.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/text/nested_text.h"

namespace tapedeck::scrubbers {

struct NamedFind {
  Part part = Part::request_target;
  std::size_t begin = 0;
  std::size_t end = 0;  ///< equal to `begin` if the value is only learned (the password in Basic credentials)
  std::string value;    ///< decoded
  Encoding encoding;    ///< how the text at [begin, end) is encoded
  std::uint16_t rule = 0;
  /// The class of the rule, except for the password in Basic credentials.
  SecretClass secret_class = SecretClass::secret;
  std::uint32_t id = 0;  ///< LearnedSecrets::Id, once the value is noted
  bool plain = false;    ///< looks like a flag, a mask, or a label, so it is only a secret if it is known as one
};

struct NamedFinds {
  std::vector<NamedFind> finds;  ///< sorted by text and place
  KeyLog keys;                   ///< names of JSON keys
  bool understood = true;        ///< false: a request's body could not be parsed although a rule needs it
  bool too_many = false;         ///< more than `most` were found, and the others are left out

  static constexpr std::size_t most = 200'000;  ///< the limit for one interaction, because each find costs memory
};

/// Searches one interaction. `texts` need not outlive the result, because values are copied.
class NamedFinder {
 public:
  /// `writes`: the request changes the device, so it sets a password that is among its parameters.
  NamedFinder(const CompiledRules& rules, const CallContext& context, const Texts& texts, NamedFinds& out,
              bool writes = false)
      : rules_(rules), context_(context), texts_(texts), out_(out), writes_(writes) {}

  void request(const http::Headers& headers);
  void answer(const http::Headers& headers);

 private:
  class JsonFinds;
  /// The kind of a string, which decides where the values inside of it end.
  enum class Kind : std::uint8_t {
    words,  ///< a string of JSON, a parameter, a header: text of people, settings, commands, URLs
    lines,  ///< a text file
    code,   ///< a script: only values in quotes
    path,   ///< a path of a URL: values end with their segment
  };
  struct Piece {
    std::size_t begin = 0, end = 0;
    [[nodiscard]] bool empty() const { return begin >= end; }
  };

  // Structured texts (named_finds.cpp, named_headers.cpp, markup.cpp).
  void search_headers(Part part);
  void header_line(std::string_view name, const NestedText& value, bool is_of_request = false);
  void credentials(const NestedText& value, RuleMatch rule);
  void cookies(const NestedText& line, bool first_only);
  void url(const NestedText& text);
  void request_body(const http::Headers& headers);
  void answer_body(const http::Headers& headers);
  void multipart(const NestedText& body, std::string_view boundary);
  /// Searches the parameters of a query or form.
  void query(const NestedText& text);
  /// Searches one parameter with its value at `value`. For a parameter called "value", `pair_rule` is the rule from the
  /// parameter with its name.
  void parameter(const NestedText& text, std::string_view name, Piece value, bool is_encoded,
                 std::optional<RuleMatch> pair_rule = {});
  void json(const NestedText& text, int depth);
  void markup(const NestedText& text, int depth);
  void element_text(const NestedText& text, Piece content, std::optional<Codec> codec, std::optional<RuleMatch> rule,
                    int depth);
  /// Searches the attributes of a tag. Returns the rule for the text of its element.
  std::optional<RuleMatch> tag(const NestedText& text, Piece inside, int depth);

  // One string (named_text.cpp).
  /// Returns false for a string in which neither names with values nor shapes can be.
  [[nodiscard]] static bool may_hold_more(std::string_view text);
  /// Searches one whole decoded string.
  void string(const NestedText& text, Kind kind, int depth);
  /// Searches the piece of a string that is decoded once more.
  void decoded(const NestedText& text, Piece piece, Codec codec, Kind kind, int depth);
  /// Finds NAME=VALUE. Returns the places of the values, in order.
  std::vector<Piece> assignments(const NestedText& text, Kind kind);
  /// Finds `name: value` and "name":"value".
  void colons(const NestedText& text, Kind kind);
  void json_inside(const NestedText& text, int depth);
  /// Finds percent-encoded pieces, such as `url=https%3A%2F%2F…%3Fpasswd%3D…`.
  void encoded_pieces(const NestedText& text, const std::vector<Piece>& taken, Kind kind, int depth);
  void shapes(const NestedText& text);
  void custom_patterns(const NestedText& text);
  /// Adds the first match in [from, end). Returns where the next search begins, or nothing if nothing matched.
  std::optional<std::size_t> match(const NestedText& text, const CompiledRules::Pattern& pattern, std::size_t from,
                                   std::size_t end, bool at_the_start);
  [[nodiscard]] std::optional<RuleMatch> rule_of_name(std::string_view name) const;

  /// Removes finds of patterns that overlap finds by name, which are more exact.
  void drop_patterns_over_names();
  [[nodiscard]] bool is_request() const { return part_ < Part::response_reason; }
  /// Returns false for a table of UI texts, in which the names of secrets are words.
  [[nodiscard]] bool reads_names() const { return is_request() || !context_.is_text_table(); }
  /// Returns true if the value is only a secret where it is already known as one. Returns false for parameters of a
  /// login.
  [[nodiscard]] bool is_plain(RuleMatch rule, std::string_view value, bool is_parameter) const {
    const bool logs_in = context_.is_login() && rules_.rule(rule.rule).scope != Scope::name;
    const bool is_set = is_parameter && is_request() && (writes_ || context_.is_login());
    return !logs_in && rules_.is_plain(rule, value, is_set);
  }
  /// Adds the value at `piece`, decoded once more if there is a codec. Returns false if it is none or looks plain, so
  /// that it is searched for others. `is_parameter`: it is a whole parameter, not a part of one.
  bool add(const NestedText& text, Piece piece, RuleMatch rule, std::optional<Codec> codec = std::nullopt,
           bool is_parameter = false);
  bool add_at(NestedText::Place place, std::string value, RuleMatch rule, bool is_parameter);
  [[nodiscard]] SecretClass class_of(const ScrubRule& rule) const;

  const CompiledRules& rules_;
  const CallContext& context_;
  const Texts& texts_;
  NamedFinds& out_;
  bool writes_;
  Part part_ = Part::request_target;  ///< the part that is being searched
};

}  // namespace tapedeck::scrubbers
