#!/usr/bin/env bash
# Packs the program, installs the package into an empty folder as npx does, starts it, and checks that it serves the API
# and the console.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/check-served.sh
. scripts/check-served.sh

npm run --silent pack -- "$folder"
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-audit --no-fund ./banyan-*.tgz

check_served node_modules/.bin/banyan
node_modules/.bin/banyan help >/dev/null
echo 'The package serves the API and the console.'
