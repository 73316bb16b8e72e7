#include "api/compound_key.h"

#include <algorithm>
#include <string>

#include "http/message/urlencoded.h"

namespace tapedeck::api {
namespace {

/// Returns the parameter of an item in a key. Each label in brackets becomes a redacted place again.
Param param_of(const RequestKey::Item& item) {
  Param param;
  param.name = http::percent_decode(item.name, false);
  std::string_view rest = item.value;
  while (!rest.empty()) {
    const std::size_t plain = std::min(rest.find('<'), rest.size());
    param.value += http::percent_decode(rest.substr(0, plain), false);
    rest.remove_prefix(plain);
    if (rest.empty()) break;
    const std::size_t end = std::min(rest.find('>'), rest.size());
    std::string label = http::percent_decode(rest.substr(1, end - 1), false);
    param.places.push_back({param.value.size(), label.size()});
    param.value += label;
    param.holes.push_back({RequestPart::body, {}, std::move(label)});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return param;
}

}  // namespace

std::vector<RequestKey> part_keys(const RequestKey& compound, const KeyPolicy& policy) {
  std::vector<Param> params;
  for (const RequestKey::Item& item : compound.items()) params.push_back(param_of(item));
  const Call call(compound.api.full(), compound.version, compound.method, std::move(params), compound.prefix);
  const auto parts = compound.is_call && call.is_compound() ? call.parts() : std::nullopt;
  std::vector<RequestKey> keys;
  if (!parts) return keys;
  for (const Call& part : *parts) {
    if (part.complete()) keys.push_back(policy.key(part));
  }
  return keys;
}

}  // namespace tapedeck::api
