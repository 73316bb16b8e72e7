#include "tools/capsule/reduction.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "cassettes/finish/rewrite.h"
#include "tools/capsule/body_elements.h"
#include "tools/content/edit.h"
#include "tools/content/marks.h"
#include "tools/content/rewrite.h"
#include "tools/delta/ddmin.h"

namespace tapedeck::tools {
namespace {

/// 2000-01-01T00:00:00Z.
constexpr std::int64_t new_start_us = 946'684'800'000'000;

/// A recording without its date and what people wrote about it. Its times begin at 2000-01-01T00:00:00Z and keep their
/// intervals. Notes, marks, and reviewed findings are left out.
class WithoutOrigin final : public MaterialView {
 public:
  explicit WithoutOrigin(cassettes::Material& below) : MaterialView(below) {
    const auto first = std::min_element(head_.takes.begin(), head_.takes.end(),
                                        [](const auto& a, const auto& b) { return a.started_us < b.started_us; });
    if (first != head_.takes.end()) shift_us_ = new_start_us - first->started_us;
    for (cassettes::Take& take : head_.takes) {
      take.started_us += shift_us_;
      take.ended_us += shift_us_;
      take.note.clear();
    }
    for (cassettes::MaterialSession& session : head_.sessions) {
      session.span.first_us += shift_us_;
      session.span.last_us += shift_us_;
    }
    head_.marks.clear();
    head_.allowed.clear();
  }
  [[nodiscard]] scrubbers::InteractionRecord record(const cassettes::MaterialItem& item) override {
    scrubbers::InteractionRecord record = below_.record(item);
    record.started_us += shift_us_;
    record.ended_us += shift_us_;
    if (record.first_byte_us != 0) record.first_byte_us += shift_us_;
    return record;
  }

 private:
  std::int64_t shift_us_ = 0;
};

using cassettes::ListedInteraction;
using scrubbers::InteractionRecord;
using Ids = std::set<std::uint64_t>;
using Edits = std::map<std::uint64_t, Edited::Change>;

constexpr std::size_t long_string = 32, short_string = 16;

/// The cassette from which candidates take their parts.
struct Base {
  explicit Base(const std::string& path) : reader(path), content(cassettes::open_material(path)) {}
  cassettes::CassetteReader reader;
  std::unique_ptr<cassettes::Material> content;

  [[nodiscard]] Ids ids() const {
    Ids all;
    reader.list([&](const ListedInteraction& line) {
      all.insert(id_number(line.id));
      return true;
    });
    return all;
  }
};

void require_written(const cassettes::FinishReport& report) {
  if (!report.finished) throw std::runtime_error("cannot write a candidate: " + report.failure);
}

/// An element of a body, or a string in it.
struct Element {
  std::uint64_t id = 0;
  BodyPlace place;
};

class Reducer {
 public:
  Reducer(std::string path, const ReductionOptions& options) : path_(std::move(path)), options_(options) {}

  std::optional<Reduced> run(const std::set<std::string>& played) {
    if (!leave_out_origin(played)) return std::nullopt;
    while (!is_ended_ && !is_all_done()) {
      reduce_groups("takes", [](const ListedInteraction& line) { return std::tuple(line.take, std::string(), 0u); });
      reduce_groups("scopes", [](const ListedInteraction& line) { return std::tuple(line.take, line.scope, 0u); });
      reduce_groups("lanes",
                    [](const ListedInteraction& line) { return std::tuple(line.take, line.scope, line.lane); });
      reduce_groups("interactions", [](const ListedInteraction& line) { return line.id; });
      depths_ = std::max(depths_, is_ended_ ? 0 : deepest());
      for (std::size_t depth = 1; depth <= depths_; ++depth) reduce_bodies(depth);
      reduce_strings();
    }
    return Reduced{path_, !is_ended_};
  }

