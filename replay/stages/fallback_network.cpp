#include "replay/stages/fallbacks.h"

namespace tapedeck::replay {

std::string network_data(const api::Call& /*call*/) {
  return R"({"arp_ignore":true,"dns_manual":false,"dns_primary":"192.0.2.53","dns_secondary":"198.51.100.53",)"
         R"("enable_ip_conflict_detect":true,"enable_windomain":false,"gateway":"192.0.2.1",)"
         R"("gateway_info":{"ifname":"eth0","ip":"192.0.2.10","mask":"255.255.255.0","status":"connected",)"
         R"("type":"lan","use_dhcp":true},"ipv4_first":false,"multi_gateway":false,"server_name":"nas-example",)"
         R"("use_dhcp_domain":true,"v6gateway":"2001:db8::1"})";
}

}  // namespace tapedeck::replay
