#!/usr/bin/env bash
# Runs HealBench (real UIs before and after a change) with the release build of relocator and prints its four numbers:
# healed right, healed wrong, false heals, declined. Arguments go to bench.mjs (`--only todo`, `--baseline`, `--jobs 1`).
# The data is not part of the repository: RELOCATOR_DATA names its folder, `../shared/data` beside the checkout by default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/prerequisites.sh
require_rust
require_node
require_browser

data=$(realpath -m "${RELOCATOR_DATA:-../shared/data}")/healbench
[ -d "$data" ] || missing "HealBench (no folder $data)" "RELOCATOR_DATA=<folder of the data sets> bash tests/healbench.sh"
cargo build --release --locked --quiet
relocator=$(cargo metadata --no-deps --format-version 1 --offline | node -p 'JSON.parse(require("fs").readFileSync(0)).target_directory')/release/relocator

bench=$PWD/target/healbench
mkdir -p "$bench"
cp -R --no-preserve=mode "$data/." "$bench/"
(cd "$bench" && { [ -d node_modules ] || PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error; })
export CHROMIUM="${CHROMIUM:-${RELOCATOR_CHROMIUM:-}}"
cd "$bench"
# With --baseline there are the traces of a green run, and relocator learns from them first.
node bench.mjs --cmd "[ ! -d .baseline ] || '$relocator' learn .baseline >/dev/null; '$relocator' heal {spec}:{line}" --out results.json "$@"
node -e '
  const { heal, decline } = JSON.parse(require("fs").readFileSync("results.json")).summary;
  const of = (n, all) => `${n} of ${all}`;
  console.log(`
healed right  ${of(heal.right, heal.n)}
healed wrong  ${of(heal.wrong + heal.illegal, heal.n)}
false heals   ${of(decline.falseHeal, decline.n)}
declined      ${of(heal.declined, heal.n)} that could be healed, ${of(decline.declined, decline.n)} that must not be`);
'
