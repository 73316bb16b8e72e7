#include "scrubbers/search/message_names.h"

#include <bitset>
#include <cstring>
#include <string>
#include <unordered_set>

#include "api/catalog.h"
#include "api/operation_spec.h"
#include "base/text.h"
#include "base/text_hash.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {
namespace {

/// Texts that most messages contain, besides the names in the catalog, the specification, and the rules.
constexpr std::string_view usual_texts[] = {
    "GET POST HEAD OPTIONS HTTP/1.1 200 OK http://localhost:5000/ https://127.0.0.1:5001/",
    "<!DOCTYPE html><html><head><title></title><meta charset=\"utf-8\"><link rel=\"stylesheet\"><script "
    "type=\"text/javascript\" src=\"\"></script><style></style></head><body><div class=\"\"><span></span><form "
    "action=\"\"><input type=\"text\" value=\"\"><button><label><table><iframe><img "
    "alt=\"\"></body></html><html><body>",
    "function(){return this; if else while break typeof switch case var let const window.document.location default",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    "{\"data\":{\"items\":[{\"id\":1,\"name\":\"\",\"path\":\"/volume1/homes\",\"type\":\"\",\"size\":0}],\"offset\":0,"
    "\"total\":0,\"shares\":[],\"files\":[],\"additional\":{}},\"success\":true}",
    "{\"data\":{\"has_fail\":false,\"result\":[{\"api\":\"\",\"data\":{},\"method\":\"\",\"success\":true,\"version\":"
    "1}]},"
    "\"success\":true}",
    "{\"error\":{\"code\":100,\"errors\":[]},\"success\":false}",
    "{\"data\":{\"account\":\"\",\"device_id\":\"\",\"ik_message\":\"\",\"is_portal_port\":false,\"sid\":\"\","
    "\"synotoken\":\"\"}}",
    "{\"maxVersion\":1,\"minVersion\":1,\"path\":\"entry.cgi\",\"requestFormat\":\"JSON\"}",
    "true false null undefined none None True False",
    "application/json; charset=\"UTF-8\" application/json; charset=utf-8 application/x-www-form-urlencoded "
    "multipart/form-data; boundary= text/html; charset=\"UTF-8\" text/html; charset=UTF-8 "
    "text/html; charset=utf-8 text/plain text/css text/javascript "
    "application/javascript application/octet-stream image/png image/jpeg image/svg+xml image/gif text/event-stream",
    "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title></title></head><body></body></html>",
    "CREATE TABLE meta( CREATE TABLE interaction( CREATE INDEX INTEGER PRIMARY KEY NOT NULL WITHOUT ROWID SELECT "
    "INSERT INTO UPDATE DELETE FROM",
    "Content-Disposition: form-data; name=\"\"; filename=\"\" attachment; inline;",
    "Accept Accept-Encoding: gzip, deflate, br Accept-Language: en-US,en;q=0.9 Cache-Control: no-cache, no-store, "
    "must-revalidate, max-age=0 Connection: keep-alive close Content-Length Content-Security-Policy: base-uri 'self'; "
    "default-src 'self' Cookie Date Expires: Mon, Tue, Wed, Thu, Fri, Sat, Sun Jan Feb Mar Apr May Jun Jul Aug Sep Oct "
    "Nov Dec GMT ETag Host If-Modified-Since If-None-Match Last-Modified Location Origin P3P Pragma Range: bytes=0- "
    "Referer Server: nginx Set-Cookie: id=; path=/; HttpOnly; secure; SameSite=Lax Strict-Transport-Security "
    "Transfer-Encoding: chunked User-Agent: Mozilla/5.0 curl/ Vary X-Content-Type-Options: nosniff X-Frame-Options: "
    "SAMEORIGIN X-Requested-With: XMLHttpRequest X-SYNO-HASH X-SYNO-TOKEN X-XSS-Protection: 1; mode=block",
};

/// Parameters of calls that have no rule.
constexpr std::string_view parameters =
    "account action additional api client_time compound content device_name dest_folder_path "
    "enable_device_token enable_syno_token file folder_path force format id limit method mode name offset "
    "overwrite path pattern query recursive search session sort_by sort_direction status stop_when_error "
    "taskid timestamp type user version";

/// The segments of the fixed paths.
constexpr std::string_view segments =
    "3rdparty auth.cgi css encryption.cgi entry.cgi fbdownload fsdownload images index.cgi locale login.php "
    "modules photo query.cgi resources scripts sharing socket.io webapi webman";

/// The numbers of all four bytes in a row of a text. Most secrets contain four that no message has.
class Grams {
 public:
  static constexpr std::size_t length = 4;

