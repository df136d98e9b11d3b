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
      say "  still working after ${told} s: $(tail -n 1 "$log" | LC_ALL=C tr -cd ' -~' | cut -c 1-100)"
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

# tests_in_memory: lets pytest make its folders in memory, where a machine has enough, and puts into `kept` what it is to
# keep of them. The program flushes to disk what it writes, and a test would wait for that most of its time; what comes
# before what stays the same. They are gone at the end of the script: call it once, in a script without another trap.
tests_in_memory() {
  local free memory=/dev/shm
  kept=()
  if [ -n "${PYTEST_DEBUG_TEMPROOT-}" ] || [ ! -w "$memory" ] || [ ! -r /proc/meminfo ]; then return 0; fi
  for free in "$(df -Pk "$memory" | awk 'NR == 2 { print $4 }')" "$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)"; do
    if [ "${free:-0}" -lt 6291456 ]; then return 0; fi
  done
  in_memory=$(mktemp -d "$memory/scrimshaw-tests.XXXXXX")
  trap 'rm -rf "$in_memory"' EXIT
  # Tests start programs that they have written; some systems start none from there.
  printf '#!/bin/sh\n' >"$in_memory/probe"
  chmod 700 "$in_memory/probe"
  if ! "$in_memory/probe" 2>/dev/null; then return 0; fi
  export PYTEST_DEBUG_TEMPROOT=$in_memory
  kept=(-o tmp_path_retention_policy=failed -o tmp_path_retention_count=1)
}

# compiled_once: one place outside the tree for what Python compiles, whatever the shell says: a suite starts a thousand
# programs, and each would compile itself anew.
compiled_once() {
  unset PYTHONDONTWRITEBYTECODE
  export PYTHONPYCACHEPREFIX=$root/.venv-dev/compiled
}

# test_workers: how many pytest starts; three for two cores, since tests wait for processes, too.
test_workers() {
  local cores
  cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
  echo $((cores + (cores + 1) / 2))
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

# add_extras FOLDER: what search by meaning and .mv2 archives need, into an environment that make_environment made.
# They are large, and not to be had on every system; without them everything else works. Never fails.
add_extras() {
  local folder=$1 extra wanted=${SCRIMSHAW_EXTRAS-semantic,archives} stamp file="$1/.scrimshaw-extras" log="$1/extras.log"
  stamp="$wanted $root $(cksum <"$root/pyproject.toml")"
  if [ -z "$wanted" ] || { [ -f "$file" ] && [ "$(cat "$file")" = "$stamp" ]; }; then return 0; fi
  rm -f "$file"
  say "Adding search by meaning and .mv2 archives (some 200 MB; SCRIMSHAW_EXTRAS= leaves them out) …"
  for extra in $(printf '%s' "$wanted" | tr ',' ' '); do
    case $extra in *[!a-z]*) die 2 "SCRIMSHAW_EXTRAS: no such extra: $extra" "Next: SCRIMSHAW_EXTRAS=semantic,archives" ;; esac
    run_quietly "$log" "$folder/bin/python" -m pip install --disable-pip-version-check --no-input \
      --editable "${root}[$extra]" || {
      complain "Without '$extra' everything else works; scrimshaw doctor says what is missing." \
        "Next: run this again when what stands above is mended."
      return 0
    }
  done
  printf '%s\n' "$stamp" >"$file"
}

run_scrimshaw() { SCRIMSHAW_CALLED=${SCRIMSHAW_CALLED-$(printf '%q' "$root/scripts/scrimshaw")} "$root/.venv/bin/python" -m scrimshaw "$@"; }

# any_openclaw [FOLDER]: succeeds where an OpenClaw may be, in the state folder FOLDER alone where one is given. What names
# another place is looked at by the program.
any_openclaw() {
  local place
  if [ -n "${1-}" ]; then [ -d "$1" ]; return; fi
  [ -z "${OPENCLAW_STATE_DIR-}${OPENCLAW_HOME-}${OPENCLAW_CONFIG_PATH-}" ] || return 0
  [ -n "${HOME-}" ] || return 0
  for place in "$HOME"/.openclaw* "$HOME/.clawdbot" "${XDG_STATE_HOME:-$HOME/.local/state}/scrimshaw/installed"; do
    [ ! -d "$place" ] || return 0
  done
  return 1
}

