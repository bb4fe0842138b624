#!/usr/bin/env bash
# The full comparison of the locator engine with the real Playwright: records about 75 pages in Chromium (ten minutes on
# two cores; the argument, a folder, keeps the recording), then compares. Prints every difference and the totals.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/prerequisites.sh
require_rust
require_node
require_browser
out=${1:-$(mktemp -d)}
[ -e "$out/pages.json" ] || node tests/differential/record.mjs "$out" --full
RELOCATOR_DIFFERENTIAL="$(realpath "$out")" RELOCATOR_DIFFERENTIAL_FULL=1 \
  cargo test --locked --test it locators_match_what_the_real_playwright_matches -- --nocapture
