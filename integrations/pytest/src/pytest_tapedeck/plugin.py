"""The fixtures, and the server behind them.

One server serves the whole run. With pytest-xdist, the controller owns it and passes its address to the workers. Under
`tapedeck exec`, the server of that command is used.
"""

from __future__ import annotations

import os
from typing import Any, Iterator, NamedTuple, Sequence

import pytest

from .control import Control, ControlError
from .options import Selected, add_options, arguments, cassettes_of, ignored_under_exec, own_words, remedy_of
from .report import add_to_failure
from .scope import SESSION, group_of, name_of_test, spelled
from .server import Server, bypass_proxies, next_run
from .tape import Tape


class Running(NamedTuple):
    url: str
    control_url: str
    token: str


_running = pytest.StashKey[Running]()
_server = pytest.StashKey[Server]()
_ended = pytest.StashKey[Server]()
_tape = pytest.StashKey[Tape]()
_wide = pytest.StashKey[list]()  # tapes of classes and of the session that are in use
_interrupted = pytest.StashKey[bool]()

_SHOWN = 20  # warnings
_FIXTURES = ("tape", "tape_class", "tape_session", "tapedeck_server")


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def _of_exec(config: pytest.Config) -> Running | None:
    """Returns the server of `tapedeck exec`, unless that has no cassette and the configuration names one."""
    if os.environ.get("TAPEDECK_CASSETTES") == "" and cassettes_of(config):
        return None
    values = [os.environ.get(name) for name in ("TAPEDECK_URL", "TAPEDECK_CONTROL_URL", "TAPEDECK_TOKEN")]
    return Running(*values) if all(values) else None


def _start(config: pytest.Config, selected: Selected | None = None) -> Running:
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
        bypass_proxies()
        config.stash[_running] = running
    return config.stash[_running]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Called by pytest-xdist in the controller before a worker starts, when it is still unknown which tests need a cassette."""
    is_wanted = _of_exec(node.config) is not None or arguments(node.config, None, check=False) is not None
    node.workerinput["tapedeck"] = list(_start(node.config)) if is_wanted else None


def _uses(item: pytest.Item, *fixtures: str) -> bool:
    return any(name in getattr(item, "fixturenames", ()) for name in fixtures)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Reports one usage error instead of one for each test."""
    config = session.config
    is_worker = hasattr(config, "workerinput")
    if is_worker or config.option.collectonly or not any(_uses(item, *_FIXTURES) for item in session.items):
        return
    _start(config, _scopes_of(session.items))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Notes an interruption, after which fixtures are torn down although the test has no result."""
    outcome = yield
    if outcome.excinfo is not None:
        item.config.stash[_interrupted] = True


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
    warnings = [own_words(line) for line in server.warnings()]
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
    return name_of_test(item, group_of(item))


def _scope_of_class(node: pytest.Item) -> str:
    """Returns the scope of `tape_class`. A function outside of a class is its own class."""
    one = node.getparent(pytest.Class)
    return _scope_of(node) if one is None else name_of_test(one)


def _scopes_of(items: Sequence[pytest.Item]) -> Selected:
    classes = dict.fromkeys(_scope_of_class(item) for item in items if _uses(item, "tape_class"))
    session = [SESSION] if any(_uses(item, "tape_session") for item in items) else []
    return Selected([_scope_of(item) for item in items if _uses(item, "tape")], [*classes, *session])


def _running_for(request: pytest.FixtureRequest) -> Running:
    try:
        return _start(request.config)
    except pytest.UsageError as error:
        request.session.shouldfail = str(error)
        pytest.fail(str(error), pytrace=False)


def _opened(request: pytest.FixtureRequest, scope: str) -> Tape:
    running = _running_for(request)
    try:
        return next_run(running.url, Control(running.control_url, running.token), scope, request.fixturename or "tape")
    except ControlError as error:
        pytest.fail(str(error), pytrace=False)


def _finish(request: pytest.FixtureRequest, one: Tape) -> None:
    one.ok = one.ok and not request.config.stash.get(_interrupted, False)
    try:
        one.finish()
    except ControlError as error:
        pytest.fail(str(error), pytrace=False)


def _wide_tape(request: pytest.FixtureRequest, scope: str) -> Iterator[Tape]:
    one = _opened(request, scope)
    tapes = request.config.stash.setdefault(_wide, [])
    tapes.append(one)
    yield one
    tapes.remove(one)
    _finish(request, one)


@pytest.fixture
def tape(request: pytest.FixtureRequest) -> Iterator[Tape]:
    """The recording of this test; `tape.url` is the base URL for its client."""
    one = _opened(request, _scope_of(request.node))
    one.ok = False  # until the test has passed
    request.node.stash[_tape] = one
    yield one
    _finish(request, one)


@pytest.fixture(scope="class")
def tape_class(request: pytest.FixtureRequest) -> Iterator[Tape]:
    """One recording for all tests of a class, such as a login that they share. Its scope is named after the class."""
    yield from _wide_tape(request, _scope_of_class(request.node))


@pytest.fixture(scope="session")
def tape_session(request: pytest.FixtureRequest) -> Iterator[Tape]:
    """One recording for the whole run, with the scope `tape_session`."""
    yield from _wide_tape(request, SESSION)


@pytest.fixture(scope="session")
def tapedeck_server(request: pytest.FixtureRequest) -> Running:
    """The server alone, for requests outside of scopes: `url`, `control_url`, and `token`."""
    return _running_for(request)


def _tapes_of(item: pytest.Item) -> list[Tape]:
    own = item.stash.get(_tape, None)
    wide = [one for one in item.config.stash.get(_wide, []) if _uses(item, one.fixture)]
    return wide if own is None else [own, *wide]


def _report_of(item: pytest.Item, one: Tape) -> str:
    try:
        known = {f"{spelled(_scope_of(other))}={one.name}" for other in item.session.items}
        return one.report(lambda options: remedy_of(item, one, options, _of_exec(item.config) is not None), known)
    except ControlError as error:
        return f"no report: {error}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    result = outcome.get_result()
    tapes = _tapes_of(item)
    if result.when == "call" and not result.failed and _tape in item.stash:
        item.stash[_tape].ok = True
    if not result.failed:
        return
    for one in tapes:
        one.ok = False
    if tapes and result.when != "teardown":
        add_to_failure(result, "\n".join(_report_of(item, one) for one in tapes))
