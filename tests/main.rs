//! End-to-end tests: the built binary, run as a user runs it.
