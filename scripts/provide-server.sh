# shellcheck shell=bash
# What the scripts that provide a throwaway server for the tests share: one start or stop at a time, the processes that
# hold the server, free ports, and a small Debian tree in which a server of Debian's packages can run in a chroot.
# It is sourced by a script that has set `cache`, and that defines `unavailable REASON`, which exits with $UNAVAILABLE. The
# script may set `suffix`, which tells servers with the same cache apart, and `own_command`, a command beside the usual ones.

readonly DEBIAN_SUITE=trixie UNAVAILABLE=77
readonly holders="$cache/holders${suffix:-}"
readonly keyring=/usr/share/keyrings/debian-archive-keyring.gpg
builder=''

say() { echo "${0##*/}: $*" >&2; }

check_usage() {
  case "${1:-}" in
    start | stop | url | "${own_command:-url}") ;;
    *) say "usage: ${0##*/} start|stop [PID] | url${own_command:+ | $own_command}" && exit 2 ;;
  esac
  case "${2:-}" in *[!0-9]*) say "not a process id: $2" && exit 2 ;; esac
}

clean_up_on_exit() {
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# ---- one start or stop at a time -------------------------------------------------------------------------

lock() {
  mkdir -p "$holders"
  command -v flock >/dev/null || return 0
  exec 9>"$cache/lock"
  flock -n 9 || { say 'waiting for another start or stop' && flock -w 900 9; } || { say 'still locked' && exit 1; }
}

# ---- the processes that hold the server ------------------------------------------------------------------

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

# ---- ports -----------------------------------------------------------------------------------------------

# Below the range from which the system takes ports for outgoing connections.
free_port() {
  local try
  for try in {1..50}; do
    port=$((20000 + (RANDOM % 12000)))
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || return 0
  done
  say "no free port in $try tries" && return 1
}

# ---- a Debian tree with the server in it -----------------------------------------------------------------

need_debian() {
  [ "$(id -u)" -eq 0 ] || unavailable 'none is installed, and only root can make a Debian tree for one'
  command -v apt-get >/dev/null || unavailable 'none is installed, and this is not a Debian with apt'
}

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

# apt installs the packages, because debootstrap does not always find an order that satisfies pre-dependencies. Only
# debootstrap knows the mirror, so it downloads them.
make_tree() {
  local tree="$1" mirror="$2" packages="$3" result=0
  run_debootstrap "$tree" "$mirror" --download-only "--include=$packages" && run_debootstrap "$tree" "$mirror" || return
  mount -t proc proc "$tree/proc" || return
  # shellcheck disable=SC2016
  chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    sh -c 'apt-get install -y --no-install-recommends --no-download /var/cache/apt/archives/*.deb' \
    </dev/null >>"$cache/debootstrap.log" 2>&1 || result=$?
  umount "$tree/proc"
  return "$result"
}

# debootstrap in a process group of its own, so that an interrupt ends all of it before the tree is removed.
run_debootstrap() {
  local tree="$1" mirror="$2" proxy certificate script
  local options=(--variant=minbase --force-check-gpg "--keyring=$keyring" "${@:3}")
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

# Makes a Debian tree with these packages (separated by commas) in it.
build_tree() {
  local finished="$1" packages="$2" tree="$cache/building" mirrors mirror made=''
  mirrors="$(debian_mirrors)"
  [ -n "$mirrors" ] || unavailable 'none is installed, and apt names no Debian archive (set DEBIAN_MIRROR)'
  install_debootstrap || unavailable "debootstrap could not be installed ($(tail -n 1 "$cache/apt.log"))"
  : >"$cache/debootstrap.log"
  while IFS= read -r mirror; do
    remove_tree "$tree"
    mkdir "$tree"
    say "making a Debian $DEBIAN_SUITE tree with $packages; once, a minute or more"
    if make_tree "$tree" "$mirror" "$packages"; then made=yes && break; fi
    # debootstrap writes the reason into the tree, which is removed next.
    tail -n 20 "$tree/debootstrap/debootstrap.log" >>"$cache/debootstrap.log" 2>/dev/null || true
  done <<<"$mirrors"
  if [ -z "$made" ]; then
    remove_tree "$tree"
    tail -n 20 "$cache/debootstrap.log" >&2
    unavailable "debootstrap made no Debian $DEBIAN_SUITE tree; see $cache/debootstrap.log"
  fi
  # Removes unused leftovers of the packages: downloads, package lists, and a database cluster.
  rm -rf "$tree"/var/cache/apt/archives/*.deb "$tree"/var/lib/apt/lists/* "$tree"/var/lib/postgresql/*/main
  chmod 755 "$tree"
  chmod 1777 "$tree/dev/shm"
  sync -f "$tree"
  mv "$tree" "$finished"
}
