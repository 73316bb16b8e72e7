// Compares the JSON scanner with a simple parser of the same text. Both must report the same values for any text.

#include "scrubbers/rules/json_scanner.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/text/codec.h"

namespace {

using namespace tapedeck::scrubbers;

NameTable names() {
  NameTable table;
  table.add("sid", 0);
  table.add("token_of_some_length", 1);
  table.add("list", 2);
  return table;
}

// Collects the calls of the scanner as text.
class Story : public JsonVisitor {
 public:
  bool may_want(std::string_view key) override { return !names_.find(key).empty(); }
  std::optional<RuleMatch> wanted(std::string_view key, JsonPath path, std::size_t) override {
    const auto found = names_.find(key);
    for (const std::string& name : path) told += name + "/";
    told += "wanted\n";
    return found.empty() ? std::nullopt : std::optional(RuleMatch{found.front()});
  }
  bool inherits(std::string_view key, RuleMatch) override { return key.starts_with("token"); }
  void value(RuleMatch match, std::size_t begin, std::size_t end, bool is_string) override {
    told += "value " + std::to_string(match.rule) + " " + std::to_string(begin) + "-" + std::to_string(end);
    told += is_string ? " string\n" : "\n";
  }
  void text(std::size_t begin, std::size_t end, bool is_escaped) override {
    told += "text " + std::to_string(begin) + "-" + std::to_string(end) + (is_escaped ? " escaped\n" : "\n");
  }
  std::string told;

 private:
  NameTable names_ = names();
};

// Implements the rules of json_scanner.h in the simplest way.
class PlainWalk {
  using Wanted = std::optional<RuleMatch>;

 public:
  PlainWalk(std::string_view text, JsonVisitor& visitor) : text_(text), visitor_(visitor) {}

  void run() {
    while (at_ < text_.size()) {
      if (levels_.empty() && at_ >= outside_) outside();
      step();
    }
  }
  std::vector<std::string> keys;

 private:
  struct Level {
    std::string key;
    bool is_object;
    Wanted tag;
  };
  struct String {
    std::size_t begin, end;
    bool escaped;
  };

