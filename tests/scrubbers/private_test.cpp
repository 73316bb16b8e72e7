// Tests the private profile (docs/secrets.md, "Private data"): which values get pseudonyms of which form, and which
// stay.

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "scrubbers/private/addresses.h"
#include "scrubbers/private/private_key_file.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/private/private_shapes.h"
#include "scrubbers/private/private_values.h"
#include "tests/scrubbers/fixtures.h"

namespace tapedeck::scrubbers::test {

namespace {

const std::string key(32, 'k');

Scrubber scrubber_with(const std::shared_ptr<PrivateProfile>& profile) {
  ScrubberOptions options;
  options.profile = profile;
  return Scrubber(options);
}

std::shared_ptr<PrivateProfile> profile(PrivateOptions options = {}) {
  if (!options.table) options.table = PrivateTable{key, {}};
  return std::make_shared<PrivateProfile>(std::move(options));
}

std::string value_of(PrivateKind kind, std::string_view value) {
  Pseudonyms pseudonyms(key);
  const PrivateValues values(pseudonyms, [](std::string_view) { return false; });
  return values.replaced(kind, value).value_or("(stays)");
}

std::string shape(std::string_view text) {
  std::string form;
  for (const char c : text) form += base::is_digit(c) ? '9' : base::is_lower(c) ? 'a' : base::is_upper(c) ? 'A' : c;
  return form;
}

unsigned common_bits(const Ipv4& a, const Ipv4& b) {
  unsigned bits = 0;
  while (bits < 32 && (a[bits / 8] >> (7 - bits % 8) & 1) == (b[bits / 8] >> (7 - bits % 8) & 1)) ++bits;
  return bits;
}

}  // namespace

TEST_CASE("private: a pseudonym has the shape, length, and alphabet of its original") {
  struct Row {
    PrivateKind kind;
    std::string value, like;  ///< the shape, or the texts that stay before and after it
  };
  const std::vector<Row> rows = {
      {PrivateKind::id, "2040QXR7T4KLM", "9999AAA9A9AAA"},
      {PrivateKind::id, "WD-WCC7K1PL0XYZ", "AA-AAA9A9AA9AAA"},
      {PrivateKind::name, "henrike", "aaaaaaa"},
      {PrivateKind::name, "Henrike Lindwurm", "Aaaaaaa Aaaaaaaa"},
      {PrivateKind::name, "strandurlaub.jpg", "aaaaaaaaaaaa.aaa"},
      {PrivateKind::path, "/volume1/album/IMG_0815.jpg", "/aaaaaa9/aaaaa/AAA_9999.aaa"},
      {PrivateKind::host, "tannhauser-nas", "aaaaaaaaaa-aaa"},
      {PrivateKind::host, "nas.example.net:5001", "aaa.aaaaaaa.aaa:9999"},
      {PrivateKind::phone, "+49 351 7654321", "+99 999 9999999"},
      {PrivateKind::position, "51.3396", "99.9999"},
      {PrivateKind::subject, "CN=keller.lindwurm.net, O=Lindwurm Wein, C=DE",
       "AA=aaaaaa.aaaaaaaa.aaa, A=Aaaaaaaa Aaaa, A=AA"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.value);
    const std::string made = value_of(row.kind, row.value);
    CHECK(shape(made) == row.like);
    CHECK(made != row.value);
    CHECK(value_of(row.kind, row.value) == made);
  }
  CHECK(value_of(PrivateKind::path, "/volume1/album/a.jpg").starts_with("/volume1/"));
  CHECK(value_of(PrivateKind::path, "/volume1/album/IMG_0815.jpg").ends_with(".jpg"));
  CHECK(value_of(PrivateKind::host, "nas.example.net:5001").ends_with(".net:5001"));
  CHECK(value_of(PrivateKind::subject, "CN=keller.lindwurm.net, O=Wein, C=DE").ends_with(", C=DE"));
  CHECK(value_of(PrivateKind::name, "M\xC3\xBCller").size() == 7);
  CHECK(value_of(PrivateKind::name, "ann@corp.example.net").ends_with("@example.org"));
  CHECK(value_of(PrivateKind::name, "@corp.example.net") != "@corp.example.net");
  const std::string loud = value_of(PrivateKind::name, "HENRIKE");
  CHECK(base::fold(loud) == value_of(PrivateKind::name, "henrike"));
}

TEST_CASE("private: values that every device has stay") {
  for (const char* value : {"admin", "guest", "root", "homes", "volume1", "Volume_2", "sda", "sdb3", "nvme0n1", "eth0",
                            "none", "true", "WORKGROUP", "localhost", "SYNO.Core.Share", "12", "", "--"}) {
    CAPTURE(value);
    CHECK(value_of(PrivateKind::name, value) == "(stays)");
  }
  for (const char* value : {"255.255.255.0", "0.0.0.0", "127.0.0.1", "255.255.255.255", "::1", "::", "localhost"}) {
    CAPTURE(value);
    CHECK(value_of(PrivateKind::host, value) == "(stays)");
  }
  for (const char* value : {"/usr/bin/x", "/webman/index.cgi", "entry.cgi", "/volume1/@eaDir", "/volume1/homes"}) {
    CAPTURE(value);
    CHECK(value_of(PrivateKind::path, value) == "(stays)");
  }
}

TEST_CASE("private: addresses within private blocks keep their common prefixes") {
  Pseudonyms pseudonyms(key);
  const std::vector<std::string> addresses = {"192.168.1.1", "192.168.1.2",  "192.168.1.129", "192.168.2.1",
                                              "10.0.0.1",    "10.0.0.2",     "10.0.1.1",      "10.200.1.1",
                                              "172.16.0.1",  "172.31.255.1", "169.254.17.3",  "169.254.17.4"};
  std::set<std::string> made;
  for (const std::string& one : addresses) {
    const Ipv4 before = *parse_ipv4(one);
    const Ipv4 after = *parse_ipv4(*pseudonyms.of_ipv4(one));
    made.insert(written(after));
    for (const std::string& other : addresses) {
      const Ipv4 other_after = *parse_ipv4(*pseudonyms.of_ipv4(other));
      CAPTURE(one, other);
      CHECK(common_bits(before, *parse_ipv4(other)) == common_bits(after, other_after));
    }
  }
  CHECK(made.size() == addresses.size());
  for (int i = 0; i < 2000; ++i) {
    const std::string one = "93.184." + std::to_string(i / 200) + "." + std::to_string(i % 200 + 1);
    const Ipv4 after = *parse_ipv4(*pseudonyms.of_ipv4(one));
    REQUIRE((after[0] == 198 && (after[1] == 18 || after[1] == 19)));
    REQUIRE(made.insert(written(after)).second);
  }
  CHECK(pseudonyms.of_ipv6("2a02:810d::1")->starts_with("2001:db8:"));
  for (const char* one : {"2a82:810d::1", "fe00::1", "fe40::1", "fec0::1"}) {
    CAPTURE(one);
    CHECK(pseudonyms.of_ipv6(one)->starts_with("2001:db8:"));
  }
  CHECK(pseudonyms.of_ipv6("fe80::1")->starts_with("fe80::"));
  CHECK(pseudonyms.of_ipv6("febf::1")->starts_with("febf:"));
  CHECK(pseudonyms.of_ipv6("fd12:3456::1")->starts_with("fd"));
  CHECK(parse_ipv6(*pseudonyms.of_ipv6("2A02:0810:0000:0000:0000:0000:0000:0001"))->at(0) == 0x20);
  const std::string mac = *pseudonyms.of_mac("00-11-32-5D-FD-11");
  CHECK((parse_mac(mac)->at(0) & 3) == 2);
  CHECK(parse_mac(mac) == parse_mac(*pseudonyms.of_mac("00:11:32:5d:fd:11")));
  CHECK(mac.find('-') == 2);
}

TEST_CASE("private: recognizes private data by its shape") {
  const auto found = [](std::string_view text) {
    std::string all;
    for (const PrivateShape& one : private_shapes(text)) {
      all += (all.empty() ? "" : " ") + std::string(to_string(one.kind)) + "=" +
             std::string(text.substr(one.begin, one.end - one.begin));
    }
    return all;
  };
  CHECK(found("from 192.168.1.5, to 10.0.0.7.") == "ipv4=192.168.1.5 ipv4=10.0.0.7");
  CHECK(found("http://192.168.1.5:5000/x") == "ipv4=192.168.1.5");
  CHECK(found("[fe80::211:32ff:fe5d:fd11]:80") == "ipv6=fe80::211:32ff:fe5d:fd11");
  CHECK(found("mac 00:11:32:5d:fd:11 or 00-11-32-5D-FD-11") == "mac=00:11:32:5d:fd:11 mac=00-11-32-5D-FD-11");
  CHECK(found("<ann.b+c@mail.example.net>") == "mail=ann.b+c@mail.example.net");
  CHECK(found("call +49 351 7654321 now") == "phone=+49 351 7654321");
  CHECK(found("offset +0351 7654321 now").empty());  // country codes do not begin with 0
  CHECK(found("8A:1F:0C:77:21:9B:DE:44:51:6A:02:93:AC:BD:CE:DF") ==
        "fingerprint=8A:1F:0C:77:21:9B:DE:44:51:6A:02:93:AC:BD:CE:DF");
  for (const char* text :
       {"12:30:45", "2026-01-02T03:04:05Z", "std::string a::b", "\"version\":\"1.2.3.4\"", "nginx/1.18.0.1",
        "Chrome/120.0.0.0", "255.255.255.0 0.0.0.0 127.0.0.1 ::1", "1.2.3.4.5", "4.3.2.1-5678", "+01:00", "a@b",
        "@eaDir", "1 + 2", "00:00:00:00:00:00", "x@y.1", "999.1.1.1", "01.2.3.4", "user@ is", "0.1.2.3"}) {
    CAPTURE(text);
    CHECK(found(text) == "");
  }
}

TEST_CASE("private: a list and a call for one of its elements have the same pseudonym, also in keys") {
  const auto private_values = profile();
  Scrubber scrubber = scrubber_with(private_values);
  const auto list = scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list",
                                       R"({"data":{"shares":[{"name":"steuerbelege"}]},"success":true})"));
  const auto one = scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=get&name=steuerbelege"));
  REQUIRE(list.record().redactions.size() == 1);
  const Redaction row = list.record().redactions.front();
  CHECK(row.secret_class == SecretClass::private_data);
  const std::string pseudonym = list.record().response.body.substr(row.offset, row.length);
  CHECK(pseudonym.size() == 12);
  CHECK(one.record().request.target.ends_with("&name=" + pseudonym));
  CHECK(one.record().key.text.find(pseudonym) != std::string::npos);
  CHECK_FALSE(one.record().key.has_holes);
}

