//! Parsing: text to syntax tree, guarded against input that would overflow a parser's stack.
