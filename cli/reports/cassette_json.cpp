#include "cli/reports/cassette_json.h"

#include "api/scope_name.h"

namespace tapedeck::cli {

nlohmann::ordered_json json_of(const cassettes::ListedInteraction& line) {
  nlohmann::ordered_json out;
  out["id"] = line.id;
  out["take"] = line.take;
  out["ord"] = line.ord;
  if (!line.scope.empty()) out["scope"] = api::shown_scope(line.scope);
  out["session"] = line.session;
  out["lane"] = line.lane;
  out["position"] = line.position;
  out["key"] = line.key;
  out["verb"] = line.verb;
  out["status"] = line.status;
  if (line.error_code) out["code"] = *line.error_code;
  out["bytes"] = line.body_bytes;
  out["redactions"] = line.redactions;
  out["completeness"] = api::to_string(line.completeness);
  if (!line.reason.empty()) out["reason"] = line.reason;
  out["writes"] = line.effect == api::Effect::write;
  if (line.ended_by_client) out["ended_by_client"] = true;
  out["started_us"] = line.started_us;
  if (line.first_byte_us != 0) out["first_byte_us"] = line.first_byte_us;
  out["ended_us"] = line.ended_us;
  return out;
}

}  // namespace tapedeck::cli
