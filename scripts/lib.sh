# shellcheck shell=bash
# Sourced by the other scripts, which set $root: finding Python, making environments, talking to people.
# Bash 3.2 on purpose: that is what macOS has.

say() { printf '%s\n' "$@"; }
complain() { printf '%s\n' "$@" >&2; }
die() { # die CODE LINE…
  local code=$1
  shift
  complain "$@"
  exit "$code"
}

is_python_311() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# Prints the first Python >= 3.11 on the PATH that can make environments.
find_python() {
  local name without_venv=
  for name in ${SCRIMSHAW_PYTHON:+"$SCRIMSHAW_PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python; do
    if ! command -v "$name" >/dev/null 2>&1 || ! is_python_311 "$name"; then continue; fi
    if "$name" -c 'import venv, ensurepip' >/dev/null 2>&1; then
      command -v "$name"
      return 0
    fi
    without_venv=$("$name" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
  done
  if [ -n "$without_venv" ]; then
    complain "There is $without_venv here, but without its venv module. Nothing was installed." \
      "Next: on Debian or Ubuntu  sudo apt install $without_venv-venv  then run this again."
  else
    complain "This needs Python 3.11 or newer, and there is none on the PATH. Nothing was installed."
    complain "Next: on Debian or Ubuntu  sudo apt install python3 python3-venv;  on macOS  brew install python@3.12;"
    complain "      elsewhere see https://www.python.org/downloads/ - then run this again."
    complain "      A Python in another place can be named: SCRIMSHAW_PYTHON=/path/to/python3.12"
  fi
  return 1
}

# run_quietly LOG COMMAND…: the output goes to LOG; a sign of life every 15 s; on failure the end of LOG.
run_quietly() {
  local log=$1 pid code=0 began=$SECONDS told=0
  shift
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  # An interrupted pip would go on in the background otherwise.
  trap 'kill "$pid" 2>/dev/null; exit 130' INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    if [ $((SECONDS - began - told)) -ge 15 ]; then
      told=$((SECONDS - began))
      say "  still working after ${told} s: $(tail -n 1 "$log" | cut -c 1-100)"
    fi
  done
  wait "$pid" || code=$?
  trap - INT TERM
  if [ "$code" -ne 0 ]; then
    complain "This failed (exit code $code); the end of $log:"
    tail -n 15 "$log" >&2
  fi
  return "$code"
}

# make_environment FOLDER WHAT: a virtual environment with WHAT (".", ".[dev]") installed; seconds when it is current.
make_environment() {
  local folder=$1 what=$2 stamp python
  local file="$folder/.scrimshaw-stamp" log="$folder/install.log"
  # An editable install holds the path of the checkout, so a moved checkout is installed again.
  stamp="$what $root $(cksum <"$root/pyproject.toml")"
  if [ -f "$file" ] && [ "$(cat "$file")" = "$stamp" ] && is_python_311 "$folder/bin/python"; then
    return 0
  fi
  if ! is_python_311 "$folder/bin/python" || ! "$folder/bin/python" -c 'import pip' >/dev/null 2>&1; then
    python=$(find_python) || exit 1
    say "Making the environment $folder with $("$python" --version) …"
    mkdir -p "$folder"
    "$python" -m venv --clear "$folder" || die 1 "No environment could be made in $folder (see above)."
  fi
  rm -f "$file"
  say "Installing into $folder (a minute or two the first time; what pip says goes to $log) …"
  run_quietly "$log" "$folder/bin/python" -m pip install --disable-pip-version-check --no-input \
    --editable "$root${what#.}" ||
    die 1 "Nothing else was changed." "Next: check the network (pip needs PyPI or a mirror of it), then run this again."
  printf '%s\n' "$stamp" >"$file"
}

run_scrimshaw() { "$root/.venv/bin/python" -m scrimshaw "$@"; }
