"""Runs the program of an unpacked image with crun: the root is read-only, and FOLDER is at its own path.

container.py [--interpreter FILE] BUNDLE FOLDER ARGUMENT…
"""

import json
import os
import sys
import tempfile

PASSED_ON = ("XDG_STATE_HOME", "HOME", "TMPDIR", "SSL_CERT_FILE")


def bind(source, target, *options):
    return {"destination": target, "source": source, "type": "bind", "options": ["bind", *options]}


def main():
    words = sys.argv[1:]
    interpreter = words.pop(1) if words[0] == "--interpreter" else None
    if interpreter:
        words.pop(0)
    bundle, folder, *arguments = words
    with open(f"{bundle}/config.json") as file:
        config = json.load(file)
    config["root"] = {"path": f"{bundle}/rootfs", "readonly": True}
    config["linux"]["namespaces"] = [one for one in config["linux"]["namespaces"] if one["type"] != "network"]
    config["linux"].pop("resources", None)
    config["mounts"].append(bind(folder, folder, "rw"))
    process = config["process"]
    process["terminal"] = False
    process["args"] += arguments
    if interpreter:
        config["mounts"].append(bind(interpreter, "/interpreter", "ro"))
        process["args"] = ["/interpreter", "/usr/bin/" + process["args"][0], *arguments]
    process["env"] += [f"{name}={os.environ[name]}" for name in PASSED_ON if name in os.environ]
    run = tempfile.mkdtemp(dir=f"{bundle}/runs")
    with open(f"{run}/config.json", "w") as file:
        json.dump(config, file)
    os.execvp("crun", ["crun", "--cgroup-manager=disabled", "run", "--bundle", run, os.path.basename(run)])


main()
