#include "tools/content/rewrite.h"

#include <stdexcept>

#include "base/text.h"

namespace tapedeck::tools {

std::uint64_t id_number(const cassettes::Digest& digest) {
  std::uint64_t number = 0;
  for (const char byte : digest) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::uint64_t id_number(std::string_view sixteen_hex_digits) {
  const auto number = base::whole_number<std::uint64_t>(sixteen_hex_digits, 16);
  if (!number) throw std::invalid_argument("not an interaction ID");
  return *number;
}

Kept kept_of(const cassettes::CassetteReader& cassette,
             const std::function<bool(const cassettes::ListedInteraction&)>& keeps) {
  Kept kept;
  std::set<std::uint32_t> takes_with_calls;
  std::set<std::pair<std::uint32_t, std::string>> parts_with_calls;
  cassette.list([&](const cassettes::ListedInteraction& line) {
    takes_with_calls.insert(line.take);
    parts_with_calls.emplace(line.take, line.scope);
    if (keeps(line)) {
      kept.ids.insert(id_number(line.id));
      kept.takes.insert(line.take);
      kept.parts.emplace(line.take, line.scope);
    }
    return true;
  });
  for (const cassettes::Take& take : cassette.info().takes) {
    if (!takes_with_calls.contains(take.number)) kept.takes.insert(take.number);
  }
  const auto keep_empty = [&](const std::string& name) {
    for (const cassettes::ScopeTake& part : cassette.scope(name)) {
      const std::pair place{part.take, name};
      if (kept.takes.contains(part.take) && !parts_with_calls.contains(place)) kept.parts.insert(place);
    }
  };
  keep_empty("");
  std::set<std::string> scopes;
  cassette.scopes([&](const cassettes::ScopeTake& part) {
    scopes.insert(part.name);
    return true;
  });
  for (const std::string& scope : scopes) keep_empty(scope);
  return kept;
}

KeptMaterial::KeptMaterial(cassettes::Material& below, Kept kept) : MaterialView(below), kept_(std::move(kept)) {
  for (const cassettes::TakeRow& take : below_.takes()) {
    if (kept_.takes.contains(take.number))
      numbers_.emplace(take.number, static_cast<std::uint32_t>(numbers_.size()) + 1);
  }
}

std::vector<cassettes::TakeRow> KeptMaterial::takes() {
  std::vector<cassettes::TakeRow> takes = below_.takes();
  std::erase_if(takes, [&](const cassettes::TakeRow& take) { return !numbers_.contains(take.number); });
  for (cassettes::TakeRow& take : takes) take.number = numbers_.at(take.number);
  return takes;
}

std::vector<cassettes::MaterialPart> KeptMaterial::parts() {
  std::vector<cassettes::MaterialPart> parts = below_.parts();
  std::erase_if(parts, [&](const cassettes::MaterialPart& part) {
    return !kept_.parts.contains({part.take, part.scope});
  });
  for (cassettes::MaterialPart& part : parts) part.take = numbers_.at(part.take);
  return parts;
}

std::vector<cassettes::MaterialSession> KeptMaterial::sessions() {
  std::vector<cassettes::MaterialSession> sessions = below_.sessions();
  std::erase_if(sessions, [&](const cassettes::MaterialSession& session) {
    return !kept_.parts.contains({session.take, session.scope});
  });
  for (cassettes::MaterialSession& session : sessions) session.take = numbers_.at(session.take);
  return sessions;
}

std::vector<cassettes::Mark> KeptMaterial::marks() {
  std::vector<cassettes::Mark> marks = below_.marks();
  std::erase_if(marks, [&](const cassettes::Mark& mark) { return !numbers_.contains(mark.take); });
  for (cassettes::Mark& mark : marks) mark.take = numbers_.at(mark.take);
  return marks;
}

void KeptMaterial::each(const std::function<void(const cassettes::MaterialItem&)>& visit) {
  below_.each([&](const cassettes::MaterialItem& item) {
    if (!kept_.ids.contains(id_number(item.digest))) return;
    cassettes::MaterialItem renumbered = item;
    renumbered.take = numbers_.at(item.take);
    visit(renumbered);
  });
}

void Edited::each(const std::function<void(const cassettes::MaterialItem&)>& visit) {
  below_.each([&](const cassettes::MaterialItem& item) {
    cassettes::MaterialItem marked = item;
    marked.edited = item.edited || changes_.contains(id_number(item.digest));
    visit(marked);
  });
}

scrubbers::InteractionRecord Edited::record(const cassettes::MaterialItem& item) {
  scrubbers::InteractionRecord record = below_.record(item);
  if (const auto change = changes_.find(id_number(item.digest)); change != changes_.end()) change->second(record);
  return record;
}

}  // namespace tapedeck::tools
