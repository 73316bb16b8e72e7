"""Compares tapedeck with nginx and mitmproxy in the same roles on this machine, and prints one table (script/bench runs it).

Replay stands beside nginx with the same bodies in files, and beside mitmproxy's server replay. Recording stands beside nginx as
proxy_pass and mitmproxy writing its flows, all in front of the same device, which is another nginx. Each run measures all of them in
turn; the table has the lowest and the highest value of the runs.
"""

import argparse
import contextlib
import datetime
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from urllib.parse import urlsplit

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CALL = "/webapi/entry.cgi?api=SYNO.Bench.Item&version=1&method=get&f=%06d&_sid=Kd3mPq9xTv2LwZ7aNs5bYc8R"
FILE = "/webapi/files/%06d.json"
CONNECTIONS = 32
DEADLINE = 600  # seconds, for a server to start or to end

# A worker of root would change to a user who may not read the folder.
NGINX = """{user} daemon off; master_process on; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_timeout 600s; keepalive_requests 1000000000;
  open_file_cache max=900 inactive=3600s; open_file_cache_valid 3600s;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  types {{ application/json json; }} default_type application/json;
  upstream device {{ server 127.0.0.1:{upstream}; keepalive 64; }}
  server {{ listen 127.0.0.1:{port} backlog=4096; {role} }}
}}
"""
SERVES = "root {bodies}; location = /webapi/entry.cgi {{ try_files /webapi/files/$arg_f.json =404; }}"
FORWARDS = 'location / { proxy_pass http://device; proxy_http_version 1.1; proxy_set_header Connection ""; }'


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def body(number):
    """About 1.5 kB of JSON, different for each number."""
    items = [{"id": f"{number:06d}-{i}", "name": f"item {number * 7 + i}", "size": number * 4096 + i, "enabled": (number + i) % 3 == 0} for i in range(20)]
    return '{"data":{"items":[' + ",".join(str(item).replace("'", '"').replace("True", "true").replace("False", "false") for item in items) + '],"total":20},"success":true}'


