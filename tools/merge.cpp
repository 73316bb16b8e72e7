#include "tools/merge.h"

#include <string.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/clock.h"
#include "base/digest.h"
#include "base/text.h"
#include "cassettes/file/interaction_id.h"
#include "tools/content/stopped.h"

namespace tapedeck::tools {
namespace {

using cassettes::Material;
using cassettes::MaterialItem;
using cassettes::MaterialPart;
using cassettes::MaterialSession;
using cassettes::Take;
using scrubbers::InteractionRecord;
using scrubbers::Redaction;

/// Returns everything that a cassette stores of an interaction.
auto content_of(const InteractionRecord& one) {
  return std::tie(one.request.method, one.request.target, one.request.minor_version, one.request.headers,
                  one.request.body, one.response.status, one.response.reason, one.response.headers, one.response.body,
                  one.redactions, one.completeness, one.reason, one.withheld_digest, one.key.text, one.session,
                  one.account, one.ended_by_client, one.scope, one.run, one.started_us, one.first_byte_us, one.ended_us,
                  one.events);
}

/// Compares numbers in texts by value: "policy 9" is less than "policy 10".
bool counts_less(const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) < 0; }

/// Merges the rows of a take on two sides. Where they differ, the choice does not depend on the order of the sides.
Take merged_take(const Take& a, const Take& b) {
  Take row = a;
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
  row.continues = a.continues && b.continues;
  return row;
}

}  // namespace

Merged::Merged(std::vector<Material*> sides, Material* base, MergeOptions options) : options_(std::move(options)) {
  for (Material* side : sides) sides_.push_back(read_side(*side));
  if (base) base_ = read_side(*base);
  decide_scopes();
  decide_items();
  merge_takes();
  merge_rest();
}

Merged::Side Merged::read_side(Material& material) {
  Side side;
  side.material = &material;
  const cassettes::MaterialHead head = material.head();
  head_.bytes += head.bytes;
  head_.highest_session = std::max(head_.highest_session, head.highest_session);
  head_.highest_account = std::max(head_.highest_account, head.highest_account);
  for (const Take& take : head.takes) {
    side.ids[take.number] = take.id;
    side.takes.emplace(take.id, take);
  }
  for (const MaterialPart& part : head.parts) {
    side.parts.emplace(PartName(side.ids.at(part.take), part.scope), part);
  }
  for (const MaterialSession& session : head.sessions) {
    const PartName part(side.ids.at(session.take), session.scope);
    side.sessions.emplace(std::pair(part, session.number), session);
  }
  for (const cassettes::Mark& mark : head.marks) {
    side.marks.emplace(std::tuple(side.ids.at(mark.take), mark.at_us, mark.name), mark);
  }
  for (const std::string& fingerprint : head.allowed) side.allowed.emplace(fingerprint, true);
  material.each(
      [&](const MaterialItem& item) { side.items.emplace(ItemName(side.ids.at(item.take), item.digest), item); });
  return side;
}

template <class Table, class Combine>
Table Merged::merged_table(Table Side::*table, const Combine& combine) const {
  Table all;
  for (const Side& side : sides_) {
    for (const auto& [name, value] : side.*table) {
      const auto has = [&, &key = name](const Side& one) { return (one.*table).contains(key); };
      if (base_ && has(*base_) && !std::all_of(sides_.begin(), sides_.end(), has)) continue;
      const auto [found, is_new] = all.try_emplace(name, value);
      if (!is_new) found->second = combine(found->second, value);
    }
  }
  return all;
}

void Merged::decide_scopes() {
  std::set<std::string> scopes;
  for (const Side& side : sides_) {
    for (const auto& [name, part] : side.parts) scopes.insert(name.second);
  }
  scopes.erase("");
  for (const std::string& scope : scopes) decide_scope(scope);
}

/// Adds a conflict if two sides have different new recordings of a scope, because a scope is recorded as a whole.
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

InteractionRecord Merged::content(const Side& side, const ItemName& name) {
  InteractionRecord record = side.material->record(side.items.at(name));
  tell_progress(record.response.body.size() + record.request.body.size());
  return record;
}

void Merged::tell_progress(std::uint64_t bytes) {
  compared_ += bytes;
  if (options_.progress && !options_.progress(compared_, std::max(head_.bytes, compared_))) throw Stopped();
}

bool Merged::is_dropped(const ItemName& name, std::size_t side) {
  const bool may_be = std::any_of(dropped_parts_.begin(), dropped_parts_.end(),
                                  [&](const PartName& part) { return part.first == name.first; });
  if (!may_be) return false;
  const InteractionRecord record = sides_[side].material->record(sides_[side].items.at(name));
  return dropped_parts_.contains({name.first, record.scope});
}

