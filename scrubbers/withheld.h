#pragma once
// An interaction without what it carried: what is left when something was found in it that may not be stored.

#include <string_view>

#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::scrubbers {

/// Without bodies, and without headers but for the types; the target, the key and the status stay. The digest of a
/// withheld answer is made under a key that is thrown away.
[[nodiscard]] InteractionRecord without_contents(InteractionRecord record, std::string_view reason);

/// The same without its request: what was found stands in the target or in the key. Of a call its API, version and
/// method stay; the record's key is then not its request's any more.
[[nodiscard]] InteractionRecord without_request(InteractionRecord record, std::string_view reason);

}  // namespace tapedeck::scrubbers
