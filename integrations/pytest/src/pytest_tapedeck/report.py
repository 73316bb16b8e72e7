"""What a failing test shows: its misses, and what it asked last."""

from __future__ import annotations

from typing import Any, Sequence

_SHOWN = 8


def _line(entry: dict[str, Any]) -> str:
    code = f" code {entry['code']}" if entry.get("code") else ""
    reason = f"\n      {entry['reason']}" if entry["outcome"] == "miss" and entry.get("reason") else ""
    return f"  {entry['outcome']:<8} {entry['status']}{code} {entry['key']}{reason}"


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def report(entries: Sequence[dict[str, Any]], scope: str) -> str:
    """`entries` are those of one scope, in order."""
    misses = [entry for entry in entries if entry["outcome"] == "miss"]
    lines = [f'{_many(len(entries), "request", "requests")} in the scope "{scope}", {_many(len(misses), "miss", "misses")}']
    if misses:
        lines += ["misses:", *map(_line, misses)]
    if entries:
        lines += ["last requests:", *map(_line, entries[-_SHOWN:])]
    return "\n".join(lines)