TEST_CASE("private: a known text is found elsewhere, but not in JSON keys and names of the interface") {
  PrivateOptions options;
  options.keep = {"Belegliste"};
  options.replace = {"ACME Werkstatt"};
  const auto private_values = profile(options);
  Scrubber scrubber = scrubber_with(private_values);
  const std::string shares =
      R"({"data":{"shares":[{"name":"steuerbelege"},{"name":"Storage"},{"name":"Belegliste"}]},"success":true})";
  static_cast<void>(scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list", shares)));
  const std::string body =
      R"({"data":{"text":"in steuerbelege and %2Fsteuerbelege%2Fx, STEUERBELEGE","steuerbelege":1,)"
      R"("other":"steuerbelegen","api":"SYNO.Core.Storage","list":"Belegliste","at":"ACME Werkstatt"}})";
  const std::string stored =
      scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.Core.Thing&version=1&method=get", body)).record().response.body;
  CAPTURE(stored);
  CHECK(stored.find("in steuerbelege") == std::string::npos);
  CHECK(stored.find("%2Fsteuerbelege") == std::string::npos);
  CHECK(stored.find("STEUERBELEGE") == std::string::npos);
  CHECK(stored.find("ACME Werkstatt") == std::string::npos);
  CHECK(stored.find(R"("steuerbelege":1)") != std::string::npos);
  CHECK(stored.find(R"("other":"steuerbelegen")") != std::string::npos);
  CHECK(stored.find("SYNO.Core.Storage") != std::string::npos);
  CHECK(stored.find("Belegliste") != std::string::npos);
}

TEST_CASE("private: headers that describe programs stay, and others do not") {
  Scrubber scrubber = scrubber_with(profile());
  api::Interaction asked = get("/x");
  for (const char* name : {"User-Agent", "Accept", "If-None-Match", "X-Forwarded-For"}) {
    asked.request.headers.add(name, "at 192.168.7.9");
  }
  for (const char* name : {"Server", "ETag", "Via", "X-Served-By"}) asked.response.headers.add(name, "at 192.168.7.9");
  const auto scrubbed = scrubber.scrub(asked);
  const InteractionRecord& record = scrubbed.record();
  for (const auto& [headers, changed] :
       {std::pair(&record.request.headers, "X-Forwarded-For"), std::pair(&record.response.headers, "X-Served-By")}) {
    for (const http::Header& header : *headers) {
      if (header.value.find("at ") == std::string::npos) continue;
      CAPTURE(header.name);
      CHECK((header.value == "at 192.168.7.9") == (header.name != changed));
    }
  }
}

TEST_CASE("private: the account of a login is also found elsewhere") {
  Scrubber scrubber = scrubber_with(profile());
  static_cast<void>(scrubber.scrub(login(sid, "henrike")));
  const auto later = scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.Core.Thing&version=1&method=get",
                                        R"({"data":{"text":"Hello henrike"},"success":true})"));
  CHECK(later.record().response.body.find("henrike") == std::string::npos);
}

