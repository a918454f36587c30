//! Subjects: the places that read and parse the hint, found in what the analysis saw, and the extraction of each.

use super::adapter::{Adapted, Maker, Wanted, adapt, number_in, outcomes as outcomes_of, parameter_name, type_text};
use super::clients::{CLOCKS, OUTCOMES, client_module, clock_module};
use super::expected::{About, expected};
use super::lift;
use super::outline::{self, OfSelf, Use};
use super::pieces::Files;
use super::slice::{Slice, raw};
use super::{Dependency, Extracted, NotExtracted, Reason, Strategy, Subject, Unit, UnitOf, outcomes, unit};
use crate::behaviour::log::{Attempt, Log, SourceKind};
use crate::behaviour::trail::SourceIndex;
use crate::behaviour::value::Code;
use crate::ir::{FileId, Function, FunctionId, Name, Owner, ScopeId, Span, Type, TypeKind};
use crate::module::{Program, Resolved};
use crate::site;
use crate::source::{self, LineIndex};
use crate::workspace::Requirements;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// A place to extract: what the analysis knows of it.
struct Place {
    function: FunctionId,
    /// Where the header is read, or the function that is given its text.
    at: Span,
    /// Whether the header is read here, and not only parsed.
    reads: bool,
    /// The name of the header.
    header: String,
    /// Where the text is read as a number or a date.
    parses: BTreeSet<Span>,
    /// The functions that do.
    parsers: BTreeSet<FunctionId>,
    /// Whether a date or number is read here, and not elsewhere.
    parses_here: bool,
    /// Whether another place hands it a part of the work.
    is_part: bool,
    /// Whether the text goes where the analysis could not follow it.
    is_lost: bool,
    /// Where its hint comes from.
    sources: BTreeSet<SourceIndex>,
}

impl Place {
    fn about(&self) -> About {
        About { function: self.function, reads: self.reads, sources: self.sources.clone() }
    }
}

/// All subjects of a program that was observed, in order of file and line.
pub(super) fn subjects(program: &mut Program<'_>, log: &Log, lifts: bool) -> Vec<Subject> {
    let mut files = Files::default();
    let mut requirements: HashMap<u32, Requirements> = HashMap::new();
    let mut opened: HashMap<u32, Option<Arc<lift::Opened>>> = HashMap::new();
    let mut subjects = Vec::new();
    for place in places(program, log) {
        let package = program.package_of(program.function(place.function).home);
        let requirements = requirements
            .entry(package)
            .or_insert_with(|| Requirements::of(&program.workspace().packages[package as usize]));
        let extraction = extract(program, &mut files, requirements, &place);
        let lift = lifts.then(|| {
            let opened = opened.entry(package).or_default();
            lifted(program, &mut files, requirements, &place, &extraction, opened)
        });
        proc_macro2::extra::invalidate_current_thread_spans();
        let expected = extraction.as_ref().map_or_else(|_| Vec::new(), |code| expected(log, &place.about(), code));
        subjects.push(Subject { lift, expected, ..subject(program, &place, extraction) });
    }
    subjects.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    subjects
}