  char byte(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool is_close(char c) { return c == '}' || c == ']'; }
  static bool is_word(char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '-' || c == '.';
  }
  std::size_t skip_space(std::size_t at) const {
    while (at < text_.size() && is_space(text_[at])) ++at;
    return at;
  }
  std::size_t behind(std::size_t end) const { return std::min(end + 1, text_.size()); }
  bool in_object() const { return !levels_.empty() && levels_.back().is_object; }
  Wanted array_tag() const { return levels_.empty() || in_object() ? std::nullopt : levels_.back().tag; }

  String string_at(std::size_t open) const {
    bool escaped = false;
    std::size_t end = open + 1;
    for (; end < text_.size() && text_[end] != text_[open]; ++end) {
      if (text_[end] != '\\') continue;
      escaped = true;
      ++end;
    }
    return {open + 1, std::min(end, text_.size()), escaped};
  }

  void open(const std::string& key, Wanted tag) {
    levels_.push_back({key, text_[at_] == '{', tag});
    ++at_;
  }

  void outside() {
    const std::size_t end = std::min(text_.find_first_of("{[\"", at_), text_.size());
    if (end > at_) visitor_.text(at_, end, false);
    outside_ = std::max(end, at_ + 1);
  }

  void step() {
    const char c = text_[at_];
    if (c == '"') {
      const String string = string_at(at_);
      const std::size_t next = skip_space(behind(string.end));
      if (in_object() || byte(next) == ':' || byte(next) == '=') return key(string, next);
      return string_value(array_tag(), string);
    }
    if (c == '\'' && in_object()) return key(string_at(at_), skip_space(behind(string_at(at_).end)));
    if (c == '\'' && array_tag()) return string_value(array_tag(), string_at(at_));
    if (c == '{' || c == '[') return open({}, array_tag());
    if (is_close(c) && !levels_.empty()) levels_.pop_back();
    if (is_word(c)) return word();
    ++at_;
  }

  void word() {
    String word{at_, at_, false};
    while (word.end < text_.size() && is_word(text_[word.end])) ++word.end;
    std::size_t next = skip_space(word.end);
    if (byte(next) == '"' && byte(skip_space(next + 1)) == ':') next = skip_space(next + 1);
    if (in_object() || byte(next) == ':') return key(word, next);
    at_ = word.end;
    if (array_tag()) {
      at_ = word.begin;
      value(array_tag(), {});
    }
  }

  void key(const String& string, std::size_t next) {
    const bool is_quoted = string.begin > 0 && text_[string.begin - 1] == '"' && string.begin != at_;
    if (is_quoted && string.begin < string.end) visitor_.text(string.begin, string.end, string.escaped);
    const std::string raw(text_.substr(string.begin, string.end - string.begin));
    if (raw.size() >= KeyLog::shortest) keys.push_back(raw);
    Wanted tag = tag_of(raw, string.escaped);
    const Wanted outer = in_object() ? levels_.back().tag : std::nullopt;
    if (!tag && outer && visitor_.inherits(raw, *outer)) tag = outer;
    const bool separated = byte(next) == ':' || byte(next) == '=';
    at_ = next;
    if (tag) {
      while (at_ < text_.size() && (is_space(byte(at_)) || std::string_view(":=,>").find(byte(at_)) < 4)) ++at_;
    } else if (separated) {
      at_ = skip_space(next + 1);
    } else {
      return;
    }
    value(tag, string.escaped ? decode_text(Codec::json, raw) : raw);
  }

  void value(Wanted tag, const std::string& key) {
    if (at_ >= text_.size()) return;
    const char c = text_[at_];
    if (c == '"' && byte(behind(string_at(at_).end)) == ':') return;
    if (c == '"' || c == '\'') return string_value(tag, string_at(at_));
    if (c == '{' || c == '[') return open(key, tag);
    if (is_close(c)) return;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_close(byte(at_)) && !is_space(byte(at_)) && byte(at_) != '"' && byte(at_) != ',') {
      ++at_;
    }
    const std::string_view scalar = text_.substr(begin, at_ - begin);
    const bool plain = scalar.empty() || scalar == "null" || scalar == "true" || scalar == "false";
    if (tag && !plain) visitor_.value(*tag, begin, at_, false);
    if (!tag && !plain) visitor_.text(begin, at_, false);
    if (byte(at_) == ',') ++at_;
  }

  void string_value(Wanted tag, String string) {
    if (tag) string.end = end_of_broken(string.end);
    at_ = behind(string.end);
    if (byte(at_) == ',') ++at_;
    if (string.begin == string.end) return;
    if (tag) return visitor_.value(*tag, string.begin, string.end, true);
    visitor_.text(string.begin, string.end, string.escaped);
  }

  std::size_t end_of_broken(std::size_t end) const {
    while (end < text_.size()) {
      const std::size_t next = skip_space(end + 1);
      if (next >= text_.size() || std::string_view(",}])\";:\0", 8).find(text_[next]) < 8) return end;
      end = std::min(text_.find(text_[end], end + 1), text_.size());
    }
    return end;
  }

  Wanted tag_of(std::string name, bool escaped) {
    if (name.empty()) return {};
    if (escaped || !is_word(name.front()) || !is_word(name.back())) {
      name = decode_text(Codec::json, std::string_view(name).substr(0, 512));
      while (!name.empty() && !is_word(name.front())) name.erase(0, 1);
      while (!name.empty() && !is_word(name.back())) name.pop_back();
    }
    if (names_.find(name).empty()) return {};
    std::vector<std::string> path{name};
    for (auto level = levels_.rbegin(); level != levels_.rend() && path.size() < 64; ++level) {
      if (!level->key.empty()) path.push_back(level->key);
    }
    std::reverse(path.begin(), path.end());
    return visitor_.wanted(name, path, 0);
  }

