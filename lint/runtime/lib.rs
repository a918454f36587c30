//! The runtime of a harness: what is compiled beside extracted code to hold it to the reference.
//!
//! ```text
//! inputs -> subject -> oracle -> report
//!           (the extracted code)
//! ```
//!
//! - `subject`: the code under test as a function, and what it makes of a header.
//! - `inputs`: the header lines it is asked about.
//! - `oracle`: its outcome beside the reference's: agreement, a named divergence or a tolerated difference.
//! - `shrink`: the simplest header with the same divergence.
//! - `trial`: a subject with the oracle beside it.
//! - `tally`: what was found so far, by name and family of header.
//! - `driver`: the program that does this for many inputs and tells the result.
//! - `target`: the same for one input of libFuzzer's.
//! - `escape` and `text`: headers and outcomes in words.
//!
//! The linter embeds these files and writes them out; the crate of the fuzz targets compiles them too, so that they are tested
//! and their oracle is shared. They need nothing but std and the reference.

pub mod driver;
pub mod escape;
pub mod inputs;
pub mod oracle;
pub mod shrink;
pub mod subject;
pub mod tally;
pub mod target;
pub mod text;
pub mod trial;

pub use subject::{Now, Outcome, Subject};
