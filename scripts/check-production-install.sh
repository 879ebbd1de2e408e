#!/usr/bin/env bash
# Installs a copy of the working tree without development packages, starts it, and checks that it serves the API and
# the console.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/check-served.sh
. scripts/check-served.sh

git ls-files -z --cached --others --exclude-standard | xargs -0 tar cf - | tar xf - -C "$folder"
cd "$folder"
npm ci --omit=dev
[ ! -e node_modules/vite ] || { echo 'Development packages were installed.' >&2; exit 1; }

# Written last by a build that succeeded; `npm ci` succeeds without.
[ -e console/dist/.sources ] || { echo 'The console was not built.' >&2; exit 1; }

check_served node_modules/.bin/node src/main.ts
echo "The production install serves the API and the console ($(du -sm node_modules | cut -f1) MB of packages)."