TEST_CASE("private: scrubbing again keeps pseudonyms and adds new ones") {
  const auto private_values = profile();
  Scrubber scrubber = scrubber_with(private_values);
  const auto early = scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.Core.Thing&version=1&method=get",
                                        R"({"data":{"text":"of henrike at 192.168.7.9"},"success":true})"));
  const std::uint64_t before = scrubber.generation();
  static_cast<void>(scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.Core.User&version=1&method=list",
                                       R"({"data":{"users":[{"name":"henrike"}]},"success":true})")));
  CHECK(scrubber.generation() > before);
  const auto again = scrubber.rescrub(early.record());
  CHECK(again.changed);
  CHECK(again.interaction.record().response.body.find("henrike") == std::string::npos);
  const auto third = scrubber.rescrub(again.interaction.record());
  CHECK_FALSE(third.changed);
  CHECK(third.interaction.record().response.body == again.interaction.record().response.body);
}

TEST_CASE("private: exchange replaces originals in a request, and its response gets them back") {
  const auto writing = profile();
  Scrubber scrubber = scrubber_with(writing);
  const std::string target =
      "/webapi/entry.cgi?api=SYNO.FileStation.List&version=2&method=list&folder_path=%2Fsteuerbelege%2FFinanzamt";
  const auto stored = scrubber.scrub(
      get(target, R"({"data":{"files":[{"path":"\/steuerbelege\/Finanzamt\/bescheid.pdf","name":"bescheid.pdf"}]}})"));
  PrivateOptions options;
  options.table = writing->table();
  options.frozen = true;
  PrivateProfile reading(options);
  http::Request request;
  request.method = "GET";
  request.target = target;
  const PrivateProfile::Brought brought = reading.exchange(request);
  CHECK(request.target == stored.record().request.target);
  CHECK(reading.exchange(request).empty());
  CHECK(request.target == stored.record().request.target);
  std::string body = stored.record().response.body;
  const auto& rows = stored.record().redactions;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (row->part != Part::response_body) continue;
    const std::string there = body.substr(row->offset, row->length);
    body.replace(row->offset, row->length, reading.written_back(there, row->encoding, brought));
  }
  CAPTURE(body);
  CHECK(body.find(R"(\/steuerbelege\/Finanzamt\/)") != std::string::npos);
  CHECK(body.find("bescheid") == std::string::npos);
}

