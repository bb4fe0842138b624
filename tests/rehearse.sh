#!/usr/bin/env bash
# Runs the suites of HealBench once against their unchanged applications, with traces, and asks the release build of relocator
# on these traces what it would heal: thousands of drifts and removals, answered without a browser. Prints the tables; with
# RELOCATOR_BLESS=1 it writes them into README.md as well. Arguments go to `relocator rehearse` (`--seed 2`, `--rounds 8`,
# `--json`). Traces are kept in target/rehearse; remove the folder to record them again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/prerequisites.sh
require_rust
require_node

data=$(realpath -m "${RELOCATOR_DATA:-../shared/data}")/healbench
[ -d "$data" ] || missing "HealBench (no folder $data)" "RELOCATOR_DATA=<folder of the data sets> bash tests/rehearse.sh"
cargo build --release --locked --quiet
target=$(cargo metadata --no-deps --format-version 1 --offline | node -p 'JSON.parse(require("fs").readFileSync(0)).target_directory')

traces=$target/rehearse/traces
if [ ! -d "$traces" ]; then
  require_browser
  export CHROMIUM="${CHROMIUM:-${RELOCATOR_CHROMIUM:-}}"
  bench=$target/healbench
  mkdir -p "$bench" "$traces.unfinished"
  cp -R --no-preserve=mode "$data/." "$bench/"
  (cd "$bench" && { [ -d node_modules ] || PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error; })
  node tests/rehearse/traces.mjs "$bench" "$traces.unfinished"
  mv "$traces.unfinished" "$traces"
fi

if [ "${RELOCATOR_BLESS:-}" = 1 ]; then
  tables=$("$target/release/relocator" rehearse "$traces" --format markdown "$@")
  TABLES=$tables node -e '
    const fs = require("fs");
    const text = fs.readFileSync("README.md", "utf8");
    const table = /(<!-- rehearse -->\n)[^]*?(\n<!-- \/rehearse -->)/;
    if (!table.test(text)) throw new Error("README.md has no <!-- rehearse -->");
    fs.writeFileSync("README.md", text.replace(table, (_, open, close) => open + process.env.TABLES + close));
  '
  echo "$tables"
else
  "$target/release/relocator" rehearse "$traces" "$@"
fi