/// The functions that read or are given the hint, and parse it or hand it to what does.
fn places(program: &Program<'_>, log: &Log) -> Vec<Place> {
    let mut found: BTreeMap<FunctionId, Place> = BTreeMap::new();
    let mut enter = |function: FunctionId, at: Span, reads: bool, attempt: &Attempt, parser: FunctionId| {
        let (parse, source, header) = (attempt.span, attempt.source, "retry-after");
        let place = found.entry(function).or_insert_with(|| Place {
            function,
            at,
            reads,
            header: header.to_owned(),
            parses: BTreeSet::new(),
            parsers: BTreeSet::new(),
            parses_here: false,
            is_part: false,
            is_lost: false,
            sources: BTreeSet::new(),
        });
        place.sources.insert(source);
        if reads && !place.reads {
            (place.at, place.reads) = (at, true);
            place.header = header.to_owned();
        }
        place.parses.insert(parse);
        place.parses_here |= parser == function;
        place.parsers.insert(parser);
    };
    for attempt in &log.attempts {
        let source = &log.sources[attempt.source as usize];
        let (Code::Function(parser), Code::Function(reader)) = (attempt.code, source.code) else { continue };
        if program.function(parser).is_test || program.function(reader).is_test {
            continue;
        }
        match &source.kind {
            SourceKind::Header => {
                // A helper that is given the header's name reads it; else the function that names it does.
                let reader = match &source.read_at {
                    Some((_, Code::Function(helper))) if parser == *helper => *helper,
                    _ => reader,
                };
                enter(reader, source.span, true, attempt, parser);
                if parser != reader {
                    enter(parser, program.function(parser).name_span, false, attempt, parser);
                }
            }
            SourceKind::Text => {
                // A helper without a name for it belongs to the function that is given the text.
                let is_named = !site::text_parameters(program.function(parser)).is_empty()
                    || matches!(program.function(parser).owner, Owner::TraitImpl { .. });
                for function in [reader, parser].into_iter().take(if is_named { 2 } else { 1 }) {
                    enter(function, program.function(function).name_span, false, attempt, parser);
                }
            }
            SourceKind::Vendor(_) | SourceKind::Named(_) | SourceKind::Wait(_) => {}
        }
    }
    // What is read and goes where it is not followed is no subject that could be run, and is listed all the same.
    let attempted: HashSet<u32> = log.attempts.iter().map(|attempt| attempt.source).collect();
    for (index, _) in log.escaped.keys() {
        let source = &log.sources[*index as usize];
        let Code::Function(reader) = source.code else { continue };
        let is_listed =
            attempted.contains(index) || source.kind != SourceKind::Header || program.function(reader).is_test;
        if !is_listed {
            found.entry(reader).or_insert_with(|| Place {
                function: reader,
                at: source.span,
                reads: true,
                header: "retry-after".to_owned(),
                parses: BTreeSet::new(),
                parsers: BTreeSet::new(),
                parses_here: false,
                is_part: false,
                is_lost: true,
                sources: BTreeSet::new(),
            });
        }
    }
    // A function that is handed the text by another, which parses as well, does a part of that one's work.
    let parts: Vec<FunctionId> = found
        .values()
        .filter(|place| !place.reads)
        .filter(|place| {
            found.values().any(|other| {
                other.function != place.function && other.parsers.contains(&place.function) && other.parsers.len() > 1
            })
        })
        .map(|place| place.function)
        .collect();
    for part in parts {
        if let Some(place) = found.get_mut(&part) {
            place.is_part = true;
        }
    }
    found.into_values().collect()
}

fn subject(program: &Program<'_>, place: &Place, extraction: Result<Extracted, NotExtracted>) -> Subject {
    let function = program.function(place.function);
    let workspace = program.workspace();
    let mut indexes: HashMap<FileId, (String, LineIndex)> = HashMap::new();
    let mut line_of = |span: Span| {
        let (text, index) = indexes.entry(span.file).or_insert_with(|| {
            let text = source::read(workspace, span.file).unwrap_or_default();
            let index = LineIndex::new(&text);
            (text, index)
        });
        index.position(text, span.start).line
    };
    // The place of a name that stands in another file, as a constant, is that of the function.
    let at = if place.at.file == function.span.file { place.at } else { function.name_span };
    let file = workspace.file(function.span.file).display.clone();
    let line = line_of(at);
    let package = workspace.package_of(function.span.file).name.clone();
    let id = match &package {
        Some(package) => format!("{package}:{file}:{line}"),
        None => format!("{file}:{line}"),
    };
    let end = Span { start: function.span.end.saturating_sub(1), ..function.span };
    let lines = (line_of(function.span), line_of(end));
    let parses = place.parses.iter().map(|span| (workspace.file(span.file).display.clone(), line_of(*span)));
    let parses: BTreeSet<(String, u32)> = parses.collect();
    Subject {
        id,
        package,
        file,
        line,
        lines,
        parses: parses.into_iter().collect(),
        item: item_path(program, place.function),
        is_part: place.is_part,
        extraction,
        lift: None,
        expected: Vec::new(),
    }
}

