# Uses the program on a system that may have nothing but busybox: demo, record, replay, exec, TLS, and names of the
# device.
#   [LACKS="demo …"] [USUAL_CA=FILE] [NAMES="NAME…"] busybox sh use.sh BUSYBOX WORK_FOLDER PROGRAM [ARGUMENT…]
# LACKS: steps that cannot run there. USUAL_CA: the system's file of certificates, to which the device's is added.
# NAMES: names of loopback, under which the device is reached.
set -eu
busybox=$1
work=$2/use
shift 2
program=$*
"$busybox" rm -rf "$work"
"$busybox" mkdir -p "$work"
"$busybox" chmod 1777 "$work"
export XDG_STATE_HOME="$work/state" HOME="$work" TMPDIR="$work"

lacks() { case " ${LACKS:-} " in *" $1 "*) echo "use: $1 is left out" ;; *) return 1 ;; esac; }
fails() { echo "use: $1" >&2; "$busybox" cat "$work/said" >&2; exit 1; }
# ask URL: prints the body of a response.
network='/webapi/entry.cgi?api=SVC.Core.AppPortal&version=1&method=list&_sid=any'
ask() { "$busybox" wget -q -O - "$1$network"; }
# serve LISTEN ARGUMENTS…: starts the program; sets url and pid.
serve() {
  listen=$1
  shift
  "$busybox" rm -f "$work/ready"
  $program "$@" --listen "$listen" --ready-file "$work/ready" >>"$work/said" 2>&1 &
  pid=$!
  looks=0
  while [ $looks -lt 600 ]; do
    if [ -s "$work/ready" ]; then
      url=$("$busybox" head -n 1 "$work/ready")
      return 0
    fi
    kill -0 "$pid" 2>/dev/null || break
    "$busybox" sleep 0.05
    looks=$((looks + 1))
  done
  fails "$program $* does not start"
}
stop() { kill "$1"; wait "$1" || fails "the program ends with status $?"; }

$program --version
lacks demo || { $program demo >"$work/said" 2>&1 || fails demo; "$busybox" tail -n 3 "$work/said"; }

# The device's certificate is trusted from a named file, and from the default paths of systems other than Debian.
serve 127.0.0.1:0 replay --tls
device=$pid device_url=$url certificate=$XDG_STATE_HOME/tapedeck/tls/tapedeck-cert.pem
if [ -n "${USUAL_CA:-}" ]; then
  "$busybox" mkdir -p "${USUAL_CA%/*}"
  "$busybox" cp "$certificate" "$USUAL_CA"
else
  export SSL_CERT_FILE="$certificate"
fi
serve 127.0.0.1:0 record --device "$device_url" "$work/one.cassette"
recorded=$(ask "$url")
case "$recorded" in *'"success":true'*) ;; *) fails "the response is $recorded" ;; esac
stop "$pid"
stop "$device"

serve 127.0.0.1:0 replay --strict "$work/one.cassette"
[ "$(ask "$url")" = "$recorded" ] || fails "replay gives another response"
stop "$pid"

$program exec "$work/one.cassette" -- "$busybox" sh -c '[ -n "$TAPEDECK_URL" ]' >"$work/said" 2>&1 || fails exec
$program ls "$work/one.cassette" | "$busybox" head -n 2
$program scan "$work/one.cassette" >/dev/null

for name in ${NAMES:-}; do
  case "$name" in *6*) listen='[::1]:0' ;; *) listen=127.0.0.1:0 ;; esac
  serve "$listen" replay --allow-host "$name"
  device=$pid
  serve 127.0.0.1:0 record --device "http://$name:${url##*:}" "$work/$name.cassette"
  [ "$(ask "$url")" = "$recorded" ] || fails "the device is not reached as $name"
  stop "$pid"
  stop "$device"
  echo "use: the device is reached as $name"
done
"$busybox" rm -rf "$work"
