"""Runs record and replay under mixed load, checks every response against a model, and prints the resources that grew.

    python3 soak.py TAPEDECK TEST_DEVICE SECONDS

A third of the time is for the recorder. Ends with 1 when an answer was wrong, an answered interaction is not in the
cassette, or resident memory, descriptors or threads are more at the end than once all tables were full.
"""

import itertools
import json
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from client import Broken, Client

ACCOUNT, PASSWORD = "fixture-admin", "Corr3ct&Horse/Battery=9"
JOURNAL, SESSIONS, RUNS = 10_000, 10_000, 10_000  # what a server remembers of each at most
KEPT = 32  # descriptors of replaced cassettes that are still played, and of connections to the page
MOST_GROWTH = 0.02
LEAST = 600  # seconds with full tables: before, what stands in them still takes the room of what stood there
RUN = itertools.count(1)  # of a worker; by chance two runs would meet
OVERLAYS = """
[[overlay]]
call = "Core.AppPortal/*/list"
error = 407

[[overlay]]
call = "Core.SecurityScan.Status/1/rule_get"
fault = "cut"

[[overlay]]
call = "Core.Desktop.SessionData/1/getjs"
fault = "reset"
delay = "20ms"
"""


class Program:
    """A server of the built program, which accepts requests after construction."""

    def __init__(self, folder, *arguments):
        self.ready = folder / f"ready-{arguments[0]}"
        self.log = open(folder / f"log-{arguments[0]}", "w")
        self.child = subprocess.Popen([*arguments[1:], "--listen", "127.0.0.1:0", "--ready-file", str(self.ready)],
                                      stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        end = time.monotonic() + 60
        while not self.ready.exists():
            if self.child.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"soak: {arguments[2]} did not come up: {pathlib.Path(self.log.name).read_text()}")
            time.sleep(0.02)
        self.url, *rest = self.ready.read_text().split("\n")
        self.values = dict(line.split("=", 1) for line in rest if line)

    def measure(self):
        status = pathlib.Path(f"/proc/{self.child.pid}/status").read_text()
        field = lambda name: int(status.split(name + ":")[1].split()[0])
        try:
            descriptors = len(os.listdir(f"/proc/{self.child.pid}/fd"))
        except PermissionError:  # no core, no trace: root alone sees them, and others the room for them
            descriptors = field("FDSize")
        return {"rss": field("VmRSS"), "own": field("RssAnon"), "threads": field("Threads"), "descriptors": descriptors}

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        status = self.child.wait(timeout=300)
        self.log.close()
        return status


class Tally:
    """The results of all workers."""

    def __init__(self):
        self.counts = {name: multiprocessing.Value("Q", 0) for name in ("requests", "logins", "runs", "wrong")}
        self.firsts = multiprocessing.Queue()

    def add(self, name, count=1):
        with self.counts[name].get_lock():
            self.counts[name].value += count

    def value(self, name):
        return self.counts[name].value

    def check(self, holds, what, got):
        self.add("requests")
        if not holds:
            self.add("wrong")
            if self.value("wrong") <= 20:
                self.firsts.put(f"{what}: {got}")


def session(client, tally):
    status, _, body = client.login(ACCOUNT, PASSWORD)
    answer = json.loads(body)
    tally.check(status == 200 and answer["success"], "login", body[:200])
    tally.add("logins")
    return answer["data"]["sid"]


def steady(url, model, tally, number, answered):
    """Uses one session and one connection, with a different call each time."""
    client = Client(url)
    sid = session(client, tally)
    for i in range(200):
        more = {"n": f"{number}-{i}-{random.getrandbits(40)}"} if answered is not None else {}
        status, _, body = client.call("SYNO.Core.Network", 1, "get", sid, **more)
        tally.check((status, body) == (200, model["network"]), "network", body[:200])
        if more and status == 200:
            answered.put(more["n"])
        time.sleep(0.002)
    client.close()


def fickle(url, model, tally, number, answered):
    """Logs in before every call, and logs out after it."""
    client = Client(url)
    for _ in range(50):
        sid = session(client, tally)
        status, _, body = client.call("SYNO.Core.Network", 1, "get", sid)
        tally.check((status, body) == (200, model["network"]), "network after login", body[:200])
        status, _, body = client.call("SYNO.API.Auth", 6, "logout", sid)
        tally.check(json.loads(body).get("success") is True, "logout", body[:200])
    client.close()


