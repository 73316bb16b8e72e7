#pragma once
// Numbers that people give: the parser's own conversion takes "-3" for an unsigned one, and wraps it round.

#include <cstdint>

namespace CLI {
class Option;
}

namespace tapedeck::cli {

/// The option takes decimal digits alone, from `least` on, and no more than 64 bits hold. Returns it.
CLI::Option* takes_whole_number(CLI::Option* option, std::uint64_t least = 0);
/// A size, whose unit is taken off afterwards, is not negative. Returns the option.
CLI::Option* takes_no_sign(CLI::Option* option);

}  // namespace tapedeck::cli
