//! One table of settings, as it stands in one file: read with the line of everything in it, and refused where a key or a value is not known.

use super::{Error, Layer, LevelAt, Override, Pattern, Said, Target};
use crate::diagnostic::Level;
use crate::source::{LineIndex, Position};
use crate::workspace::nearest;
use globset::GlobBuilder;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// The keys of a table of settings.
const KEYS: [&str; 7] = ["date-parsers", "exclude", "headers", "levels", "overrides", "safe-helpers", "sleeps"];
/// The keys of an override.
const OVERRIDE_KEYS: [&str; 2] = ["levels", "paths"];

/// What can be said of a rule.
const LEVELS: [(&str, Level); 3] = [("allow", Level::Allow), ("warn", Level::Warn), ("deny", Level::Deny)];

/// Where settings stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The file is one table of settings: `retry-after.toml`.
    Whole,
    /// `[workspace.metadata.retry-after]` of a manifest.
    Workspace,
    /// `[package.metadata.retry-after]` of a manifest.
    Package,
}

impl Place {
    fn keys(self) -> &'static [&'static str] {
        match self {
            Place::Whole => &[],
            Place::Workspace => &["workspace", "metadata", "retry-after"],
            Place::Package => &["package", "metadata", "retry-after"],
        }
    }
}

/// The settings at that place of the file; None where there is no such table.
pub(super) fn read(file: &Path, name: &str, text: &str, place: Place) -> Result<Option<Layer>, Error> {
    // A byte order mark shifts no line.
    let text = text.trim_start_matches('\u{feff}');
    let reader = Reader { name, text, lines: LineIndex::new(text) };
    let whole = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        reader.error(at, &error.message().replace('\n', " "))
    })?;
    let mut table = whole.get_ref();
    for (depth, key) in place.keys().iter().enumerate() {
        let Some((_, value)) = table.iter().find(|(known, _)| known.get_ref() == key) else {
            // Of all tools' tables only one that is meant to be ours is judged.
            let letters = |text: &str| text.to_lowercase().replace(['_', '-'], "");
            let almost = table.iter().find(|(known, _)| letters(known.get_ref()) == letters(key));
            return match almost.filter(|_| depth + 1 == place.keys().len()) {
                Some((known, _)) => {
                    let what = format!("`{}` is not read; did you mean `{key}`?", known.get_ref());
                    Err(reader.error(known.span().start, &what))
                }
                None => Ok(None),
            };
        };
        table = match value.get_ref().as_table() {
            Some(table) => table,
            // What the tables above ours hold is for cargo to judge.
            None if depth + 1 < place.keys().len() => return Ok(None),
            None => return Err(reader.wrong(value, key, "a table")),
        };
    }
    reader.layer(file, place, table).map(Some)
}

type Key<'a> = Spanned<DeString<'a>>;
type Value<'a> = Spanned<DeValue<'a>>;

/// A file's text, to tell lines.
struct Reader<'a> {
    name: &'a str,
    text: &'a str,
    lines: LineIndex,
}

