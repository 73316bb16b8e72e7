#!/usr/bin/env bash
# Tests script/check-subjects with messages and ranges, and the hook that script/bootstrap installs.
#   tests/subjects_test.sh PROJECT_FOLDER
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=ann GIT_AUTHOR_EMAIL=ann@example.org
export GIT_COMMITTER_NAME=ann GIT_COMMITTER_EMAIL=ann@example.org
mkdir "$work/clone"
cp -r "$1/script" "$work/clone"
cd "$work/clone"
fail() { echo "subjects: $1"; exit 1; }
long=$(printf 'x%.0s' {1..80})
good=('replay: keep a session on its own take' 'cli, tools: rename a file' 'script/test: list flaky tests' 'http: pass a body'
  'scan: embed a table' 'tests: process rows' 'fixup! anything' "Merge branch 'a'" 'release: set the version to 1.2.3')
bad=('Keep a session' 'replay keep a session' 'replay: Keep a session' 'Replay: keep it' 'replay: keep a session.' "replay: keep $long"
  'replay: fixed a fault' 'replay: fixes a fault' 'replay: fixing faults' 'replay: a session keeps its take' 'replay:keep' '')
for subject in "${good[@]}"; do
  printf '%s\n\nbody\n' "$subject" >message
  script/check-subjects message || fail "refused: $subject"
done
for subject in "${bad[@]}"; do
  printf '# a comment\n%s\n' "$subject" >message
  ! script/check-subjects message 2>/dev/null || fail "accepted: $subject"
done

git init -q .
git commit -q --allow-empty -m 'Anything'
for subject in 'replay: keep it' 'scan: find it'; do git commit -q --allow-empty -m "$subject"; done
script/check-subjects HEAD~2..HEAD || fail "refused a range"
script/check-subjects HEAD..HEAD || fail "refused an empty range"
! script/check-subjects HEAD~1..HEAD~9 2>/dev/null || fail "accepted a range that does not exist"
git commit -q --allow-empty -m 'fixup! scan: find it'
! script/check-subjects HEAD~3..HEAD 2>/dev/null || fail "accepted a fixup in a range"

script/bootstrap hook >/dev/null
script/bootstrap hook >/dev/null
git commit -q --allow-empty -m 'replay: keep it' || fail "the hook refuses a good subject"
! git commit -q --allow-empty -m 'Keep it' 2>/dev/null || fail "the hook accepts a bad subject"
echo '#!/bin/sh' >.git/hooks/commit-msg
! script/bootstrap hook 2>/dev/null || fail "another hook was replaced"
