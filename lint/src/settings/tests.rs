//! Tables of settings, the right and the wrong ones.

use super::*;

fn read(text: &str) -> Result<Layer, String> {
    let layer = table::read(Path::new("/x/retry-after.toml"), "retry-after.toml", text, Place::Whole);
    layer.map(Option::unwrap_or_default).map_err(|error| error.to_string())
}

fn settings(text: &str) -> Settings {
    Settings { layers: vec![read(text).unwrap()], by_package: vec![vec![0]] }
}

fn level(settings: &Settings, path: &str, rule: &str) -> Level {
    settings.decided(0, Some(Path::new(path)), rule, Level::Deny).0
}

#[test]
fn the_narrower_one_decides_in_whichever_order() {
    let settings = settings("[levels]\ncapped_hint = \"warn\"\nschedule = \"allow\"\nall = \"deny\"\n");
    assert_eq!(level(&settings, "/x/a.rs", "capped_hint"), Level::Warn);
    assert_eq!(level(&settings, "/x/a.rs", "integer_only"), Level::Deny);
}

#[test]
fn a_later_override_is_stronger_and_holds_below_its_folder() {
    let settings = settings(
        "[levels]\nall = \"warn\"\n[[overrides]]\npaths = [\"src/old\", \"./gen/\"]\nlevels = { all = \"allow\" }\n\
         [[overrides]]\npaths = [\"src/*/mended.rs\"]\nlevels.capped_hint = \"deny\"\n",
    );
    let of = |path| level(&settings, path, "capped_hint");
    assert_eq!(of("/x/src/new.rs"), Level::Warn);
    assert_eq!(of("/x/src/old/deep/a.rs"), Level::Allow);
    assert_eq!(of("/x/gen/a.rs"), Level::Allow);
    assert_eq!(of("/x/src/old/mended.rs"), Level::Deny);
    assert_eq!(of("/y/src/old/a.rs"), Level::Warn, "another folder");
    assert_eq!(level(&settings, "/x/src/old/mended.rs", "integer_only"), Level::Allow);
}

#[test]
fn the_place_that_decided_is_known() {
    let settings = settings("# a comment\n[levels]\n\nparse = \"warn\"\n");
    let (_, place) = settings.decided(0, None, "integer_only", Level::Deny);
    assert_eq!(place.map(|(layer, line)| layer.line(line)).as_deref(), Some("retry-after.toml:4"));
    assert!(settings.decided(0, None, "capped_hint", Level::Deny).1.is_none());
}

#[test]
fn a_later_layer_is_stronger_than_an_earlier_one() {
    let layers = vec![read("levels.capped_hint = \"allow\"").unwrap(), read("levels.all = \"warn\"").unwrap()];
    let settings = Settings { layers, by_package: vec![vec![0, 1]] };
    assert_eq!(level(&settings, "/x/a.rs", "capped_hint"), Level::Warn);
}

#[test]
fn what_is_not_known_is_an_error_with_its_line_and_the_nearest_name() {
    let complaints = [
        ("[level]\n", "retry-after.toml:1: unknown key `level`; did you mean `levels`?"),
        (
            "\n\nbananas = 1\n",
            "retry-after.toml:3: unknown key `bananas`; the keys are `date-parsers`, `exclude`, `headers`, `levels`, `overrides`, `safe-helpers`, `sleeps`",
        ),
        (
            "[levels]\ncaped_hint = \"warn\"\n",
            "retry-after.toml:2: no rule or group `caped_hint`; did you mean `capped_hint`?",
        ),
        ("[levels]\ncapped_hint = \"off\"\n", "retry-after.toml:2: `capped_hint` must be `allow`, `warn` or `deny`"),
        ("levels = 3\n", "retry-after.toml:1: `levels` must be a table"),
        (
            "headers = [\"X-Wait:\"]\n",
            "retry-after.toml:1: `X-Wait:` in `headers` is no name: give a header's name, without its colon and value",
        ),
        (
            "sleeps = [\n\"ok\",\n\"time::park\"]\n",
            "retry-after.toml:3: `time::park` in `sleeps` is no name: give the name of a function or method alone, without path and parentheses",
        ),
        ("exclude = \"vendor\"\n", "retry-after.toml:1: `exclude` must be a list of paths or patterns of paths"),
        ("[[overrides]]\nlevels.all = \"warn\"\n", "retry-after.toml:1: an override names no `paths`"),
        ("[[overrides]]\npath = [\"a\"]\n", "retry-after.toml:2: unknown key `path`; did you mean `paths`?"),
    ];
    for (text, complaint) in complaints {
        assert_eq!(read(text).err().as_deref(), Some(complaint), "{text}");
    }
    assert!(read("a = \n").err().is_some_and(|error| error.starts_with("retry-after.toml:1: ")));
    assert!(read("exclude = [\"a[\"]\n").err().is_some_and(|error| error.starts_with("retry-after.toml:1: `exclude`")));
}

#[test]
fn a_manifest_holds_settings_in_its_metadata_alone() {
    let text = "[package]\nname = \"x\"\nfuture = 1\n[package.metadata.other]\na = 1\n[package.metadata.retry-after.levels]\nall = \"warn\"\n";
    let file = Path::new("/x/Cargo.toml");
    let layer = table::read(file, "Cargo.toml", text, Place::Package).unwrap().unwrap();
    assert_eq!(
        (layer.levels.len(), layer.levels[0].line, layer.table.as_str()),
        (1, 7, "package.metadata.retry-after")
    );
    assert!(table::read(file, "Cargo.toml", text, Place::Workspace).unwrap().is_none());
}
