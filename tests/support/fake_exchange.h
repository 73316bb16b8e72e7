#pragma once

#include "http/server/local_exchange.h"

namespace tapedeck::testing {

using FakeExchange = http::LocalExchange;

}  // namespace tapedeck::testing
