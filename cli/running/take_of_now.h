#pragma once
// What is known of a take when it begins.

#include <string>

#include "cassettes/write/take_info.h"
#include "http/message/url.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

[[nodiscard]] cassettes::TakeInfo take_of_now(const std::string& note, const http::BaseUrl& device,
                                              const scrubbers::Scrubber& scrubber);

}  // namespace tapedeck::cli
