#!/usr/bin/env bash
# The steps of action.yml: `key` names the binary by what it is built from, `build` builds it, `run` lints the current folder.
set -euo pipefail

sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The same sources, whatever the machine, give the same key.
key() {
  local hash
  hash=$(cd "$sources" && find Cargo.toml Cargo.lock core lint fuzz corpus -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-32)
  printf 'key=%s\nfolder=%s/retry-after-%s\n' "$hash" "$RUNNER_TEMP" "$hash" >> "$GITHUB_OUTPUT"
}

# Started among its own sources, cargo obeys nothing of the checkout that is linted.
build() {
  cd "$sources"
  env -u RUSTUP_TOOLCHAIN cargo install --locked --path lint --root "$FOLDER" --target-dir "$RUNNER_TEMP/retry-after-target"
}

run() {
  local -a words=() line=() since=()
  # People write long inputs over several lines.
  while read -r -a line || [[ ${#line[@]} -gt 0 ]]; do
    words+=(${line[@]+"${line[@]}"})
  done <<< "$ARGUMENTS"
  if [[ -n $CHANGED_SINCE ]]; then
    since=(--changed-since "$CHANGED_SINCE")
  fi
  # What is neither would leave the gate open.
  if [[ $FAIL != true && $FAIL != false ]]; then
    printf 'the input fail is true or false, not %q\n' "$FAIL" >&2
    exit 2
  fi
  local sarif=$RUNNER_TEMP/retry-after.sarif text=$RUNNER_TEMP/retry-after.txt code=0
  rm -f "$sarif" "$text"
  # The binary itself, and not by way of cargo, which would obey the checkout's aliases.
  "$FOLDER/bin/cargo-retry-after" lint ${words[@]+"${words[@]}"} ${since[@]+"${since[@]}"} \
    --format github --format "sarif=$sarif" --format "human=$text" || code=$?
  if [[ -n $CHANGED_SINCE && $code -lt 2 ]]; then
    # Code scanning takes what is not in a log for mended, so its log has the findings outside of the change as well.
    local again=0
    "$FOLDER/bin/cargo-retry-after" lint ${words[@]+"${words[@]}"} --format "sarif=$sarif" > /dev/null 2>&1 || again=$?
    [[ $again -lt 2 ]] || code=$again
  fi
  printf 'exit-code=%s\n' "$code" >> "$GITHUB_OUTPUT"
  if [[ -f $sarif ]]; then
    printf 'sarif=%s\n' "$sarif" >> "$GITHUB_OUTPUT"
  fi
  if [[ -f $text && -n ${GITHUB_STEP_SUMMARY:-} ]]; then
    # GitHub takes a summary of a megabyte at most, and drops a longer one as a whole.
    { printf '<pre>\n' && head -c 500000 "$text" | sed 's/&/\&amp;/g; s/</\&lt;/g' && printf '\n</pre>\n'; } >> "$GITHUB_STEP_SUMMARY"
  fi
  if [[ $code -ge 2 || ($code -ne 0 && $FAIL == true) ]]; then
    exit "$code"
  fi
}

case ${1:-} in
  key | build | run) "$1" ;;
  *)
    printf 'usage: %s key|build|run\n' "$0" >&2
    exit 2
    ;;
esac