  void add(std::string_view text) {
    for (std::size_t at = 0; at + length <= text.size(); ++at) seen_.set(number_of(text.data() + at));
  }
  [[nodiscard]] bool may_contain(std::string_view text) const {
    for (std::size_t at = 0; at + length <= text.size(); ++at) {
      if (!seen_.test(number_of(text.data() + at))) return false;
    }
    return true;
  }

 private:
  static constexpr unsigned bits = 18;
  static std::size_t number_of(const char* bytes) {
    std::uint32_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word * 0x9E3779B1u >> (32 - bits);
  }
  std::bitset<std::size_t{1} << bits> seen_;
};

struct Structure {
  std::string text;
  Grams grams;
  std::unordered_set<std::string, base::TextHash, std::equal_to<>> names;

  void add_name(std::string_view name) {
    if (names.emplace(name).second) text.append(name).append("\n");
  }

  Structure() {
    for (const std::string_view usual : usual_texts) text.append(usual).append("\n");
    for (std::string_view rest = segments; !rest.empty();) {
      const std::string_view segment = base::take_until(rest, ' ');
      add_name(segment);
      text.append("/webapi/").append(segment).append("/").append(segment).append("?api=\n");
    }
    add_name("JSON");  // a format of requests in the responses of API.Info
    for (std::string_view rest = parameters; !rest.empty();) {
      const std::string_view name = base::take_until(rest, ' ');
      add_name(name);
      text.append("&").append(name).append("=\n");
    }
    for (const api::CatalogOperation& operation : api::catalog()) {
      for (const char* const label : {"SYNO.", "SVC."}) names.emplace(label + std::string(operation.api));
      names.emplace(operation.method);
      const int version = operation.versions ? operation.versions->max : 1;
      text.append("/webapi/entry.cgi?api=SYNO.").append(operation.api).append("&version=");
      text.append(std::to_string(version)).append("&method=").append(operation.method).append("&_sid=\n");
      text.append("{\"api\":\"SYNO.").append(operation.api).append("\",\"method\":\"").append(operation.method);
      text.append("\",\"version\":").append(std::to_string(version)).append("}\n");
    }
    for (const api::OperationSpec& operation : api::operation_specs()) {
      for (const api::FieldSpec& field : operation.fields) add_path(field.path);
    }
    const RuleSet defaults = RuleSet::defaults();
    for (const ScrubRule& rule : defaults.rules()) {
      if (rule.scope != Scope::body_pattern && rule.scope != Scope::name) add_path(rule.match);
    }
    grams.add(text);
  }

 private:
  void add_path(std::string_view path) {
    while (!path.empty()) {
      std::string_view name = base::take_until(path, '.');
      if (name.ends_with("[]")) name.remove_suffix(2);
      if (!name.empty() && name.front() != '*') add_name(name);
    }
  }
};

const Structure& structure() {
  static const Structure all;
  return all;
}

}  // namespace

bool is_in_structure(std::string_view text) {
  return structure().grams.may_contain(text) && structure().text.find(text) != std::string::npos;
}

bool is_message_name(std::string_view name) { return structure().names.contains(name); }

bool is_fixed_segment(std::string_view segment) {
  for (std::string_view rest = segments; !rest.empty();) {
    if (base::take_until(rest, ' ') == segment) return true;
  }
  return false;
}

}  // namespace tapedeck::scrubbers
