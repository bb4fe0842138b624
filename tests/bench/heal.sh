#!/usr/bin/env bash
# What a heal of the demo takes: how often it starts Playwright, how long that takes, what relocator itself adds, and both as
# a ratio; medians of 20 heals (or of $1), with the time of each stage, in milliseconds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/prerequisites.sh
require_rust
require_node
require_browser
require_fixture_packages

cargo build --release --locked --quiet
binary=$PWD/target/release/relocator
fixtures=$PWD/fixtures/projects
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -R "$fixtures/demo" "$folder/demo"
ln -s "$fixtures/node_modules" "$folder/demo/node_modules"
cd "$folder/demo"
PORT=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
export PORT
for _ in $(seq "${1:-20}"); do
  cp "$fixtures/demo/tests/signup.spec.ts" tests/signup.spec.ts
  "$binary" heal tests/signup.spec.ts:3 --json --quiet >>"$folder/runs.jsonl"
done
node -e '
  const runs = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)].toFixed(1);
  console.log(`healed ${runs.filter((run) => run.outcome === "healed").length} of ${runs.length}`);
  console.log(`starts of Playwright: median ${median(runs.map((run) => run.attempts.length))}`);
  console.log(`time of Playwright: median ${median(runs.map((run) => run.playwright_ms))} ms`);
  console.log(`total over it: median ${(Number(median(runs.map((run) => 1000 * (run.own_ms + run.playwright_ms) / run.playwright_ms))) / 1000).toFixed(3)}`);
  console.log(`own time: median ${median(runs.map((run) => run.own_ms))} ms`);
  for (const stage of Object.keys(runs[0].stages_ms)) console.log(`  ${stage}: ${median(runs.map((run) => run.stages_ms[stage]))} ms`);
' "$folder/runs.jsonl"
