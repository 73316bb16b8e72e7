#!/usr/bin/env bash
# Checks that tests/options_test.sh fails for an option that no end-to-end test passes to its command.
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/e2e" "$work/tests/clients"
cat >"$work/program" <<'END'
#!/usr/bin/env bash
case "$1" in
  --help-all) printf 'Games:\n  play   Plays\n  keep   Keeps\n' ;;
  play) printf 'Options:\n  -h,--help   Help\n  --fast      Fast\n  --to FILE   There\n' ;;
  keep) printf 'Options:\n  --to FILE   There\n' ;;
esac
END
chmod +x "$work/program"
touch "$work/tests/clients/a.mjs"

# expect STATUS SAYS
expect() {
  local status=0 output
  output=$("$folder/options_test.sh" "$work/program" "$work") || status=$?
  [ "$status" -eq "$1" ] && [[ $output = *"$2"* ]] || { echo "status $status: $output"; exit 1; }
}

echo 'run({"play", "--fast", "--to", file}); run({"keep", "--to", file});' >"$work/tests/e2e/a_test.cpp"
expect 0 ""
echo 'run({"play", "--to", file}); run({"keep", "--to", file});' >"$work/tests/e2e/a_test.cpp"
expect 1 "play --fast: no end-to-end test"
echo 'run({"play", "--faster", "--to", file}); run({"keep", "--to", file});' >"$work/tests/e2e/a_test.cpp"
expect 1 "play --fast: no end-to-end test"
echo 'run({"play", "--fast", "--to", file});' >"$work/tests/e2e/a_test.cpp"
echo 'sh("program keep --to file")' >"$work/tests/e2e/b_test.cpp"
expect 0 ""
rm "$work/tests/e2e/b_test.cpp"
expect 1 "keep --to: no end-to-end test"