/// The item as a path from its crate's root.
fn item_path(program: &Program<'_>, id: FunctionId) -> String {
    let function = program.function(id);
    let mut parts: Vec<String> = program.scope(function.home).module.iter().map(|name| name.to_string()).collect();
    let owner = match &function.owner {
        Owner::Free => None,
        Owner::Trait(of) => Some(of.to_string()),
        owner => owner.self_type().and_then(|ty| ty.last_segment().map(str::to_owned)),
    };
    parts.extend(owner);
    parts.push(function.name.to_string());
    parts.join("::")
}

fn extract(
    program: &mut Program<'_>,
    files: &mut Files,
    requirements: &Requirements,
    place: &Place,
) -> Result<Extracted, NotExtracted> {
    if place.is_lost {
        let detail = "its text goes where the analysis does not follow it".to_owned();
        return Err(NotExtracted { strategy: Strategy::Slice, reason: Reason::EscapesAs, detail });
    }
    let problem = match slice(program, files, requirements, place) {
        Ok(extracted) => return Ok(extracted),
        Err(problem) => problem,
    };
    let outlined = outline(program, files, requirements, place);
    match problem.reason {
        // A map that is not HTTP's is the reason, whatever a cut lacks.
        Reason::NotAnHttpHeaderMap => outlined.map_err(|_| problem),
        _ => outlined,
    }
}