class Server:
    """A child process that listens; `pid` is the process whose memory counts."""

    def __init__(self, command, port, log):
        self.port = port  # a number, or the ready file that will name it
        self.started = time.monotonic()
        with open(log, "ab") as out:
            self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.log = log

    def first_response(self, path):
        """Returns the seconds from the start to the end of the first response."""
        while time.monotonic() < self.started + DEADLINE:
            if self.child.poll() is not None:
                sys.exit(f"bench: {self.child.args[0]} ended: {pathlib.Path(self.log).read_text(errors='replace')[-2000:]}")
            if isinstance(self.port, pathlib.Path):
                if not self.port.exists() or not (ready := self.port.read_text()):
                    time.sleep(0.001)
                    continue
                self.port = urlsplit(ready.split("\n")[0]).port
            with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as one:
                one.request("GET", path)
                one.getresponse().read()
                return time.monotonic() - self.started
            time.sleep(0.001)
        sys.exit(f"bench: {self.child.args[0]} does not respond")

    def memory(self, field="VmRSS"):
        """Returns megabytes of the process and its children."""
        pid = self.child.pid
        pids = [pid, *map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
        kilobytes = [int(re.search(rf"{field}:\s+(\d+)", pathlib.Path(f"/proc/{one}/status").read_text())[1]) for one in pids]
        return sum(kilobytes) / 1000

    def stop(self, with_signal=signal.SIGTERM):
        if self.child.poll() is None:
            self.child.send_signal(with_signal)
            self.child.wait(DEADLINE)
        return self.child.returncode


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.work).resolve()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.bodies = self.folder / "bodies"
        (self.bodies / "webapi/files").mkdir(parents=True)
        for number in range(options.many):
            (self.bodies / (FILE % number)[1:]).write_text(body(number))
        self.count = 0
        self.servers = []
        self.flows = self.folder / "flows"
        self.device = self.nginx(SERVES.format(bodies=self.bodies))

    def start(self, command, port, path=CALL % 0):
        self.count += 1
        server = Server([str(word) for word in command], port, self.folder / f"log-{self.count}")
        self.servers.append(server)
        server.seconds = server.first_response(path)
        return server

    def nginx(self, role):
        folder, port = self.folder / f"nginx-{len(self.servers)}", free_port()
        folder.mkdir()
        upstream = self.device.port if hasattr(self, "device") else port
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, upstream=upstream, role=role, user="" if os.geteuid() else "user root;"))
        return self.start(["nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"], port)

    def tapedeck(self, *arguments):
        ready = self.folder / f"ready-{len(self.servers)}"
        return self.start([self.options.program, *arguments, "--listen", "127.0.0.1:0", "--ready-file", ready], ready)

    def mitmproxy(self, *arguments):
        port = free_port()
        return self.start(["mitmdump", "-q", "-p", port, "--listen-host", "127.0.0.1", "-m", f"reverse:http://127.0.0.1:{self.device.port}",
                           "--set", f"confdir={self.folder}/mitmproxy", *arguments], port)

    def load(self, server, path, count, order="turn", seconds=None):
        """Returns requests per second and the 99th percentile in microseconds. Ends the program after a failed request."""
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds or self.options.seconds}s", "-s", HERE / "load.lua", f"http://127.0.0.1:{server.port}", "--", path, str(count), order]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        requests, duration, errors, _, p99 = map(float, re.search(r"RESULT (.*)", said)[1].split())
        if errors or not requests:
            sys.exit(f"bench: {server.child.args[0]}: {errors:.0f} of {requests:.0f} requests failed")
        return requests / duration * 1e6, p99

    def check(self, server, path, count, outcome=None):
        """Sends each request once, and compares the body, and the outcome of tapedeck."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as one:
            for number in range(count):
                one.request("GET", path % number)
                response = one.getresponse()
                text, got = response.read().decode(), response.headers["X-Tapedeck-Outcome"]
                if text != body(number) or (outcome and got != outcome):
                    sys.exit(f"bench: {server.child.args[0]} responds otherwise to {path % number}: {response.status}, {got}, {text[:300]}")

    def record(self, name, count):
        cassette = self.folder / f"{name}.cassette"
        recorder = self.tapedeck("record", "--device", f"http://127.0.0.1:{self.device.port}", cassette)
        self.check(recorder, CALL, count)
        if recorder.stop() != 0:
            sys.exit(f"bench: the recording failed: {pathlib.Path(recorder.log).read_text()}")
        return cassette

    def close(self):
        for server in self.servers:
            server.stop()


def replay_rows(bench, cassette, rows):
    """Replay beside files, and beside mitmproxy's replay of its own recording."""
    few = bench.options.few
    servers = {"tapedeck": (bench.tapedeck("replay", cassette), CALL), "nginx": (bench.nginx(SERVES.format(bodies=bench.bodies)), FILE)}
    if bench.options.mitmproxy:
        servers["mitmproxy"] = (bench.mitmproxy("--server-replay", bench.flows, "--server-replay-nopop", "--set", "server_replay_kill_extra=true"), CALL)
    for name, (server, path) in servers.items():
        bench.check(server, path, few, "recorded" if name == "tapedeck" else None)
        bench.load(server, path, few, seconds=1)
    for name, (server, path) in servers.items():
        speed, p99 = bench.load(server, path, few)
        rows.add(f"replay, {few} calls in turn", name, speed, "/s")
        rows.add("replay, 99th percentile", name, p99, "µs")
        rows.add("replay, memory", name, server.memory(), "MB")
        server.stop()


def many_rows(bench, cassette, rows):
    """A recording that is too large for the memory of a server: random calls, and the start."""
    many = bench.options.many
    for name, server, path in (("tapedeck", bench.tapedeck("replay", cassette), CALL), ("nginx", bench.nginx(SERVES.format(bodies=bench.bodies)), FILE)):
        if name == "tapedeck":
            rows.add(f"first response after the start, {many:,} interactions", name, server.seconds * 1000, "ms")
        bench.load(server, path, many, "random", seconds=1)
        rows.add(f"replay, {many:,} calls at random", name, bench.load(server, path, many, "random")[0], "/s")
        rows.add(f"replay, memory, {many:,} interactions", name, server.memory(), "MB")
        server.stop()


def start_rows(bench, cassette, rows):
    few = bench.options.few
    server = bench.tapedeck("replay", cassette)
    rows.add(f"first response after the start, {few} interactions", "tapedeck", server.seconds * 1000, "ms")
    server.stop()