 private:
  /// Returns true if the step was done and nothing has changed since.
  [[nodiscard]] bool is_done(const std::string& step) const {
    const auto found = done_.find(step);
    return found != done_.end() && found->second == version_;
  }
  [[nodiscard]] bool is_all_done() const {
    return !done_.empty() &&
           std::all_of(done_.begin(), done_.end(), [&](const auto& step) { return step.second == version_; });
  }

  bool leave_out_origin(const std::set<std::string>& played) {
    newest_ = path_;
    const Base base(path_);
    Ids all = base.ids(), some;
    for (const std::string& id : played) some.insert(id_number(id));
    std::erase_if(some, [&](std::uint64_t id) { return !all.contains(id); });
    for (const bool with_dates : {false, true}) {
      for (const Ids& kept : {some, all}) {
        if (options_.progress) options_.progress("unplayed interactions", all.size() - kept.size());
        const auto undated = [](InteractionRecord& record) { set_header(record, "Date:"); };
        if (tries(base, kept, with_dates ? Edits{} : edits_of(kept, undated))) return take_over();
        if (options_.goes_on && !options_.goes_on()) return false;
      }
    }
    return false;
  }

  /// Returns edits that apply `change` to each interaction. If it throws EditError, the candidate is unusable.
  Edits edits_of(const Ids& ids, const Edited::Change& change) {
    Edits edits;
    for (const std::uint64_t id : ids) edits.emplace(id, checked(change));
    return edits;
  }
  Edited::Change checked(Edited::Change change) {
    return [this, change = std::move(change)](InteractionRecord& record) {
      try {
        change(record);
      } catch (const EditError&) {
        is_unusable_ = true;
      }
    };
  }

  /// Writes a candidate and tests it. Keeps it as `newest_` if it shows the failure, and removes it otherwise.
  bool tries(const Base& base, const Ids& kept, Edits edits) {
    if (kept.empty()) return false;
    const std::string candidate = options_.folder + "/candidate.cassette";
    std::filesystem::remove(candidate);
    is_unusable_ = false;
    KeptMaterial part(*base.content, base.reader,
                      [&](const ListedInteraction& line) { return kept.contains(id_number(line.id)); });
    const bool is_edited = !edits.empty();
    Edited edited(part, std::move(edits));
    WithoutOrigin content(edited);
    {
      const auto scrubber = is_edited ? options_.scrubber(base.reader.info()) : nullptr;
      cassettes::RewriteOptions writing;
      writing.scrubber = scrubber.get();
      writing.progress = [this](const char*, std::uint64_t, std::uint64_t) {
        return !options_.goes_on || options_.goes_on();
      };
      const cassettes::FinishReport report = cassettes::write_new(candidate, content, writing);
      if (report.was_stopped) return false;
      require_written(report);
    }
    const bool shows = !is_unusable_ && options_.shows(candidate);
    if (!shows) {
      std::filesystem::remove(candidate);
      return false;
    }
    if (newest_ != path_) std::filesystem::remove(newest_);
    newest_ = options_.folder + "/reduced-" + std::to_string(++accepted_) + ".cassette";
    std::filesystem::rename(candidate, newest_);
    return true;
  }
  /// Replaces the cassette by the newest candidate that shows the failure.
  bool take_over() {
    if (newest_.empty() || newest_ == path_) return false;
    std::filesystem::remove(path_);
    path_ = newest_;
    ++version_;
    return true;
  }

  /// Removes the elements that are not needed. `candidate` tests a candidate with some of the elements.
  void minimize(const std::string& step, std::size_t elements,
                const std::function<bool(const ElementSet&)>& candidate) {
    newest_ = path_;
    DeltaOptions options;
    options.goes_on = options_.goes_on;
    options.progress = [&](std::size_t left) {
      if (options_.progress) options_.progress(step, left);
    };
    const Minimized found = ddmin(all_elements(elements), one_by_one(candidate), options);
    take_over();
    if (found.is_minimal) {
      done_[step] = version_;
    } else {
      is_ended_ = true;
    }
  }

