#include "tools/merge.h"

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
bool counts_less(const std::string& a, const std::string& b) {
  const auto with_lengths = [](std::string_view text) {
    std::string key;
    while (!text.empty()) {
      const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
      const std::string_view number = digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
      if (!digits.empty()) key.append("0").append(1, static_cast<char>(std::min<std::size_t>(number.size(), 127)));
      key += digits.empty() ? text.substr(0, 1) : number;
      text.remove_prefix(std::max<std::size_t>(digits.size(), 1));
    }
    return key;
  };
  return std::pair(with_lengths(a), a) < std::pair(with_lengths(b), b);
}

/// Merges the rows of a take on two sides. Where they differ, the choice does not depend on the order of the sides.
Take merged_take(const Take& a, const Take& b) {
  Take row = a;
  row.ended_us = std::max(a.ended_us, b.ended_us);
  row.tool_version = std::min(a.tool_version, b.tool_version, counts_less);
  row.key_policy = std::min(a.key_policy, b.key_policy);
  row.scrub_policy = std::min(a.scrub_policy, b.scrub_policy, counts_less);
  row.base_path = std::min(a.base_path, b.base_path);
  row.device = std::max(a.device, b.device);
  row.note = std::max(a.note, b.note);
  row.model = std::max(a.model, b.model);
  row.firmware = std::max(a.firmware, b.firmware);
  row.finished = a.finished && b.finished;
  row.verified = a.verified && b.verified;
  if (a.account_key != b.account_key) row.account_key.reset();
  return row;
}

}  // namespace

Merged::Merged(std::vector<Material*> sides, Material* base, MergeOptions options) : options_(std::move(options)) {
  for (Material* side : sides) sides_.push_back(read_side(*side));
  if (base) base_ = read_side(*base);
  for (const Side& side : sides_) {
    head_.bytes += side.head.bytes;
    head_.highest_session = std::max(head_.highest_session, side.head.highest_session);
    head_.highest_account = std::max(head_.highest_account, side.head.highest_account);
  }
  decide_scopes();
  decide_items();
  merge_heads();
  merge_allowed();
}

Merged::Side Merged::read_side(Material& material) {
  Side side{&material, material.head(), {}, {}};
  for (const Take& take : side.head.takes) side.ids[take.number] = take.id;
  material.each(
      [&](const MaterialItem& item) { side.items.emplace(ItemName(side.ids.at(item.take), item.digest), item); });
  return side;
}

void Merged::decide_scopes() {
  std::set<std::string> scopes;
  for (const Side& side : sides_) {
    for (const MaterialPart& part : side.head.parts) scopes.insert(part.scope);
  }
  scopes.erase("");
  for (const std::string& scope : scopes) decide_scope(scope);
}

/// Adds a conflict if two sides have different new recordings of a scope, because a scope is recorded as a whole.
void Merged::decide_scope(const std::string& scope) {
  const auto takes_with = [&](const Side& side) {
    std::set<TakeId> takes;
    for (const MaterialPart& part : side.head.parts) {
      if (part.scope == scope) takes.insert(side.ids.at(part.take));
    }
    return takes;
  };
  const auto recorded = [](const Side& side, const TakeId& id) {
    const auto take =
        std::find_if(side.head.takes.begin(), side.head.takes.end(), [&](const Take& one) { return one.id == id; });
    return "recorded " + base::human_time(take->started_us);
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
      conflict.first_has = recorded(sides_[i], *first.begin());
      conflict.second_has = recorded(sides_[k], *second.begin());
      conflicts_.push_back(std::move(conflict));
      return;
    }
  }
}

InteractionRecord Merged::content(const Side& side, const ItemName& name) {
  InteractionRecord record = side.material->record(side.items.at(name));
  compared_ += record.response.body.size() + record.request.body.size();
  if (options_.progress && !options_.progress(compared_, std::max(head_.bytes, compared_))) throw Stopped();
  return record;
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
  const MaterialItem& item = sides_[side].items.at(name);
  if (!dropped_parts_.contains({name.first, item.scope})) items_.push_back({name.first, side, item});
}

