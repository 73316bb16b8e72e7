#include "api/call.h"
#include "api/json_params.h"

namespace tapedeck::api {

std::optional<std::vector<Call>> Call::parts() const {
  const Param* const compound = param("compound");
  if (compound == nullptr) return std::nullopt;
  auto objects = json_params_of_list(*compound);
  if (!objects) return std::nullopt;
  std::vector<Call> calls;
  for (JsonParams& object : *objects) {
    calls.emplace_back(object.own.api.value_or(""), object.own.version.value_or(""), object.own.method.value_or(""),
                       std::move(object.others), prefix_);
  }
  return calls;
}

}  // namespace tapedeck::api
