#!/usr/bin/env bash
# A throwaway PostgreSQL (15 or later, with pgvector) for the tests.
#
#   scripts/postgres.sh start [PID]   start it, or join the one that runs; prints its URL
#   scripts/postgres.sh url           print the URL of the one that runs
#   scripts/postgres.sh stop [PID]    end it
#   scripts/postgres.sh restart       restart it on the same port, as after a crash: connections break, data stays
#
# With a PID, `start` takes the server on behalf of that process and `stop` gives it back: the server
# ends when no living process holds it any more, so that two test runs can share it. Without a PID,
# `start` keeps the server until `stop`, and `stop` ends it regardless of its holders.
#
# With POSTGRES_INSTANCE set to a name, all of this is about another server beside the usual one: a suite that breaks
# its server needs one of its own.
#
# Where the server comes from, the first that applies:
#   1. TEST_DATABASE_URL: that server; nothing is started or stopped here.
#   2. An installed PostgreSQL 15 or later that has the `vector` extension.
#   3. On Debian as root: a small Debian tree with PostgreSQL 17, made by debootstrap from the machine's
#      own apt mirror (DEBIAN_MIRROR overrides it) and run in a chroot.
#   4. None: exit code 77, with a line that says why.
#
# The Debian tree is made once and kept in ${XDG_CACHE_HOME:-$HOME/.cache}/banyan-postgres. The databases
# are not kept: each start from rest makes an empty cluster, which takes less than a second and leaves
# nothing of an interrupted run behind.
set -euo pipefail
umask 022
PATH="$PATH:/usr/sbin:/sbin"

readonly DEBIAN_SUITE=trixie POSTGRES_MAJOR=17 OLDEST_MAJOR=15 UNAVAILABLE=77
readonly cache="${XDG_CACHE_HOME:-$HOME/.cache}/banyan-postgres"
readonly suffix="${POSTGRES_INSTANCE:+-$POSTGRES_INSTANCE}"
readonly holders="$cache/holders$suffix" state="$cache/server$suffix"
readonly keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The server at hand. `root` is the tree it runs in as the user postgres; empty means: as ourselves.
root='' bin='' data='' port=''
builder=''

say() { echo "postgres.sh: $*" >&2; }

unavailable() {
  say "no PostgreSQL for the tests: $1. Set TEST_DATABASE_URL to a PostgreSQL $OLDEST_MAJOR or later with pgvector, or install one."
  exit "$UNAVAILABLE"
}

url() { echo "postgres://postgres@127.0.0.1:$port/postgres"; }

# The caller's environment stays outside: PGPORT, PGDATA and the like would be obeyed.
as_server() {
  if [ -n "$root" ]; then
    chroot --userspec=postgres:postgres "$root" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@"
  else
    env -i PATH="$PATH" HOME="$HOME" LC_ALL=C "$@"
  fi
}

sql() {
  as_server "$bin/psql" -X -q -h 127.0.0.1 -p "$port" -U postgres -d postgres -v ON_ERROR_STOP=1 -c "$1"
}

# ---- one start or stop at a time -------------------------------------------------------------------------

lock() {
  mkdir -p "$holders"
  command -v flock >/dev/null || return 0
  exec 9>"$cache/lock"
  flock -n 9 || { say 'waiting for another start or stop' && flock -w 900 9; } || { say 'still locked' && exit 1; }
}

# ---- state: what runs, and who holds it ------------------------------------------------------------------

read_state() {
  [ -f "$state" ] || return 1
  { IFS= read -r root && IFS= read -r bin && IFS= read -r data && IFS= read -r port; } <"$state"
}

write_state() {
  printf '%s\n' "$root" "$bin" "$data" "$port" >"$state.new"
  mv "$state.new" "$state"
}

running() { as_server "$bin/pg_ctl" -D "$data" status >/dev/null 2>&1; }

answering() { running && as_server "$bin/pg_isready" -q -h 127.0.0.1 -p "$port" -t 10; }

hold() { : >"$holders/${1:-kept}"; }

