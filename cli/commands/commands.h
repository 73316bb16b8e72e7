#pragma once
// Declares functions that each add one command to the program, with its options and its action.

#include "cli/arguments/command.h"

namespace tapedeck::cli {

void add_record(Command& program);
void add_replay(Command& program);
void add_demo(Command& program);
void add_ls(Command& program);
void add_show(Command& program);
void add_scan(Command& program);
void add_scrub(Command& program);
void add_overlay(Command& program);
void add_doctor(Command& program);
void add_info(Command& program);
void add_grep(Command& program);
void add_edit(Command& program);
void add_rm(Command& program);
void add_merge(Command& program);
void add_export(Command& program);
void add_import(Command& program);
void add_diff(Command& program);
void add_git_setup(Command& program);
void add_explain(Command& program);
void add_exec(Command& program);

}  // namespace tapedeck::cli
