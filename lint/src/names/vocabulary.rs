//! The vocabulary that a project adds to what is known by name.
//!
//! It holds for one analysis, which runs on one thread, and is asked wherever a name is judged; so it is kept with that thread rather than handed through
//! every function that looks at a name. Each package has its own: what one team declares is nobody else's word.

use std::cell::{Cell, RefCell};

/// Names that a project declares. All are names alone, without a path in front.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Headers that carry a wait as `Retry-After` does in its first form: a number, in seconds unless the name tells another unit.
    pub headers: Vec<String>,
    /// Functions and methods that wait for the time they are given.
    pub sleeps: Vec<String>,
    /// Functions and methods that are given text and read an HTTP-date from it.
    pub date_parsers: Vec<String>,
    /// Functions and methods that are known to treat the hint rightly: they are not looked into, and what is handed to them is in good hands.
    pub safe_helpers: Vec<String>,
}

thread_local! {
    static IN_FORCE: RefCell<Vec<Vocabulary>> = RefCell::default();
    static PACKAGE: Cell<Option<u32>> = const { Cell::new(None) };
}

impl Vocabulary {
    /// Takes in the names of another one that are not there yet.
    pub fn extend(&mut self, other: &Vocabulary) {
        let lists = [
            (&mut self.headers, &other.headers),
            (&mut self.sleeps, &other.sleeps),
            (&mut self.date_parsers, &other.date_parsers),
            (&mut self.safe_helpers, &other.safe_helpers),
        ];
        for (own, others) in lists {
            let new: Vec<String> = others.iter().filter(|name| !own.contains(name)).cloned().collect();
            own.extend(new);
        }
    }
}

/// Puts the packages' vocabularies in force on this thread, in place of what was.
pub(crate) fn put_in_force(of_packages: &[Vocabulary]) {
    IN_FORCE.with(|known| known.replace(of_packages.to_vec()));
    PACKAGE.set(None);
}

/// Looks at names from within a package: only its own vocabulary counts. From outside of any, all do. Gives the package before.
pub(crate) fn look_from(package: Option<u32>) -> Option<u32> {
    PACKAGE.replace(package)
}

fn has(list: fn(&Vocabulary) -> &Vec<String>, fits: impl Fn(&str) -> bool) -> bool {
    IN_FORCE.with(|known| {
        let known = known.borrow();
        let here = match PACKAGE.get() {
            None => known.as_slice(),
            Some(package) => known.get(package as usize).map_or(&[][..], std::slice::from_ref),
        };
        here.iter().any(|vocabulary| list(vocabulary).iter().any(|name| fits(name)))
    })
}

/// Whether the text is the name of a header that was declared, in any case.
pub(super) fn is_header(text: &str) -> bool {
    has(|known| &known.headers, |name| name.eq_ignore_ascii_case(text))
}

/// Whether the name is declared for a function that waits.
pub fn is_declared_sleep(name: &str) -> bool {
    has(|known| &known.sleeps, |known| known == name)
}

/// Whether the name is declared for a function that reads a date.
pub fn is_declared_date_parser(name: &str) -> bool {
    has(|known| &known.date_parsers, |known| known == name)
}

/// Whether the name is declared for a function that treats the hint rightly.
pub fn is_safe_helper(name: &str) -> bool {
    has(|known| &known.safe_helpers, |known| known == name)
}
