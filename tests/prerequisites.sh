# Sourced by fixtures/demo.sh, tests/run.sh and tests/healbench.sh: finds what they need, installs what may be installed here,
# and names the rest in one line each with the command that installs it.

missing() { # what, command that installs it
  echo "missing: $1; install it with: $2" >&2
  exit 3
}

# As root on Debian a package is installed; anybody else is told the command.
package() { # command that must exist, package
  command -v "$1" >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing $2 (apt-get)" >&2
    apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" >&2 </dev/null
  fi
  command -v "$1" >/dev/null || missing "$1" "apt-get install $2"
}

require_rust() {
  [ -d "${HOME:-}/.cargo/bin" ] && PATH="$PATH:$HOME/.cargo/bin"
  command -v cargo >/dev/null || missing "Rust 1.95" "rustup toolchain install 1.95"
  package cc build-essential
}

require_node() {
  package git git
  command -v node >/dev/null || missing "Node 20" "apt-get install nodejs npm"
  command -v npm >/dev/null || missing "npm" "apt-get install npm"
  [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" = true ] ||
    missing "Node 20 (this is $(node -v))" "a newer Node, from your system's packages or nodejs.org"
}

# Playwright's own browser when it is there, else one of the system's, in RELOCATOR_CHROMIUM.
require_browser() {
  [ -n "${RELOCATOR_CHROMIUM:-}" ] && return
  local own="${PLAYWRIGHT_BROWSERS_PATH:-${HOME:-/nonexistent}/.cache/ms-playwright}" name
  compgen -G "$own/chromium*" >/dev/null && return
  for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then
      RELOCATOR_CHROMIUM=$(command -v "$name")
      export RELOCATOR_CHROMIUM
      return
    fi
  done
  package chromium chromium
  RELOCATOR_CHROMIUM=$(command -v chromium)
  export RELOCATOR_CHROMIUM
}

# The one install that all fixture projects share, as the lock file has it.
require_fixture_packages() {
  local folder=fixtures/projects
  cmp -s "$folder/package-lock.json" "$folder/node_modules/.installed-lock" && return
  echo "installing the fixtures' packages (npm ci)" >&2
  (cd "$folder" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error </dev/null >&2)
  cp "$folder/package-lock.json" "$folder/node_modules/.installed-lock"
}

# Clients of the Model Context Protocol that nobody here wrote, as the lock file has them.
require_mcp_clients() {
  local folder=fixtures/mcp-clients
  cmp -s "$folder/package-lock.json" "$folder/node_modules/.installed-lock" && return
  echo "installing the MCP clients (npm ci)" >&2
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error </dev/null >&2)
  cp "$folder/package-lock.json" "$folder/node_modules/.installed-lock"
}
