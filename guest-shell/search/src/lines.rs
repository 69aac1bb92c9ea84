//! Patterns that match within lines, for searching many lines at once.

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look,
};

/// Restricts the pattern to single lines: no match contains a newline, and anchors match at the ends of lines as they
/// do at the ends of the text. `None` if the pattern requires a newline.
pub(crate) fn without_newline(hir: &Hir) -> Option<Hir> {
    Some(match hir.kind() {
        HirKind::Look(Look::Start) => Hir::look(Look::StartLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndLF),
        HirKind::Empty | HirKind::Look(_) => hir.clone(),
        HirKind::Literal(l) => {
            if l.0.contains(&b'\n') {
                return None;
            }
            hir.clone()
        }
        HirKind::Class(Class::Unicode(c)) => {
            let mut c = c.clone();
            c.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(c))
        }
        HirKind::Class(Class::Bytes(c)) => {
            let mut c = c.clone();
            c.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(c))
        }
        HirKind::Repetition(r) => Hir::repetition(r.with(without_newline(&r.sub)?)),
        HirKind::Capture(c) => Hir::capture(Capture {
            index: c.index,
            name: c.name.clone(),
            sub: Box::new(without_newline(&c.sub)?),
        }),
        HirKind::Concat(v) => Hir::concat(v.iter().map(without_newline).collect::<Option<_>>()?),
        HirKind::Alternation(v) => Hir::alternation(v.iter().map(without_newline).collect::<Option<_>>()?),
    })
}
