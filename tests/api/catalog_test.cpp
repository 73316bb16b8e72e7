#include "api/catalog.h"
#include "tests/support/test_paths.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace tapedeck::api {
namespace {

std::string spelled(const std::optional<VersionRange>& range) {
  return range ? std::to_string(range->min) + "-" + std::to_string(range->max) : std::string();
}

std::string spelled(const CatalogOperation& operation) {
  std::ostringstream line;
  line << operation.api << '\t' << operation.method << '\t' << spelled(operation.versions) << '\t'
       << operation.request_format << '\t' << (operation.changes_state ? "yes" : "no");
  return line.str();
}

}  // namespace

TEST_CASE("catalog: the compiled text equals the file") {
  std::ifstream file(std::string(tapedeck::tests::source_folder) + "/api/catalog.tsv");
  REQUIRE(file);
  std::size_t at = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("api\t")) continue;
    REQUIRE(at < catalog().size());
    CHECK(spelled(catalog()[at]) == line);
    ++at;
  }
  CHECK(at == catalog().size());
}

TEST_CASE("catalog: has the operations of the specification in their order") {
  // Section 4.3 of the specification: an API, then its methods.
  constexpr std::string_view spec_table = R"(
API.Auth login logout
API.Auth.Type get
API.Auth.UIConfig get
API.Encryption getinfo
API.Info query
ActiveInsight.CompleteCollection get
Auth.RescueEmail get set
Backup.Config.AutoBackup get status
Backup.Config.Backup list start status
CloudSync list_conn get_available_clouds get_config
Core.AppNotify view
Core.AppPortal list
Core.AppPortal.AccessControl list
Core.AppPortal.Config get set
Core.AppPortal.ReverseProxy list
Core.BackgroundTask get
Core.CMS.Info get
Core.Certificate.CRT list
Core.CurrentConnection get
Core.DDNS.Ethernet list
Core.DDNS.ExtIP list
Core.DDNS.Provider list
Core.DDNS.Record list
Core.DDNS.Synology get_myds_account
Core.DSMNotify notify
Core.DSMNotify.Strings get
Core.DataCollect.Application record
Core.Desktop.PersonalUpdater need_update
Core.Desktop.Timeout check
Core.Desktop.SessionData getjs
Core.DisableAdmin get
Core.EW.Info get
Core.ExternalDevice.Storage.USB list
Core.ExternalDevice.Storage.eSATA list
Core.FileServ.AFP get
Core.FileServ.NFS get
Core.FileServ.SMB get
Core.Hardware.FanSpeed get
Core.Hardware.SpectreMeltdown get
Core.MyDSCenter query
Core.Network get
Core.Network.Bond list
Core.Network.Ethernet list
Core.Network.Ethernet.External check
Core.Network.Interface list
Core.Network.OVS get
Core.Network.PPPoE list
Core.Network.Proxy get
Core.Network.Router.Gateway.List get
Core.Network.TrafficControl.Rules load
Core.Network.VPN.L2TP list
Core.Network.VPN.OpenVPN list
Core.Network.VPN.OpenVPNWithConf list
Core.Network.VPN.PPTP list
Core.NormalUser get set
Core.NormalUser.LoginNotify check
Core.Notification.Advance.FilterSettings.Profile list
Core.Notification.Advance.FilterSettings.Template list
Core.Notification.Mail.Conf get
Core.Notification.Push.Mail get
Core.Notification.Push.Webhook.Provider list delete
Core.OTP get_one get_qrcode
Core.OTP.EnforcePolicy get
Core.Package list feasibility_check
Core.Package.Feed list
Core.Package.Installation get_queue
Core.Package.Server check
Core.Package.Setting get set
Core.PersonalSettings quota
Core.Polling.Data get
Core.Promotion.Info is_2FA_enabled
Core.Promotion.PreInstall get_never_show
Core.QuickConnect get status check_availability
Core.QuickConnect.Permission get
Core.QuickStart.Info load_ds_info
Core.SNMP get set
Core.Security.AutoBlock get
Core.Security.DSM get
Core.Security.DSM.Embed get
Core.Security.DoS get
Core.Security.Firewall get
Core.Security.Firewall.Conf get
Core.Security.Firewall.Profile list
Core.SecurityScan.Conf time_get first_get
Core.SecurityScan.Operation update start
Core.SecurityScan.Status rule_get system_get
Core.Service.PortInfo load
Core.Share list
Core.SmartBlock get
Core.SmartBlock.User enabled
Core.Storage.Disk.FWUpgrade poll get_summary
Core.System info shutdown reboot
Core.System.Process list
Core.System.ProcessGroup list
Core.System.ResetButton get
Core.System.Status get
Core.System.SystemHealth get
Core.System.Utilization get
Core.Terminal get set
Core.Theme.Login get
Core.Upgrade basic_status did_user_see_new_upgrade_setting_toast
Core.Upgrade.AutoUpgrade status
Core.Upgrade.Server check
Core.Upgrade.Server.Download progress
Core.Upgrade.Setting get set
Core.User list
Core.User.PasswordConfirm auth
Core.UserSetting apply
Core.VolEncKeepKey get
Core.Web.DSM get
Core.Web.DSM.External get
Core.Web.Security.HTTPCompression get
Core.Web.Security.TLSProfile get
Entry.Request request
FileStation.Favorite list
FileStation.Info get
FileStation.List list_share
FileStation.Mount.List get
Finder.Bookmark get
Finder.FileIndexing.Folder list
Finder.Preference get
Finder.Settings get
ResourceMonitor.Setting get set
SecureSignIn.AMFA.Policy get
SecureSignIn.Method get
SecureSignIn.Package get
SecurityAdvisor.Conf.Location get
)";
  std::string expected;
  std::istringstream lines{std::string(spec_table)};
  for (std::string line, api, method; std::getline(lines, line);) {
    std::istringstream words(line);
    words >> api;
    while (words >> method) expected += api + " " + method + "\n";
  }
  std::string compiled;
  for (const CatalogOperation& operation : catalog()) {
    compiled.append(operation.api).append(" ").append(operation.method).append("\n");
  }
  CHECK(compiled == expected);
}

TEST_CASE("catalog: finds operations by API and method") {
  const CatalogOperation* network = catalog_operation("Core.Network", "GET");
  REQUIRE(network != nullptr);
  CHECK(network->method == "get");
  CHECK(network->versions->contains(2));
  CHECK_FALSE(network->versions->contains(3));
  CHECK_FALSE(network->changes_state);
  CHECK_FALSE(catalog_operation("CloudSync", "list_conn")->versions);
  CHECK(catalog_operation("Core.Network", "set") == nullptr);
  CHECK(catalog_operation("SVC.Core.Network", "get") == nullptr);
  CHECK(catalog_operation("core.network", "get") == nullptr);
}

TEST_CASE("catalog: the operations of one API are adjacent") {
  CHECK(catalog_api("Core.QuickConnect").size() == 3);
  CHECK(catalog_api("Core.QuickConnect.Permission").size() == 1);
  CHECK(catalog_api("Core").empty());
  std::set<std::string_view> apis;
  std::size_t operations = 0;
  for (const CatalogOperation& operation : catalog()) {
    if (apis.insert(operation.api).second) operations += catalog_api(operation.api).size();
  }
  CHECK(operations == catalog().size());
}

}  // namespace tapedeck::api
