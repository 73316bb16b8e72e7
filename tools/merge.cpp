#include "tools/merge.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/clock.h"
#include "base/digest.h"
#include "base/text.h"
#include "cassettes/file/interaction_id.h"
#include "tools/stopped.h"

namespace tapedeck::tools {
namespace {

using cassettes::Material;
using cassettes::MaterialItem;
using cassettes::MaterialPart;
using cassettes::MaterialSession;
using cassettes::TakeRow;
using scrubbers::InteractionRecord;
using scrubbers::Redaction;

/// Everything of an interaction, so that two that are equal in it are equal.
std::string digest_of(const InteractionRecord& record) {
  std::string text;
  const auto add = [&](std::string_view field) { text.append(std::to_string(field.size())).append(":").append(field); };
  const auto number = [&](auto value) { add(std::to_string(static_cast<std::int64_t>(value))); };
  for (const std::string& field :
       {record.request.method, record.request.target, record.request.headers.to_text(), record.request.body,
        record.response.reason, record.response.headers.to_text(), record.response.body, record.reason, record.scope,
        record.key.text, record.withheld_digest}) {
    add(field);
  }
  for (const std::int64_t value : {record.started_us, record.first_byte_us, record.ended_us}) number(value);
  for (const std::uint32_t value : {record.session, record.account, record.run}) number(value);
  number(record.request.minor_version);
  number(record.response.status);
  number(record.completeness);
  number(record.ended_by_client);
  for (const api::StreamEvent& event : record.events) {
    number(event.at_us);
    number(event.end);
  }
  for (const Redaction& row : record.redactions) {
    for (const std::uint64_t value : {row.offset, row.length}) number(value);
    for (const std::uint32_t value : {row.owner, row.ordinal}) number(value);
    number(row.part);
    number(row.secret_class);
    number(row.whose);
    for (const std::string& field : {row.encoding, row.shape, row.rule}) add(field);
  }
  return cassettes::sha256_bytes(text);
}

/// As people count: "policy 9" is before "policy 10".
bool counts_less(std::string_view a, std::string_view b) {
  const auto run_of = [](std::string_view& text) {
    const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
    text.remove_prefix(digits.size());
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  };
  std::string_view left = a, right = b;
  while (!left.empty() && !right.empty()) {
    if (base::is_digit(left.front()) && base::is_digit(right.front())) {
      const std::string_view first = run_of(left), second = run_of(right);
      if (first.size() != second.size()) return first.size() < second.size();
      if (first != second) return first < second;
    } else if (left.front() != right.front()) {
      return static_cast<unsigned char>(left.front()) < static_cast<unsigned char>(right.front());
    } else {
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  return left.empty() && right.empty() ? a < b : left.empty();
}

/// The same take as two sides have it: of what differs (a note, a scrub that went over one of them) the smaller.
TakeRow united(const TakeRow& a, const TakeRow& b) {
  TakeRow row = a;
  row.ended_us = std::max(a.ended_us, b.ended_us);
  row.tool_version = std::min(a.tool_version, b.tool_version, counts_less);
  row.key_policy = std::min(a.key_policy, b.key_policy);
  row.scrub_policy = std::min(a.scrub_policy, b.scrub_policy, counts_less);
  row.base_path = std::min(a.base_path, b.base_path);
  row.note = std::max(a.note, b.note);
  row.model = std::max(a.model, b.model);
  row.firmware = std::max(a.firmware, b.firmware);
  row.finished = a.finished && b.finished;
  row.verified = a.verified && b.verified;
  return row;
}

}  // namespace

Merged::Merged(std::vector<Material*> sides, Material* base, MergeOptions options) : options_(std::move(options)) {
  for (Material* side : sides) sides_.push_back(read_side(*side));
  if (base) base_ = read_side(*base);
  decide_scopes();
  decide_items();
  unite_takes();
  unite_rest();
}

Merged::Side Merged::read_side(Material& material) {
  Side side;
  side.material = &material;
  for (TakeRow& take : material.takes()) {
    side.ids[take.number] = take.id;
    side.takes.emplace(take.id, std::move(take));
  }
  for (MaterialPart& part : material.parts()) {
    side.parts.emplace(PartName(side.ids.at(part.take), part.scope), part);
  }
  for (MaterialSession& session : material.sessions()) {
    const PartName part(side.ids.at(session.take), session.scope);
    side.sessions.emplace(std::pair(part, session.number), session);
  }
  for (const cassettes::Mark& mark : material.marks())
    side.marks.emplace(side.ids.at(mark.take), mark.at_us, mark.name);
  side.allowed = material.allowed();
  material.each(
      [&](const MaterialItem& item) { side.items.emplace(ItemName(side.ids.at(item.take), item.digest), item); });
  return side;
}

template <class Key, class Has>
bool Merged::stays(const Key& key, const Has& has) const {
  const auto on = [&](const Side& side) { return has(side, key); };
  const bool was_there = base_ && has(*base_, key);
  return was_there ? std::all_of(sides_.begin(), sides_.end(), on) : std::any_of(sides_.begin(), sides_.end(), on);
}

void Merged::decide_scopes() {
  std::set<std::string> scopes;
  for (const Side& side : sides_) {
    for (const auto& [name, part] : side.parts) scopes.insert(name.second);
  }
  scopes.erase("");
  for (const std::string& scope : scopes) decide_scope(scope);
}

/// A scope is a unit: two recordings of it, each made without the other, cannot both be right.
void Merged::decide_scope(const std::string& scope) {
  const auto takes_with = [&](const Side& side) {
    std::set<TakeId> takes;
    for (const auto& [name, part] : side.parts) {
      if (name.second == scope) takes.insert(name.first);
    }
    return takes;
  };
  const std::set<TakeId> old = base_ ? takes_with(*base_) : std::set<TakeId>();
  const auto added = [&](const Side& side, const Side& other) {
    const std::set<TakeId> theirs = takes_with(other);
    std::set<TakeId> takes = takes_with(side);
    std::erase_if(takes, [&](const TakeId& take) { return old.contains(take) || theirs.contains(take); });
    return takes;
  };
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    for (std::size_t k = i + 1; k < sides_.size(); ++k) {
      const std::set<TakeId> first = added(sides_[i], sides_[k]), second = added(sides_[k], sides_[i]);
      if (first.empty() || second.empty()) continue;
      if (options_.prefer == i || options_.prefer == k) {
        for (const TakeId& take : options_.prefer == i ? second : first) dropped_parts_.emplace(take, scope);
        continue;
      }
      MergeConflict conflict;
      conflict.kind = MergeConflict::Kind::scope;
      conflict.scope = scope;
      conflict.first = i;
      conflict.second = k;
      conflict.first_has = "recorded " + base::human_time(sides_[i].takes.at(*first.begin()).started_us);
      conflict.second_has = "recorded " + base::human_time(sides_[k].takes.at(*second.begin()).started_us);
      conflicts_.push_back(std::move(conflict));
      return;
    }
  }
}

std::string Merged::content(const Side& side, const ItemName& name) {
  const InteractionRecord record = side.material->record(side.items.at(name));
  tell_progress(record.response.body.size() + record.request.body.size());
  return digest_of(record);
}

void Merged::tell_progress(std::uint64_t bytes) {
  compared_ += bytes;
  if (options_.progress && !options_.progress(compared_, std::max(this->bytes(), compared_))) throw Stopped();
}

bool Merged::is_dropped(const ItemName& name, std::size_t side) {
  const bool may_be = std::any_of(dropped_parts_.begin(), dropped_parts_.end(),
                                  [&](const PartName& part) { return part.first == name.first; });
  if (!may_be) return false;
  const InteractionRecord record = sides_[side].material->record(sides_[side].items.at(name));
  return dropped_parts_.contains({name.first, record.scope});
}

void Merged::decide_items() {
  std::set<ItemName> names;
  for (const Side& side : sides_) {
    for (const auto& [name, item] : side.items) names.insert(name);
  }
  for (const ItemName& name : names) decide_item(name);
}

void Merged::decide_item(const ItemName& name) {
  std::vector<std::size_t> having;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    if (sides_[i].items.contains(name)) having.push_back(i);
  }
  const bool was_there = base_ && base_->items.contains(name);
  const bool is_removed = was_there && having.size() < sides_.size();
  if (having.size() == 1 && !was_there) {
    choose(name, having.front());
    return;
  }
  // Who says what, without those who say what the base says.
  const std::string old = was_there ? content(*base_, name) : std::string();
  std::map<std::string, std::size_t> said;
  for (const std::size_t side : having) said.try_emplace(content(sides_[side], name), side);
  const std::size_t same = having.front();
  if (was_there) said.erase(old);
  if (said.empty() && is_removed) return;
  if (said.size() <= 1 && !is_removed) {
    choose(name, said.empty() ? same : said.begin()->second);
    return;
  }
  if (options_.prefer) {
    const bool has = sides_[*options_.prefer].items.contains(name);
    if (has) choose(name, *options_.prefer);
    if (has || is_removed) return;
  }
  const InteractionRecord record = sides_[having.front()].material->record(sides_[having.front()].items.at(name));
  MergeConflict conflict;
  conflict.id = base::to_hex(std::string_view(name.second.data(), name.second.size()));
  conflict.key = record.key.text;
  conflict.scope = record.scope;
  conflict.first = said.begin()->second;
  conflict.first_has = "changed";
  if (is_removed) {
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (!sides_[i].items.contains(name)) conflict.second = i;
    }
    conflict.second_has = "removed";
  } else {
    conflict.second = std::next(said.begin())->second;
    conflict.second_has = "changed in another way";
    if (conflict.second < conflict.first) std::swap(conflict.first, conflict.second);
  }
  conflicts_.push_back(std::move(conflict));
}

