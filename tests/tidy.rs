//! Conventions.