/// Cuts the statements from the read to where the wait leaves them.
fn outline(
    program: &mut Program<'_>,
    files: &mut Files,
    requirements: &Requirements,
    place: &Place,
) -> Result<Extracted, NotExtracted> {
    let no = |reason, detail: &str| NotExtracted { strategy: Strategy::Outline, reason, detail: detail.to_owned() };
    let function = program.function(place.function).clone();
    let (file, byte) = (function.name_span.file, function.name_span.start as usize);
    let Some(pieces) = files.get(program, file) else {
        return Err(no(Reason::UnresolvedImport, "a file that cannot be read"));
    };
    let Some((piece, member)) = pieces.at(byte) else { return Err(no(Reason::MacroWrapped, &function.name)) };
    let piece = &pieces.pieces[piece];
    let range = member.map_or(&piece.range, |member| &piece.members[member].range);
    let given = if place.reads { None } else { given_text(program.function(place.function)) };
    if !place.reads && given.is_none() {
        return Err(no(Reason::NoAdapter, "no parameter takes the header's text"));
    }
    if place.reads && (place.at.file != file || !range.contains(&(place.at.start as usize))) {
        return Err(no(Reason::ReadInHelper, "the header is named elsewhere"));
    }
    let read = (place.at.start as usize).saturating_sub(range.start);
    let cut = outline::cut(&pieces.text[range.clone()], read, given.as_deref())?;
    // A text that is handed on unread is the work of whoever reads it.
    let reads_here =
        place.parses_here || place.parsers.iter().any(|parser| calls(&cut.text, &program.function(*parser).name));
    if !reads_here {
        let parsers: Vec<&str> = place.parsers.iter().map(|parser| &*program.function(*parser).name).collect();
        return Err(no(Reason::ReadInHelper, &format!("parsed in {}", parsers.join(", "))));
    }
    let package = program.package_of(function.home);
    let self_type = function.owner.self_type().cloned();
    let mut slice = Slice::new(program, files, package, requirements);
    let module = slice.module_of(function.home);
    let of = outcomes_of(&module);
    let parameters: BTreeMap<String, Type> = named_parameters(&function);
    let mut lets = String::new();
    let mut notes = vec![format!(
        "where the value leaves: {}",
        cut.exits.iter().map(|exit| format!("`{exit}`")).collect::<Vec<_>>().join(", ")
    )];
    if cut.assumes {
        notes.push("conditions that have to do with something else are taken to hold".to_owned());
    }
    for name in &cut.outweighed {
        notes.push(format!("`{name}`, a wait of the code's own that the hint is held against, is taken for none"));
    }
    if cut.has_own {
        notes.push("a wait of the code's own counts as no hint".to_owned());
    }
    let mut maker = Maker::new(&mut slice, &function, &place.header);
    maker.is_outline = true;
    let locals: HashSet<Name> = function
        .body
        .as_ref()
        .into_iter()
        .flat_map(|body| body.locals.iter().map(|local| local.name.clone()))
        .collect();
    for (name, how) in &cut.free {
        let known = [Name::from(name.as_str())];
        if !locals.contains(&known[0])
            && !matches!(
                maker.slice.resolve(function.scope, None, &known),
                Resolved::Unknown(_) | Resolved::External(_)
            )
        {
            continue;
        }
        let value = match how {
            Use::Response => {
                let client = maker.http();
                maker.is_fed = true;
                format!("{client}::response::<::std::vec::Vec<u8>>(lines, {:?})", place.header)
            }
            Use::Other | Use::Headers if name != "self" && parameters.contains_key(name) => {
                let wanted = Wanted { name, is_header_text: given.as_ref() == Some(name), depth: 0 };
                maker.make(&parameters[name], wanted).map_err(|problem| no(problem.reason, &problem.detail))?
            }
            Use::Headers => {
                let client = maker.http();
                maker.is_fed = true;
                format!("{client}::headers(lines, {:?})", place.header)
            }
            Use::Fields(fields) => {
                let client = maker.http();
                maker.is_fed = true;
                carrier(fields, &client, &place.header)
            }
            Use::Metadata => {
                let client = maker.http();
                maker.is_fed = true;
                notes.push("gRPC's metadata are taken for the HTTP headers that they wrap".to_owned());
                format!("{client}::Call({client}::headers(lines, {:?}))", place.header)
            }
            Use::OfSelf(taken) => {
                let made = of_self(&mut maker, &function, taken)
                    .map_err(|problem| no(problem.reason, &format!("self.{}", taken.name)))?;
                // What is referred to lives as long as the variable.
                match made.strip_prefix("::std::option::Option::Some(&(").and_then(|rest| rest.strip_suffix("))")) {
                    Some(inner) => {
                        lets.push_str(&format!("    let {name}_value = {inner};\n"));
                        format!("::std::option::Option::Some(&{name}_value)")
                    }
                    None => made,
                }
            }
            Use::Other => return Err(no(Reason::FreeVariable, name)),
        };
        lets.push_str(&format!("    let mut {name} = {value};\n"));
    }
    if !maker.is_fed {
        return Err(no(Reason::NotAnHttpHeaderMap, "nothing in the cut takes the header"));
    }
    let (needs_text, needs_value) = (maker.needs_text, maker.needs_value);
    if needs_text {
        lets.insert_str(0, &format!("    let Some(text) = {of}::text(lines) else {{ return {of}::Outcome::None }};\n"));
    }
    if needs_value {
        let client = maker.http();
        lets.insert_str(
            0,
            &format!("    let Some(value) = {client}::value(lines) else {{ return {of}::Outcome::None }};\n"),
        );
    }
    let mut text = cut.text.clone();
    for (number, (path, field)) in cut.fields.iter().enumerate() {
        let ty = field_type(&mut slice, &function, path, field).unwrap_or_else(|| "_".to_owned());
        text = text.replace(&format!("FIELD_TYPE_{number}>"), &format!("{ty}>"));
    }
    // The body is looked at as it stands in the package, and only then joined to what is made for it.
    let text = slice.text_in(&format!("{{ {text} }}"), function.scope, self_type.clone(), locals);
    let text = text.replace("OUTCOMES::", &format!("{of}::"));
    let subject = format!("pub fn extracted_subject(lines: &[&[u8]]) -> {of}::Outcome {{\n{lets}    {text}\n}}\n\n");
    let subject = match self_type.as_ref().filter(|_| cut.text.contains("Self")).and_then(|ty| ty.last_segment()) {
        Some(name) => {
            format!(
                "impl {name} {{ {subject} }}\npub fn extracted_subject(lines: &[&[u8]]) -> {of}::Outcome {{ {name}::extracted_subject(lines) }}\n\n"
            )
        }
        None => subject,
    };
    if cut.text.contains("Self")
        && let Some(ty) = &self_type
    {
        slice.own(function.home, ty);
    }
    slice.additions.entry(module).or_default().push_str(&subject);
    let closed = |slice: &mut Slice<'_, '_>| {
        slice.close().map_err(|problem| NotExtracted { strategy: Strategy::Outline, ..problem })
    };
    closed(&mut slice)?;
    // The value may leave as a type of the package's own.
    for id in slice.whole_types() {
        Maker::new(&mut slice, &function, &place.header).implement_for(id);
    }
    closed(&mut slice)?;
    let unit = cut.exits.first().and_then(|exit| unit::of_name(exit.rsplit('.').next().unwrap_or(exit)));
    finish(slice, requirements, function.home, Strategy::Outline, unit, false, notes)
}