void Merged::choose(const ItemName& name, std::size_t side) {
  if (!is_dropped(name, side)) chosen_.emplace(name, side);
}

void Merged::unite_takes() {
  std::map<TakeId, TakeRow> takes;
  for (const Side& side : sides_) {
    for (const auto& [id, take] : side.takes) {
      const auto [found, is_new] = takes.try_emplace(id, take);
      if (!is_new) found->second = united(found->second, take);
    }
  }
  std::set<TakeId> used;
  for (const auto& [name, side] : chosen_) used.insert(name.first);
  const auto has_take = [](const Side& side, const TakeId& id) { return side.takes.contains(id); };
  const auto had_calls = [&](const TakeId& id) {
    return std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) {
      const auto first = side.items.lower_bound({id, cassettes::Digest{}});
      return first != side.items.end() && first->first.first == id;
    });
  };
  for (auto& [id, take] : takes) {
    if (used.contains(id) || (!had_calls(id) && stays(id, has_take))) takes_.push_back(std::move(take));
  }
  std::sort(takes_.begin(), takes_.end(), [](const TakeRow& a, const TakeRow& b) {
    return std::tie(a.started_us, a.id) < std::tie(b.started_us, b.id);
  });
  for (std::size_t i = 0; i < takes_.size(); ++i) takes_[i].number = static_cast<std::uint32_t>(i) + 1;
}

