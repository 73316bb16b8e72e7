"""The fixture of one test: its own address, and the journal of its requests."""

from __future__ import annotations

import shlex
import time
import uuid
import warnings
from datetime import datetime, timezone
from typing import Any, Callable, Collection, Mapping, Sequence

from .control import Control, ControlError
from .report import is_problem, report
from .scope import in_header, segment, spelled

_PAGE = 1000  # entries; the most that GET /journal gives
_KEPT = 2000  # entries that a report looks back
_PATIENCE = 20  # seconds, for a request to hold
_HINTS = 8  # the last problems of a test, with what would help


def _match_of(call: str | Mapping[str, Any]) -> dict[str, Any]:
    """"Core.Network/get" or "Core.Network/1/get" as a match of POST /assert."""
    if not isinstance(call, str):
        return dict(call)
    parts = call.split("/")
    match: dict[str, Any] = {"api": parts[0]}
    if len(parts) > 2:
        match["version"] = parts[1]
    if len(parts) > 1:
        match["method"] = parts[-1]
    return match


class Hold:
    """Responses that wait (Tape.hold)."""

    def __init__(self, control: Control, name: str, forget: Callable[[], None]) -> None:
        self._control = control
        self._name = name
        self._forget = forget

    def waiting(self) -> list[dict[str, Any]]:
        """Returns the requests that wait, by their numbers in the journal."""
        return [one for one in self._control.get("/held")["held"] if self._name in one["overlay"].split(", ")]

    def release(self, **change: Any) -> int:
        """Lets all waiting responses go, unchanged or with `status`, `error`, `body`, or `fault`, and returns their number. Waits
        for the first one. Later requests do not wait."""
        end = time.monotonic() + _PATIENCE
        while not self.waiting() and time.monotonic() < end:
            time.sleep(0.02)
        if not self.waiting():
            raise TimeoutError(f"no request to hold came within {_PATIENCE} s")
        self._forget()
        return len(self._control.post("/held/release", {"overlay": self._name, **change})["released"])


