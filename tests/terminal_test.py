#!/usr/bin/env python3
"""Compares terminal output, at 80 and 130 columns, with the golden texts in tests/terminal.

    tests/terminal_test.py PROGRAM [--write]     (--write updates the golden texts: review the changes)

The program runs in a pseudo terminal. A small model of a screen processes its output, so that redrawn lines have their
final content. Colors become marks: {red}, {green}, {yellow}, {faint}.
"""

import fcntl
import os
import pty
import re
import select
import shutil
import ssl
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

GOLDEN = Path(__file__).parent / "terminal"
WIDTHS = (80, 130)
COLOURS = {"31": "{red}", "32": "{green}", "33": "{yellow}", "2": "{faint}", "1": "{bold}", "0": "{}", "": "{}"}
MARKS = re.compile(r"\{(red|green|yellow|faint|bold|)\}")
DEADLINE = 60  # seconds, for a program on a busy machine


class Screen:
    """The content of a terminal: lines, a cursor, and the few sequences that the program writes."""

    def __init__(self):
        self.lines = [[]]
        self.row = self.column = 0
        self.colour = ""

    def put(self, character):
        line = self.lines[self.row]
        line.extend([""] * (self.column + 1 - len(line)))
        line[self.column] = self.colour + character
        self.colour = ""
        self.column += 1

    def sequence(self, arguments, final):
        if final == "m":
            assert arguments in COLOURS, f"a colour that not every terminal has: {arguments!r}"
            self.colour += COLOURS[arguments]
            if arguments in ("0", "") and self.column > 0:
                self.lines[self.row][self.column - 1] += self.colour
                self.colour = ""
        elif final == "A":
            self.row -= int(arguments)
            self.column = 0
        elif final in "JK":
            del self.lines[self.row][self.column :]
            if final == "J":
                del self.lines[self.row + 1 :]
        else:
            raise AssertionError(f"an unknown sequence: {arguments}{final}")

    def feed(self, text):
        for plain, arguments, final in re.findall(r"([^\x1b])|\x1b\[([0-9;]*)([A-Za-z])", text, re.S):
            if final:
                self.sequence(arguments, final)
            elif plain == "\n":
                self.row += 1
                self.column = 0
                if self.row == len(self.lines):
                    self.lines.append([])
            elif plain == "\r":
                self.column = 0
            else:
                self.put(plain)

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines).rstrip("\n") + "\n"


class Terminal:
    """A program in a pseudo terminal of the given width."""

    def __init__(self, arguments, columns, cwd, more=None):
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS") and not k.lower().endswith("_proxy")}
        environment.update({"TERM": "xterm-256color", "XDG_STATE_HOME": str(cwd / "state")}, **(more or {}))
        size = struct.pack("HHHH", 50, columns, 0, 0)
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            os.chdir(cwd)
            os.execve(arguments[0], arguments, environment)
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, size)
        self.raw = b""
        self.over = False

    def read(self, seconds):
        ready, _, _ = select.select([self.end], [], [], seconds)
        if not ready:
            return
        try:
            more = os.read(self.end, 65536)
        except OSError:  # the program has gone
            more = b""
        self.over = not more
        self.raw += more

    def screen(self):
        screen = Screen()
        screen.feed(self.raw.decode().replace("\r\n", "\n"))
        return screen.text()

    def until(self, holds):
        """Reads until the screen contains the text."""
        last = time.monotonic() + DEADLINE
        while not holds(self.screen()):
            assert not self.over and time.monotonic() < last, f"it never came:\n{self.screen()}"
            self.read(0.1)
        return self.screen()

    def finish(self):
        """Reads to the end. Returns the screen and the exit status."""
        last = time.monotonic() + DEADLINE
        while not self.over:
            assert time.monotonic() < last, f"it does not end:\n{self.screen()}"
            self.read(0.1)
        _, status = os.waitpid(self.pid, 0)
        return self.screen(), os.waitstatus_to_exitcode(status)


