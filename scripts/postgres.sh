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
# With POSTGRES_FSYNC=off a server that is started does not wait for the disk. A crash of the machine damages its data.
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

readonly POSTGRES_MAJOR=17 OLDEST_MAJOR=15
readonly cache="${XDG_CACHE_HOME:-$HOME/.cache}/banyan-postgres"
readonly suffix="${POSTGRES_INSTANCE:+-$POSTGRES_INSTANCE}"
readonly state="$cache/server$suffix" own_command=restart
# shellcheck source=scripts/provide-server.sh
. "$(dirname "$0")/provide-server.sh"

# The server. `root` is the tree in which it runs as the user postgres; if empty, it runs as the current user.
root='' bin='' data='' port=''

unavailable() {
  say "no PostgreSQL for the tests: $1. Set TEST_DATABASE_URL to a PostgreSQL $OLDEST_MAJOR or later with pgvector, or install one."
  exit "$UNAVAILABLE"
}

url() { echo "postgres://postgres@127.0.0.1:$port/postgres"; }

# Runs a command without the caller's environment, because PGPORT, PGDATA and similar variables would take effect.
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

# Ends the server on the data folder, by force if need be, and removes the folder.
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

find_debian_tree() {
  need_debian
  root="$cache/debian-$DEBIAN_SUITE" bin="/usr/lib/postgresql/$POSTGRES_MAJOR/bin" data="/srv/banyan/data$suffix"
  if [ -d "$root" ]; then
    as_server "$bin/postgres" --version >/dev/null 2>&1 && return
    say 'the Debian tree in the cache is broken'
    remove_tree "$root"
  fi
  build_tree "$root" "postgresql-$POSTGRES_MAJOR,postgresql-$POSTGRES_MAJOR-pgvector"
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
  # The cluster is thrown away after a crash, so initdb need not wait for the disk; the server does.
  as_server "$bin/initdb" -D "$data" -U postgres --auth=trust --encoding=UTF8 "--locale=$locale" \
    --data-checksums --no-sync >"$cache/initdb.log" 2>&1 || {
    cat "$cache/initdb.log" >&2
    return 1
  }
  cat >>"$root$data/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = 128MB
fsync = ${POSTGRES_FSYNC:-on}
full_page_writes = ${POSTGRES_FSYNC:-on}
END
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
  check_usage "$@"
  if [ -n "${TEST_DATABASE_URL:-}" ]; then
    case "$1" in
      restart) say 'TEST_DATABASE_URL names a server that is not restarted here' && exit 1 ;;
      start | url) echo "$TEST_DATABASE_URL" ;;
    esac
    return
  fi
  clean_up_on_exit
  case "$1" in
    start) start "${2:-}" ;;
    stop) stop "${2:-}" ;;
    restart) restart ;;
    url) if read_state && answering; then url; else say 'not running' && exit 1; fi ;;
  esac
}

main "$@"