release() { rm -f "$holders/$1"; }

held() {
  local file holder found=1
  for file in "$holders"/*; do
    [ -e "$file" ] || continue
    holder="${file##*/}"
    if [ "$holder" = kept ] || kill -0 "$holder" 2>/dev/null; then found=0; else rm -f "$file"; fi
  done
  return "$found"
}

# Ends whatever runs on the data folder, by force if need be, and removes the folder.
end_server() {
  local process
  if running; then
    process="$(head -n 1 "$root$data/postmaster.pid")"
    as_server "$bin/pg_ctl" -D "$data" -m fast -w -t 60 stop >/dev/null 2>&1 ||
      as_server "$bin/pg_ctl" -D "$data" -m immediate -w -t 10 stop >/dev/null 2>&1 ||
      kill -KILL "$process" 2>/dev/null || true
  fi
  rm -rf "$root$data" "$state" "${holders:?}"/*
}

# ---- an installed PostgreSQL -----------------------------------------------------------------------------

major_of() { "$1/postgres" --version 2>/dev/null | sed -E 's/^[^0-9]*([0-9]+).*/\1/'; }

share_of() {
  if [ -x "$1/pg_config" ]; then "$1/pg_config" --sharedir; else echo "/usr/share/postgresql/$2"; fi
}

find_installed() {
  local candidate major best=0
  for candidate in \
    "$(pg_config --bindir 2>/dev/null || true)" \
    "$(dirname "$(command -v postgres || echo /nowhere/postgres)")" \
    /usr/lib/postgresql/*/bin /usr/pgsql-*/bin \
    /opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin; do
    if ! [ -x "$candidate/initdb" ] || ! [ -x "$candidate/psql" ]; then continue; fi
    major="$(major_of "$candidate")"
    if [ "${major:-0}" -lt "$OLDEST_MAJOR" ] || [ "$major" -le "$best" ]; then continue; fi
    [ -f "$(share_of "$candidate" "$major")/extension/vector.control" ] || continue
    best="$major" bin="$candidate"
  done
  [ "$best" -gt 0 ] || return 1

  # PostgreSQL refuses to run as root, and the user postgres cannot look into root's home.
  if [ "$(id -u)" -ne 0 ]; then
    root='' data="$cache/data$suffix"
  elif id postgres >/dev/null 2>&1; then
    root=/ data="/var/cache/banyan-postgres/data$suffix"
  else
    return 1
  fi
  say "using the installed PostgreSQL $best in $bin"
}

# ---- a Debian tree with PostgreSQL in it -----------------------------------------------------------------

# Prints the archives that apt is set up with, the distribution's own first. apt is asked what an update would
# download, so neither the form of its sources (one-line or deb822) nor an update that never ran matters.
debian_mirrors() {
  if [ -n "${DEBIAN_MIRROR:-}" ]; then
    echo "$DEBIAN_MIRROR"
    return
  fi
  # shellcheck disable=SC1091
  apt-get update --print-uris |
    sed -nE "s#^'(.*)/dists/(.*)/main/binary-.*'.*#\\2 \\1#p" |
    awk -v own="$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")" '
      /security/ { next }
      $1 == own && !seen[$2]++ { print $2; next }
      { rest[++count] = $2 }
      END { for (i = 1; i <= count; i++) if (!seen[rest[i]]++) print rest[i] }' |
    while IFS= read -r mirror; do
      case "$mirror" in
        mirror+file:*) sed -nE '/^[a-z]+:/ { s/[[:space:]].*//p; q; }' "/${mirror#mirror+file:*/}" ;;
        http:* | https:* | file:*) echo "$mirror" ;;
      esac
    done
}

apt_setting() { apt-config shell value "$1" | sed -nE "s/^value='(.*)'$/\1/p"; }

