#pragma once
// Where the named rules find secrets in one interaction: places in the raw texts and the values that stand there.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/message.h"
#include "scrubbers/interaction_texts.h"
#include "scrubbers/redaction.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {

struct NamedFind {
  Part part = Part::request_target;
  std::size_t begin = 0;
  std::size_t end = 0;   ///< equal to begin when only the value is to be learned (the password inside of Basic)
  std::string value;     ///< decoded
  std::string encoding;  ///< how the text at [begin, end) says it
  std::uint16_t rule = 0;
  SecretClass secret_class = SecretClass::secret;  ///< the rule's, but for the password inside of Basic
  bool plain = false;  ///< looks like a flag, a mask or a label: a secret only where it is known as one
};

struct NamedFinds {
  std::vector<NamedFind> finds;  ///< in the order of the texts and of the places
  KeyLog keys;                   ///< names of JSON keys that were met
  bool understood = true;        ///< false: a request's body that a rule needs to understand could not be
  bool too_many = false;         ///< more than `most` were met, and left out

  static constexpr std::size_t most = 200'000;  ///< in one interaction: each costs memory
};

/// Looks through one interaction. `texts` must outlive nothing: values are copies.
class NamedFinder {
 public:
  /// `writes`: the request changes the device, so that a password among its parameters is one that it sets.
  NamedFinder(const CompiledRules& rules, const CallContext& context, const Texts& texts, NamedFinds& out,
              bool writes = false)
      : rules_(rules), context_(context), texts_(texts), out_(out), writes_(writes) {}

  void request(const http::Headers& headers);
  void answer(const http::Headers& headers);
  /// Parameters of a query or a form that stand at [offset, offset + length) of a part.
  void query(Part part, std::size_t offset, std::size_t length);

  /// What a text is, as far as it says where a value ends.
  enum class TextKind : std::uint8_t {
    json,   ///< strings in quotes
    lines,  ///< a value may reach to the end of its line
    code,   ///< HTML and scripts: values in quotes, and what stands in URLs
    url,    ///< values reach to the next separator
  };

 private:
  class JsonFinds;
  /// A text and how it was made from the one outside of it, up to the part's own.
  struct Source {
    std::string_view text;
    const Source* outer = nullptr;
    Codec codec = Codec::percent;
    const PositionMap* map = nullptr;
    std::size_t base = 0;  ///< where in `outer` it begins
  };

  /// What a rule finds by name is more exact than what a pattern finds in the same place.
  void drop_patterns_over_names();
  void header_lines(Part part);
  void header_line(Part part, std::string_view name, std::size_t offset, std::size_t length);
  void credentials(Part part, std::size_t offset, std::size_t length, RuleMatch rule);
  void cookies(Part part, std::size_t offset, std::size_t length, bool first_only);
  void url(Part part, std::size_t offset, std::size_t length);
  void request_body(const http::Headers& headers);
  void answer_body(const http::Headers& headers);
  void multipart(std::string_view boundary);
  /// One parameter whose raw value is at [offset, offset + length).
  /// `pair_rule` is what another parameter said of one that is called "value".
  void parameter(Part part, std::string_view name, std::size_t offset, std::size_t length, bool is_encoded,
                 std::optional<RuleMatch> pair_rule = {});
  /// Whose keys they are: those of an answer, or the parameters of a request.
  enum class Keys : std::uint8_t { answer, parameters };
  void json(Part part, const Source& source, Keys keys, int depth);
  /// Named values in a text that is no JSON and no form: KEY=VALUE, XML tags, pairs in scripts, URLs in values.
  void body_texts(Part part, TextKind kind);
  /// Finds everything in a text and, recursively, in its decoded forms. All places of an interaction are searched by
  /// it.
  void inner_texts(Part part, const Source& source, TextKind kind, int depth);
  /// Does the same for a piece of a part that is not encoded.
  void plain_text(Part part, std::size_t offset, std::size_t length, TextKind kind);
  using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;
  /// Returns where values stand, in order.
  Ranges assignments(Part part, const Source& source, TextKind kind);
  [[nodiscard]] std::optional<RuleMatch> rule_of_name(std::string_view name) const;
  /// What an attribute of a tag says that names its value: key="db.password".
  [[nodiscard]] std::optional<RuleMatch> rule_in_tag(std::string_view tag) const;
  void tags(Part part, const Source& source);
  void quoted_pairs(Part part, const Source& source, TextKind kind);
  /// `password: value` in a string of JSON.
  void lines_in_strings(Part part, const Source& source);
  void encoded_urls(Part part, const Source& source, int depth, const Ranges& taken);
  /// What stands at [begin, end) under the name of a rule, in the codec that its place has; nothing for a plain value.
  void add_named(Part part, const Source& source, std::size_t begin, std::size_t end, RuleMatch rule, Codec codec);
  void patterns(Part part);
  /// The shipped ones, within a piece of a text.
  void anchored_patterns(Part part, const Source& source, std::size_t offset, std::size_t length);
  std::size_t match(Part part, const Source& source, const CompiledRules::Pattern& pattern, std::size_t from,
                    std::size_t end, bool at_the_start);
  /// The shipped ones in a decoded text: what has no escape was found outside of it.
  void shapes(Part part, const Source& source);

  /// Whether the value counts only where it is known: a login's never does, whatever it looks like.
  [[nodiscard]] bool is_plain(Part part, RuleMatch rule, std::string_view value) const {
    const bool logs_in = context_.is_login() && rules_.rule(rule.rule).scope != Scope::name;
    const bool is_set = is_parameter_ && part < Part::response_reason && (writes_ || context_.is_login());
    return !logs_in && rules_.is_plain(rule, value, is_set);
  }
  void add(Part part, std::size_t begin, std::size_t end, std::string value, std::string encoding, RuleMatch rule);
  /// Adds a value that stands at [begin, end) of `source`, in the encoding `inner` there.
  void add_in(Part part, const Source& source, std::size_t begin, std::size_t end, std::string value, std::string inner,
              RuleMatch rule);

  const CompiledRules& rules_;
  const CallContext& context_;
  const Texts& texts_;
  NamedFinds& out_;
  bool writes_;
  bool is_parameter_ = false;  ///< what is being added is a parameter's own value, not what stands in one
};

}  // namespace tapedeck::scrubbers
