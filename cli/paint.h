#pragma once
// Colours and plurals. NO_COLOR and pipes are respected.

#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::cli {

enum class Paint { good, warning, bad, faint };

/// Do they take colours: terminals, without NO_COLOR, and none that is dumb?
[[nodiscard]] bool stdout_takes_colour();
[[nodiscard]] bool stderr_takes_colour();
/// `text` as it is where `takes_colour` is false.
[[nodiscard]] std::string painted(std::string_view text, Paint how, bool takes_colour);
/// What an answer's status is painted in: refusals and errors, of HTTP or in the envelope, are bad.
[[nodiscard]] Paint paint_of(int status, int error_code);

/// "1 interaction", "2 interactions".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace tapedeck::cli
