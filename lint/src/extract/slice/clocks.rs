//! The clocks that the items of a file read, where the file stays what it is but for them.

use super::{Slice, is_std};
use crate::extract::clients::{self, CLOCKS, Clock};
use crate::extract::pieces::{FilePieces, Piece, PieceKind};
use crate::extract::tokens::{Edit, paths, tokens};
use crate::ir::{FileId, Name};
use crate::module::Resolved;
use std::ops::Range;

impl Slice<'_, '_> {
    /// What has to be changed in a file so that the clocks give the time that they are given. The clocks are entered.
    pub(in crate::extract) fn clock_edits(&mut self, file: FileId) -> Vec<Edit> {
        let Some(pieces) = self.files.get(self.program, file) else { return Vec::new() };
        let mut edits = Vec::new();
        for piece in &pieces.pieces {
            if !pieces.text[piece.range.clone()].contains("now") {
                continue;
            }
            match piece.kind {
                PieceKind::Impl | PieceKind::Trait => {
                    for (part, member) in piece.members.iter().enumerate() {
                        self.clocks_in(file, &pieces, piece, part, &member.range, &mut edits);
                    }
                }
                _ => self.clocks_in(file, &pieces, piece, usize::MAX, &piece.range, &mut edits),
            }
        }
        edits
    }

    fn clocks_in(
        &mut self,
        file: FileId,
        pieces: &FilePieces,
        piece: &Piece,
        part: usize,
        range: &Range<usize>,
        edits: &mut Vec<Edit>,
    ) {
        let text = &pieces.text[range.clone()];
        let Some(list) = tokens(text).filter(|_| text.contains("now")) else { return };
        let Some(module) = self.program.module_scope(file, &piece.modules) else { return };
        let function = self.function_in(file, range, piece, part);
        let scope = function.map_or(module, |function| self.program.function(function).scope);
        for path in paths(&list) {
            let is_clock = matches!(path.names.last().map(String::as_str), Some("now" | "now_utc"));
            if !is_clock || path.names.len() < 2 {
                continue;
            }
            let names: Vec<Name> = path.names.iter().map(|name| name.as_str().into()).collect();
            let of = if path.is_global {
                path.names.join("::")
            } else {
                match self.resolve(scope, None, &names) {
                    Resolved::External(of) => of.to_string(),
                    // Re-exported in ways that are not followed, the name is std's.
                    Resolved::Unknown(_) if path.names[path.names.len() - 2] == "SystemTime" => {
                        "std::time::SystemTime::now".to_owned()
                    }
                    _ => continue,
                }
            };
            let Some(clock) = clients::clock_in_place(&of) else { continue };
            if clock.dependency.is_some_and(|name| !self.known.contains(name)) {
                continue;
            }
            self.enter_clock(clock);
            let (first, last) = (path.places[0], path.places[path.places.len() - 1]);
            // The `::` before a global path goes with it.
            let first = if path.is_global { first - 1 } else { first };
            let range = list[first].range.start + range.start..list[last].range.end + range.start;
            edits.push(Edit { range, text: format!("crate::{CLOCKS}::{}", clock.function) });
        }
    }

    /// Notes that the clock is read.
    pub(super) fn enter_clock(&mut self, clock: Clock) {
        self.reads_clock = true;
        if !self.clocks.contains(&clock) {
            self.clocks.push(clock);
        }
        self.crates.extend(clock.dependency.filter(|name| !is_std(name)).map(str::to_owned));
    }
}
