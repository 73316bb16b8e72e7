"""The fixture `tape`, and the server behind it.

One server serves the whole run. With pytest-xdist, the controller owns it and passes its address to the workers. Under
`tapedeck exec`, the server of that command is used.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import Any, Iterator, NamedTuple

import pytest

from .control import Control, ControlError
from .options import add_options, arguments, cassettes_of, ignored_under_exec
from .scope import name_of_test
from .server import Server, next_run
from .tape import Tape


class Running(NamedTuple):
    url: str
    control_url: str
    token: str


_running = pytest.StashKey[Running]()
_server = pytest.StashKey[Server]()
_ended = pytest.StashKey[Server]()
_tape = pytest.StashKey[Tape]()
_ok = pytest.StashKey[bool]()

_SHOWN = 20  # warnings
_MISSING = re.compile("^  (miss|fallback) ", re.MULTILINE)  # lines of a report


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def _of_exec(config: pytest.Config) -> Running | None:
    """Returns the server of `tapedeck exec`, unless that has no cassette and the configuration names one."""
    if os.environ.get("TAPEDECK_CASSETTES") == "" and cassettes_of(config):
        return None
    values = [os.environ.get(name) for name in ("TAPEDECK_URL", "TAPEDECK_CONTROL_URL", "TAPEDECK_TOKEN")]
    return Running(*values) if all(values) else None


def _start(config: pytest.Config, selected: list[str] | None = None) -> Running:
    """Starts the server, or uses the one of `tapedeck exec`. Raises UsageError."""
    if _running not in config.stash:
        worker = getattr(config, "workerinput", None)
        running = Running(*worker["tapedeck"]) if worker and worker["tapedeck"] else _of_exec(config)
        if running is None:
            try:
                server = Server(arguments(config, selected))
            except (OSError, RuntimeError) as error:
                raise pytest.UsageError(str(error)) from None
            config.stash[_server] = server
            running = Running(server.url, server.control.url, server.control.token)
        config.stash[_running] = running
    return config.stash[_running]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Called by pytest-xdist in the controller before a worker starts, when it is still unknown which tests need a cassette."""
    is_wanted = _of_exec(node.config) is not None or arguments(node.config, None, check=False) is not None
    node.workerinput["tapedeck"] = list(_start(node.config)) if is_wanted else None


def _uses_tape(item: pytest.Item) -> bool:
    return "tape" in getattr(item, "fixturenames", ())


def pytest_collection_finish(session: pytest.Session) -> None:
    """Reports one usage error instead of one for each test."""
    config = session.config
    is_worker = hasattr(config, "workerinput")
    if is_worker or config.option.collectonly or not any(map(_uses_tape, session.items)):
        return
    _start(config, [_scope_of(item) for item in session.items if _uses_tape(item)])


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Stops the server, which finishes a recording and applies --tapedeck-strict."""
    server = session.config.stash.get(_server, None)
    if server is None:
        return
    del session.config.stash[_server]
    session.config.stash[_ended] = server
    if server.stop() != 0 and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _closing_lines(config: pytest.Config) -> list[str]:
    server = config.stash.get(_ended, None)
    if server is None:
        ignored = ignored_under_exec(config) if _of_exec(config) else []
        return [f"ignored, because `tapedeck exec` has options of its own: {', '.join(ignored)}"] if ignored else []
    warnings = server.warnings()
    lines = warnings[:_SHOWN]
    if len(warnings) > _SHOWN:
        lines.append(f"… and {len(warnings) - _SHOWN} more")
    if server.status != 0:
        lines += [f"tapedeck ended with status {server.status}:", *server.said().splitlines()[-_SHOWN:]]
    return lines


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    lines = _closing_lines(config)
    if lines:
        terminalreporter.section("tapedeck")
        for line in lines:
            terminalreporter.write_line(line)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _server in config.stash:  # the session did not get that far
        config.stash[_server].stop()
        del config.stash[_server]


def _scope_of(item: pytest.Item) -> str:
    mark = item.get_closest_marker("xdist_group")
    group = None if mark is None else mark.kwargs.get("name", mark.args[0] if mark.args else "default")
    return name_of_test(item, group)


@pytest.fixture
def tape(request: pytest.FixtureRequest) -> Iterator[Tape]:
    """The recording of this test; `tape.url` is the base URL for its client."""
    try:
        running = _start(request.config)
    except pytest.UsageError as error:
        request.session.shouldfail = str(error)
        pytest.fail(str(error), pytrace=False)
    one = next_run(running.url, Control(running.control_url, running.token), _scope_of(request.node))
    request.node.stash[_tape] = one
    request.node.stash[_ok] = False
    yield one
    one.finish(request.node.stash.get(_ok, False))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    result = outcome.get_result()
    one = item.stash.get(_tape, None)
    if result.when == "call":
        item.stash[_ok] = not result.failed
    if result.when == "call" and result.failed and one is not None:
        try:
            text = one.report()
        except (OSError, ControlError) as error:
            text = f"no report: {error}"
        if _MISSING.search(text) and not _of_exec(item.config):
            test = shlex.quote(item.nodeid)
            text += f"\nrecord this test: pytest {test} --tapedeck=new --tapedeck-device URL --tapedeck-rerecord"
        result.sections.append(("tapedeck", text))