impl Reader<'_> {
    fn layer(&self, file: &Path, place: Place, table: &DeTable<'_>) -> Result<Layer, Error> {
        let mut layer = Layer {
            file: self.name.to_owned(),
            folder: file.parent().unwrap_or(file).to_owned(),
            table: place.keys().join("."),
            ..Layer::default()
        };
        for (key, value) in in_order(table) {
            match key.get_ref().as_ref() {
                "levels" => layer.levels = self.levels(value)?,
                "overrides" => layer.overrides = self.overrides(value)?,
                "exclude" => layer.exclude = self.patterns(value, "exclude")?,
                "headers" => layer.headers = self.names(value, "headers", is_header)?,
                "sleeps" => layer.sleeps = self.names(value, "sleeps", is_function)?,
                "date-parsers" => layer.date_parsers = self.names(value, "date-parsers", is_function)?,
                "safe-helpers" => layer.safe_helpers = self.names(value, "safe-helpers", is_function)?,
                _ => return Err(self.unknown(key, &KEYS)),
            }
        }
        Ok(layer)
    }

    fn levels(&self, value: &Value<'_>) -> Result<Vec<LevelAt>, Error> {
        let table = value.get_ref().as_table().ok_or_else(|| self.wrong(value, "levels", "a table"))?;
        let mut levels = Vec::new();
        for (key, value) in in_order(table) {
            let target = Target::named(key.get_ref()).map_err(|message| self.error(key.span().start, &message))?;
            let word = value.get_ref().as_str().unwrap_or_default();
            let Some((_, level)) = LEVELS.iter().find(|(known, _)| *known == word) else {
                return Err(self.wrong(value, key.get_ref(), "`allow`, `warn` or `deny`"));
            };
            levels.push(Said { value: (target, *level), line: self.line(key.span().start) });
        }
        // The narrower one decides, in whichever order they stand.
        levels.sort_by_key(|said| said.value.0.narrowness());
        Ok(levels)
    }

    fn overrides(&self, value: &Value<'_>) -> Result<Vec<Override>, Error> {
        let wrong = |value: &Value<'_>| self.wrong(value, "overrides", "a list of tables with `paths` and `levels`");
        let mut overrides = Vec::new();
        for value in value.get_ref().as_array().ok_or_else(|| wrong(value))?.iter() {
            let table = value.get_ref().as_table().ok_or_else(|| wrong(value))?;
            let mut new = Override { paths: Vec::new(), levels: Vec::new() };
            for (key, value) in in_order(table) {
                match key.get_ref().as_ref() {
                    "paths" => new.paths = self.patterns(value, "paths")?,
                    "levels" => new.levels = self.levels(value)?,
                    _ => return Err(self.unknown(key, &OVERRIDE_KEYS)),
                }
            }
            if new.paths.is_empty() {
                return Err(self.error(value.span().start, "an override names no `paths`"));
            }
            overrides.push(new);
        }
        Ok(overrides)
    }

    fn patterns(&self, value: &Value<'_>, key: &str) -> Result<Vec<Said<Pattern>>, Error> {
        let texts = self.texts(value, key, "a list of paths or patterns of paths")?;
        let compile = |said: Said<String>| {
            let bare = said.value.trim_start_matches("./").trim_end_matches('/');
            let wrong = match bare {
                bare if bare.starts_with('/') || bare == ".." || bare.starts_with("../") => {
                    Some("matches nothing: paths are relative to the folder of this file, and lie in it")
                }
                bare if bare.starts_with('!') => {
                    Some("matches nothing: there is no `!`; leave out less, or name the paths one by one")
                }
                "" => Some("matches nothing"),
                _ => None,
            };
            if let Some(what) = wrong {
                return Err(self.error_in_line(said.line, &format!("`{}` in `{key}` {what}", said.value)));
            }
            let glob = GlobBuilder::new(bare).literal_separator(true).build();
            let glob = glob.map_err(|error| self.error_in_line(said.line, &format!("`{key}`: {error}")))?;
            Ok(Said { value: Pattern { text: said.value, glob: glob.compile_matcher() }, line: said.line })
        };
        texts.into_iter().map(compile).collect()
    }

    fn names(
        &self,
        value: &Value<'_>,
        key: &str,
        fits: fn(&str) -> Result<(), &str>,
    ) -> Result<Vec<Said<String>>, Error> {
        let names = self.texts(value, key, "a list of names")?;
        for said in &names {
            fits(&said.value).map_err(|what| {
                self.error_in_line(said.line, &format!("`{}` in `{key}` is no name: {what}", said.value))
            })?;
        }
        Ok(names)
    }

    fn texts(&self, value: &Value<'_>, key: &str, what: &str) -> Result<Vec<Said<String>>, Error> {
        let list = value.get_ref().as_array().ok_or_else(|| self.wrong(value, key, what))?;
        let text = |value: &Value<'_>| {
            let text = value.get_ref().as_str().ok_or_else(|| self.wrong(value, key, what))?;
            Ok(Said { value: text.to_owned(), line: self.line(value.span().start) })
        };
        list.iter().map(text).collect()
    }

    fn unknown(&self, key: &Key<'_>, known: &[&str]) -> Error {
        let name = key.get_ref();
        let hint = nearest(name, known.iter().copied()).map_or_else(
            || format!("the keys are {}", known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        self.error(key.span().start, &format!("unknown key `{name}`; {hint}"))
    }

    fn wrong(&self, value: &Value<'_>, key: &str, what: &str) -> Error {
        self.error(value.span().start, &format!("`{key}` must be {what}"))
    }

    fn error(&self, at: usize, message: &str) -> Error {
        self.error_in_line(self.line(at), message)
    }

    fn error_in_line(&self, line: u32, message: &str) -> Error {
        Error::new(format!("{}:{line}: {message}", self.name))
    }

    fn line(&self, at: usize) -> u32 {
        let Position { line, .. } = self.lines.position(self.text, at.try_into().unwrap_or(u32::MAX));
        line
    }
}

/// The entries of a table in the order in which they stand, so that the first mistake is the one that is told.
fn in_order<'t, 'a>(table: &'t DeTable<'a>) -> Vec<(&'t Key<'a>, &'t Value<'a>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

fn is_header(name: &str) -> Result<(), &str> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if !name.is_empty() && name.bytes().all(is_token) {
        Ok(())
    } else {
        Err("give a header's name, without its colon and value")
    }
}

fn is_function(name: &str) -> Result<(), &str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    if name.starts_with(|first: char| first.is_alphabetic() || first == '_') && name.chars().all(is_word) {
        Ok(())
    } else {
        Err("give the name of a function or method alone, without path and parentheses")
    }
}