void Merged::unite_rest() {
  std::map<TakeId, std::uint32_t> numbers;
  for (const TakeRow& take : takes_) numbers[take.id] = take.number;
  for (const auto& [name, side] : chosen_) {
    MaterialItem item = sides_[side].items.at(name);
    const bool was_removed =
        base_ && base_->items.contains(name) &&
        std::any_of(sides_.begin(), sides_.end(), [&](const Side& one) { return !one.items.contains(name); });
    if (was_removed) needed_parts_.emplace(name.first, sides_[side].material->record(item).scope);
    item.take = numbers.at(name.first);
    items_.push_back({side, item});
  }
  std::map<PartName, MaterialPart> parts;
  std::map<std::pair<PartName, std::uint32_t>, MaterialSession> sessions;
  const auto has_part = [](const Side& side, const PartName& name) { return side.parts.contains(name); };
  for (const Side& side : sides_) {
    for (const auto& [name, part] : side.parts) {
      const bool kept = !dropped_parts_.contains(name) && (needed_parts_.contains(name) || stays(name, has_part));
      if (!kept || !numbers.contains(name.first)) continue;
      MaterialPart& united = parts.try_emplace(name, part).first->second;
      united.take = numbers.at(name.first);
      std::tie(united.complete, united.run) =
          std::max(std::tuple(united.complete, united.run), std::tuple(part.complete, part.run));
    }
    for (const auto& [name, session] : side.sessions) {
      if (numbers.contains(name.first.first)) sessions.try_emplace(name, session);
    }
  }
  for (const auto& [name, part] : parts) parts_.push_back(part);
  for (auto& [name, session] : sessions) {
    if (!parts.contains(name.first)) continue;
    session.take = numbers.at(name.first.first);
    sessions_.push_back(session);
  }
  const auto has_mark = [](const Side& side, const auto& mark) { return side.marks.contains(mark); };
  const auto has_allowed = [](const Side& side, const std::string& one) { return side.allowed.contains(one); };
  std::set<std::tuple<TakeId, std::int64_t, std::string>> marks;
  for (const Side& side : sides_) {
    for (const auto& mark : side.marks) {
      if (numbers.contains(std::get<0>(mark)) && stays(mark, has_mark)) marks.insert(mark);
    }
    for (const std::string& one : side.allowed) {
      if (stays(one, has_allowed)) allowed_.insert(one);
    }
  }
  for (const auto& [take, at_us, name] : marks) marks_.push_back({numbers.at(take), at_us, name});
  std::sort(marks_.begin(), marks_.end(), [](const cassettes::Mark& a, const cassettes::Mark& b) {
    return std::tie(a.take, a.at_us, a.name) < std::tie(b.take, b.at_us, b.name);
  });
}

void Merged::each(const std::function<void(const MaterialItem&)>& visit) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    MaterialItem item = items_[i].item;
    item.row = static_cast<std::int64_t>(i);
    visit(item);
  }
}

InteractionRecord Merged::record(const MaterialItem& item) {
  const Chosen& chosen = items_.at(static_cast<std::size_t>(item.row));
  return sides_[chosen.side].material->record(chosen.item);
}

std::uint64_t Merged::bytes() {
  std::uint64_t bytes = 0;
  for (const Side& side : sides_) bytes += side.material->bytes();
  return bytes;
}

Material::Numbers Merged::highest() {
  Numbers highest;
  for (const Side& side : sides_) {
    const Numbers one = side.material->highest();
    highest = {std::max(highest.session, one.session), std::max(highest.account, one.account)};
  }
  return highest;
}

}  // namespace tapedeck::tools
