#!/bin/sh
# Uses a program on the system that it was linked for: its version, the demo, and a second server on a port, which it must refuse.
#   packaging/use_packed.sh PROGRAM
set -eu
program=$1
folder=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT
"$program" --version
"$program" demo --keep "$folder/nas.cassette"
"$program" replay --listen 127.0.0.1:0 --ready-file "$folder/ready" "$folder/nas.cassette" &
server=$!
i=0
while [ ! -s "$folder/ready" ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
address=$(sed -n 's|^http://||p' "$folder/ready")
curl -fsS "http://$address/webapi/entry.cgi?api=SYNO.API.Info&version=1&method=query&query=all" | grep -q '"success":true'
! "$program" replay --listen "$address" --exit-with-stdin "$folder/nas.cassette" </dev/null 2>"$folder/second"
grep -F "cannot listen on $address" "$folder/second"
echo "the program works on $(uname -sm)"
