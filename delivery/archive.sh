#!/usr/bin/env bash
# Makes the archive of a release for one target: the binary, its manual and completions, the licences.
# Usage: delivery/archive.sh TARGET FOLDER, where FOLDER takes the archive. The target must be one that this machine can run.
set -euo pipefail

target=$1
folder=$2
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=cargo-retry-after-$version-$target

if [[ $target == *-windows-msvc ]]; then
  # The C runtime goes into the binary, as musl does elsewhere.
  export RUSTFLAGS="-C target-feature=+crt-static"
fi
# Whoever looks into a crash builds it; whoever downloads it wants it small.
export CARGO_PROFILE_RELEASE_STRIP=symbols
cargo build --release --locked --package cargo-retry-after --bin cargo-retry-after --target "$target"
binary=${CARGO_TARGET_DIR:-target}/$target/release/cargo-retry-after
if [[ $target == *-windows-* ]]; then
  binary+=.exe
fi
if [[ $target == *-musl ]] && readelf --program-headers "$binary" | grep -q INTERP; then
  printf '%s needs a loader: it is not static\n' "$binary" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name/completions" "$work/$name/man" "$folder"
cp "$binary" README.md LICENSE-APACHE LICENSE-MIT "$work/$name"
"$binary" manual > "$work/$name/man/cargo-retry-after.1"
for shell in bash elvish fish powershell zsh; do
  "$binary" completions "$shell" > "$work/$name/completions/cargo-retry-after.$shell"
done

folder=$(cd "$folder" && pwd)
if [[ $target == *-windows-* ]]; then
  (cd "$work" && 7z a -bso0 "$folder/$name.zip" "$name")
else
  tar -C "$work" -czf "$folder/$name.tar.gz" "$name"
fi