install_debootstrap() {
  command -v debootstrap >/dev/null && command -v gpgv >/dev/null && [ -f "$keyring" ] && return
  say 'installing debootstrap'
  local -x DEBIAN_FRONTEND=noninteractive
  local install=(apt-get install -y -qq --no-install-recommends debootstrap debian-archive-keyring gpgv)
  "${install[@]}" </dev/null >"$cache/apt.log" 2>&1 ||
    { apt-get update -qq && "${install[@]}"; } </dev/null >"$cache/apt.log" 2>&1
}

# Removes a half-made tree: debootstrap mounts /proc in it, which must not be walked into.
remove_tree() {
  local tree="$1" mounted
  [ -d "$tree" ] || return 0
  awk -v tree="$tree/" 'index($2, tree) == 1 { print $2 }' /proc/mounts | sort -r |
    while IFS= read -r mounted; do umount -l "$mounted" || true; done
  rm -rf --one-file-system "$tree"
}

clean_up() {
  [ -n "$builder" ] || return 0
  kill -TERM -- "-$builder" 2>/dev/null || true
  wait "$builder" 2>/dev/null || true
  remove_tree "$cache/building"
}

# debootstrap in a process group of its own, so that an interrupt ends all of it before the tree is removed.
run_debootstrap() {
  local tree="$1" mirror="$2" proxy certificate script
  local options=(--variant=minbase --force-check-gpg "--keyring=$keyring"
    "--include=postgresql-$POSTGRES_MAJOR,postgresql-$POSTGRES_MAJOR-pgvector")
  proxy="$(apt_setting "Acquire::${mirror%%:*}::Proxy")"
  case "$proxy" in '' | DIRECT) ;; *) local -x http_proxy="$proxy" https_proxy="$proxy" ;; esac
  # debootstrap downloads with wget, which learns of apt's certificate authority only this way.
  certificate="$(apt_setting Acquire::https::CaInfo)"
  if [ -n "$certificate" ]; then
    echo "ca_certificate = $certificate" >"$cache/wgetrc"
    local -x WGETRC="$cache/wgetrc"
  fi
  # A debootstrap older than the suite knows it by no name; all recent suites are made like sid.
  script="/usr/share/debootstrap/scripts/$DEBIAN_SUITE"
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid

  setsid debootstrap "${options[@]}" "$DEBIAN_SUITE" "$tree" "$mirror" "$script" \
    </dev/null >>"$cache/debootstrap.log" 2>&1 &
  builder=$!
  local result=0
  wait "$builder" || result=$?
  builder=''
  return "$result"
}

build_tree() {
  local finished="$1" tree="$cache/building" mirrors mirror made=''
  mirrors="$(debian_mirrors)"
  [ -n "$mirrors" ] || unavailable 'none is installed, and apt names no Debian archive (set DEBIAN_MIRROR)'
  install_debootstrap || unavailable "debootstrap could not be installed ($(tail -n 1 "$cache/apt.log"))"
  : >"$cache/debootstrap.log"
  while IFS= read -r mirror; do
    remove_tree "$tree"
    mkdir "$tree"
    say "making a Debian $DEBIAN_SUITE tree with PostgreSQL $POSTGRES_MAJOR; once, about a minute"
    if run_debootstrap "$tree" "$mirror"; then made=yes && break; fi
  done <<<"$mirrors"
  if [ -z "$made" ]; then
    remove_tree "$tree"
    tail -n 5 "$cache/debootstrap.log" >&2
    unavailable "debootstrap made no Debian $DEBIAN_SUITE tree; see $cache/debootstrap.log"
  fi
  # What the packages left that nobody reads: downloads, package lists, the cluster of the package itself.
  rm -rf "$tree"/var/cache/apt/archives/*.deb "$tree"/var/lib/apt/lists/* "$tree"/var/lib/postgresql/*/main
  chmod 755 "$tree"
  chmod 1777 "$tree/dev/shm"
  sync -f "$tree"
  mv "$tree" "$finished"
}