/// A value for what a method of `self` gives, or for one of its fields.
fn of_self(maker: &mut Maker<'_, '_, '_>, function: &Function, taken: &OfSelf) -> Result<String, NotExtracted> {
    let unknown = || NotExtracted {
        strategy: Strategy::Outline,
        reason: Reason::FreeVariable,
        detail: format!("self.{}", taken.name),
    };
    let Some(Type::Path { path, .. }) = function.owner.self_type().map(Type::peeled) else { return Err(unknown()) };
    let Resolved::Type(id) = maker.slice.resolve(function.home, None, path) else { return Err(unknown()) };
    let program = &maker.slice.program;
    let (ty, scope) = if taken.is_method {
        let methods = program.methods_of(id, &taken.name);
        let [method] = methods.as_slice() else { return Err(unknown()) };
        let method = program.function(*method);
        (method.output.clone(), method.home)
    } else {
        let item = program.type_item(id);
        let TypeKind::Struct(fields) = &item.kind else { return Err(unknown()) };
        let field = fields.iter().find(|field| *field.name == *taken.name);
        (field.map(|field| field.ty.clone()), item.scope)
    };
    let Some(ty) = ty else { return Err(unknown()) };
    let was = std::mem::replace(&mut maker.scope, scope);
    let made = maker.make(&ty, Wanted { name: &taken.name, is_header_text: false, depth: 0 });
    maker.scope = was;
    made
}

/// The type of a field that a value leaves in, where it is a number and may have to be said.
fn field_type(slice: &mut Slice<'_, '_>, function: &Function, path: &str, field: &str) -> Option<String> {
    let names: Vec<Name> = path.split("::").map(Name::from).collect();
    let self_type = function.owner.self_type().cloned();
    let fields = match slice.resolve(function.scope, self_type.as_ref(), &names) {
        Resolved::Type(id) => match &slice.program.type_item(id).kind {
            TypeKind::Struct(fields) => fields.clone(),
            _ => return None,
        },
        Resolved::Variant(id, index) => match &slice.program.type_item(id).kind {
            TypeKind::Enum(variants) => variants.get(index)?.fields.clone(),
            _ => return None,
        },
        _ => return None,
    };
    let ty = &fields.iter().find(|known| *known.name == *field)?.ty;
    number_in(ty).then(|| type_text(ty)).filter(|text| !text.contains("Result") && !text.contains("Poll"))
}

