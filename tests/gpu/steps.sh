# Steps of a part: commands with a time limit and the exit code that is expected of them. Failures
# are counted and named at the end. Sourced by run.sh.
# shellcheck shell=bash disable=SC2154,SC2034

steps=0
failures=()
left_out=()
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# begin_part S: all steps from now on must be over in S seconds.
begin_part() { part_end_s=$((SECONDS + $1)); }

note() { printf '\n=== %s  [%s s]\n' "$*" "$SECONDS"; }

# step NAME [--limit S] [--exit CODE,...] [--shows REGEX] [--hides REGEX] COMMAND...
# Runs COMMAND for at most S seconds (60) and never past the part's end. It fails if it ends with
# another exit code (0), or if its output lacks what --shows says or has what --hides says. A
# process that COMMAND leaves behind writes to a file, so that nobody waits for it.
step() {
  local name=$1 limit=60 codes=0 shows='' hides='' code reason=''
  shift
  while [[ $1 == --* ]]; do
    case $1 in
      --limit) limit=$2 ;;
      --exit) codes=$2 ;;
      --shows) shows=$2 ;;
      --hides) hides=$2 ;;
      *) echo "step $name: no option $1" >&2 && exit 2 ;;
    esac
    shift 2
  done
  steps=$((steps + 1))
  note "$name"
  echo "\$ $*"
  if ((part_end_s - SECONDS < limit)); then limit=$((part_end_s - SECONDS)); fi
  if ((limit < 1)); then
    fail "$name" "not run: the part's time is over"
    return 1
  fi
  timeout -k 5 "$limit" "$@" >"$output" 2>&1 </dev/null
  code=$?
  cat "$output"
  echo "exit $code"
  if ((code == 124 || code == 137)); then
    reason="ran past $limit s"
  elif [[ ,$codes, != *,$code,* ]]; then
    reason="exit $code, $codes expected: $(last_line)"
  elif [[ -n $shows ]] && ! grep -qE -- "$shows" "$output"; then
    reason="its output lacks '$shows'"
  elif [[ -n $hides ]] && grep -qE -- "$hides" "$output"; then
    reason="its output has '$hides'"
  fi
  [[ -z $reason ]] || fail "$name" "$reason"
}

# Of the output: of most commands what is wrong.
last_line() { grep -v '^[# ]*$' "$output" | tail -n 1 | cut -c 1-200; }

# Yields 1, so that a caller can stop at a failure.
fail() {
  failures+=("$1 ($2)")
  echo "FAILED: $1: $2"
  return 1
}

# For what this machine has no program for; the summary names it.
leave_out() {
  left_out+=("$1 ($2)")
  note "left out: $1: $2"
}

# One line: how many steps, how many failed, and which. Yields 1 if any did.
summary() {
  local text
  text="$1: $steps steps, ${#failures[@]} failed"
  ((${#left_out[@]} == 0)) || text+=", ${#left_out[@]} left out"
  note "$text"
  ((${#left_out[@]} == 0)) || printf 'left out: %s\n' "${left_out[@]}"
  ((${#failures[@]} == 0)) || printf 'failed: %s\n' "${failures[@]}"
  ((${#failures[@]} == 0))
}