Merged::Tables Merged::all_tables() const {
  Tables all;
  for (const Side& side : sides_) {
    for (const auto& [name, item] : side.items) all.with_calls.emplace(name.first, item.scope);
    for (const Take& take : side.head.takes) {
      const auto [found, is_new] = all.takes.try_emplace(take.id, take);
      if (!is_new) found->second = merged_take(found->second, take);
    }
    for (const MaterialPart& part : side.head.parts) {
      MaterialPart& known = all.parts.try_emplace({side.ids.at(part.take), part.scope}, part).first->second;
      if (std::tie(known.complete, known.run) < std::tie(part.complete, part.run)) known = part;
    }
    for (const cassettes::MaterialAccount& account : side.head.accounts) {
      all.accounts.try_emplace({{side.ids.at(account.take), account.scope}, account.number}, account);
    }
    for (const MaterialSession& session : side.head.sessions) {
      all.sessions.try_emplace({{side.ids.at(session.take), session.scope}, session.number}, session);
    }
    for (const cassettes::Mark& mark : side.head.marks) {
      all.marks.try_emplace({side.ids.at(mark.take), mark.at_us, mark.name}, mark);
    }
  }
  return all;
}

/// Keeps the takes and scopes that still have an interaction, or had none before.
void Merged::merge_heads() {
  Tables all = all_tables();
  std::set<PartName> used;
  std::set<TakeId> used_takes, takes_with_calls;
  for (const PartName& part : all.with_calls) takes_with_calls.insert(part.first);
  for (const Chosen& one : items_) {
    used.emplace(one.take, one.item.scope);
    used_takes.insert(one.take);
  }
  for (auto& [id, take] : all.takes) {
    if (used_takes.contains(id) || !takes_with_calls.contains(id)) head_.takes.push_back(std::move(take));
  }
  std::sort(head_.takes.begin(), head_.takes.end(),
            [](const Take& a, const Take& b) { return std::tie(a.started_us, a.id) < std::tie(b.started_us, b.id); });
  std::map<TakeId, std::uint32_t> numbers;
  for (Take& take : head_.takes) {
    take.number = static_cast<std::uint32_t>(numbers.size()) + 1;
    numbers[take.id] = take.number;
  }
  for (Chosen& one : items_) one.item.take = numbers.at(one.take);
  const auto is_kept = [&](const PartName& part) {
    return numbers.contains(part.first) && !dropped_parts_.contains(part) &&
           (used.contains(part) || !all.with_calls.contains(part));
  };
  for (auto& [name, part] : all.parts) {
    if (!is_kept(name)) continue;
    part.take = numbers.at(name.first);
    head_.parts.push_back(std::move(part));
  }
  for (auto& [name, account] : all.accounts) {
    if (!is_kept(name.first)) continue;
    account.take = numbers.at(name.first.first);
    head_.accounts.push_back(std::move(account));
  }
  for (auto& [name, session] : all.sessions) {
    if (!is_kept(name.first)) continue;
    session.take = numbers.at(name.first.first);
    head_.sessions.push_back(std::move(session));
  }
  for (auto& [name, mark] : all.marks) {
    const auto take = numbers.find(std::get<0>(name));
    if (take == numbers.end()) continue;
    mark.take = take->second;
    head_.marks.push_back(std::move(mark));
  }
}

/// Merges the reviewed findings, without those that a side has removed since the base.
void Merged::merge_allowed() {
  for (const Side& side : sides_) head_.allowed.insert(side.head.allowed.begin(), side.head.allowed.end());
  if (!base_) return;
  std::erase_if(head_.allowed, [&](const std::string& fingerprint) {
    const auto has = [&](const Side& side) { return side.head.allowed.contains(fingerprint); };
    return has(*base_) && !std::all_of(sides_.begin(), sides_.end(), has);
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

}  // namespace tapedeck::tools
