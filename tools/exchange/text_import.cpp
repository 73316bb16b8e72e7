#include "tools/exchange/text_import.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "tools/exchange/text_lines.h"
#include "tools/exchange/text_record.h"
#include "tools/exchange/text_source.h"
#include "tools/stopped.h"

namespace tapedeck::tools {

namespace {

/// A text, read once whole, so that every fault is known before anything is written; then record by record.
class TextMaterial final : public cassettes::Material {
 public:
  TextMaterial(std::istream& in, const ReadProgress& progress) : source_(in) {
    check_first_line();
    read_head();
    read_records(progress);
  }

  std::vector<cassettes::TakeRow> takes() override { return takes_; }
  std::vector<cassettes::MaterialPart> parts() override { return parts_; }
  std::vector<cassettes::MaterialSession> sessions() override { return sessions_; }
  std::vector<cassettes::Mark> marks() override { return marks_; }
  std::set<std::string, std::less<>> allowed() override { return allowed_; }
  void each(const std::function<void(const cassettes::MaterialItem&)>& visit) override {
    for (const cassettes::MaterialItem& item : items_) visit(item);
  }
  scrubbers::InteractionRecord record(const cassettes::MaterialItem& item) override {
    source_.go_to(places_.at(static_cast<std::size_t>(item.row)));
    return read_record(source_, takes_).record;
  }
  std::uint64_t bytes() override { return source_.bytes_in_all(); }
  Numbers highest() override { return highest_; }

 private:
  void check_first_line();
  void read_head();
  void read_head_line();
  void read_take(const TextObject& row);
  void read_session(const TextObject& row);
  void read_records(const ReadProgress& progress);
  void take_in(TextRecord record, const TextSource::Place& place);
  void note_numbers(std::uint32_t session, std::uint32_t account) {
    highest_.session = std::max(highest_.session, session);
    highest_.account = std::max(highest_.account, account);
  }
  void check_take(std::uint32_t number) {
    const auto known = [&](const cassettes::TakeRow& take) { return take.number == number; };
    if (std::none_of(takes_.begin(), takes_.end(), known)) source_.fail("no such take above this line");
  }

  TextSource source_;
  std::vector<cassettes::TakeRow> takes_;
  std::vector<cassettes::MaterialPart> parts_;
  std::vector<cassettes::MaterialSession> sessions_;
  std::vector<cassettes::Mark> marks_;
  std::set<std::string, std::less<>> allowed_;
  std::vector<cassettes::MaterialItem> items_;
  std::vector<TextSource::Place> places_;
  std::set<std::pair<std::uint32_t, std::string>> known_parts_;
  std::set<cassettes::Digest> ids_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> ords_;
  Numbers highest_;
};

void TextMaterial::check_first_line() {
  if (source_.has_line() && source_.line() == text_lines::all_head) return source_.next();
  if (source_.has_line() && source_.line() == text_lines::review_head) {
    source_.fail("this text is incomplete and cannot be imported; use `tapedeck export --text --all`");
  }
  source_.fail("not a text export of a cassette");
}

void TextMaterial::read_head() {
  while (source_.has_line() && !source_.line().starts_with(text_lines::interaction) &&
         !source_.line().starts_with(text_lines::end)) {
    if (!source_.line().empty()) read_head_line();
    source_.next();
  }
  if (takes_.empty()) source_.fail("the text contains no take");
}

void TextMaterial::read_head_line() {
  using namespace text_lines;
  const std::string& line = source_.line();
  if (line.starts_with(take)) return read_take(source_.json_after(take));
  if (line.starts_with(session)) return read_session(source_.json_after(session));
  if (line.starts_with(scope)) {
    const TextObject row = source_.json_after(scope);
    parts_.push_back({row.small("take"), row.text("name"), row.small("run"), row.flag("complete")});
    check_take(parts_.back().take);
    if (!known_parts_.emplace(parts_.back().take, parts_.back().scope).second) source_.fail("duplicate line");
  } else if (line.starts_with(mark)) {
    const TextObject row = source_.json_after(mark);
    marks_.push_back({row.small("take"), row.time("at_us"), row.text("name")});
    check_take(marks_.back().take);
  } else if (line.starts_with(text_lines::allowed)) {
    allowed_.insert(line.substr(text_lines::allowed.size()));
  } else {
    source_.fail("must be one of take, scope, session, mark, allowed, and interaction");
  }
}

void TextMaterial::read_take(const TextObject& row) {
  cassettes::TakeRow take;
  take.number = row.small("number");
  take.id = row.hex("id", cassettes::take_id_size);
  take.started_us = row.time("started_us");
  take.ended_us = row.time("ended_us");
  take.tool_version = row.text("tool_version");
  take.key_policy = static_cast<int>(row.small("key_policy"));
  take.scrub_policy = row.text("scrub_policy");
  take.base_path = row.text("base_path");
  take.note = row.text("note");
  take.model = row.text("model");
  take.firmware = row.text("firmware");
  take.finished = row.flag("finished");
  take.verified = row.flag("verified");
  if (take.number == 0 || (!takes_.empty() && takes_.back().number >= take.number)) {
    source_.fail("takes must be numbered from 1");
  }
  try {
    static_cast<void>(api::KeyPolicy(take.key_policy));
  } catch (const std::invalid_argument& error) {
    source_.fail(error.what());
  }
  takes_.push_back(std::move(take));
}

void TextMaterial::read_session(const TextObject& row) {
  cassettes::MaterialSession session;
  session.take = row.small("take");
  session.scope = row.text("scope");
  session.number = row.small("number");
  session.account = row.small("account");
  session.span = {row.time("first_us"), row.time("last_us"), row.small("lane")};
  check_take(session.take);
  if (session.number == 0 || session.span.lane == 0) source_.fail("sessions and lanes must be numbered from 1");
  note_numbers(session.number, session.account);
  sessions_.push_back(std::move(session));
}

void TextMaterial::take_in(TextRecord record, const TextSource::Place& place) {
  const auto& [content, item] = record;
  if (!known_parts_.contains({item.take, content.scope})) {
    source_.fail("the interaction above has a scope and take without a `scope` line");
  }
  if (!ids_.insert(item.digest).second) source_.fail("the interaction above has a duplicate ID");
  if (item.ord == 0 || !ords_.emplace(item.take, item.ord).second) {
    source_.fail("the interaction above has a duplicate position (ord) in its take");
  }
  note_numbers(content.session, content.account);
  for (const scrubbers::Redaction& row : content.redactions) note_numbers(row.owner, 0);
  items_.push_back(item);
  items_.back().row = static_cast<std::int64_t>(places_.size());
  places_.push_back(place);
}

void TextMaterial::read_records(const ReadProgress& progress) {
  while (source_.has_line() && source_.line().starts_with(text_lines::interaction)) {
    const TextSource::Place place = source_.place();
    take_in(read_record(source_, takes_), place);
    if (progress && !progress(source_.bytes_read(), source_.bytes_in_all())) throw Stopped();
  }
  if (!source_.has_line()) source_.fail("the text is incomplete: its last line is missing");
  if (source_.line() != std::string(text_lines::end) + std::to_string(items_.size()) + " interactions") {
    source_.fail("must be an interaction or the end of " + std::to_string(items_.size()));
  }
}

}  // namespace

std::unique_ptr<cassettes::Material> text_material(std::istream& in, const ReadProgress& progress) {
  return std::make_unique<TextMaterial>(in, progress);
}

}  // namespace tapedeck::tools
