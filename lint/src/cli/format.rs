//! Formats: what `--format` names, and where each of them goes.

use super::Failure;
use super::output::{self, Color};
use clap::ValueEnum;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use retry_after_lint::report::{Report, cargo_json, github, gitlab, human, json, sarif, short, statistics};
use retry_after_lint::workspace::plain;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// As rustc shows its errors
    Human,
    /// One finding a line
    Short,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code scanning services
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
    /// A GitLab code quality report
    Gitlab,
    /// What `cargo check --message-format=json` writes, for editors
    CargoJson,
}

/// A format and where it goes: `FORMAT` to standard output, `FORMAT=FILE` to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Destination {
    format: Format,
    /// None for standard output.
    file: Option<PathBuf>,
}

/// Takes `FORMAT` and `FORMAT=FILE`, and knows the formats, for help and completions.
#[derive(Clone)]
pub(super) struct DestinationParser;

impl TypedValueParser for DestinationParser {
    type Value = Destination;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Destination, clap::Error> {
        let text = StringValueParser::new().parse_ref(command, argument, value)?;
        let (name, file) = text.split_once('=').map_or((text.as_str(), None), |(name, file)| (name, Some(file)));
        let fail = |kind, context: Vec<(ContextKind, ContextValue)>| {
            let mut error = clap::Error::new(kind).with_cmd(command);
            let flag = argument.map(|argument| ContextValue::String(argument.to_string()));
            let context = flag.map(|flag| (ContextKind::InvalidArg, flag)).into_iter().chain(context);
            context.for_each(|(kind, value)| drop(error.insert(kind, value)));
            error
        };
        let Ok(format) = Format::from_str(name, false) else {
            let names: Vec<String> = names().map(|name| name.get_name().to_owned()).collect();
            let near = retry_after_lint::workspace::nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
            let mut context = vec![
                (ContextKind::InvalidValue, ContextValue::String(name.to_owned())),
                (ContextKind::ValidValue, ContextValue::Strings(names)),
            ];
            context.extend(near.map(|near| (ContextKind::SuggestedValue, ContextValue::String(near))));
            return Err(fail(ErrorKind::InvalidValue, context));
        };
        let file = file.filter(|file| *file != "-").map(PathBuf::from);
        Ok(Destination { format, file })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names()))
    }
}

fn names() -> impl Iterator<Item = PossibleValue> {
    Format::value_variants().iter().filter_map(ValueEnum::to_possible_value)
}

/// All that is to be written, checked: nothing goes to the same place twice.
pub(super) struct Destinations(Vec<Destination>);

impl Destinations {
    /// What the flags ask for; the human form where they ask for nothing.
    pub(super) fn new(given: &[Destination]) -> Result<Destinations, Failure> {
        for (index, destination) in given.iter().enumerate() {
            if destination.file.as_ref().is_some_and(|file| file.as_os_str().is_empty()) {
                return Err(Failure("a file's name is missing behind `=` in --format".to_owned()));
            }
            if given[..index].iter().any(|other| other.file == destination.file) {
                return Err(Failure(match &destination.file {
                    None => {
                        "two formats for standard output: give one of them a file, as in `--format sarif=out.sarif`"
                            .to_owned()
                    }
                    Some(file) => format!("two formats for the file `{}`", file.display()),
                }));
            }
        }
        let default = Destination { format: Format::Human, file: None };
        Ok(Destinations(if given.is_empty() { vec![default] } else { given.to_vec() }))
    }

    /// Writes the report to every place. `quiet` leaves out summaries; `figures` adds the statistics.
    pub(super) fn write(
        &self,
        report: &Report,
        quiet: bool,
        figures: bool,
        color: Option<Color>,
    ) -> Result<(), Failure> {
        for Destination { format, file } in self.0.iter().filter(|destination| destination.file.is_some()) {
            let file = file.as_deref().unwrap_or(Path::new(""));
            let failed = |error: io::Error| Failure(format!("cannot write `{}`: {}", file.display(), plain(&error)));
            let mut out = BufWriter::new(anstream::StripStream::new(File::create(file).map_err(failed)?));
            format.write(report, quiet, human::WIDTH, &mut out).and_then(|()| out.flush()).map_err(failed)?;
        }
        let on_screen = self.0.iter().find(|destination| destination.file.is_none()).map(|own| own.format);
        let for_a_person = matches!(on_screen, Some(Format::Human | Format::Short));
        if let Some(format) = on_screen {
            output::print(color, |out| {
                format.write(report, quiet, width(), &mut *out)?;
                if figures && for_a_person { statistics::write(report, out) } else { Ok(()) }
            })?;
        }
        if figures && !for_a_person {
            // What a program reads on standard output stays as it is.
            statistics::write(report, io::stderr().lock())?;
        }
        Ok(())
    }
}

impl Format {
    fn write(self, report: &Report, quiet: bool, width: usize, mut out: impl Write) -> io::Result<()> {
        match self {
            Format::Human => human::write_findings(report, width, &mut out)?,
            Format::Short => short::write(report, &mut out)?,
            Format::Json => return json::write(report, out),
            Format::Sarif => return sarif::write(report, out),
            Format::Github => return github::write(report, out),
            Format::Gitlab => return gitlab::write(report, out),
            Format::CargoJson => return cargo_json::write(report, out),
        }
        if quiet { Ok(()) } else { human::write_summary(report, out) }
    }
}

/// The columns of the terminal, if standard output is one.
fn width() -> usize {
    let terminal = Some(io::stdout()).filter(IsTerminal::is_terminal).and_then(terminal_size::terminal_size_of);
    // A very narrow one would leave no room for code beside the line numbers.
    terminal.map_or(human::WIDTH, |(width, _)| usize::from(width.0).max(60))
}

/// The folder that names for a forge are relative to: the checkout that its runner tells of, if the current folder lies in it, else the current folder.
pub(super) fn checkout(folder: &Path) -> PathBuf {
    let told = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let mut around = told.filter(|checkout| checkout.is_absolute() && folder.starts_with(checkout));
    around.next().unwrap_or_else(|| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Destination, String> {
        let flag = clap::Arg::new("format").long("format").value_parser(DestinationParser);
        let matches = clap::Command::new("x").arg(flag).try_get_matches_from(["x", "--format", text]);
        matches
            .map(|matches| matches.get_one::<Destination>("format").expect("it was given").clone())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_format_goes_to_standard_output_or_to_a_file() {
        let to = |format, file: Option<&str>| Ok(Destination { format, file: file.map(PathBuf::from) });
        assert_eq!(parse("human"), to(Format::Human, None));
        assert_eq!(parse("sarif=-"), to(Format::Sarif, None));
        assert_eq!(parse("cargo-json=a=b.json"), to(Format::CargoJson, Some("a=b.json")));
        let error = parse("sariff=x").unwrap_err();
        assert!(error.contains("sariff") && error.contains("a similar value exists: 'sarif'"), "{error}");
    }

    #[test]
    fn no_place_is_written_twice() {
        let new = |texts: &[&str]| {
            let given: Vec<Destination> = texts.iter().map(|text| parse(text).unwrap()).collect();
            Destinations::new(&given).map(|all| all.0.len()).map_err(|failure| failure.0)
        };
        assert_eq!(new(&[]), Ok(1));
        assert_eq!(new(&["human", "sarif=a", "json=b"]), Ok(3));
        assert!(new(&["human", "sarif"]).unwrap_err().contains("standard output"));
        assert!(new(&["sarif="]).unwrap_err().contains("missing"));
        assert!(new(&["json=a", "sarif=a"]).unwrap_err().contains("`a`"));
    }
}
