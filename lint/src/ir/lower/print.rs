//! A compact text of what a file lowers to.
