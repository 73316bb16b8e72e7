#!/usr/bin/env bash
# Proves that coroutine_pattern_test.sh finds the fault, and that it leaves sound code alone.
set -euo pipefail

check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/coroutine_pattern_test.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/http"
failures=0

# verdict WANTED_STATUS STATEMENTS: puts them into a coroutine and checks it.
verdict() {
  local wanted=$1 status=0 output
  printf 'awaitable<void> run(int n) {\n  int before{0};\n  %s\n  int after{1};\n}\n' "$2" >"$tree/http/a.cpp"
  output=$(bash "$check" "$tree" 2>&1) || status=$?
  if ((status != wanted)); then
    printf 'FAILED: exit status %s, wanted %s, for: %s\n%s\n' "$status" "$wanted" "$2" "$output"
    failures=$((failures + 1))
  fi
}

verdict 1 'co_await send(Message{1, 2});'
verdict 1 'auto x = co_await send(n, Pair<int>{1, 2});'
verdict 1 'co_return co_await send({.a = 1, .b = 2});'
verdict 1 'co_await send(n, {1, 2});'
verdict 1 $'co_await send(\n      n,\n      Message{1});'
verdict 1 'store(Message{1}, co_await receive());'
verdict 1 'auto x = Pair{co_await receive(), 1};'
verdict 1 'if (co_await send(Message{1})) n = 2;'
verdict 1 'while (co_await send(Message{1})) {'$'\n    n = 2;\n  }'
verdict 1 'co_await run([&] { return 1; });'
verdict 1 'co_await run([this, n](int x) { return x; });'
verdict 1 'co_await run([n]() mutable { return n; });'
verdict 1 'co_await f(n > 1 ? Message{1} : other);'
verdict 1 '{ co_await send(Message{1}); }'
verdict 1 "f('\"'); co_await send(Message{1});"

verdict 0 'Message message{1, 2};'$'\n  co_await send(std::move(message));'
verdict 0 'const auto task = [n] { return n; };'$'\n  co_await run(task);'
verdict 0 'co_await run([](int x) { return x; });'
verdict 0 'if (co_await send(n)) {'$'\n    Message other{1};\n  }'
verdict 0 'for (auto part : co_await parts()) {'$'\n    use(Message{1});\n  }'
verdict 0 'buffer[n] = co_await receive(buffer[n]);'
verdict 0 'co_await send("Message{1}");  // not Message{2}'
verdict 0 'if (n) {'$'\n    use(Message{1});\n  }\n  co_await send(n);'
verdict 0 'use(Message{1});'$'\n  co_await send(n);'
verdict 0 'spawn(executor, [n]() -> awaitable<void> { co_await send(n); });'
verdict 0 'use(Message{1});'

rm "$tree/http/a.cpp"
if bash "$check" "$tree" >/dev/null 2>&1; then
  echo "FAILED: a root without sources passes"
  failures=$((failures + 1))
fi

if ((failures)); then exit 1; fi
echo "the fault is found, and sound code passes"
