//! Pieces: the items of a file with the ranges of text they take, so that they can be copied.

use super::tokens::{Token, tokens};
use crate::ir::{FileId, Name};
use crate::module::{Program, parse};
use crate::source;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{ImplItem, Item, TraitItem};

/// What kind of item it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    Function,
    Type,
    Trait,
    Constant,
    /// `macro_rules!`
    Macro,
    Impl,
}

/// An item.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    /// Its name; of an `impl`, the last segment of its type.
    pub(super) name: String,
    /// The bytes of the file it takes, its attributes too.
    pub(super) range: Range<usize>,
    /// Inline modules around it.
    pub(super) modules: Vec<Name>,
    /// Of an `impl`: the last segment of its trait.
    pub(super) of_trait: Option<String>,
    /// Of an `impl`: up to and with its opening brace.
    pub(super) head: Range<usize>,
    /// Of an `impl`: what is in it.
    pub(super) members: Vec<Member>,
}

/// What stands in an `impl`.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) range: Range<usize>,
}

/// A file's text and items.
pub(super) struct FilePieces {
    pub(super) text: String,
    pub(super) pieces: Vec<Piece>,
}

/// The files looked at so far.
#[derive(Default)]
pub(super) struct Files {
    files: HashMap<FileId, Option<Rc<FilePieces>>>,
}

impl Files {
    /// The file's items; None where it cannot be read or parsed.
    pub(super) fn get(&mut self, program: &Program<'_>, file: FileId) -> Option<Rc<FilePieces>> {
        self.files.entry(file).or_insert_with(|| read(program, file).map(Rc::new)).clone()
    }
}

impl FilePieces {
    /// The piece that has the byte, and the member of it, if it is an `impl`.
    pub(super) fn at(&self, byte: usize) -> Option<(usize, Option<usize>)> {
        let place = self.pieces.iter().position(|piece| piece.range.contains(&byte))?;
        let member = self.pieces[place].members.iter().position(|member| member.range.contains(&byte));
        Some((place, member))
    }

    /// The tokens of a range.
    pub(super) fn tokens(&self, range: &Range<usize>) -> Vec<Token> {
        tokens(self.text.get(range.clone()).unwrap_or("")).unwrap_or_default()
    }
}

fn read(program: &Program<'_>, file: FileId) -> Option<FilePieces> {
    let text = source::read(program.workspace(), file).ok()?;
    parse::check(&text).ok()?;
    let parsed = parse::file(&text).ok()?;
    let mut reader = Reader { shift: parsed.shift as usize, pieces: Vec::new(), modules: Vec::new() };
    reader.items(&parsed.syntax.items);
    let pieces = reader.pieces;
    drop(parsed);
    proc_macro2::extra::invalidate_current_thread_spans();
    Some(FilePieces { text, pieces })
}

struct Reader {
    shift: usize,
    pieces: Vec<Piece>,
    modules: Vec<Name>,
}

impl Reader {
    fn range(&self, spanned: &impl Spanned) -> Range<usize> {
        let range = spanned.span().byte_range();
        range.start + self.shift..range.end + self.shift
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Fn(item) => self.push(PieceKind::Function, item.sig.ident.to_string(), item),
            Item::Struct(item) => self.push(PieceKind::Type, item.ident.to_string(), item),
            Item::Enum(item) => self.push(PieceKind::Type, item.ident.to_string(), item),
            Item::Union(item) => self.push(PieceKind::Type, item.ident.to_string(), item),
            Item::Type(item) => self.push(PieceKind::Type, item.ident.to_string(), item),
            Item::Trait(item) => {
                self.push(PieceKind::Trait, item.ident.to_string(), item);
                let members = item.items.iter().filter_map(|member| match member {
                    TraitItem::Fn(function) => {
                        Some(Member { name: function.sig.ident.to_string(), range: self.range(function) })
                    }
                    _ => None,
                });
                let members: Vec<Member> = members.collect();
                if let Some(piece) = self.pieces.last_mut() {
                    piece.members = members;
                }
            }
            Item::Const(item) => self.push(PieceKind::Constant, item.ident.to_string(), item),
            Item::Static(item) => self.push(PieceKind::Constant, item.ident.to_string(), item),
            Item::Macro(item) => match &item.ident {
                Some(name) => self.push(PieceKind::Macro, name.to_string(), item),
                // A wrapper around items, of the kind that puts a `cfg` on each.
                None => {
                    if let Ok(inner) = syn::parse2::<syn::File>(item.mac.tokens.clone()) {
                        self.items(&inner.items);
                    }
                }
            },
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    self.modules.push(plain(&module.ident.to_string()).into());
                    self.items(items);
                    self.modules.pop();
                }
            }
            Item::Impl(item) => {
                let name = last_segment(&item.self_ty).unwrap_or_default();
                self.push(PieceKind::Impl, name, item);
                let brace = self.range(&item.brace_token.span.open());
                let members = item.items.iter().filter_map(|member| {
                    let name = match member {
                        ImplItem::Fn(function) => function.sig.ident.to_string(),
                        ImplItem::Const(constant) => constant.ident.to_string(),
                        ImplItem::Type(alias) => alias.ident.to_string(),
                        _ => return None,
                    };
                    Some(Member { name: plain(&name).to_owned(), range: self.range(member) })
                });
                let members: Vec<Member> = members.collect();
                if let Some(piece) = self.pieces.last_mut() {
                    piece.head = piece.range.start..brace.end;
                    piece.members = members;
                    piece.of_trait = item
                        .trait_
                        .as_ref()
                        .and_then(|of| of.0.segments.last().map(|segment| segment.ident.to_string()));
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, kind: PieceKind, name: String, item: &impl Spanned) {
        let range = self.range(item);
        self.pieces.push(Piece {
            kind,
            name: plain(&name).to_owned(),
            head: range.clone(),
            range,
            modules: self.modules.clone(),
            of_trait: None,
            members: Vec::new(),
        });
    }
}

fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// The last segment of a path type, below references.
fn last_segment(ty: &syn::Type) -> Option<String> {
    match ty {
        syn::Type::Path(path) => path.path.segments.last().map(|segment| plain(&segment.ident.to_string()).to_owned()),
        syn::Type::Reference(reference) => last_segment(&reference.elem),
        syn::Type::Paren(inner) => last_segment(&inner.elem),
        syn::Type::Group(inner) => last_segment(&inner.elem),
        _ => None,
    }
}
