//! Lowering: syntax tree to intermediate representation, once for each file.