def slow(url, model, tally, number, answered):
    """Sends a request in small pieces, and another one incompletely."""
    client = Client(url)
    for drop in (b"GET /webapi/entry.cgi?api=SYNO.API.Info", b"&version=1&method=query&query=all HT", b"TP/1.1\r\nHost: x",
                 b"\r\n\r\n"):
        client.send(drop)
        time.sleep(0.3)
    status, _, body = client.answer()
    tally.check(status in (200, 403), "slow request", f"{status} {body[:100]}")
    client.send(b"POST /webapi/entry.cgi HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nabc")
    time.sleep(random.random())
    client.close()


def hostile(url, model, tally, number, answered):
    """Sends bytes that are not HTTP and heads that are too long, and closes early."""
    for text in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
                 b"GET /webapi/entry.cgi HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
                 bytes(random.getrandbits(8) for _ in range(2000)) + b"\r\n\r\n"):
        client = Client(url, timeout=10)
        try:
            client.send(text)
            client.socket.shutdown(1)
            status, _, body = client.answer()
            tally.check(400 <= status < 500, "hostile request", f"{status} {body[:100]}")
        except (Broken, OSError):
            tally.check(True, "", "")
        client.close()
    time.sleep(0.1)


def scoped(url, model, tally, number, answered):
    """Runs a recorded scope: a wrong login, a right one, a change, and its result."""
    for _ in range(100):
        tally.add("runs")
        client = Client(url, f"/~scope/soak;{number << 28 | next(RUN)}")
        _, _, body = client.login(ACCOUNT, "wrong")
        tally.check(json.loads(body)["success"] is False, "a wrong login in a scope", body[:200])
        sid = session(client, tally)
        for call, expected in model["scope"]:
            _, head, body = client.call(*call[:3], sid, **call[3])
            tally.check(body == expected, f"{call} in a scope", f"{head.get('x-tapedeck-outcome')} {body[:200]}")
        client.close()


def overlaid(url, model, tally, number, answered):
    """Requests hand-written responses: an error, a cut response, a reset; and misses."""
    client = Client(url)
    sid = session(client, tally)
    for _ in range(30):
        _, head, body = client.call("SYNO.Core.AppPortal", 1, "list", sid)
        tally.check(json.loads(body)["error"]["code"] == 407 and head["x-tapedeck-outcome"] == "overlay", "overlay", body[:200])
        _, head, body = client.call("SYNO.Core.NoSuch", 1, "get", sid)
        tally.check(head["x-tapedeck-outcome"] == "miss", "miss", body[:200])
        for api, method in (("SYNO.Core.SecurityScan.Status", "rule_get"), ("SYNO.Core.Desktop.SessionData", "getjs")):
            try:
                _, _, body = client.call(api, 1, method, sid)
                tally.check(False, "a fault", body[:200])
            except Broken:
                tally.check(True, "", "")
    client.close()


def watching(control, token, tally):
    """Reads the events of the page for a short time."""
    client = Client(control)
    host = f"{client.address[0]}:{client.address[1]}"
    client.send(f"GET /events HTTP/1.1\r\nHost: {host}\r\nX-Tapedeck-Token: {token}\r\n\r\n".encode())
    try:
        end = time.monotonic() + 3
        while time.monotonic() < end:
            client.more()
            client.rest = client.rest[-100:]
    except (Broken, OSError):
        pass
    client.close()


def work(kinds, url, model, tally, number, answered, end):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    random.seed(number)
    while time.time() < end:
        kind = random.choice(kinds)
        try:
            kind(url, model, tally, number, answered)
        except (Broken, OSError, ValueError, KeyError) as error:
            tally.check(False, kind.__name__, repr(error))


def start_workers(count, kinds, url, model, tally, answered, end):
    workers = [multiprocessing.Process(target=work, args=(kinds, url, model, tally, number, answered, end))
               for number in range(count)]
    for worker in workers:
        worker.start()
    return workers


def drain(queue, into):
    while not queue.empty():
        into.append(queue.get())


