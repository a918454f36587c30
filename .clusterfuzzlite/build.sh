#!/bin/bash -eu
# Builds the fuzz targets into $OUT, each with its seeds and the dictionary. Started by ClusterFuzzLite in its builder image; elsewhere
# SRC is the folder around the checkout and OUT any folder.
cd "${SRC:?}/cargo-retry-after"
built="${CARGO_TARGET_DIR:-$PWD/target}"
cargo fuzz build -O --debug-assertions --target-dir "$built"
built="$built/$(rustc -vV | sed -n 's/^host: //p')/release"
for target in fuzz/fuzz_targets/*.rs; do
  name=$(basename "$target" .rs)
  cp "$built/$name" "${OUT:?}/"
  zip --quiet --junk-paths "$OUT/${name}_seed_corpus.zip" "corpus/fuzz/$name"/*
  cp corpus/fuzz/retry-after.dict "$OUT/$name.dict"
done
