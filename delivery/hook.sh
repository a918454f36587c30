#!/usr/bin/env bash
# The pre-commit hook: builds the command from the sources beside this script, once for each version, and lints the current folder with it.
set -euo pipefail

sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Started among its own sources, cargo obeys nothing of the checkout that is linted.
(cd "$sources" && env -u RUSTUP_TOOLCHAIN -u CARGO_TARGET_DIR cargo build --quiet --release --locked \
  --package cargo-retry-after --bin cargo-retry-after --target-dir "$sources/target") >&2
exec "$sources/target/release/cargo-retry-after" lint "$@"
