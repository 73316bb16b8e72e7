"""Prints the SPDX document of a static program: the Debian packages that it contains.

sbom.py VERSION MACHINE PROGRAM, with a line "name<tab>version<tab>architecture" for each package on standard input.
"""

import hashlib
import json
import os
import sys
import time
from urllib.parse import quote


# The licenses of what the program contains. GPL parts of these packages are not in it.
LICENSES = {
    "libboost1.81-dev": "BSL-1.0", "libbrotli-dev": "MIT", "libc6-dev": "LGPL-2.1-or-later", "libcli11-dev": "BSD-3-Clause",
    "libcpp-httplib-dev": "MIT", "libfmt-dev": "MIT", "libgcc-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libre2-dev": "BSD-3-Clause", "libsqlite3-dev": "blessing", "libsqlitecpp-dev": "MIT", "libssl-dev": "Apache-2.0",
    "libstdc++-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1", "libtomlplusplus-dev": "MIT", "libzstd-dev": "BSD-3-Clause",
    "nlohmann-json3-dev": "MIT", "zlib1g-dev": "Zlib",
}
HOME = "https://github.com/tapedeck/tapedeck"


def spdx_package(name, version, **more):
    return {"SPDXID": f"SPDXRef-{name.replace('+', '')}", "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "copyrightText": "NOASSERTION", **more}


def of_debian(line):
    name, version, architecture = line.rstrip("\n").split("\t")
    locator = f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch={architecture}&distro=bookworm"
    return spdx_package(
        name, version, supplier="Organization: Debian", licenseConcluded=LICENSES[name], licenseDeclared=LICENSES[name],
        downloadLocation=f"https://packages.debian.org/bookworm/{quote(name)}",
        externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}])


def copyright_line():
    with open("LICENSE") as file:
        return next(line.strip() for line in file if line.startswith("Copyright"))


def main():
    version, machine, program = sys.argv[1:]
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    name = f"tapedeck-{version}-linux-{machine}"
    own = spdx_package("tapedeck", version, supplier="Organization: Tapedeck", licenseConcluded="MIT", licenseDeclared="MIT",
                       downloadLocation=f"{HOME}/releases/tag/v{version}", homepage=HOME, copyrightText=copyright_line(),
                       checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    inside = [of_debian(line) for line in sys.stdin]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relations += [(own["SPDXID"], "STATIC_LINK", one["SPDXID"]) for one in inside]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: tapedeck script/package"]},
        "packages": [own, *inside],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
    }, sys.stdout, indent=1)
    print()


main()
