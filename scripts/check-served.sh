# Sourced by the checks of an installed program: starts it with the given command in the current folder, and checks that it
# serves the API and the console.
check_served() {
  PORT=0 HOST=127.0.0.1 LOG_LEVEL=warn "$@" >server.log 2>&1 &
  server=$!
  local base='' script
  for _ in $(seq 120); do
    base=$(sed -n 's/.*Console *\(http:[^ ]*\)\/$/\1/p' server.log)
    if [ -n "$base" ]; then break; fi
    kill -0 "$server" || { cat server.log >&2; exit 1; }
    sleep 0.5
  done
  curl -fsS "$base/readyz"
  echo
  script=$(curl -fsS "$base/" | sed -n 's/.*src="\.\/\(assets\/[^"]*\.js\)".*/\1/p' | head -1)
  [ -n "$script" ] || { echo 'The console is missing.' >&2; exit 1; }
  curl -fsS -o /dev/null "$base/$script"
}

folder=$(mktemp -d)
server=
cleanup() {
  # The server writes into the folder until it has ended.
  if [ -n "$server" ]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
  rm -rf "$folder"
}
trap cleanup EXIT