/// Whether a text calls a function, conversions by their other names too.
fn calls(text: &str, name: &str) -> bool {
    let other = match name {
        "from_str" => "parse",
        "try_from" => "try_into",
        "from" => "into",
        _ => name,
    };
    text.contains(name) || text.contains(other)
}

/// The name of the parameter that is the header's text.
fn given_text(function: &Function) -> Option<String> {
    let index = site::text_parameters(function)
        .first()
        .copied()
        .or((function.parameters.len() == 1 + usize::from(function.has_receiver))
            .then_some(usize::from(function.has_receiver)))?;
    let name = parameter_name(function, index);
    (!name.is_empty()).then_some(name)
}

/// A value of nested types with no more than the fields that lead to the headers: `answer.parts.headers`.
fn carrier(fields: &[String], client: &str, header: &str) -> String {
    let mut text = String::from("{ ");
    for (depth, field) in fields.iter().enumerate() {
        let inner =
            if depth + 1 == fields.len() { format!("{client}::HeaderMap") } else { format!("Carrier{}", depth + 1) };
        text.push_str(&format!("struct Carrier{depth} {{ {field}: {inner} }} "));
    }
    let mut value = format!("{client}::headers(lines, {header:?})");
    for (depth, field) in fields.iter().enumerate().rev() {
        value = format!("Carrier{depth} {{ {field}: {value} }}");
    }
    text.push_str(&value);
    text.push_str(" }");
    text
}

fn named_parameters(function: &Function) -> BTreeMap<String, Type> {
    let named = (0..function.parameters.len())
        .filter_map(|index| Some((parameter_name(function, index), function.parameters[index].ty.clone()?)));
    named.filter(|(name, _)| !name.is_empty()).collect()
}

fn slice(
    program: &mut Program<'_>,
    files: &mut Files,
    requirements: &Requirements,
    place: &Place,
) -> Result<Extracted, NotExtracted> {
    let function = program.function(place.function);
    let home = function.home;
    let package = program.package_of(home);
    let text_parameters = text_parameters(function, place);
    let has_number = function.output.as_ref().is_some_and(number_in);
    let mut slice = Slice::new(program, files, package, requirements);
    let Adapted { notes, .. } = adapt(&mut slice, place.function, &text_parameters, &place.header)?;
    slice.close()?;
    let unit = if has_number { unit::of_result(slice.program, place.function) } else { None };
    finish(slice, requirements, home, Strategy::Slice, unit, has_number, notes)
}

/// The parameters that take the header's text, by number.
fn text_parameters(function: &Function, place: &Place) -> Vec<usize> {
    if place.reads {
        return Vec::new();
    }
    let named = site::text_parameters(function);
    if named.is_empty() {
        // What parses a text that it is given need not be named for it.
        return (usize::from(function.has_receiver)..function.parameters.len()).take(1).collect();
    }
    named
}

/// The same place in its package, taken whole.
fn lifted(
    program: &mut Program<'_>,
    files: &mut Files,
    requirements: &Requirements,
    place: &Place,
    extraction: &Result<Extracted, NotExtracted>,
    opened: &mut Option<Arc<lift::Opened>>,
) -> Result<lift::Lifted, NotExtracted> {
    if place.is_lost {
        let detail = "its text goes where the analysis does not follow it".to_owned();
        return Err(NotExtracted { strategy: Strategy::Lift, reason: Reason::EscapesAs, detail });
    }
    let target = lift::Target {
        function: place.function,
        text_parameters: &text_parameters(program.function(place.function), place),
        header: &place.header,
        is_sliced: extraction.as_ref().is_ok_and(|code| code.strategy == Strategy::Slice),
    };
    lift::lift(program, files, requirements, &target, opened)
}

