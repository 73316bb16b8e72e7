#pragma once
// Values of one session written in the place of another's, wherever they stand in a message and however they are
// encoded there: found by the code that finds them for redaction, written by the code that replay writes them with.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_arena.h"
#include "http/message/message.h"
#include "scrubbers/redaction.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/search/secret_search.h"
#include "scrubbers/text/replace.h"

namespace tapedeck::scrubbers {

/// Immutable once it is made; for any number of threads.
class Counterparts {
 public:
  struct Pair {
    SecretClass secret_class = SecretClass::session_id;
    std::string_view from, to;  ///< a pair with an empty side is left out
  };
  /// `rules` say where values stand by name, and must outlive it. Copies the values.
  Counterparts(const CompiledRules& rules, const std::vector<Pair>& pairs);

  struct Written {
    std::string text;
    struct Move {
      std::size_t old_end = 0, new_end = 0;  ///< behind a value, in the old text and in the new one
    };
    std::vector<Move> moves;  ///< in order

    /// Where a place of the old text is now.
    [[nodiscard]] std::size_t place_of(std::size_t old_place) const;
  };
  /// The text with every `from` of at least SecretSearch::shortest bytes replaced. One that stands inside of base64
  /// stays where its counterpart's length would shift what follows it.
  [[nodiscard]] Written written(std::string_view text) const;

  /// The same for target, headers and body of a request, in which the values of the pairs' classes are also replaced
  /// where they stand by name, whatever they are: "_sid", "SynoToken", the cookies "id" and "did", X-SYNO-TOKEN.
  /// Returns the classes of what was replaced. The body must be decoded.
  std::vector<SecretClass> write_into(http::Request& request, std::string_view base_path) const;
  void write_into(http::Headers& headers) const;

  /// Bytes at the end of `text` that could be the beginning of a value: in a stream they wait for what follows.
  [[nodiscard]] std::size_t waiting_bytes(std::string_view text) const;

 private:
  struct Known {
    SecretClass secret_class;
    std::string_view from, to;
  };
  [[nodiscard]] const Known* of_class(SecretClass secret_class) const;
  void search(std::string_view text, std::vector<Spot>& spots) const;
  [[nodiscard]] Written write(std::string_view text, std::vector<Spot> spots) const;

  const CompiledRules& rules_;
  base::SecretArena arena_;
  std::vector<Known> known_;  ///< by the number that a spot has
  std::unique_ptr<SecretSearch> search_;
};

}  // namespace tapedeck::scrubbers
