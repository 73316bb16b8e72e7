#pragma once
// Finds the secrets of one interaction by the names beside them. Reports their places in the raw texts, and their
// values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/message.h"
#include "scrubbers/redaction/interaction_texts.h"
#include "scrubbers/redaction/redaction.h"
#include "scrubbers/redaction/structure.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/text/codec.h"

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
  /// Searches parameters of a query or form at [offset, offset + length) of a part.
  void query(Part part, std::size_t offset, std::size_t length);

  /// The kind of a text, which decides where values end.
  enum class TextKind : std::uint8_t {
    json,   ///< strings in quotes
    lines,  ///< a value may reach to the end of the line
    code,   ///< HTML and scripts: quoted values, and values in URLs
    url,    ///< values reach to the next separator
  };

 private:
  class JsonFinds;
  /// A text, and how it was decoded from the text around it. The outermost one is the text of a part.
  struct Source {
    std::string_view text;
    const Source* outer = nullptr;
    Codec codec = Codec::percent;
    const PositionMap* map = nullptr;
    std::size_t base = 0;  ///< its start in `outer`
  };

  /// Removes finds of patterns that overlap finds by name, which are more exact.
  void drop_patterns_over_names();
  void search_headers(Part part);
  void header_line(Part part, std::string_view name, std::size_t offset, std::size_t length);
  void credentials(Part part, std::size_t offset, std::size_t length, RuleMatch rule);
  void cookies(Part part, std::size_t offset, std::size_t length, bool first_only);
  void url(Part part, std::size_t offset, std::size_t length);
  void request_body(const http::Headers& headers);
  void answer_body(const http::Headers& headers);
  void multipart(std::string_view boundary);
  /// Searches one parameter with its raw value at [offset, offset + length). For a parameter called "value",
  /// `pair_rule` is the rule from the parameter with its name.
  void parameter(Part part, std::string_view name, std::size_t offset, std::size_t length, bool is_encoded,
                 std::optional<RuleMatch> pair_rule = {});
  /// The owner of keys: a response, or the parameters of a request.
  enum class Keys : std::uint8_t { answer, parameters };
  void json(Part part, const Source& source, Keys keys, int depth);
  /// Searches one whole decoded string: of JSON, of a form, of a header. Nothing that is found reaches beyond it.
  void whole_text(Part part, const Source& source, Keys keys, TextKind kind, int depth);
  /// Finds named values in a text that is neither JSON nor a form: KEY=VALUE, XML tags, pairs in scripts, URLs in
  /// values.
  void body_texts(Part part, TextKind kind);
  /// Finds everything in a text and, recursively, in its decoded forms. Used for all places of an interaction.
  void inner_texts(Part part, const Source& source, TextKind kind, int depth);
  /// Does the same for a piece of a part without an encoding.
  void plain_text(Part part, std::size_t offset, std::size_t length, TextKind kind);
  /// Finds KEY=VALUE pairs. Returns the places of their values, in order.
  Ranges assignments(Part part, const Source& source, TextKind kind);
  [[nodiscard]] std::optional<RuleMatch> rule_of_name(std::string_view name) const;
  /// Returns the rule of an attribute that names a tag's value: key="db.password".
  [[nodiscard]] std::optional<RuleMatch> rule_in_tag(std::string_view tag) const;
  void tags(Part part, const Source& source);
  void quoted_pairs(Part part, const Source& source, TextKind kind);
  /// Finds `password: value` in JSON strings.
  void lines_in_strings(Part part, const Source& source);
  void encoded_urls(Part part, const Source& source, int depth, const Ranges& taken);
  /// Adds the value at [begin, end) under the name of a rule, decoded as its place requires. Ignores plain values.
  bool add_named(Part part, const Source& source, std::size_t begin, std::size_t end, RuleMatch rule, Codec codec);
  /// Applies the patterns of custom rules to a whole body.
  void custom_patterns(Part part);
  /// Applies the shipped patterns to a piece of a text.
  void anchored_patterns(Part part, const Source& source, std::size_t offset, std::size_t length);
  std::size_t match(Part part, const Source& source, const CompiledRules::Pattern& pattern, std::size_t from,
                    std::size_t end, bool at_the_start);

  /// Returns false for a table of UI texts, in which the names of secrets are words.
  [[nodiscard]] bool reads_names(Part part) const { return part < Part::response_reason || !context_.is_text_table(); }
  /// Returns true if the value is only a secret where it is already known as one. Returns false for parameters of a
  /// login.
  [[nodiscard]] bool is_plain(Part part, RuleMatch rule, std::string_view value) const {
    const bool logs_in = context_.is_login() && rules_.rule(rule.rule).scope != Scope::name;
    const bool is_set = is_parameter_ && part < Part::response_reason && (writes_ || context_.is_login());
    return !logs_in && rules_.is_plain(rule, value, is_set);
  }
  /// Returns false if the value is none or looks plain, so that the text is searched for others.
  bool add(Part part, std::size_t begin, std::size_t end, std::string value, Encoding encoding, RuleMatch rule);
  /// Adds a value at [begin, end) of `source` with the encoding `inner`.
  bool add_in(Part part, const Source& source, std::size_t begin, std::size_t end, std::string value, Encoding inner,
              RuleMatch rule);

  const CompiledRules& rules_;
  const CallContext& context_;
  const Texts& texts_;
  NamedFinds& out_;
  bool writes_;
  bool is_parameter_ = false;  ///< a whole parameter value is being added, not a part of one
};

}  // namespace tapedeck::scrubbers
