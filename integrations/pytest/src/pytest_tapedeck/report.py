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


def _whole(entry: Mapping[str, Any], hints: Sequence[str]) -> list[str]:
    reason = [entry["reason"]] if entry.get("reason") else []
    return [_line(entry), *(f"      {text}" for text in (*reason, *hints))]


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def add_to_failure(result: Any, text: str) -> None:
    """Adds the text to the failure of a test, which terminals, JUnit XML, and other reports show."""
    if hasattr(result.longrepr, "addsection"):
        result.longrepr.addsection("tapedeck", text)
    else:
        result.longrepr = f"{result.longrepr}\n\n{text}"


def report(entries: Sequence[Mapping[str, Any]], scope: str, hints: Mapping[int, Sequence[str]]) -> str:
    """`entries` are those of one scope, in order; `hints` maps their numbers to hints."""
    misses = sum(entry["outcome"] == "miss" for entry in entries)
    problems = [entry for entry in entries if is_problem(entry)][-_SHOWN:]
    lines = [f'{_many(len(entries), "request", "requests")} in the scope "{scope}", {_many(misses, "miss", "misses")}']
    said: set[str] = set()  # each hint is shown once
    if problems:
        lines.append("problems:")
        for entry in problems:
            new = [hint for hint in hints.get(entry["number"], ()) if hint not in said]
            lines += _whole(entry, new)
            said.update(new)
    if entries:
        lines += ["last requests:", *map(_line, entries[-_SHOWN:])]
    return "\n".join(lines)
