#include "tests/scrubbers/look_alikes.h"

#include <algorithm>
#include <cstdint>
#include <random>

#include "api/catalog.h"
#include "base/digest.h"
#include "scrubbers/redaction/redaction.h"
#include "scrubbers/rules/scrub_rule.h"
#include "tests/scrubbers/fixtures.h"

namespace tapedeck::scrubbers::test {

namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int some = 150;

using Values = std::vector<std::string>;

class Maker {
 public:
  [[nodiscard]] std::string of(std::string_view alphabet, std::size_t length) {
    std::string text;
    while (text.size() < length) text += alphabet[random_() % alphabet.size()];
    return text;
  }
  [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }
  [[nodiscard]] std::string number(std::size_t low, std::size_t high) {
    return std::to_string(low + random_() % (high - low));
  }

 private:
  std::mt19937_64 random_{20261121};
};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

Values ids(Maker& make) {
  Values values = {"SYNO.SDS.App.FileStation3.Instance", "com.example.app-1.2.3+build.77", "volume_1", "sata1p5", "-1"};
  for (int i = 0; i < some; ++i) {
    values.push_back(make.of(digits, 1 + make.below(20)));
    values.push_back(make.of(url_alphabet, 11));
    values.push_back(make.of(url_alphabet, 32));
    values.push_back(make.of(url_alphabet, 86));
    values.push_back("FileStation_" + make.of(hex_digits, 16));
    values.push_back(make_of_shape("36:uuid", std::to_string(i)));
    values.push_back("{" + upper(make_of_shape("36:uuid", "upper" + std::to_string(i))) + "}");
  }
  return values;
}

Values hashes(Maker& make) {
  Values values;
  for (int i = 0; i < some; ++i) {
    for (const std::size_t length : {8, 16, 32, 40, 64, 128}) values.push_back(make.of(hex_digits, length));
    values.push_back(upper(make.of(hex_digits, 32)));
    values.push_back("sha256:" + make.of(hex_digits, 64));
    std::string spaced = make.of(hex_digits, 2);
    for (int byte = 0; byte < 15; ++byte) spaced += (i % 2 == 0 ? " " : ":") + make.of(hex_digits, 2);
    values.push_back(spaced);
  }
  return values;
}

Values times(Maker& make) {
  Values values;
  for (int i = 0; i < some; ++i) {
    const std::string second = make.number(1'500'000'000, 1'800'000'000), day = make.number(10, 29);
    const std::string clock = make.number(10, 24) + ":" + make.number(10, 60) + ":" + make.number(10, 60);
    values.push_back(second);
    values.push_back(second + make.of(digits, 3));
    values.push_back(second + make.of(digits, 6));
    values.push_back("2026-11-" + day + "T" + clock + "." + make.of(digits, 6) + "Z");
    values.push_back("2026/11/" + day + " " + clock);
    values.push_back("Sat, " + day + " Nov 2026 " + clock + " GMT");
  }
  return values;
}

/// Returns numbers that contain a code, and the code itself if it is too plain even for a whole value.
Values numbers_with(const Learned& learned, Maker& make) {
  Values values = learned.plain;
  std::erase_if(values, [](const std::string& value) { return value.find_first_not_of(digits) != std::string::npos; });
  Values codes = learned.plain;
  codes.insert(codes.end(), learned.whole.begin(), learned.whole.end());
  for (const std::string& code : codes) {
    if (code.find_first_not_of(digits) != std::string::npos) continue;
    values.insert(values.end(), {"-" + code, code + ".0", "0." + code, code + "e2", "1" + code, code + "1"});
    for (int i = 0; i < some; ++i) {
      values.push_back(make.number(1, 9999) + code + make.of(digits, make.below(8)));
      values.push_back(make.number(1, 99) + "." + make.of(digits, make.below(4)) + code);
    }
  }
  return values;
}

Values words_with(const Values& plain, Maker& make) {
  const Values around = {"istrators", "s", " ", "-", "_group", ".example", "@nas.example", "/share", "Folder", "!"};
  Values values;
  for (const std::string& word : plain) {
    values.insert(values.end(), {word, upper(word), word + word, " " + word, "/" + word + "/", "(" + word + ")"});
    for (const std::string& more : around) {
      values.insert(values.end(), {word + more, more + word, more + word + more});
    }
    for (int i = 0; i < 20; ++i) values.push_back(make.of("abcdefghij -", 6) + word + make.of("klmnop .,", 6));
  }
  return values;
}

std::string base64(std::string_view bytes) {
  std::string out;
  unsigned bits = 0;
  std::uint32_t held = 0;
  for (const char c : bytes) {
    held = held << 8 | static_cast<std::uint8_t>(c);
    for (bits += 8; bits >= 6; bits -= 6) out += base64_alphabet[held >> (bits - 6) & 63];
  }
  if (bits > 0) out += base64_alphabet[held << (6 - bits) & 63];
  return out + std::string((4 - out.size() % 4) % 4, '=');
}

/// Returns secrets with a changed or missing character, reversed, or in other letters.
Values nearly(const Values& searched) {
  Values values;
  for (const std::string& secret : searched) {
    for (std::size_t i = 0; i < secret.size(); ++i) {
      std::string other = secret;
      other[i] = other[i] == 'x' ? 'y' : 'x';
      values.push_back(other);
    }
    const std::string reversed(secret.rbegin(), secret.rend());
    values.insert(values.end(), {secret.substr(1), secret.substr(0, secret.size() - 1), reversed, upper(secret),
                                 base::to_hex(base::sha256(secret))});
  }
  return values;
}

Values encoded(const Values& searched, Maker& make) {
  Values values;
  for (int i = 0; i < some; ++i) {
    values.push_back(base64(make.of(url_alphabet, 1 + make.below(90))));
    values.push_back(base64("{\"id\":" + make.of(digits, 8) + ",\"name\":\"" + make.of(url_alphabet, 12) + "\"}"));
    values.push_back("data:image/png;base64,iVBORw0KGgo" + make.of(base64_alphabet, 120));
    values.push_back(make.of(base64_alphabet, 88));
    values.push_back("%" + upper(make.of(hex_digits, 2)) + "%2F" + make.of(digits, 3));
    values.push_back("\\u00" + make.of(hex_digits, 2) + "&#" + make.number(32, 999) + ";&amp;");
  }
  for (const std::string& value : nearly(searched)) {
    values.push_back(base64("id=" + value));
    values.push_back(base::to_hex(value));
  }
  return values;
}

Values names() {
  Values values;
  for (const api::CatalogOperation& operation : api::catalog()) {
    for (const char* label : {"SYNO.", "SVC.", ""}) values.push_back(label + std::string(operation.api));
    values.push_back(std::string(operation.method));
  }
  const RuleSet rules = RuleSet::defaults();
  for (const ScrubRule& rule : rules.rules()) {
    const bool is_name =
        rule.match.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos;
    if (is_name) values.insert(values.end(), {rule.match, rule.match + " is needed", "no_" + rule.match + "_given"});
  }
  for (const char* word : {"id", "admin", "root", "true", "null", "enable_syno_token", "<SESSION_ID>", "<PASSWORD>"}) {
    values.emplace_back(word);
  }
  return values;
}

Values addresses(Maker& make) {
  Values values;
  for (int i = 0; i < some; ++i) {
    const std::string host = make.of("abcdefghijklmnopqrstuvwxyz", 8) + ".example";
    values.push_back("192.0.2." + make.number(1, 255));
    values.push_back("2001:db8::" + make.of(hex_digits, 4) + ":" + make.of(hex_digits, 4));
    values.push_back("00:00:5e:00:53:" + make.of(hex_digits, 2));
    values.push_back("https://" + host + ":5001/webapi/entry.cgi?api=SYNO.FileStation.List&path=%2F" +
                     make.of(digits, 5));
    values.push_back("/volume1/homes/" + make.of(url_alphabet, 10) + "/IMG_" + make.of(digits, 8) + "_" +
                     make.of(digits, 6) + ".jpg");
    values.push_back(make.of(url_alphabet, 8) + "@" + host);
    values.push_back("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/" + make.number(100, 999) + "." + make.number(1, 99));
  }
  return values;
}

bool is_plain_ascii(const std::string& value) {
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::string json_text(const std::string& value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

bool is_json_number(const std::string& value) {
  const std::size_t first = value.starts_with('-') ? 1 : 0;
  return value.size() > first && value.size() < 16 && value.find_first_not_of(digits, first) == std::string::npos &&
         (value[first] != '0' || value.size() == first + 1);
}

std::string markup_text(const std::string& value) {
  std::string out;
  for (const char c : value) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

/// Returns "0=first&1=second", with names that have no rule.
std::string form_of(const Values& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += (i == 0 ? "p" : "&p") + std::to_string(i) + "=" + encode(values[i], i % 2 == 0 ? "form" : "percent");
  }
  return out;
}

std::string joined(const Values& values, const std::function<std::string(const std::string&)>& shown,
                   std::string_view between) {
  std::string out;
  for (const std::string& value : values) {
    if (!out.empty()) out += between;
    out += shown(value);
  }
  return out;
}

const std::string target = "/webapi/entry.cgi?api=SYNO.Core.Fixture&version=1&method=get";

api::Interaction answered(const std::string& type, std::string body) {
  api::Interaction interaction;
  interaction.request.method = "GET";
  interaction.request.target = target;
  interaction.response.headers.add("Content-Type", type);
  interaction.response.body = std::move(body);
  return interaction;
}

api::Interaction posted(const std::string& type, std::string body) {
  api::Interaction interaction = answered("application/json", R"({"success":true})");
  interaction.request.method = "POST";
  interaction.request.headers.add("Content-Type", type);
  interaction.request.body = std::move(body);
  return interaction;
}

Values numbers_of(const Values& values) {
  Values numbers;
  std::copy_if(values.begin(), values.end(), std::back_inserter(numbers), is_json_number);
  return numbers;
}

std::string nested(const Values& values) {
  std::string list = "[" + joined(values, json_text, ",") + "]";
  return R"({"data":{"inner":)" + json_text(list) + "}}";
}

std::string as_members(const Values& values) {
  std::size_t count = 0;
  const auto member = [&count](const std::string& value) {
    const std::string index = std::to_string(count++);
    return R"({"name":"field)" + index + R"(","value":)" + json_text(value) + R"(,"entry":{"p)" + index +
           "\":" + json_text("x " + value + " y") + "}}";
  };
  return R"({"data":{"items":[)" + joined(values, member, ",") + R"(]},"success":true})";
}

std::string markup(const Values& values, const std::string& tag) {
  const auto element = [&tag](const std::string& value) {
    return "<" + tag + " title=\"" + markup_text(value) + "\">" + markup_text(value) + "</" + tag + ">\n";
  };
  return joined(values, element, "");
}

std::string multipart(const Values& values) {
  std::size_t count = 0;
  const auto field = [&count](const std::string& value) {
    return "--XX\r\nContent-Disposition: form-data; name=\"p" + std::to_string(count++) + "\"\r\n\r\n" + value + "\r\n";
  };
  return joined(values, field, "") + "--XX--\r\n";
}

api::Interaction in_headers(const Values& values, bool of_request) {
  api::Interaction interaction = answered("application/json", R"({"success":true})");
  const std::vector<std::string> kept = of_request ? Values{"User-Agent", "Accept-Language", "If-None-Match", "Referer"}
                                                   : Values{"X-Note", "ETag", "Content-Disposition", "Last-Modified"};
  http::Headers& headers = of_request ? interaction.request.headers : interaction.response.headers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].front() != ' ' && values[i].back() != ' ') headers.add(kept[i % kept.size()], values[i]);
  }
  return interaction;
}

}  // namespace