  template <class GroupOf>
  void reduce_groups(const std::string& step, const GroupOf& group_of) {
    if (is_ended_ || is_done(step)) return;
    const Base base(path_);
    std::map<decltype(group_of(std::declval<const ListedInteraction&>())), Ids> by_group;
    base.reader.list([&](const ListedInteraction& line) {
      by_group[group_of(line)].insert(id_number(line.id));
      return true;
    });
    std::vector<Ids> groups;
    for (auto& [group, ids] : by_group) groups.push_back(std::move(ids));
    minimize(step, groups.size(), [&](const ElementSet& set) {
      Ids kept;
      for (const std::size_t group : set) kept.insert(groups[group].begin(), groups[group].end());
      return tries(base, kept, {});
    });
  }

  /// Returns the places that `find` finds in the bodies of complete responses, with marks in place of redactions.
  static std::vector<Element> elements_in(const Base& base,
                                          const std::function<std::vector<BodyPlace>(std::string_view)>& find) {
    std::vector<Element> elements;
    base.reader.each([&](const cassettes::FullInteraction& full) {
      if (full.record.completeness != api::Completeness::complete) return true;
      for (BodyPlace& place : find(marked_body(full.record))) {
        elements.push_back({id_number(full.line.id), std::move(place)});
      }
      return true;
    });
    return elements;
  }

  /// Minimizes the elements that `find` finds. `change` removes the places of the others from a body.
  void reduce_elements(const std::string& step, const std::function<std::vector<BodyPlace>(std::string_view)>& find,
                       const std::function<std::string(std::string, const std::vector<BodyPlace>&)>& change) {
    if (is_ended_ || is_done(step)) return;
    const Base base(path_);
    const std::vector<Element> elements = elements_in(base, find);
    const Ids all = base.ids();
    minimize(step, elements.size(), [&](const ElementSet& set) {
      std::map<std::uint64_t, std::vector<BodyPlace>> gone;
      for (const std::size_t place : without(all_elements(elements.size()), set)) {
        gone[elements[place].id].push_back(elements[place].place);
      }
      Edits edits;
      for (auto& [id, places] : gone) {
        edits.emplace(id, checked([&change, places = std::move(places)](InteractionRecord& record) {
                        set_body(record, change(marked_body(record), places));
                      }));
      }
      return tries(base, all, std::move(edits));
    });
  }

  void reduce_bodies(std::size_t depth) {
    reduce_elements(
        "body elements at depth " + std::to_string(depth),
        [depth](std::string_view body) { return removable_places(body, depth); }, without_places);
  }
  void reduce_strings() {
    reduce_elements(
        "long strings", [](std::string_view body) { return long_strings(body, long_string); },
        [](std::string body, const std::vector<BodyPlace>& places) {
          return with_short_strings(std::move(body), places, short_string);
        });
  }
  [[nodiscard]] std::size_t deepest() const {
    std::size_t depth = 0;
    const cassettes::CassetteReader reader(path_);
    reader.each([&](const cassettes::FullInteraction& full) {
      depth = std::max(depth, depth_of(marked_body(full.record)));
      return true;
    });
    return depth;
  }

  std::string path_, newest_;
  const ReductionOptions& options_;
  std::size_t depths_ = 0;  ///< the largest depth of an element in any candidate
  unsigned accepted_ = 0, version_ = 0;
  std::map<std::string, unsigned> done_;  ///< the version in which each step found nothing more to remove
  bool is_ended_ = false, is_unusable_ = false;
};

}  // namespace

std::optional<Reduced> reduce(const std::string& path, const std::set<std::string>& played,
                              const ReductionOptions& options) {
  return Reducer(path, options).run(played);
}

void write_empty(const std::string& path, const std::string& out) {
  const Base base(path);
  KeptMaterial nothing(*base.content, base.reader, [](const ListedInteraction&) { return false; });
  require_written(cassettes::write_new(out, nothing, {}));
}

}  // namespace tapedeck::tools