  std::string_view text_;
  JsonVisitor& visitor_;
  NameTable names_ = names();
  std::size_t at_ = 0;
  std::size_t outside_ = 0;
  std::vector<Level> levels_;
};

void compare(std::string_view text) {
  // The copy ends exactly at the end of its memory, so that a sanitizer detects a byte read too far.
  const std::vector<char> exact(text.begin(), text.end());
  const std::string_view shown(exact.data(), exact.size());
  Story plain, scanned;
  PlainWalk walk(shown, plain);
  walk.run();
  KeyLog keys;
  scan_json(shown, scanned, &keys);
  std::vector<std::uint64_t> expected, found(keys.hashes().begin(), keys.hashes().end());
  for (const std::string& key : walk.keys) expected.push_back(KeyLog::hash(key));
  for (std::vector<std::uint64_t>* hashes : {&expected, &found}) {
    std::sort(hashes->begin(), hashes->end());
    hashes->erase(std::unique(hashes->begin(), hashes->end()), hashes->end());
  }
  CAPTURE(text);
  CHECK(plain.told == scanned.told);
  CHECK(expected == found);
}

// The pieces of odd JSON.
const std::vector<std::string> pieces{"{",
                                      "}",
                                      "[",
                                      "]",
                                      ":",
                                      ",",
                                      "\"",
                                      "\"",
                                      "\"",
                                      "'",
                                      "\\",
                                      "\\\"",
                                      "\\u0073id",
                                      "=",
                                      ">",
                                      " ",
                                      "\n\t",
                                      "\r\n    ",
                                      "sid",
                                      "\"sid\":",
                                      "\"list\":[",
                                      "\"token_of_some_length\":\"",
                                      "'sid'",
                                      "null",
                                      "true",
                                      "12.5e-3",
                                      "\"a\":1,",
                                      "\"a_longer_key\":\"a longer value, of more than sixteen bytes\",",
                                      "\"{\\\"sid\\\":\\\"S\\\"}\"",
                                      "\"\"",
                                      "\",\"name\":\"",
                                      "\"}]",
                                      std::string(1, '\0'),
                                      "\xFF\xC3",
                                      "\xC3\xA9",
                                      "0123456789abcdef",
                                      ")",
                                      ";",
                                      "$-._"};

}  // namespace

TEST_CASE("json scanner: agrees with a simple parser on valid and broken JSON") {
  const std::string whole =
      R"({"data":{"items":[{"id":1,"sid":"S","key_of_12_b":"a value with \"escapes\" in it","list":["a",'b',3,null]}],)"
      R"("text":"{\"sid\":\"S\",\"x\":\"y\"}", "s\u0069d" : "T" , 'sid':'U', sid: V, "a":"b":"c"},"success":true})";
  // Every cut, and every string at every position within a block of 16.
  for (std::size_t length = 0; length <= whole.size(); ++length) compare(whole.substr(0, length));
  for (std::size_t shift = 0; shift < 40; ++shift) {
    compare(std::string(shift, ' ') + whole);
    compare("{\"" + std::string(shift, 'k') + "\":\"" + std::string(shift, 'v') + "\"," + whole.substr(1));
    compare("{\"a\":\"" + std::string(shift, 'v') + "\\\"" + std::string(shift, 'w') + "\",\"sid\":\"S\"}");
  }
}

TEST_CASE("json scanner: agrees with a simple parser on random texts") {
  std::mt19937 random(20261122);
  for (int n = 0; n < 20'000; ++n) {
    std::string text(random() % 3 == 0 ? "{" : "");
    const std::size_t count = random() % 24;
    for (std::size_t i = 0; i < count; ++i) text += pieces[random() % pieces.size()];
    if (!text.empty() && random() % 4 == 0) text[random() % text.size()] = static_cast<char>(random());
    compare(text);
  }
}