# run_now VERB [OPTION…]: what scripts/VERB-now does; $self is that script. Says nothing when all went well.
run_now() {
  local verb=$1 name=$1-now workspace='' state_dir='' seconds=60 verbose='' if_due='' yes='' session='' daemon='' place child tenths stopped='' code=0 called again
  shift
  called=$(printf '%q' "$0")  # a step that cannot be pasted is none
  again=$called${1+$(printf ' %q' "$@")}
  while [ $# -gt 0 ]; do
    case $verb:$1 in
      *:--workspace | *:--state-dir | *:--timeout)
        [ $# -ge 2 ] || die 2 "$name: $1 needs a value" "Next: $called --help"
        case $1 in
          --workspace) workspace=$2 ;;
          --state-dir) state_dir=$2 ;;
          *) seconds=$2 ;;
        esac
        shift
        ;;
      *:--verbose) verbose=1 ;;
      observe:--session)
        [ $# -ge 2 ] || die 2 "$name: $1 needs a value" "Next: $called --help"
        session=$2
        shift
        ;;
      observe:--if-due) if_due=--if-due ;;
      observe:--yes) yes=--yes ;;
      *:-h | *:--help)
        # shellcheck disable=SC2154  # set by the script that sources this
        sed -n '2,5s/^# //p' "$self"
        exit 0
        ;;
      *) die 2 "$name: no such option: $1" "Next: $called --help" ;;
    esac
    shift
  done
  case $seconds in
    '' | *[!0-9]* | 0* | ??????*) die 2 "$name: --timeout takes whole seconds, not '$seconds'" "Next: $called --timeout 60" ;;
  esac

  if [ -z "$workspace" ]; then
    # As it was called first: skills/observational-memory may itself be a link to a checkout elsewhere.
    for place in "$(cd "$(dirname "$0")/.." && pwd -L)" "$root"; do
      if [ "$(basename "$(dirname "$place")")" = skills ]; then
        workspace=$(cd "$(dirname "$place")/.." && pwd)
        break
      fi
    done
    [ -n "$workspace" ] || die 2 "$name: this folder lies in no workspace's skills folder, so the workspace must be named." \
      "Next: $again --workspace DIR"
  fi

  if [ -z "$verbose" ]; then exec 3>/dev/null; else exec 3>&1; fi
  # A daemon that runs does it, or the command itself when that one is busy; with a second less than we wait.
  [ "$verb" != observe ] || daemon=$((seconds > 1 ? seconds - 1 : 1))
  "$root/scripts/scrimshaw" "$verb" --workspace "$workspace" ${state_dir:+"--state-dir=$state_dir"} ${daemon:+--through-daemon "$daemon"} \
    ${session:+"--session=$session"} ${if_due:+"$if_due"} ${yes:+"$yes"} >&3 &
  child=$!
  # shellcheck disable=SC2064  # now: a trap outlives the function's own names
  trap "kill $child 2>/dev/null; wait $child 2>/dev/null; exit 143" INT TERM
  tenths=$((seconds * 10))
  while kill -0 "$child" 2>/dev/null; do
    if [ "$tenths" -le 0 ]; then
      if [ -z "$stopped" ]; then
        kill -TERM "$child" 2>/dev/null || true
        stopped=1
        tenths=20
      else
        kill -KILL "$child" 2>/dev/null || true
        break
      fi
    fi
    sleep 0.1
    tenths=$((tenths - 1))
  done
  wait "$child" 2>/dev/null || code=$?
  if [ -n "$stopped" ]; then
    die 3 "$name: stopped after $seconds s. What was done is kept; the next run goes on from there." \
      "Next: $again --timeout $((seconds * 5))"
  fi
  exit "$code"
}
