#!/usr/bin/env bash
# Packs the program, installs the package into an empty folder as npx does, starts it, and checks that it serves the API
# and the console.
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

npm run --silent pack -- "$folder"
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-audit --no-fund ./banyan-*.tgz

PORT=0 HOST=127.0.0.1 LOG_LEVEL=warn node_modules/.bin/banyan >server.log 2>&1 &
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
[ -n "$script" ] || { echo 'The package has no console.' >&2; exit 1; }
curl -fsS -o /dev/null "$base/$script"
node_modules/.bin/banyan help >/dev/null
echo 'The package serves the API and the console.'