bool Merged::all_have(const ItemName& name) const {
  return std::all_of(sides_.begin(), sides_.end(), [&](const Side& side) { return side.items.contains(name); });
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
  if (having.size() == 1 && !was_there) return choose(name, having.front());
  // Each content that differs from the base, with the first side that has it.
  const auto old = was_there ? std::optional(content(*base_, name)) : std::nullopt;
  std::vector<std::pair<std::size_t, InteractionRecord>> changed;
  for (const std::size_t side : having) {
    InteractionRecord record = content(sides_[side], name);
    const auto is_same = [&](const auto& other) { return content_of(other.second) == content_of(record); };
    const bool is_known =
        (old && content_of(*old) == content_of(record)) || std::any_of(changed.begin(), changed.end(), is_same);
    if (!is_known) changed.emplace_back(side, std::move(record));
  }
  if (changed.empty() && is_removed) return;
  if (changed.size() <= 1 && !is_removed) {
    return choose(name, changed.empty() ? having.front() : changed.front().first);
  }
  if (options_.prefer) {
    const bool has = sides_[*options_.prefer].items.contains(name);
    if (has) choose(name, *options_.prefer);
    if (has || is_removed) return;
  }
  MergeConflict conflict;
  conflict.id = base::to_hex(std::string_view(name.second.data(), name.second.size()));
  conflict.key = changed.front().second.key.text;
  conflict.scope = changed.front().second.scope;
  conflict.first = changed.front().first;
  conflict.first_has = "changed";
  conflict.second_has = is_removed ? "removed" : "changed in another way";
  if (!is_removed) conflict.second = changed[1].first;
  for (std::size_t i = 0; is_removed && i < sides_.size(); ++i) {
    if (!sides_[i].items.contains(name)) conflict.second = i;
  }
  conflicts_.push_back(std::move(conflict));
}

void Merged::choose(const ItemName& name, std::size_t side) {
  if (!is_dropped(name, side)) chosen_.emplace(name, side);
}

void Merged::merge_takes() {
  std::map<TakeId, Take> takes = merged_table(&Side::takes, merged_take);
  std::set<TakeId> used, had_calls;
  for (const auto& [name, side] : chosen_) used.insert(name.first);
  for (const Side& side : sides_) {
    for (const auto& [name, item] : side.items) had_calls.insert(name.first);
    // A take that one side has removed stays if another side has changed one of its interactions.
    for (const auto& [id, take] : side.takes) {
      if (used.contains(id)) takes.try_emplace(id, take);
    }
  }
  for (auto& [id, take] : takes) {
    if (used.contains(id) || !had_calls.contains(id)) head_.takes.push_back(std::move(take));
  }
  std::sort(head_.takes.begin(), head_.takes.end(),
            [](const Take& a, const Take& b) { return std::tie(a.started_us, a.id) < std::tie(b.started_us, b.id); });
  for (std::size_t i = 0; i < head_.takes.size(); ++i) head_.takes[i].number = static_cast<std::uint32_t>(i) + 1;
}

void Merged::merge_rest() {
  std::map<TakeId, std::uint32_t> numbers;
  for (const Take& take : head_.takes) numbers[take.id] = take.number;
  const auto later_run = [](const MaterialPart& a, const MaterialPart& b) {
    return std::tie(a.complete, a.run) < std::tie(b.complete, b.run) ? b : a;
  };
  std::map<PartName, MaterialPart> parts = merged_table(&Side::parts, later_run);
  for (const auto& [name, side] : chosen_) {
    MaterialItem item = sides_[side].items.at(name);
    // The scope of a kept interaction stays, even if another side has removed the scope.
    if (const bool was_there = base_ && base_->items.contains(name); was_there && !all_have(name)) {
      const PartName part(name.first, sides_[side].material->record(item).scope);
      parts.try_emplace(part, sides_[side].parts.at(part));
    }
    item.take = numbers.at(name.first);
    items_.push_back({side, item});
  }
  std::erase_if(parts, [&](const auto& part) {
    return dropped_parts_.contains(part.first) || !numbers.contains(part.first.first);
  });
  for (auto& [name, part] : parts) {
    part.take = numbers.at(name.first);
    head_.parts.push_back(part);
  }
  std::map<std::pair<PartName, std::uint32_t>, MaterialSession> sessions;
  for (const Side& side : sides_) sessions.insert(side.sessions.begin(), side.sessions.end());
  for (auto& [name, session] : sessions) {
    if (!parts.contains(name.first)) continue;
    session.take = numbers.at(name.first.first);
    head_.sessions.push_back(session);
  }
  const auto first = [](const auto& a, const auto&) { return a; };
  for (auto [name, mark] : merged_table(&Side::marks, first)) {
    if (!numbers.contains(std::get<0>(name))) continue;
    mark.take = numbers.at(std::get<0>(name));
    head_.marks.push_back(mark);
  }
  std::sort(head_.marks.begin(), head_.marks.end(), [](const cassettes::Mark& a, const cassettes::Mark& b) {
    return std::tie(a.take, a.at_us, a.name) < std::tie(b.take, b.at_us, b.name);
  });
  for (const auto& [fingerprint, is_allowed] : merged_table(&Side::allowed, first)) head_.allowed.insert(fingerprint);
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

}  // namespace tapedeck::tools