class Tape:
    """`url` is the base URL for this test's client: that of the server with the scope's segment."""

    def __init__(self, server_url: str, control: Control, name: str, run: int, fixture: str = "tape") -> None:
        self._control = control
        self.fixture = fixture
        self.name = spelled(name)  # without the run, as options and other programs name the scope
        self._overlays: list[dict[str, Any]] = []
        self._effects: list[dict[str, Any]] = []
        self.ok = True  # false after a failed or interrupted test
        self.server_url = server_url
        self.control_url = control.url
        self.token = control.token
        self.run = run
        self.scope = spelled(name, run)
        self.url = server_url + segment(name, run)
        self.headers = {"X-Tapedeck-Scope": in_header(name, run)}

    def requests(self, outcome: str | None = None) -> list[dict[str, Any]]:
        """Returns the journal entries of this scope."""
        head = self._control.get("/journal", limit=1)
        entries: list[dict[str, Any]] = []
        start = max(head["oldest"], head["total"] - _KEPT, 1)
        while start <= head["total"]:
            found = self._control.get("/journal", scope=self.scope, outcome=outcome, limit=_PAGE, **{"from": start})
            entries += found["entries"]
            if found["next"] <= start:
                break
            start = found["next"]
        return entries

    def misses(self) -> list[dict[str, Any]]:
        return self.requests(outcome="miss")

    def assert_called(self, call: str | Mapping[str, Any], **expected: Any) -> dict[str, Any]:
        """Fails unless the call was made: at least once, or as in `count=2`, `at_most=3`, `never=True`, …."""
        __tracebackhide__ = True
        wanted = expected or {"at_least": 1}
        match = _match_of(call)
        said = self._control.post("/assert", {"match": {**match, "scope": self.scope}, **wanted})
        if not said["holds"]:
            raise AssertionError(f"{match} was called {said['count']} times, expected {wanted}")
        return said

    def overlay(self, **rule: Any) -> None:
        """Replaces a response, for this test only: `call="Core.Share/1/list", error=105` (docs/mocking.md). Later ones take
        precedence over earlier ones."""
        self._post([rule, *self._overlays], self._effects)

    def effects(self, *effects: Mapping[str, Any]) -> bool:
        """Declares changes of writes to later responses, for this test alone (docs/mocking.md).

        While recording, effects are left out, because every response comes from the device: a warning reports this, and
        the result is False.
        """
        if "device" in self._control.get("/state"):
            warnings.warn("tapedeck: effects are left out while recording", stacklevel=2)
            return False
        self._post(self._overlays, [*self._effects, *map(dict, effects)])
        return True

    def _post(self, overlays: list[dict[str, Any]], effects: list[dict[str, Any]]) -> None:
        body: dict[str, Any] = {"set": self._set, "scope": self.name, "overlays": overlays}
        if effects:
            body["effects"] = effects
        self._control.post("/overlays", body)
        self._overlays, self._effects = overlays, effects

    @property
    def clock(self) -> datetime | None:
        """The latest time at which a response of this test was recorded, for fake timers. It never goes back.

        Before the first response it is the start of what will play; None without a recording. While this test is
        recorded it is the current time.
        """
        now = self._control.get("/clock", scope=self.scope)["now"]
        return None if now is None else datetime.fromisoformat(now.replace("Z", "+00:00"))

    def fault(self, kind: str, **rule: Any) -> None:
        """Injects a fault for matching requests, or for all: reset, close, cut, hang, garbage, or empty."""
        everything = {} if "path" in rule else {"call": "*/*/*"}
        self.overlay(**{**everything, **rule, "fault": kind})

    def hold(self, call: str | None = None, **rule: Any) -> Hold:
        """Holds the responses to a call, or to the calls of an overlay's conditions, until `release()`, so that a test can look at
        what its subject does meanwhile."""
        name = f"hold {uuid.uuid4()}"
        conditions = {} if call is None else {"call": call.replace("/", "/*/") if call.count("/") == 1 else call}
        self.overlay(**{**conditions, **rule, "name": name, "hold": True})

        def forget() -> None:
            left = [one for one in self._overlays if one.get("name") != name]
            if left or self._effects:
                self._post(left, self._effects)
            else:
                self.clear_overlays()

        return Hold(self._control, name, forget)

    def clear_overlays(self) -> None:
        """Removes the overlays and effects of this test."""
        if self._overlays or self._effects:
            self._control.post("/overlays/delete", {"set": self._set})
        self._overlays, self._effects = [], []

    def port(self) -> str:
        """Opens a port for this test and returns its URL, for clients that accept only a host and a port. It closes with the test."""
        return self._control.post("/scope", {"name": self.scope, "listen": "127.0.0.1:0"})["url"]

    def finish(self) -> None:
        """Reports the result of the test; the recording of a failed test is not kept. The fixture calls this."""
        self.clear_overlays()
        self._control.post("/scope/result", {"name": self.scope, "ok": self.ok})

    @property
    def _set(self) -> str:
        return f"test {self.scope}"

    def report(self, remedy: Callable[[Sequence[str]], str] | None = None, not_renamed: Collection[str] = ()) -> str:
        """Returns the report that a failing test shows. `remedy` returns a command of the test runner for options that
        help. `not_renamed` are names OLD=NEW of tests that exist."""
        entries = self.requests()
        problems = [entry["number"] for entry in entries if is_problem(entry)]
        hints = {number: self._hint(number, remedy, not_renamed) for number in problems[-_HINTS:]}
        return report(entries, self.scope, hints)

    def _hint(self, number: int, remedy: Callable[[Sequence[str]], str] | None, not_renamed: Collection[str]) -> list[str]:
        try:
            shown = self._control.get(f"/requests/{number}")
        except ControlError:
            return []  # no longer kept
        if remedy is None or "remedy" not in shown:
            return [shown["hint"]] if shown.get("hint") else []
        line = remedy(shown["remedy"])
        renames = [command for command in shown.get("renames", []) if shlex.split(command)[-1] not in not_renamed]
        return [f"if this test was renamed: {renames[0]}", f"otherwise {line}"] if renames else [line]
