#!/usr/bin/env bash
# Installs a copy of the working tree without development packages, starts it, and checks that it serves the API and
# the console.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
server=
cleanup() {
  # The server writes into the folder until it has ended.
  if [ -n "$server" ]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
  rm -rf "$folder"
}
trap cleanup EXIT

git ls-files -z --cached --others --exclude-standard | xargs -0 tar cf - | tar xf - -C "$folder"
cd "$folder"
npm ci --omit=dev
[ ! -e node_modules/vite ] || { echo 'Development packages were installed.' >&2; exit 1; }

PORT=0 HOST=127.0.0.1 LOG_LEVEL=warn node_modules/.bin/node src/main.ts >server.log 2>&1 &
server=$!
base=
for _ in $(seq 120); do
  base=$(sed -n 's/.*Console *\(http:[^ ]*\)\/$/\1/p' server.log)
  if [ -n "$base" ]; then break; fi
  kill -0 "$server" || { cat server.log >&2; exit 1; }
  sleep 0.5
done

curl -fsS "$base/readyz"
echo
script=$(curl -fsS "$base/" | sed -n 's/.*src="\.\/\(assets\/[^"]*\.js\)".*/\1/p' | head -1)
[ -n "$script" ] || { echo 'The console was not built.' >&2; exit 1; }
curl -fsS -o /dev/null "$base/$script"
echo "The production install serves the API and the console ($(du -sm node_modules | cut -f1) MB of packages)."
