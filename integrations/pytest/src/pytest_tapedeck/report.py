"""The report of a failing test: its failed requests, hints, and its last requests."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

_SHOWN = 8
_PROBLEMS = ("miss", "fallback", "refused", "broken", "withheld", "not recorded")


def is_problem(entry: Mapping[str, Any]) -> bool:
    return entry["outcome"] in _PROBLEMS or entry["status"] in (403, 502) or bool(entry.get("reason"))


def _line(entry: Mapping[str, Any]) -> str:
    code = f" code {entry['code']}" if entry.get("code") else ""
    return f"  {entry['outcome']:<8} {entry['status']}{code} {entry['key']}"


def _whole(entry: Mapping[str, Any], hint: str) -> list[str]:
    return [_line(entry), *(f"      {text}" for text in (entry.get("reason"), hint) if text)]


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def report(entries: Sequence[Mapping[str, Any]], scope: str, hints: Mapping[int, str]) -> str:
    """`entries` are those of one scope, in order; `hints` maps their numbers to hints."""
    misses = sum(entry["outcome"] == "miss" for entry in entries)
    problems = [entry for entry in entries if is_problem(entry)][-_SHOWN:]
    lines = [f'{_many(len(entries), "request", "requests")} in the scope "{scope}", {_many(misses, "miss", "misses")}']
    if problems:
        lines.append("problems:")
        for entry in problems:
            lines += _whole(entry, hints.get(entry["number"], ""))
    if entries:
        lines += ["last requests:", *map(_line, entries[-_SHOWN:])]
    return "\n".join(lines)
