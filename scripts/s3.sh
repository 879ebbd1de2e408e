#!/usr/bin/env bash
# A throwaway S3 server for the tests: Ceph's radosgw on a cluster of one monitor and one storage daemon in memory.
#
#   scripts/s3.sh start [PID]   start it, or join the one that runs; prints its URL with the credentials
#   scripts/s3.sh url           print the URL of the one that runs
#   scripts/s3.sh stop [PID]    end it
#
# With a PID, `start` takes the server on behalf of that process and `stop` gives it back: the server ends when no living
# process holds it any more. Without a PID, `start` keeps the server until `stop`.
#
# Where the server comes from, the first that applies:
#   1. TEST_S3_URL (http://access-key:secret-key@host:port): that server; nothing is started or stopped here.
#   2. On Debian as root: a small Debian tree with Ceph, made by debootstrap from the machine's own apt mirror
#      (DEBIAN_MIRROR overrides it) and run in a chroot.
#   3. None: exit code 77, with a line that says why.
#
# radosgw alone, on its `dbstore` backend, would start faster, but it does not implement CopyObject (which succeeds and
# copies nothing), conditional writes and ListMultipartUploads.
#
# The Debian tree is kept in ${XDG_CACHE_HOME:-$HOME/.cache}/banyan-s3. The objects are not kept.
set -euo pipefail
umask 022
PATH="$PATH:/usr/sbin:/sbin"

readonly cache="${XDG_CACHE_HOME:-$HOME/.cache}/banyan-s3"
readonly root="$cache/debian-trixie" data=/srv/banyan/s3
readonly access_key=banyan-test-access secret_key=banyan-test-secret
readonly daemons=(rgw osd mon)
# shellcheck source=scripts/provide-server.sh
. "$(dirname "$0")/provide-server.sh"

unavailable() {
  say "no S3 server for the tests: $1. Set TEST_S3_URL to one, as http://access-key:secret-key@host:port."
  exit "$UNAVAILABLE"
}

in_tree() { chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@"; }

ceph() { in_tree timeout 60 ceph -c "$data/ceph.conf" "$@"; }

url() { echo "http://$access_key:$secret_key@127.0.0.1:$(cat "$root$data/port")"; }

answering() {
  [ -f "$root$data/port" ] && curl -sf -m 10 -o /dev/null "http://127.0.0.1:$(cat "$root$data/port")/"
}

find_debian_tree() {
  need_debian
  if [ -d "$root" ]; then
    in_tree ceph-osd --version >/dev/null 2>&1 && return
    say 'the Debian tree in the cache is broken'
    remove_tree "$root"
  fi
  build_tree "$root" radosgw,ceph-mon,ceph-osd
  in_tree ceph-osd --version >/dev/null || unavailable "the Ceph in $root does not run"
}

# The data is in memory and not kept, so the daemons are simply killed.
end_server() {
  local daemon process
  for daemon in "${daemons[@]}"; do
    process="$(cat "$root$data/$daemon.pid" 2>/dev/null || true)"
    # A process id may belong to another process by now.
    if [ -n "$process" ] && grep -qa "$data/ceph.conf" "/proc/$process/cmdline" 2>/dev/null; then
      kill -KILL "$process" 2>/dev/null || true
    fi
  done
  rm -rf "${root:?}$data" "${holders:?}"/*
}

# The monitor's port, the one of S3 and those of the storage daemon follow each other.
configure() {
  local id="$1"
  cat >"$root$data/ceph.conf" <<END
[global]
fsid = $id
keyring = $data/keyring
mon host = v2:127.0.0.1:$port/0
public addr = 127.0.0.1
ms bind msgr1 = false
ms bind port min = $((port + 2))
ms bind port max = $((port + 40))
run dir = $data/run
admin socket =
log file = $data/\$name.log
log to stderr = false
mon data = $data/mon
mon data avail crit = 1
mon data avail warn = 1
mon allow pool size one = true
mon max pg per osd = 1000
paxos propose interval = 0.05
paxos min wait = 0.02
osd data = $data/osd
osd objectstore = memstore
memstore device bytes = 8589934592
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
rgw data = $data/rgw
rgw frontends = beast endpoint=127.0.0.1:$((port + 1))
rgw enable apis = s3
rgw thread pool size = 128
END
}

# Without descriptor 9: a daemon that inherits it would hold the lock for as long as it runs.
run_daemon() {
  local name="$1"
  shift
  setsid chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@" -c "$data/ceph.conf" -f \
    </dev/null >"$root$data/$name.out" 2>&1 9>&- &
  echo $! >"$root$data/$name.pid"
}

make_keys() {
  in_tree ceph-authtool --create-keyring "$data/keyring" --gen-key -n mon. --cap mon 'allow *' >/dev/null
  in_tree ceph-authtool "$data/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *'
  in_tree ceph-authtool "$data/keyring" --gen-key -n osd.0 --cap mon 'allow *' --cap osd 'allow *'
}

start_server() {
  local id try
  id="$(cat /proc/sys/kernel/random/uuid)"
  mkdir -p "$root$data"/{mon,osd,rgw,run}
  free_port
  configure "$id"
  make_keys
  in_tree monmaptool --create --addv a "[v2:127.0.0.1:$port]" --fsid "$id" "$data/monmap" >/dev/null
  in_tree ceph-mon -c "$data/ceph.conf" --mkfs -i a --monmap "$data/monmap" --keyring "$data/keyring"
  run_daemon mon ceph-mon -i a
  ceph osd new "$id" 0 >/dev/null
  in_tree ceph-osd -c "$data/ceph.conf" -i 0 --mkfs --osd-uuid "$id" 2>/dev/null
  run_daemon osd ceph-osd -i 0
  in_tree timeout 120 radosgw-admin -c "$data/ceph.conf" user create --uid=test --display-name=test \
    "--access-key=$access_key" "--secret-key=$secret_key" >/dev/null
  run_daemon rgw radosgw -n client.admin
  echo "$((port + 1))" >"$root$data/port"
  for try in {1..300}; do
    if answering; then return 0; fi
    sleep 0.2
  done
  say "radosgw does not answer after $try tries" && return 1
}

start() {
  lock
  if answering; then
    hold "${1:-}"
    url
    return
  fi
  find_debian_tree
  end_server
  start_server || {
    tail -n 5 "$root$data"/*.out >&2 || true
    end_server
    say 'the server did not start' && exit 1
  }
  hold "${1:-}"
  url
}

stop() {
  lock
  [ -d "$root$data" ] || return 0
  if [ -n "${1:-}" ]; then
    release "$1"
    if held; then return 0; fi
  fi
  end_server
}

main() {
  check_usage "$@"
  if [ -n "${TEST_S3_URL:-}" ]; then
    [ "$1" = stop ] || echo "$TEST_S3_URL"
    return
  fi
  clean_up_on_exit
  case "$1" in
    start) start "${2:-}" ;;
    stop) stop "${2:-}" ;;
    url) if answering; then url; else say 'not running' && exit 1; fi ;;
  esac
}

main "$@"