TEST_CASE("private: a key file has the key and the table with mode 0600 and replaces no other file") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tapedeck-private-key-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder / "share.key";
  CHECK_FALSE(read_private_key(path));
  PrivateTable table{key,
                     {{"stra\xC3\x9F"
                       "e 1",
                       "k\xC3\xA4 2", true},
                      {"192.0.2.1", "198.18.0.1", false}}};
  write_private_key(path, table);
  const auto read = read_private_key(path);
  REQUIRE(read);
  CHECK(read->key == key);
  REQUIRE(read->rows.size() == 2);
  CHECK(read->rows[0].original == table.rows[0].original);
  CHECK(read->rows[0].is_text);
  CHECK(read->rows[1].pseudonym == "198.18.0.1");
  CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::all) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  const std::string notes = folder / "notes.txt";
  std::ofstream(notes) << "mine\n";
  CHECK_THROWS(read_private_key(notes));
  CHECK_THROWS(write_private_key(notes, table));
  std::filesystem::create_symlink(path, folder / "link");
  CHECK_THROWS(write_private_key(folder / "link", table));
  std::filesystem::remove_all(folder);
}

TEST_CASE("private: withholds a picture that contains its position") {
  const auto entry = [](std::uint8_t tag, std::uint8_t type, std::uint8_t count, std::uint8_t value) {
    return std::string{0, static_cast<char>(tag),  0, static_cast<char>(type), 0, 0, 0, static_cast<char>(count), 0, 0,
                       0, static_cast<char>(value)};
  };
  std::string tiff("MM\0*\0\0\0\x08", 8);
  tiff += std::string("\0\1\x88\x25\0\4\0\0\0\1\0\0\0\x1a\0\0\0\0", 18);  // one entry: the GPS directory, at 26
  tiff += std::string("\0\1", 2) + entry(2, 5, 3, 44) + std::string(4, '\0');
  const std::string latitude("\0\0\0\x33\0\0\0\1\0\0\0\x14\0\0\0\1\0\0\x0f\xa0\0\0\0\x64", 24);
  tiff += latitude;
  const std::string exif = std::string("Exif\0\0", 6) + tiff;
  const std::string jpeg =
      "\xff\xd8\xff\xe1" + std::string(1, '\0') + static_cast<char>(exif.size() + 2) + exif + "\xff\xda\xff\xd9";
  api::Interaction picture = get("/webapi/entry.cgi?api=SYNO.Foto.Download&version=1&method=download", jpeg);
  picture.response.headers = {{"Content-Type", "image/jpeg"}};
  Scrubber scrubber = scrubber_with(profile());
  const InteractionRecord withheld = scrubber.scrub(picture).record();
  CHECK(withheld.completeness == api::Completeness::withheld);
  CHECK(withheld.reason == "a picture that says where it was taken");
  CHECK(withheld.response.body.empty());
  // The mark counts in any kind of file; elsewhere, the same bytes have no meaning.
  picture.response.body = "\x89PNG" + std::string(3, '\0') + "eXIf" + tiff;
  CHECK(scrubber.scrub(picture).record().response.body.empty());
  picture.response.body = "\xff\xd8" + std::string(9, '\0') + "<rdf exif:GPSLatitude='51,30N'>";
  CHECK(scrubber.scrub(picture).record().response.body.empty());
  picture.response.body = "\xff\xd8" + std::string(9, '\0') + latitude;
  CHECK(scrubber.scrub(picture).record().response.body == picture.response.body);
  Scrubber without({});
  picture.response.body = jpeg;
  CHECK(without.scrub(picture).record().response.body == jpeg);
}

}  // namespace tapedeck::scrubbers::test
