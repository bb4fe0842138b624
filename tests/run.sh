#!/usr/bin/env bash
# Installs what the tests need and runs them all, the fast ones first. Arguments go to the test runner.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/prerequisites.sh
require_rust
require_node
require_browser
require_fixture_packages
require_mcp_clients

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
run() { "$@" 2>&1 | tee -a "$log" || status=1; }

if cargo nextest --version >/dev/null 2>&1; then
  run cargo nextest run --locked --no-fail-fast --color never "$@"
else
  run cargo test --locked --no-fail-fast --lib --bins "$@"
  run cargo test --locked --no-fail-fast --test it "$@"
fi
run cargo test --locked --doc
# A small open model behind a real server: its set-up takes seconds, once.
[ $# -gt 0 ] || run bash tests/model.sh

# The last line sums up all runners: cargo's "test result: ok. 3 passed; 0 failed", nextest's "9 tests run: 8 passed, 1 failed".
awk '
  /^test result:|tests? run:/ {
    for (i = 2; i <= NF; i++) {
      if ($i ~ /^passed/) passed += $(i - 1)
      if ($i ~ /^(failed|timed)/) failed += $(i - 1)
    }
  }
  END { printf "%d passed, %d failed\n", passed, failed }
' "$log"
exit "$status"
