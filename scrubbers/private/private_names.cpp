#include "scrubbers/private/private_names.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "scrubbers/search/credential.h"

namespace tapedeck::scrubbers {
namespace {

using Kind = PrivateKind;

struct PrivateRow {
  std::string_view ending;  ///< NameEndings::add
  PrivateKind kind;
  std::string_view reason;
};

constexpr PrivateRow endings[] = {
    {"serial", Kind::id, "a serial number"},
    {"serialnumber", Kind::id, "a serial number"},
    {"serialno", Kind::id, "a serial number"},
    {"serialnum", Kind::id, "a serial number"},
    {"_wwn", Kind::id, "the worldwide name of a disk"},
    {"_wwid", Kind::id, "the worldwide name of a disk"},
    {"_eui", Kind::id, "the worldwide name of a disk"},
    {"imei", Kind::id, "a phone's number"},
    {"_imsi", Kind::id, "a SIM card's number"},
    {"iccid", Kind::id, "a SIM card's number"},
    {"voluuid", Kind::id, "a volume's id"},
    {"volumeuuid", Kind::id, "a volume's id"},
    {"fsuuid", Kind::id, "a file system's id"},
    {"raiduuid", Kind::id, "a RAID's id"},
    {"pooluuid", Kind::id, "a storage pool's id"},
    {"diskuuid", Kind::id, "a disk's id"},
    {"lunuuid", Kind::id, "a LUN's id"},
    {"shareuuid", Kind::id, "a share's id"},
    {"_iqn", Kind::name, "an iSCSI target's name"},
    {"fingerprint", Kind::id, "of a certificate or a key"},
    {"fingerprints", Kind::id, "of certificates or keys"},
    {"thumbprint", Kind::id, "of a certificate"},
    {"_mac", Kind::id, "a MAC address"},
    {"=mac", Kind::id, "a MAC address"},
    {"macaddr", Kind::id, "a MAC address"},
    {"macaddress", Kind::id, "a MAC address"},
    {"hwaddr", Kind::id, "a MAC address"},
    {"hwaddress", Kind::id, "a MAC address"},
    {"bssid", Kind::id, "a wireless network's address"},
    {"ssid", Kind::name, "a wireless network's name"},
    {"wifiname", Kind::name, "a wireless network's name"},
    {"networkname", Kind::name, "a network's name"},
    {"hostname", Kind::host, "a host's name"},
    {"hostnames", Kind::host, "hosts' names"},
    {"_host", Kind::host, "a host's name"},
    {"=host", Kind::host, "a host's name"},
    {"=hosts", Kind::host, "hosts' names"},
    {"servername", Kind::host, "a host's name"},
    {"serveraddr", Kind::host, "a host's name or address"},
    {"serveraddress", Kind::host, "a host's name or address"},
    {"_smtpserver", Kind::host, "a host's name"},
    {"ntpserver", Kind::host, "a host name, except public ones"},
    {"netbiosname", Kind::host, "a host's name"},
    {"computername", Kind::host, "a host's name"},
    {"nasname", Kind::host, "a host's name"},
    {"dsname", Kind::host, "a host's name"},
    {"domainname", Kind::host, "a domain"},
    {"=domain", Kind::host, "a domain"},
    {"_domain", Kind::host, "a domain"},
    {"fqdn", Kind::host, "a host's name"},
    {"ddns", Kind::host, "a DDNS name"},
    {"ddnsname", Kind::host, "a DDNS name"},
    {"ddnshost", Kind::host, "a DDNS name"},
    {"quickconnect", Kind::name, "a QuickConnect id"},
    {"quickconnectid", Kind::name, "a QuickConnect id"},
    {"_serveralias", Kind::name, "a QuickConnect id"},
    {"workgroup", Kind::name, "a workgroup, except the default"},
    {"devicename", Kind::name, "a client name, which often contains its owner's name"},
    {"clientname", Kind::name, "a client name, which often contains its owner's name"},
    {"mail", Kind::name, "a mail address"},
    {"emails", Kind::name, "mail addresses"},
    {"mailaddress", Kind::name, "a mail address"},
    {"emailaddress", Kind::name, "a mail address"},
    {"recipient", Kind::name, "the recipient of a mail"},
    {"recipients", Kind::name, "the recipient of a mail"},
    {"mailto", Kind::name, "the recipient of a mail"},
    {"mailfrom", Kind::name, "the sender of a mail"},
    {"sendername", Kind::name, "the sender of a mail"},
    {"username", Kind::name, "an account"},
    {"usernames", Kind::name, "accounts"},
    {"=user", Kind::name, "an account"},
    {"_loginname", Kind::name, "an account"},
    {"accountname", Kind::name, "an account"},
    {"=account", Kind::name, "an account"},
    {"_account", Kind::name, "an account"},
    {"=owner", Kind::name, "an account"},
    {"_owner", Kind::name, "an account"},
    {"ownername", Kind::name, "an account"},
    {"createdby", Kind::name, "an account"},
    {"modifiedby", Kind::name, "an account"},
    {"uploader", Kind::name, "an account"},
    {"=who", Kind::name, "an account"},
    {"=creator", Kind::name, "the author"},
    {"=author", Kind::name, "the author"},
    {"nickname", Kind::name, "a person's name"},
    {"fullname", Kind::name, "a person's name"},
    {"realname", Kind::name, "a person's name"},
    {"firstname", Kind::name, "a person's name"},
    {"lastname", Kind::name, "a person's name"},
    {"givenname", Kind::name, "a person's name"},
    {"familyname", Kind::name, "a person's name"},
    {"surname", Kind::name, "a person's name"},
    {"contactname", Kind::name, "a person's name"},
    {"companyname", Kind::name, "an employer"},
    {"=company", Kind::name, "an employer"},
    {"birthday", Kind::phone, "a date of birth"},
    {"dateofbirth", Kind::phone, "a date of birth"},
    {"sharename", Kind::name, "a share"},
    {"foldername", Kind::name, "a folder"},
    {"filename", Kind::name, "a file"},
    {"filenames", Kind::name, "files"},
    {"_basename", Kind::name, "a file"},
    {"albumname", Kind::name, "an album"},
    {"playlistname", Kind::name, "a list of songs"},
    {"cameraname", Kind::name, "a camera"},
    {"camname", Kind::name, "a camera"},
    {"groupname", Kind::name, "a group"},
    {"=path", Kind::path, "a file"},
    {"=paths", Kind::path, "files"},
    {"_path", Kind::path, "a file"},
    {"realpath", Kind::path, "a file"},
    {"filepath", Kind::path, "a file"},
    {"folderpath", Kind::path, "a folder"},
    {"sharepath", Kind::path, "a folder"},
    {"=destination", Kind::path, "a folder"},
    {"phone", Kind::phone, "a phone number"},
    {"phonenumber", Kind::phone, "a phone number"},
    {"phones", Kind::phone, "phone numbers"},
    {"mobilenumber", Kind::phone, "a phone number"},
    {"telephone", Kind::phone, "a phone number"},
    {"msisdn", Kind::phone, "a phone number"},
    {"smsnumber", Kind::phone, "a phone number"},
    {"faxnumber", Kind::phone, "a fax number"},
    {"=street", Kind::name, "a home address"},
    {"streetaddress", Kind::name, "a home address"},
    {"postaladdress", Kind::name, "a home address"},
    {"homeaddress", Kind::name, "a home address"},
    {"zipcode", Kind::phone, "a home address"},
    {"postalcode", Kind::phone, "a home address"},
    {"=postcode", Kind::phone, "a home address"},
    {"=city", Kind::name, "a location of a person"},
    {"commonname", Kind::host, "a certificate's subject"},
    {"=subject", Kind::subject, "a certificate's subject"},
    {"_subject", Kind::subject, "a certificate's subject"},
    {"=issuer", Kind::subject, "a certificate's issuer"},
    {"subjectaltname", Kind::host, "a certificate's other names"},
    {"subaltname", Kind::host, "a certificate's other names"},
    {"altnames", Kind::host, "a certificate's other names"},
    {"coordinates", Kind::position, "a position"},
    {"geolocation", Kind::position, "a position"},
    {"gpsposition", Kind::position, "a position"},
};

/// Whole names of JSON members and parameters. They are too short to be used as endings, or their values may be
/// numbers.
constexpr PrivateRow whole_names[] = {
    {"sn", Kind::id, "a serial number"},
    {"cn", Kind::host, "a certificate's subject"},
    {"lat", Kind::position, "a position"},
    {"lng", Kind::position, "a position"},
    {"lon", Kind::position, "a position"},
    {"latitude", Kind::position, "a position"},
    {"longitude", Kind::position, "a position"},
    {"gps_latitude", Kind::position, "a position"},
    {"gps_longitude", Kind::position, "a position"},
    {"GPSLatitude", Kind::position, "a position"},
    {"GPSLongitude", Kind::position, "a position"},
    {"coordinates", Kind::position, "a position"},
    {"tel", Kind::phone, "a phone number"},
    {"fax", Kind::phone, "a fax number"},
    {"mobile", Kind::phone, "a phone number"},
};

/// APIs in which "name" and similar members are private. In other APIs they name packages, ports, and settings.
struct PlaceRow {
  std::string_view api;  ///< ScrubRule::api
  std::string_view keys;
  std::string_view reason;
};

constexpr PlaceRow place_rows[] = {
    {"Core.Share", "name desc description uuid", "shares"},
    {"Core.Share.*", "name desc description uuid user_group_name", "shares"},
    {"Core.User", "name description email new_name", "accounts"},
    {"Core.User.*", "name description user", "accounts"},
    {"Core.NormalUser", "name description", "the account's own page"},
    {"Core.Group", "name description group", "groups"},
    {"Core.Group.*", "name description group", "groups"},
    {"Core.Directory.*", "name description dn base_dn bind_dn", "a directory"},
    {"Core.Storage.*", "uuid desc pool_path_desc unique", "disks and volumes"},
    {"Storage.*", "uuid desc unique", "disks and volumes"},
    {"Core.ISCSI.*", "name uuid description iqn", "targets and LUNs"},
    {"Core.CurrentConnection", "from descr user_agent_host", "connected clients"},
    {"Core.SyslogClient.*", "host hostname ip who", "log lines"},
    {"Core.TaskScheduler", "name", "tasks with names chosen by users"},
    {"Core.QuickConnect", "server_alias server_id alias", "the QuickConnect id"},
    {"Core.QuickConnect.*", "server_alias server_id alias", "the QuickConnect id"},
    {"Core.DDNS.*", "hostname host id", "DDNS names"},
    {"Core.Certificate.*", "desc organization organization_unit city state", "subjects of certificates"},
    {"Core.ExternalDevice.*", "title dev_title share_name", "disks with names chosen by users"},
    {"Core.Network.*", "ssid essid", "networks"},
    {"FileStation.*", "name title folder_path file_path dest_folder_path owner user group", "files and folders"},
    {"DownloadStation.*", "title destination filename", "downloads"},
    {"DownloadStation2.*", "title destination filename", "downloads"},
    {"SurveillanceStation.*", "name newName", "cameras"},
    {"Foto.*", "name filename title description address", "pictures and albums"},
    {"FotoTeam.*", "name filename title description address", "pictures and albums"},
    {"PhotoStation.*", "name title description", "pictures and albums"},
    {"AudioStation.*", "name title", "songs and lists"},
    {"VideoStation.*", "title name", "films and lists"},
    {"VideoStation2.*", "title name", "films and lists"},
    {"NoteStation.*", "title brief content", "notes"},
    {"SynologyDrive.*", "name display_name title", "files and folders"},
    {"Contacts.*", "name title note", "contacts"},
    {"AddressBook.*", "name title note", "contacts"},
    {"Cal.*", "summary description location title", "dates"},
    {"Chat.*", "message name title", "messages"},
    {"MailClient.*", "subject body_preview name", "mails"},
    {"MailPlus.*", "subject body_preview name", "mails"},
    {"Backup.*", "name target_id", "backups"},
    {"ActiveBackup.*", "name device_name", "backups"},
    {"CloudSync", "name display_name account", "accounts of clouds"},
    {"Virtualization.*", "name guest_name", "virtual machines"},
};

constexpr std::string_view common_values[] = {"admin",
                                              "administrator",
                                              "administrators",
                                              "guest",
                                              "root",
                                              "user",
                                              "users",
                                              "group",
                                              "groups",
                                              "http",
                                              "nobody",
                                              "everyone",
                                              "anonymous",
                                              "system",
                                              "homes",
                                              "home",
                                              "localhost",
                                              "localhost.localdomain",
                                              "localdomain",
                                              "local",
                                              "workgroup",
                                              "none",
                                              "unknown",
                                              "default",
                                              "auto",
                                              "automatic",
                                              "normal",
                                              "disabled",
                                              "enabled",
                                              "enable",
                                              "disable",
                                              "true",
                                              "false",
                                              "yes",
                                              "no",
                                              "null",
                                              "on",
                                              "off",
                                              "all",
                                              "any",
                                              "other",
                                              "others",
                                              "internal",
                                              "external",
                                              "static",
                                              "dynamic",
                                              "manual",
                                              "dhcp",
                                              "public",
                                              "private",
                                              "network",
                                              "volume",
                                              "share",
                                              "shared",
                                              "folder",
                                              "file",
                                              "files",
                                              "document",
                                              "status",
                                              "success",
                                              "failed",
                                              "warning",
                                              "error",
                                              "critical",
                                              "connected",
                                              "disconnected",
                                              "online",
                                              "offline",
                                              "active",
                                              "inactive",
                                              "running",
                                              "stopped",
                                              "waiting",
                                              "finished",
                                              "paused",
                                              "ready",
                                              "healthy",
                                              "degraded",
                                              "crashed",
                                              "attention",
                                              "personal",
                                              "domain",
                                              "ldap",
                                              "sata",
                                              "nvme",
                                              "hdd",
                                              "ssd",
                                              "usb",
                                              "esata",
                                              "samba",
                                              "webdav",
                                              "synology",
                                              "diskstation",
                                              "synology router",
                                              "synology nas",
                                              "time.google.com",
                                              "pool.ntp.org",
                                              "time.windows.com",
                                              "time.nist.gov",
                                              "example",
                                              "test",
                                              "n/a",
                                              "not available",
                                              "let's encrypt",
                                              "r3",
                                              "r10",
                                              "r11",
                                              "isrg root x1",
                                              "self-signed",
                                              "synology inc.",
                                              "taipel",
                                              "taipei",
                                              "taiwan"};

constexpr std::string_view system_paths[] = {
    "/bin", "/boot", "/dev", "/etc",    "/initrd", "/lib",       "/proc",    "/root", "/run", "/sbin",   "/sys",
    "/tmp", "/usr",  "/var", "/webapi", "/webman", "/entry.cgi", "/scripts", "/css",  "/js",  "/images", "/favicon"};

constexpr std::string_view file_endings[] = {
    "7z",  "aac", "avi",  "bak",  "bin",  "bmp",     "bz2",  "cer", "cfg",  "conf", "crt", "css",  "csv",  "db",
    "deb", "der", "dmg",  "doc",  "docx", "eml",     "epub", "exe", "flac", "gif",  "gz",  "heic", "htm",  "html",
    "ico", "ics", "img",  "ini",  "iso",  "jpeg",    "jpg",  "js",  "json", "key",  "log", "m4a",  "m4v",  "md",
    "mkv", "mov", "mp3",  "mp4",  "mpeg", "mpg",     "nef",  "nfo", "odp",  "ods",  "odt", "ogg",  "pdf",  "pem",
    "php", "png", "ppt",  "pptx", "ps",   "psd",     "py",   "rar", "raw",  "rtf",  "sh",  "spk",  "sql",  "srt",
    "svg", "tar", "tgz",  "tif",  "tiff", "torrent", "ts",   "txt", "vcf",  "vmdk", "wav", "webm", "webp", "wma",
    "wmv", "xls", "xlsx", "xml",  "xz",   "yaml",    "yml",  "zip", "zst"};

template <std::size_t N>
bool has(const std::string_view (&list)[N], std::string_view value) {
  static const std::unordered_set<std::string_view> known(std::begin(list), std::end(list));
  return known.contains(value);
}

PrivateRule make(std::string id, Scope scope, std::string_view match, std::string_view api, PrivateKind kind,
                 std::string_view reason) {
  PrivateRule made;
  made.rule.id = std::move(id);
  made.rule.reason = reason;
  made.rule.scope = scope;
  made.rule.match = match;
  made.rule.api = api;
  made.rule.secret_class = SecretClass::private_data;
  made.kind = kind;
  return made;
}

void add_place(std::vector<PrivateRule>& rules, const PlaceRow& place) {
  std::string_view rest = place.keys;
  while (!rest.empty()) {
    const std::string_view key = base::take_until(rest, ' ');
    const Kind kind = key == "uuid" || key == "unique"                                     ? Kind::id
                      : key.ends_with("path") || key == "destination"                      ? Kind::path
                      : key == "from" || key == "host" || key == "ip" || key == "hostname" ? Kind::host
                      : key.ends_with("dn")                                                ? Kind::subject
                                                                                           : Kind::name;
    const std::string id = "private-" + base::fold(place.api) + "-" + std::string(key);
    rules.push_back(make(id, Scope::json_key, key, place.api, kind, place.reason));
    rules.push_back(make(id + "-param", Scope::parameter, key, place.api, kind, place.reason));
  }
}

/// Returns true for a device word and a number: "volume1", "volume_2", "sda", "sda3", "sata1", "nvme0n1", "usb1",
/// "eth0".
bool is_numbered_device(std::string_view folded) {
  static constexpr std::string_view stems[] = {"volume", "volume_", "volumeusb", "volumesata", "sata",   "usb",
                                               "sdu",    "nvme",    "md",        "disk",       "drive ", "eth",
                                               "bond",   "ovs_eth", "wlan",      "ppp",        "tun",    "reuse_",
                                               "drive",  "disk ",   "raid_",     "pool_",      "lan "};
  if (folded.size() >= 3 && folded.size() <= 5 && folded.starts_with("sd") && base::is_letter(folded[2]) &&
      std::all_of(folded.begin() + 3, folded.end(), base::is_digit)) {
    return true;
  }
  if (folded.starts_with("nvme")) {
    return folded.find_first_not_of("nvme0123456789p") == std::string_view::npos;
  }
  const std::size_t digits = folded.find_last_not_of("0123456789") + 1;
  const std::string_view stem = folded.substr(0, digits);
  return std::find(std::begin(stems), std::end(stems), stem) != std::end(stems);
}

}  // namespace

std::vector<PrivateRule> private_rules() {
  std::vector<PrivateRule> rules;
  for (const PlaceRow& place : place_rows) add_place(rules, place);
  for (const PrivateRow& row : whole_names) {
    const std::string id = "private-" + std::string(row.ending);
    rules.push_back(make(id + "-key", Scope::json_key, row.ending, "", row.kind, row.reason));
    rules.push_back(make(id + "-param", Scope::parameter, row.ending, "", row.kind, row.reason));
  }
  rules.push_back(make("private-referer", Scope::header, "Referer", "", Kind::host, "the device's name"));
  rules.push_back(make("private-origin", Scope::header, "Origin", "", Kind::host, "the device's name"));
  for (const PrivateRow& row : endings) {
    std::string_view word = row.ending;
    if (word.starts_with('_') || word.starts_with('=')) word.remove_prefix(1);
    const std::string kind(row.ending.starts_with('_') ? "word-" : row.ending.starts_with('=') ? "whole-" : "");
    rules.push_back(make("private-" + kind + std::string(word), Scope::name, row.ending, "", row.kind, row.reason));
  }
  return rules;
}

bool is_common(std::string_view value) {
  const std::string folded = base::fold(value);
  return has(common_values, std::string_view(folded)) || is_numbered_device(folded) || is_plain_word(value);
}

bool is_common_component(std::string_view component) {
  if (component.empty() || component == "." || component == ".." || component == "*") return true;
  return component.front() == '@' || component.front() == '#' || is_common(component);
}

bool is_system_path(std::string_view path) {
  return std::any_of(std::begin(system_paths), std::end(system_paths), [path](std::string_view one) {
    return path.starts_with(one) && (path.size() == one.size() || !base::is_alnum(path[one.size()]));
  });
}

bool is_file_ending(std::string_view ending) {
  const std::string folded = base::fold(ending);
  return has(file_endings, std::string_view(folded));
}

}  // namespace tapedeck::scrubbers