def record(program, device_url, folder, seconds, tally):
    """Records under load. Returns the model, its cassette, and the number of lost interactions."""
    direct = Client(device_url)
    sid = session(direct, tally)
    model = {"network": direct.call("SYNO.Core.Network", 1, "get", sid)[2], "scope": []}
    cassette = folder / "soak.cassette"
    recorder = Program(folder, "record", program, "record", "--device", device_url, str(cassette))

    client = Client(recorder.url, "/~scope/soak")
    client.login(ACCOUNT, "wrong")
    sid = session(client, tally)
    for call in (("SYNO.Core.Group", 1, "list", {}), ("SYNO.Core.Group", 1, "create", {"name": "soak"}),
                 ("SYNO.Core.Group", 1, "list", {}), ("SYNO.Core.Group", 1, "delete", {"name": "soak"})):
        model["scope"].append((call, client.call(*call[:3], sid, **call[3])[2]))
    unscoped = Client(recorder.url)
    sid = session(unscoped, tally)
    for api, method in (("SYNO.Core.Network", "get"), ("SYNO.Core.AppPortal", "list")):
        unscoped.call(api, 1, method, sid)

    answered, names = multiprocessing.Queue(), []
    end = time.time() + seconds
    workers = start_workers(4, [steady, steady, steady, fickle, slow, hostile], recorder.url, model, tally, answered, end)
    while any(worker.is_alive() for worker in workers):
        drain(answered, names)
        time.sleep(0.1)
    drain(answered, names)
    said = recorder.measure()
    status = recorder.stop()
    listed = subprocess.run([program, "ls", "--json", str(cassette)], capture_output=True, text=True, check=True).stdout
    stored = set(re.findall(r"\bn=(\d+-\d+-\d+)", listed))
    lost = [name for name in names if name not in stored]
    print(f"record: {tally.value('requests')} requests, {len(names)} answered interactions, {len(lost)} lost, "
          f"{said['rss'] / 1024:.1f} MiB, {said['descriptors']} descriptors, exit {status}")
    return model, cassette, len(lost) + (status != 0)


def replay(program, model, cassette, folder, seconds, tally):
    overlay = folder / "soak.toml"
    overlay.write_text(OVERLAYS)
    server = Program(folder, "replay", program, "replay", "--page", "--threads", "2", "--overlay", str(overlay),
                     str(cassette))
    at_rest = server.measure()
    before = {name: tally.value(name) for name in ("requests", "logins", "runs")}
    end = time.time() + seconds
    kinds = [steady, fickle, fickle, slow, hostile, scoped, scoped, scoped, overlaid]
    workers = start_workers(4, kinds, server.url, model, tally, None, end)
    full, samples, replaced = None, [], 0
    while any(worker.is_alive() for worker in workers):
        watching(server.values["control"], server.values["token"], tally)
        copy = folder / "copy.cassette"
        shutil.copy(cassette, copy)
        os.replace(copy, cassette)
        replaced += 1
        grown = {name: tally.value(name) - before[name] for name in before}
        outside = grown["logins"] - grown["runs"]  # of scopes
        if full is None and grown["requests"] > 2 * JOURNAL and outside > 1.1 * SESSIONS and grown["runs"] > 1.1 * RUNS:
            full = time.time()
        if full is not None:
            samples.append(server.measure())
    time.sleep(2)
    last = server.measure()
    status = server.stop()
    grown = {name: tally.value(name) - before[name] for name in before}
    print(f"replay: {grown['requests']} requests, {grown['logins']} logins, {grown['runs']} runs of a scope, cassette "
          f"replaced {replaced} times, exit {status}")
    if len(samples) < 4:
        print(f"replay: the tables were not full for long enough to say what grows ({grown}); give it more time")
        return int(status != 0)
    part = max(1, len(samples) // 4)
    mean = lambda some, what="rss": sum(sample[what] for sample in some) / len(some) / 1024
    first, late = mean(samples[:part]), mean(samples[-part:])
    growth = late / first - 1
    grew = growth >= MOST_GROWTH and time.time() - full >= LEAST
    print(f"replay: memory {first:.1f} MiB with full tables ({mean(samples[:part], 'own'):.1f} its own), {late:.1f} MiB at the end "
          f"({mean(samples[-part:], 'own'):.1f}): {growth:+.1%}; at rest {last['descriptors']} descriptors, at first "
          f"{at_rest['descriptors']}; {last['threads']} threads")
    more_threads = last["threads"] > samples[0]["threads"]
    more_descriptors = last["descriptors"] > at_rest["descriptors"] + KEPT
    return int(grew) + int(more_threads) + int(more_descriptors) + int(status != 0)


def main():
    program, device_program, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    tally = Tally()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tapedeck-soak-"))
    device = subprocess.Popen([device_program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        device_url = device.stdout.readline().strip()
        model, cassette, failures = record(program, device_url, folder, seconds / 3, tally)
        failures += replay(program, model, cassette, folder, seconds * 2 / 3, tally)
    finally:
        device.terminate()
        device.wait()
        shutil.rmtree(folder, ignore_errors=True)
    firsts = []
    time.sleep(0.2)
    drain(tally.firsts, firsts)
    for line in firsts:
        print(f"wrong: {line}")
    print(f"soak: {tally.value('requests')} answers, {tally.value('wrong')} wrong")
    sys.exit(1 if failures or tally.value("wrong") else 0)


if __name__ == "__main__":
    main()