def record_rows(bench, rows):
    """Recording beside proxies that keep nothing (nginx) or everything (mitmproxy)."""
    few, cassette, flows = bench.options.few, bench.folder / "run.cassette", bench.folder / "run.flows"
    servers = {"tapedeck": bench.tapedeck("record", "--device", f"http://127.0.0.1:{bench.device.port}", cassette), "nginx": bench.nginx(FORWARDS)}
    if bench.options.mitmproxy:
        servers["mitmproxy"] = bench.mitmproxy("-w", flows)
    for name, server in servers.items():
        bench.check(server, CALL, few)
        speed, p99 = bench.load(server, CALL, few)
        rows.add("recording", name, speed, "/s")
        rows.add("recording, 99th percentile", name, p99, "µs")
        rows.add("recording, highest memory", name, server.memory("VmHWM"), "MB")
        if server.stop() != 0 and name == "tapedeck":
            sys.exit(f"bench: the recording failed: {pathlib.Path(server.log).read_text()}")
    for file in bench.folder.glob("run.*"):
        file.unlink()


class Rows:
    """The values of each row and column, in the order of the runs."""

    def __init__(self):
        self.rows = {}

    def add(self, row, column, value, unit):
        self.rows.setdefault((row, unit), {}).setdefault(column, []).append(value)

    @staticmethod
    def span(values, digits):
        low, high = (f"{value:,.{digits}f}" for value in (min(values), max(values)))
        return low if low == high else f"{low}–{high}"

    def table(self):
        lines = ["| what | tapedeck | nginx | mitmproxy | tapedeck / nginx |", "|---|---|---|---|---|"]
        for (row, unit), columns in self.rows.items():
            cells = [f"{self.span(columns[name], 1 if unit == 'MB' else 0)} {unit}" if name in columns else "–" for name in ("tapedeck", "nginx", "mitmproxy")]
            ratios = [mine / other for mine, other in zip(columns["tapedeck"], columns.get("nginx", []))]
            lines.append(f"| {' | '.join([row, *cells])} | {self.span(ratios, 2) + ' ×' if ratios else '–'} |")
        return "\n".join(lines)


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    models = re.findall(r"^model name\s*: (.*)$", text, re.M) or ["unknown processor"]
    return f"{len(models)} × {models[0]}"


def publish(figures):
    page = ROOT / "docs/performance.md"
    begin, end = "<!-- figures begin: script/bench --publish writes them -->", "<!-- figures end -->"
    before, rest = page.read_text().split(begin)
    page.write_text(f"{before}{begin}\n\n{figures}\n\n{end}{rest.split(end)[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True, help="the tapedeck to measure")
    parser.add_argument("--work", default="build/bench", help="folder for loads and logs, which is emptied first")
    parser.add_argument("--runs", type=int, default=3, help="how often everything is measured")
    parser.add_argument("--seconds", type=int, default=5, help="length of one measurement")
    parser.add_argument("--few", type=int, default=288, help="interactions of the small recording")
    parser.add_argument("--many", type=int, default=100_000, help="interactions of the large recording")
    parser.add_argument("--publish", action="store_true", help="also write the table to docs/performance.md")
    options = parser.parse_args()
    options.mitmproxy = shutil.which("mitmdump") is not None
    rows = Rows()
    bench = Bench(options)
    try:
        small, large = bench.record("few", options.few), bench.record("many", options.many)
        if options.mitmproxy:
            recorder = bench.mitmproxy("-w", bench.flows)
            bench.check(recorder, CALL, options.few)
            recorder.stop()
        for run in range(options.runs):
            print(f"bench: run {run + 1} of {options.runs}", file=sys.stderr)
            start_rows(bench, small, rows)
            replay_rows(bench, small, rows)
            many_rows(bench, large, rows)
            record_rows(bench, rows)
    finally:
        bench.close()
    load = statistics.mean(os.getloadavg())
    figures = (f"{options.runs} run{'s' * (options.runs > 1)} on {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}, on {machine()}, {options.seconds} s for each value. "
               f"mitmproxy is {'version ' + mitmproxy_version() if options.mitmproxy else 'not installed'}.\n\n{rows.table()}")
    print(figures)
    print(f"bench: average load of the machine: {load:.1f}", file=sys.stderr)
    if options.publish:
        publish(figures)


def mitmproxy_version():
    said = subprocess.run(["mitmdump", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"Mitmproxy: (\S+)", said)[1]


if __name__ == "__main__":
    main()
