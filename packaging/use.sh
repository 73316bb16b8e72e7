#!/usr/bin/env bash
# What check.sh does with the program in a bare root, where there is no curl: demo, record, replay, exec.
#   [USUAL_CA=FILE] use.sh PROGRAM
set -euo pipefail
program=$1
work=$(mktemp -d)
export XDG_STATE_HOME=$work/state
trap 'rm -rf "$work"' EXIT

# ask URL TARGET: the body of an answer.
ask() {
  local authority=${1#http://}
  exec 3<>"/dev/tcp/${authority%:*}/${authority#*:}"
  printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$2" "$authority" >&3
  sed '1,/^\r$/d' <&3
  exec 3>&-
}
# serve ARGUMENTS…: starts it on a free port; sets url and pid.
serve() {
  rm -f "$work/ready"
  "$program" "$@" --listen 127.0.0.1:0 --ready-file "$work/ready" >"$work/said" 2>&1 &
  pid=$!
  for _ in $(seq 400); do
    [ ! -s "$work/ready" ] || { url=$(head -n 1 "$work/ready"); return 0; }
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
  done
  cat "$work/said"
  return 1
}

"$program" --version
"$program" demo >"$work/demo"
tail -n 3 "$work/demo"

network='/webapi/entry.cgi?api=SVC.Core.AppPortal&version=1&method=list&_sid=any'
serve replay --tls
device=$pid device_url=$url
# The device's certificate is trusted from where it is named, and from where other systems than Debian keep their CAs.
certificate=$XDG_STATE_HOME/tapedeck/tls/tapedeck-cert.pem
if [ -n "${USUAL_CA:-}" ]; then
  mkdir -p "${USUAL_CA%/*}"
  cp "$certificate" "$USUAL_CA"
  serve record --device "$device_url" "$work/one.cassette"
else
  SSL_CERT_FILE=$certificate serve record --device "$device_url" "$work/one.cassette"
fi
recorded=$(ask "$url" "$network")
[[ $recorded = *'"success":true'* ]] || { echo "use: $recorded"; exit 1; }
kill "$pid"
wait "$pid" || { cat "$work/said"; exit 1; }
kill "$device"
wait "$device"

serve replay --strict "$work/one.cassette"
[ "$(ask "$url" "$network")" = "$recorded" ] || { echo "use: replay answers something else"; exit 1; }
kill "$pid"
wait "$pid"

"$program" exec "$work/one.cassette" -- bash -c '[ -n "$TAPEDECK_URL" ]' >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
"$program" ls "$work/one.cassette" | head -n 2
"$program" scan "$work/one.cassette" >/dev/null