std::vector<LookAlikes> look_alikes(const Learned& learned) {
  Maker make;
  std::vector<LookAlikes> all = {
      {"ids", ids(make)},
      {"hashes", hashes(make)},
      {"times", times(make)},
      {"numbers with a code", numbers_with(learned, make)},
      {"words with a password", words_with(learned.plain, make)},
      {"other things encoded", encoded(learned.searched, make)},
      {"names", names()},
      {"addresses", addresses(make)},
      {"nearly secrets", nearly(learned.searched)},
  };
  for (LookAlikes& kind : all) {
    std::erase_if(kind.values, [](const std::string& value) { return value.empty() || !is_plain_ascii(value); });
  }
  return all;
}

std::vector<Spot> spots() {
  const auto list = [](const Values& values) { return "[" + joined(values, json_text, ", ") + "]"; };
  const auto plain = [](const std::string& value) { return value; };
  return {
      {"JSON strings", [=](const Values& values) { return answered("application/json", list(values)); }},
      {"JSON members", [](const Values& values) { return answered("application/json", as_members(values)); }},
      {"JSON numbers",
       [=](const Values& values) {
         return answered("application/json", R"({"code":[)" + joined(numbers_of(values), plain, ",") + "]}");
       }},
      {"JSON inside of JSON", [](const Values& values) { return answered("application/json", nested(values)); }},
      {"HTML", [](const Values& values) { return answered("text/html", markup(values, "p")); }},
      {"XML",
       [](const Values& values) { return answered("text/xml", "<?xml version=\"1.0\"?>\n" + markup(values, "i")); }},
      {"text", [=](const Values& values) { return answered("text/plain", joined(values, plain, "\r\n")); }},
      {"script",
       [=](const Values& values) { return answered("application/javascript", "var all = " + list(values) + ";\n"); }},
      {"binary",
       [=](const Values& values) {
         return answered("application/octet-stream", std::string("\x01\x00\xFE", 3) + joined(values, plain, "\x02"));
       }},
      {"query",
       [](const Values& values) {
         api::Interaction interaction = answered("application/json", R"({"success":true})");
         interaction.request.target += "&" + form_of(values);
         return interaction;
       }},
      {"form", [](const Values& values) { return posted("application/x-www-form-urlencoded", form_of(values)); }},
      {"multipart", [](const Values& values) { return posted("multipart/form-data; boundary=XX", multipart(values)); }},
      {"JSON request", [](const Values& values) { return posted("application/json", as_members(values)); }},
      {"headers of requests", [](const Values& values) { return in_headers(values, true); }},
      {"headers of answers", [](const Values& values) { return in_headers(values, false); }},
  };
}

}  // namespace tapedeck::scrubbers::test
