//! Reports: one file a format.
