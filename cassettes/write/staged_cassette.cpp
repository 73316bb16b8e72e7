#include "cassettes/write/staged_cassette.h"

#include <unistd.h>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"

namespace tapedeck::cassettes {
namespace {

// With what SQLite keeps beside a file that is being recorded.
constexpr const char* suffixes[] = {"", "-wal", "-shm", "-journal"};

void refuse_if_recorded(const std::string& staged, const std::string& path) {
  const Descriptor file = open_file(staged, false);
  if (!RecordingLock::held_here(file.id()) && !recorded_elsewhere(file)) return;
  throw CassetteError(CassetteError::Kind::in_use, path + " is being completed by another tapedeck");
}

}  // namespace

StagedCassette::StagedCassette(const std::string& path)
    : full_path_(cassettes::full_path(path)), staged_(full_path_ + ".recording"), failed_(full_path_ + ".failed") {
  static_cast<void>(wait_for_keeper(staged_));
  if (exists(full_path_)) lock_.emplace(RecordingLock::take(full_path_));
  if (exists(staged_)) {
    refuse_if_recorded(staged_, path);
    move_to_failed();
    found_left_over_ = true;
  }
  if (!lock_) return;
  static_cast<void>(check_header(lock_->file(), path));
  copy_file(lock_->file(), staged_);
  // Of a recording that was killed; a finished cassette has nothing beside it.
  for (const char* const suffix : {"-wal", "-journal"}) {
    if (has_content(full_path_ + suffix)) copy_file(open_file(full_path_ + suffix, false), staged_ + suffix);
  }
}

StagedCassette::StagedCassette(const std::string& path, Descriptor lock)
    : full_path_(cassettes::full_path(path)), staged_(full_path_ + ".recording"), failed_(full_path_ + ".failed") {
  if (lock.open()) lock_.emplace(std::move(lock), full_path_);
}

StagedCassette::~StagedCassette() {
  if (is_settled_) return;
  for (const char* const suffix : suffixes) ::unlink((staged_ + suffix).c_str());
}

void StagedCassette::accept() {
  rename_over(staged_, full_path_);
  is_settled_ = true;
  for (const char* const suffix : {"-wal", "-shm", "-journal"}) remove_if_there(full_path_ + suffix);
  sync_folder_of(full_path_);
}

std::string StagedCassette::keep_as_failed() {
  move_to_failed();
  is_settled_ = true;
  return failed_;
}

/// Side files first: a file without its own is damaged, side files without their file are nothing.
void StagedCassette::move_to_failed() {
  for (const char* const suffix : suffixes) remove_if_there(failed_ + suffix);
  for (const char* const suffix : {"-wal", "-journal"}) {
    if (exists(staged_ + suffix)) rename_over(staged_ + suffix, failed_ + suffix);
  }
  remove_if_there(staged_ + "-shm");
  rename_over(staged_, failed_);
  sync_folder_of(failed_);
}

}  // namespace tapedeck::cassettes