/// The module's text around what was cut.
pub(super) fn finish(
    mut slice: Slice<'_, '_>,
    requirements: &Requirements,
    home: ScopeId,
    strategy: Strategy,
    unit: Option<Unit>,
    has_number: bool,
    mut notes: Vec<String>,
) -> Result<Extracted, NotExtracted> {
    let body = slice.print()?;
    let dependencies = dependencies(&slice.crates, requirements, strategy)?;
    let module = slice.module_of(home);
    let path: String = module.iter().map(|name| format!("{}::", raw(name))).collect();
    let crates: Vec<&str> = slice.crates.iter().map(String::as_str).collect();
    let with_url = slice.crates.contains("url");
    let of = unit.as_ref().map_or(UnitOf::Seconds, |unit| unit.of);
    if has_number && unit.is_none() {
        notes.push(super::UNKNOWN_UNIT.to_owned());
    }
    let mut source = String::from("#![allow(warnings, clippy::all)]\n\n");
    source.push_str(&format!(
        "pub fn subject(lines: &[&[u8]], now: crate::runtime::Now) -> crate::runtime::Outcome {{\n    {CLOCKS}::set(now);\n    {OUTCOMES}::reset();\n    self::{path}extracted_subject(lines)\n}}\n\npub fn clock_reads() -> u64 {{ {CLOCKS}::reads() }}\n\n"
    ));
    source.push_str(&body);
    source.push('\n');
    source.push_str(&clock_module(&slice.clocks));
    if slice.with_client {
        source.push_str(&client_module(with_url));
    }
    source.push_str(&outcomes::module(of, &crates));
    Ok(Extracted {
        strategy,
        source,
        // A copy names crates as code does since 2018.
        edition: if requirements.edition == "2015" { "2018".to_owned() } else { requirements.edition.clone() },
        dependencies,
        unit,
        reads_clock: slice.reads_clock,
        notes,
    })
}

fn dependencies(
    crates: &BTreeSet<String>,
    requirements: &Requirements,
    strategy: Strategy,
) -> Result<Vec<Dependency>, NotExtracted> {
    let mut dependencies = Vec::new();
    for name in crates {
        dependencies.push(dependency(name, requirements, strategy)?);
    }
    Ok(dependencies)
}

pub(super) fn dependency(
    name: &str,
    requirements: &Requirements,
    strategy: Strategy,
) -> Result<Dependency, NotExtracted> {
    let Some(required) = requirements.get(name) else {
        // The types of a client's headers come from a crate that the package need not name itself.
        let version = match name {
            "http" => requirements.version_of_http(),
            "url" => "2".to_owned(),
            _ => {
                let detail = format!("the crate {name}, which the manifest does not name");
                return Err(NotExtracted { strategy, reason: Reason::UnresolvedImport, detail });
            }
        };
        return Ok(by_version(name, name, version, requirements));
    };
    let locked = requirements.locked(&required.package, &required.version);
    let mut features = required.features.clone();
    // The harness has std, and gives them the time from it.
    if matches!(name, "chrono" | "time" | "jiff" | "http")
        && !required.default_features
        && !features.iter().any(|feature| feature == "std")
    {
        features.push("std".to_owned());
    }
    Ok(Dependency {
        name: name.to_owned(),
        package: required.package.clone(),
        version: locked.map_or_else(|| required.version.clone(), |locked| format!("={locked}")),
        features,
        default_features: required.default_features,
    })
}

/// The crate `http` that the package's HTTP client has its types from, whichever of them the package names itself.
pub(super) fn http_of_client(name: &str, requirements: &Requirements) -> Dependency {
    by_version(name, "http", requirements.version_of_http(), requirements)
}

fn by_version(name: &str, package: &str, version: String, requirements: &Requirements) -> Dependency {
    let version = requirements.locked(package, &version).map_or(version, |locked| format!("={locked}"));
    let (name, package) = (name.to_owned(), package.to_owned());
    Dependency { name, package, version, features: Vec::new(), default_features: true }
}