class Device(BaseHTTPRequestHandler):
    """Responds as a device to the calls below."""

    answers = {
        "SYNO.API.Info": '{"data":{},"success":true}',
        "SYNO.Core.System": '{"data":{"model":"EX-5"},"success":true}',
        "SYNO.Core.Share": '{"error":{"code":105},"success":false}',
    }

    def do_GET(self):
        api = re.search(r"api=([A-Za-z.]+)", self.path).group(1)
        body = self.answers.get(api, '{"error":{"code":102},"success":false}').encode()
        self.send_response(404 if api == "SYNO.Gone" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Test:
    def __init__(self, program, write):
        self.program = str(Path(program).resolve())
        self.write = write
        self.failed = 0
        self.folder = Path(tempfile.mkdtemp(prefix="tapedeck-terminal-"))
        self.plain("import", str(GOLDEN / "sample.jsonl"), "-o", "nas.cassette")

    def plain(self, *arguments, **more):
        """Runs a command in a pipe."""
        environment = {**os.environ, **more}
        ran = subprocess.run([self.program, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=DEADLINE)
        return ran.stdout + ran.stderr

    def see(self, columns, *arguments, **more):
        return Terminal([self.program, *arguments], columns, self.folder, more).finish()

    def check(self, holds, what):
        if not holds:
            self.failed += 1
            print(f"FAILED: {what}")

    def golden(self, name, text):
        file = GOLDEN / f"{name}.golden"
        if self.write:
            file.write_text(text)
        expected = file.read_text() if file.exists() else ""
        self.check(text == expected, f"{file.name} is not what is shown:\n{text}")

    def fits(self, text, columns, what):
        for line in text.splitlines():
            seen = MARKS.sub("", line)
            self.check(len(seen) <= columns, f"{what}: a line of {len(seen)} at {columns} columns: {seen}")

    def both_widths(self, name, *commands):
        """Compares the output of commands with their golden texts, and the exit status if it is not 0."""
        for columns in WIDTHS:
            text = ""
            for command in commands:
                shown, status = self.see(columns, *command)
                text += f"$ tapedeck {' '.join(command)}\n{shown}" + (f"(status {status})\n" if status else "") + "\n"
            self.golden(f"{name}-{columns}", text)
            if name in ("help", "ls"):  # bodies and messages are as long as they are
                self.fits("\n".join(line for line in text.splitlines() if not line.startswith("$")), columns, name)

    def helps(self):
        commands = re.findall(r"^  ([a-z][a-z-]+) ", self.see(130, "--help-all")[0], re.M)
        self.check(len(commands) == 20, "the commands are not found in --help-all")
        self.check(len(self.see(80, "--help")[0].splitlines()) <= 23, "--help and a prompt do not fit a screen of 24 lines")
        pages = [(command, option) for command in commands for option in ("--help", "--help-all")]
        # Of the wide ones every third, unless the run is long.
        for columns, step in ((80, 1), (130, 1 if "TAPEDECK_LONG" in os.environ else 3)):
            for command, option in pages[::step]:
                text, status = self.see(columns, command, option)
                self.check(status == 0, f"{command} {option} ends with {status}")
                self.fits(text, columns, f"{command} {option}")

    def demo(self):
        text, status = self.see(80, "demo")
        self.check(status == 0 and "Every response is the same" in text, f"demo ends with {status}:\n{text}")
        self.fits(text, 80, "demo")

    def colours(self):
        for columns in WIDTHS:
            coloured, _ = self.see(columns, "ls", "nas.cassette")
            for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
                text, _ = self.see(columns, "ls", "nas.cassette", **more)
                self.check(text == MARKS.sub("", coloured), f"{more} changes more than colours:\n{text}")
            self.check("{red}" in coloured and "{green}" in coloured, "success and failure have no colours")
        piped = self.plain("ls", "nas.cassette")
        self.check("\x1b" not in piped and "…" not in piped, "a pipe gets colours, or lines that are cut")
        piped = self.plain("ls", "--color", "always", "nas.cassette")
        self.check("\x1b[32m" in piped, "--color always has no colours in a pipe")

    def recording(self):
        """Checks the live line of record with the last calls, its final state, and the next step."""
        device = ThreadingHTTPServer(("127.0.0.1", 0), Device)
        threading.Thread(target=device.serve_forever, daemon=True).start()
        for columns in WIDTHS:
            shutil.rmtree(self.folder / "live", ignore_errors=True)
            (self.folder / "live").mkdir()
            url = f"http://127.0.0.1:{device.server_port}"
            arguments = [self.program, "record", "--device", url, "--listen", "127.0.0.1:0", "--ready-file", "ready", "my.cassette"]
            terminal = Terminal(arguments, columns, self.folder / "live")
            ready = self.folder / "live" / "ready"
            terminal.until(lambda _: ready.exists() and ready.read_text())
            base = ready.read_text().split("\n")[0]
            for i, api in enumerate(["Info", "Core.System", "Core.Share", "Core.System", "Core.Unknown", "Core.System", "Core.Share"]):
                name = f"SYNO.API.{api}" if api == "Info" else f"SYNO.{api}"
                more = "&additional=" + "x" * 90 if i == 5 else ""
                urlopen(f"{base}/webapi/entry.cgi?api={name}&version=1&method=get{more}").read()
            live = terminal.until(lambda text: "requests 7  recorded 7" in text and text.count("SYNO.") >= 5)
            os.write(terminal.end, b"\x03")
            last, status = terminal.finish()
            self.check(status == 0, f"record ends with {status}")
            text = f"{live}\n--- Ctrl-C ---\n{last}"
            text = text.replace(url, "http://device").replace(base, "http://127.0.0.1:8080").replace("^C", "")
            text = re.sub(r" +\d+\.\d ms", "     0.1 ms", text)
            text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-01-15T10:00:00Z", text)
            self.golden(f"record-{columns}", text)
        device.shutdown()

    def link(self):
        """The page's link is printed on a terminal and in a pipe."""
        arguments = [self.program, "replay", "--page", "--listen", "127.0.0.1:0", "nas.cassette"]
        terminal = Terminal(arguments, 80, self.folder)
        terminal.until(lambda text: re.search(r"http://127\.0\.0\.1:\d+/#token=[0-9a-f]{64}", text))
        os.write(terminal.end, b"\x03")
        _, status = terminal.finish()
        self.check(status == 0, f"replay ends with {status}")
        ready = self.folder / "ready"
        with open(self.folder / "log", "wb") as log:
            server = subprocess.Popen([*arguments, "--ready-file", str(ready)], cwd=self.folder, stdout=log, stderr=log)
            last = time.monotonic() + DEADLINE
            while not ready.exists() and time.monotonic() < last and server.poll() is None:
                time.sleep(0.05)
            server.terminate()
            server.wait(DEADLINE)
        said = (self.folder / "log").read_text()
        self.check(re.search(r"^page: http://127\.0\.0\.1:\d+/#token=[0-9a-f]{64}$", said, re.M), f"no link in a pipe:\n{said}")

    def certificate(self):
        """Checks that an unknown certificate is accepted at a prompt only by y, and only once."""
        folder = self.folder / "pinned"
        folder.mkdir()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=nas.example"], cwd=folder, check=True, capture_output=True)
        device = ThreadingHTTPServer(("127.0.0.1", 0), Device)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        device.socket = context.wrap_socket(device.socket, server_side=True)
        threading.Thread(target=device.serve_forever, daemon=True).start()
        arguments = [self.program, "record", "--device", f"https://127.0.0.1:{device.server_port}", "--listen", "127.0.0.1:0", "my.cassette"]
        pins = folder / "state" / "tapedeck" / "pins"
        question = "Trust this certificate? [y/N]"
        for reply, is_trusted in (("n", False), ("", False), ("yess", False), ("y", True)):
            terminal = Terminal(arguments, 80, folder)
            terminal.until(lambda text: question in text)
            os.write(terminal.end, reply.encode() + b"\n")
            if is_trusted:
                terminal.until(lambda text: "recording https" in text)
                os.write(terminal.end, b"\x03")
            text, status = terminal.finish()
            self.check((status == 0) == is_trusted and pins.exists() == is_trusted, f"`{reply}` ends with {status}:\n{text}")
        self.check(pins.stat().st_mode & 0o777 == 0o600, "the pins can be read by others")
        terminal = Terminal(arguments, 80, folder)
        text = terminal.until(lambda text: "recording https" in text)
        os.write(terminal.end, b"\x03")
        _, status = terminal.finish()
        self.check(question not in text and status == 0, f"asked again, or ended with {status}:\n{text}")
        device.shutdown()

    def run(self):
        self.both_widths("help", ["--help"], ["--help-all"], ["record", "--help"], ["ls", "--help"], ["ls", "--help-all"])
        self.both_widths("ls", ["ls", "nas.cassette"], ["ls", "--outcome", "error", "nas.cassette"], ["ls", "--scopes", "nas.cassette"], ["info", "nas.cassette"])
        self.both_widths("calls", ["info", "--calls", "nas.cassette"])
        ids = re.findall(r"^([0-9a-f]{16}) .*SystemHealth", self.plain("ls", "nas.cassette"), re.M)
        self.both_widths("show", ["show", "nas.cassette", ids[0][:8]])
        self.both_widths("mistakes", ["recrd"], ["ls", "--scop", "nas.cassette"], ["ls"], ["ls", "absent.cassette"], ["ls", "--sort", "colour", "nas.cassette"],
                         ["replay", "--cors"], ["replay", "--auth", "none"], ["replay", "--buffer", "12x"], ["record", "--device", "nas", "my.cassette"], [], ["show", "nas.cassette", "ffffffff"], ["frobnicate"])
        self.helps()
        self.demo()
        self.colours()
        self.recording()
        self.link()
        self.certificate()
        shutil.rmtree(self.folder, ignore_errors=True)
        return 1 if self.failed else 0


if __name__ == "__main__":
    sys.exit(Test(sys.argv[1], "--write" in sys.argv[2:]).run())
