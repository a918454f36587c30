//! Scenarios, oracle and fuzz targets that hold `retry-after-core` to its word.