find_debian_tree() {
  [ "$(id -u)" -eq 0 ] || unavailable "none is installed, and only root can make a Debian tree for one"
  command -v apt-get >/dev/null || unavailable 'none is installed, and this is not a Debian with apt'
  root="$cache/debian-$DEBIAN_SUITE" bin="/usr/lib/postgresql/$POSTGRES_MAJOR/bin" data="/srv/banyan/data$suffix"
  if [ -d "$root" ]; then
    as_server "$bin/postgres" --version >/dev/null 2>&1 && return
    say 'the Debian tree in the cache is broken'
    remove_tree "$root"
  fi
  build_tree "$root"
  as_server "$bin/postgres" --version >/dev/null || unavailable "the PostgreSQL in $root does not run"
}

# ---- start and stop --------------------------------------------------------------------------------------

make_cluster() {
  local owned locale=C.UTF-8
  owned="$(dirname "$root$data")"
  end_server
  mkdir -p "$owned"
  if [ -n "$root" ]; then
    chroot "$root" chown postgres:postgres "$(dirname "$data")"
  elif ! locale -a 2>/dev/null | grep -qiE '^C\.utf-?8$'; then
    locale=C
  fi
  # What is made here is thrown away after a crash, so initdb need not wait for the disk; the server does.
  as_server "$bin/initdb" -D "$data" -U postgres --auth=trust --encoding=UTF8 "--locale=$locale" \
    --data-checksums --no-sync >"$cache/initdb.log" 2>&1 || {
    cat "$cache/initdb.log" >&2
    return 1
  }
  cat >>"$root$data/postgresql.conf" <<'END'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = 128MB
END
}

# Below the range from which the system takes ports for outgoing connections.
free_port() {
  local try
  for try in {1..50}; do
    port=$((20000 + (RANDOM % 12000)))
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || return 0
  done
  say "no free port in $try tries" && return 1
}

start_server() {
  local try
  for try in 1 2 3 4 5; do
    free_port
    write_state
    # Without descriptor 9: a server that inherits it would hold the lock for as long as it runs.
    as_server "$bin/pg_ctl" -D "$data" -l "$data/server.log" -o "-p $port" -w -t 60 start >/dev/null 2>&1 9>&- && return
    grep -q 'could not bind' "$root$data/server.log" || break
    say "port $port was taken meanwhile (try $try)"
  done
  tail -n 10 "$root$data/server.log" >&2 || true
  rm -f "$state"
  return 1
}

start() {
  lock
  if read_state; then
    if answering; then
      hold "${1:-}"
      url
      return
    fi
    end_server
  fi
  find_installed || find_debian_tree
  make_cluster
  start_server || { say 'the server did not start' && exit 1; }
  sql 'CREATE EXTENSION vector; DROP EXTENSION vector' || {
    end_server
    say 'the server started, but its vector extension does not work' && exit 1
  }
  hold "${1:-}"
  url
}

stop() {
  lock
  read_state || return 0
  if [ -n "${1:-}" ]; then
    release "$1"
    if held; then return 0; fi
  fi
  end_server
}

restart() {
  lock
  read_state || { say 'not running' && exit 1; }
  as_server "$bin/pg_ctl" -D "$data" -l "$data/server.log" -m immediate -w -t 60 restart >/dev/null 2>&1 9>&- || {
    tail -n 10 "$root$data/server.log" >&2 || true
    say 'the server did not restart' && exit 1
  }
}

main() {
  case "${1:-}" in
    start | stop | url | restart) ;;
    *) say 'usage: postgres.sh start|stop [PID] | url | restart' && exit 2 ;;
  esac
  case "${2:-}" in *[!0-9]*) say "not a process id: $2" && exit 2 ;; esac
  if [ -n "${TEST_DATABASE_URL:-}" ]; then
    case "$1" in
      restart) say 'TEST_DATABASE_URL names a server that is not restarted here' && exit 1 ;;
      start | url) echo "$TEST_DATABASE_URL" ;;
    esac
    return
  fi
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  case "$1" in
    start) start "${2:-}" ;;
    stop) stop "${2:-}" ;;
    restart) restart ;;
    url) if read_state && answering; then url; else say 'not running' && exit 1; fi ;;
  esac
}

main "$@"
