#include "cli/running/finish_recording.h"

#include <sstream>
#include <utility>

#include "cassettes/file/recording_lock.h"
#include "cassettes/read/cassette_reader.h"
#include "journal/journal_file.h"

namespace tapedeck::cli {
namespace {

/// What is handed over beside the lock's descriptor: in the order of the files.
struct Note {
  std::uint32_t take = 0;
  bool has_cassette_lock = false;
  bool has_journal = false;
  std::uint64_t journal_begin = 0;
  std::string path;  ///< the last one: it may hold anything

  [[nodiscard]] std::string text() const {
    return std::to_string(take) + " " + (has_cassette_lock ? "1 " : "0 ") + (has_journal ? "1 " : "0 ") +
           std::to_string(journal_begin) + " " + path;
  }
  static Note of(const std::string& text) {
    Note note;
    std::istringstream in(text);
    in >> note.take >> note.has_cassette_lock >> note.has_journal >> note.journal_begin;
    in.get();
    std::getline(in, note.path, '\0');
    return note;
  }
};

/// The recorder may have finished the file and died after that.
cassettes::FinishReport report_of_finished(const std::string& path) {
  cassettes::FinishReport report;
  report.finished = true;
  report.interactions = cassettes::CassetteReader(path).info().interactions;
  return report;
}

void settle_kept(const StagedEnd& end, base::Descriptor lock, const std::string& path,
                 const std::optional<cassettes::FinishReport>& report) {
  cassettes::StagedCassette staged(end.cassette, std::move(lock));
  if (!report && !cassettes::exists(path)) return staged.leave();  // it was settled
  static_cast<void>(settle(staged, report ? *report : report_of_finished(path), end.before, end.keep));
}

void finish_inherited(const KeptRecording& recording, Inheritance inherited) {
  const Note note = Note::of(inherited.text);
  auto file = inherited.files.begin();
  base::Descriptor lock = std::move(*file++);
  base::Descriptor cassette_lock = note.has_cassette_lock ? std::move(*file++) : base::Descriptor();
  const base::Descriptor journal = note.has_journal ? std::move(*file) : base::Descriptor();
  cassettes::mark_as_finishing(lock);
  if (cassette_lock.open()) cassettes::mark_as_finishing(cassette_lock);
  scrubbers::Scrubber scrubber(recording.scrubbing);
  inherited.log.each([&scrubber](std::string_view entry) { scrubber.take_over(entry); });
  std::optional<cassettes::FinishReport> report;
  const auto finish = [&](const cassettes::FinishOptions& options) {
    try {
      report = cassettes::finish(cassettes::DeadRecording{note.path, std::move(lock), note.take}, options);
    } catch (const std::exception& error) {
      report.emplace().failure = error.what();
    }
    return report.value_or(cassettes::FinishReport{});
  };
  const auto rewrite = [&](const std::function<std::string(std::string_view)>& change) {
    static_cast<void>(journal::rewrite_lines(journal, note.journal_begin, change));
  };
  const RewriteLines lines = note.has_journal ? RewriteLines(rewrite) : RewriteLines();
  static_cast<void>(finish_recording(finish, scrubber, recording.extras, lines, recording.scrubbing.profile.get(), {}));
  if (recording.staged) settle_kept(*recording.staged, std::move(cassette_lock), note.path, report);
}

}  // namespace

Settled settle(cassettes::StagedCassette& staged, const cassettes::FinishReport& report, std::uint64_t before,
               bool keep) {
  if (!report.finished) {
    staged.leave();
    return Settled::left;
  }
  if (report.interactions == before) return Settled::nothing;
  if (keep) {
    staged.accept();
    return Settled::accepted;
  }
  static_cast<void>(staged.keep_as_failed());
  return Settled::failed;
}

cassettes::FinishReport finish_recording(
    const FinishCassette& finish, scrubbers::Scrubber& scrubber, const RecordingExtras& extras,
    const RewriteLines& rewrite, const scrubbers::PrivateProfile* profile,
    const std::function<bool(const char*, std::uint64_t, std::uint64_t)>& progress) {
  cassettes::FinishOptions options;
  options.scrubber = &scrubber;
  options.strict_scan = extras.strict_scan;
  options.progress = progress;
  cassettes::FinishReport report = finish(options);
  if (rewrite) clean_journal(rewrite, scrubber);
  keep_given(extras.private_values, profile);
  return report;
}

std::function<void(Inheritance)> finish_kept(KeptRecording recording) {
  return [recording = std::move(recording)](Inheritance inherited) {
    if (!inherited.files.empty()) finish_inherited(recording, std::move(inherited));
  };
}

void hand_over(Keeper& keeper, const cassettes::CassetteWriter& writer, const cassettes::StagedCassette* staged,
               const journal::Journal* journal) {
  if (!keeper.is_there()) return;
  const cassettes::Handover handover = writer.handover();
  Note note;
  note.take = handover.take;
  note.path = handover.path;
  std::vector<int> files = {handover.lock};
  cassettes::mark_as_kept(handover.lock);
  if (staged != nullptr && staged->lock() >= 0) {
    note.has_cassette_lock = true;
    files.push_back(staged->lock());
  }
  const auto place = journal != nullptr ? journal->place() : std::nullopt;
  if (place) {
    note.has_journal = true;
    note.journal_begin = place->begin;
    files.push_back(place->file);
  }
  keeper.hand_over(note.text(), files);
}

RewriteLines lines_of(journal::Journal* journal) {
  if (journal == nullptr) return {};
  return [journal](const std::function<std::string(std::string_view)>& change) { journal->rewrite_file(change); };
}

ReadyValues with_keeper(ReadyValues values, const Keeper& keeper) {
  if (keeper.pid() > 0) values.emplace_back("keeper", std::to_string(keeper.pid()));
  return values;
}

scrubbers::ScrubberOptions witnessed_by(Keeper& keeper, scrubbers::ScrubberOptions options) {
  options.witness = [&keeper](std::string_view entry) { keeper.tell(entry); };
  return options;
}

}  // namespace tapedeck::cli
