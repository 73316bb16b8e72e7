"""Writes an OCI image index, as an archive that skopeo, Podman and containerd read.

image.py VERSION REVISION ARCHIVE ARCHITECTURE=FOLDER…: an image for each architecture (amd64, arm64), with the files of FOLDER.
The same files give the same bytes: dates are SOURCE_DATE_EPOCH, and all files are root's.
"""

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
import time

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
CREATED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
OCI = "application/vnd.oci.image."


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def add_bytes(archive, name, data):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = len(data), EPOCH, 0o644
    archive.addfile(entry, io.BytesIO(data))


def plain(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = EPOCH
    return entry


class Layout:
    def __init__(self):
        self.blobs = {}

    def add(self, kind, content, **more):
        """Stores bytes, or an object as JSON; returns its descriptor."""
        data = content if isinstance(content, bytes) else json.dumps(content, sort_keys=True).encode()
        self.blobs[digest(data)] = data
        return {"mediaType": OCI + kind, "digest": digest(data), "size": len(data), **more}

    def write(self, path, index):
        with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
            add_bytes(archive, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
            add_bytes(archive, "index.json", json.dumps(index, sort_keys=True).encode())
            for name in sorted(self.blobs):
                add_bytes(archive, "blobs/" + name.replace(":", "/"), self.blobs[name])


def layer_of(folder):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in sorted(os.listdir(folder)):
            archive.add(os.path.join(folder, name), name, filter=plain)
    return buffer.getvalue()


def add_image(layout, version, revision, architecture, folder):
    layer = layer_of(folder)
    config = {
        "created": CREATED, "architecture": architecture, "os": "linux",
        "config": {
            "User": "65534:65534", "Entrypoint": ["tapedeck"], "WorkingDir": "/cassettes", "Volumes": {"/cassettes": {}},
            "Env": ["PATH=/usr/bin", "HOME=/tmp"],
            "Labels": {
                "org.opencontainers.image.title": "tapedeck", "org.opencontainers.image.version": version,
                "org.opencontainers.image.licenses": "MIT", "org.opencontainers.image.revision": revision,
                "org.opencontainers.image.source": "https://github.com/tapedeck/tapedeck",
                "org.opencontainers.image.url": "https://github.com/tapedeck/tapedeck",
                "org.opencontainers.image.description": "Record and replay the Web API of network storage devices",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
        "history": [{"created": CREATED, "created_by": "script/package"}],
    }
    manifest = {
        "schemaVersion": 2, "mediaType": OCI + "manifest.v1+json", "config": layout.add("config.v1+json", config),
        "layers": [layout.add("layer.v1.tar+gzip", gzip.compress(layer, 9, mtime=0))],
    }
    return layout.add("manifest.v1+json", manifest, platform={"architecture": architecture, "os": "linux"})


def main():
    version, revision, path, *folders = sys.argv[1:]
    layout = Layout()
    images = [add_image(layout, version, revision, *one.split("=", 1)) for one in folders]
    kind = {"schemaVersion": 2, "mediaType": OCI + "index.v1+json"}
    index = layout.add("index.v1+json", {**kind, "manifests": images},
                       annotations={"org.opencontainers.image.ref.name": version})
    layout.write(path, {**kind, "manifests": [index]})


main()
