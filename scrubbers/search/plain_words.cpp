#include "scrubbers/search/plain_words.h"

#include <string>
#include <unordered_set>

#include "api/call.h"
#include "api/catalog.h"
#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

// Words of 8 letters or more. Shorter values are only searched for if they have three classes of characters.
constexpr std::string_view common_words[] = {"access_token",
                                             "administrator",
                                             "administrators",
                                             "anonymous",
                                             "application",
                                             "authenticated",
                                             "authentication",
                                             "authorization",
                                             "certificate",
                                             "changeme123",
                                             "configuration",
                                             "connected",
                                             "default_setting",
                                             "defaultgateway",
                                             "description",
                                             "development",
                                             "device_id",
                                             "device_name",
                                             "disconnected",
                                             "diskstation",
                                             "display_name",
                                             "documentation",
                                             "entry.cgi",
                                             "enterprise",
                                             "environment",
                                             "everybody",
                                             "filestation",
                                             "information",
                                             "installation",
                                             "international",
                                             "localhost.localdomain",
                                             "localdomain",
                                             "maintenance",
                                             "management",
                                             "manufacturer",
                                             "notification",
                                             "notifications",
                                             "not_available",
                                             "organization",
                                             "passphrase",
                                             "password",
                                             "password123",
                                             "permission",
                                             "permissions",
                                             "photostation",
                                             "preferences",
                                             "production",
                                             "public_key",
                                             "qwertyuiop",
                                             "registration",
                                             "rememberme",
                                             "repository",
                                             "securitysetting",
                                             "server_name",
                                             "session_id",
                                             "sessionid",
                                             "subscription",
                                             "superuser",
                                             "surveillance",
                                             "surveillancestation",
                                             "synchronization",
                                             "synology",
                                             "system_status",
                                             "temperature",
                                             "transmission",
                                             "undefined",
                                             "unauthorized",
                                             "unavailable",
                                             "utilization",
                                             "verification",
                                             "videostation",
                                             "welcome123",
                                             "workgroup",
                                             "workstation"};

std::unordered_set<std::string> make_words() {
  std::unordered_set<std::string> words;
  for (const std::string_view word : common_words) words.emplace(word);
  for (const api::CatalogOperation& operation : api::catalog()) {
    words.insert(base::fold(operation.api));
    words.insert(base::fold(operation.method));
  }
  return words;
}

}  // namespace

bool is_plain_word(std::string_view text) {
  constexpr std::size_t longest = 200;  // longer than any word; a value may have megabytes
  if (text.size() > longest) return false;
  static const std::unordered_set<std::string> words = make_words();
  const std::string folded = base::fold(text);
  return words.contains(folded) || words.contains(base::fold(api::ApiName::split(text).rest));
}

}  // namespace tapedeck::scrubbers
