//! Makefiles.

mod condition;
mod rule;

use crate::makefiles::Makefile;
use crate::node::Recipe;
use crate::say::{Loc, Result, bytes};
use crate::session::Make;
use crate::text::{Pattern, Text, is_blank, strip, strip_end, strip_start, words};
use crate::vars::{Assign, Assignment, Origin, Scope, parse_assignment, reference_len};
use condition::Conditions;
use sandshell_sys as sys;
use std::rc::Rc;

/// The rule whose recipe is being read.
#[derive(Default)]
struct Pending {
    targets: Vec<Text>,
    grouped: bool,
    double_colon: bool,
    /// Of a static pattern rule.
    pattern: Option<Pattern>,
    deps: Text,
    lines: Vec<Text>,
    offsets: Vec<usize>,
    loc: Option<Loc>,
    recipe_loc: Option<Loc>,
    has_recipe: bool,
}

/// What `override`, `export`… say of an assignment.
#[derive(Clone, Copy, Default)]
struct Modifiers {
    overrides: bool,
    export: Option<bool>,
    private: bool,
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    file: Rc<[u8]>,
    pending: Option<Pending>,
    /// Lines that begin with a tab belong to no rule and are passed over.
    no_targets: bool,
    conditions: Conditions,
}

impl Make {
    /// Reads a makefile; false if it cannot be opened.
    pub(crate) fn read_makefile(&mut self, name: &[u8]) -> Result<std::result::Result<(), sys::Errno>> {
        let flags = sys::open_flags::READ | sys::open_flags::CLOEXEC;
        let text = match sys::open(name, flags, 0) {
            Ok(fd) => {
                let text = sys::read_to_end(fd);
                let _ = sys::close(fd);
                match text {
                    Ok(text) => text,
                    Err(e) => return Ok(Err(e)),
                }
            }
            Err(e) => return Ok(Err(e)),
        };
        let mut list = self.global.get(&b"MAKEFILE_LIST"[..]).map(|v| v.value.clone()).unwrap_or_default();
        if !list.is_empty() {
            list.push(b' ');
        }
        list.extend_from_slice(name);
        self.set_global(b"MAKEFILE_LIST", &list, Origin::File, false);
        self.read_text(&text, name.into(), 0)?;
        Ok(Ok(()))
    }

    /// `$(eval …)` and `--eval`.
    pub(crate) fn eval(&mut self, text: &[u8]) -> Result<()> {
        let (file, line) = match &self.loc {
            Some(loc) => (Rc::clone(&loc.file), loc.line.saturating_sub(1)),
            None => (Rc::from(&b""[..]), 0),
        };
        let saved = self.loc.clone();
        let expanding = std::mem::take(&mut self.expanding);
        let scopes = std::mem::take(&mut self.scopes);
        self.scopes = scopes.clone();
        let result = self.read_text(text, file, line);
        self.scopes = scopes;
        self.expanding = expanding;
        self.loc = saved;
        result
    }

    /// Reads a makefile that is not in a file.
    pub(crate) fn eval_named(&mut self, text: &[u8], name: &[u8]) -> Result<()> {
        self.read_text(text, name.into(), 0)
    }

    fn read_text(&mut self, text: &[u8], file: Rc<[u8]>, line: usize) -> Result<()> {
        let saved = self.loc.clone();
        let mut reader = Reader {
            text,
            at: 0,
            line,
            file,
            pending: None,
            no_targets: false,
            conditions: Conditions::default(),
        };
        let result = reader.run(self);
        self.loc = saved;
        result
    }
}

impl Reader<'_> {
    fn run(&mut self, make: &mut Make) -> Result<()> {
        while let Some((line, number)) = self.next_line() {
            make.loc = Some(Loc { file: Rc::clone(&self.file), line: number });
            self.logical_line(make, &line, number)?;
        }
        make.loc = Some(Loc { file: Rc::clone(&self.file), line: self.line + 1 });
        if self.conditions.open() {
            return Err(make.fatal(make.loc.as_ref(), b"missing 'endif'"));
        }
        make.loc = Some(Loc { file: Rc::clone(&self.file), line: self.line });
        self.flush(make)
    }

    // A line with its continuations, backslashes and all; and the number of the first.
    fn next_line(&mut self) -> Option<(Text, usize)> {
        let first = self.line + 1;
        let mut out = Text::new();
        loop {
            let rest = self.text.get(self.at..).filter(|r| !r.is_empty());
            let Some(rest) = rest else {
                return if out.is_empty() { None } else { Some((out, first)) };
            };
            let end = rest.iter().position(|b| *b == b'\n');
            let mut piece = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            self.at += piece.len() + 1;
            self.line += 1;
            if let Some(cut) = piece.strip_suffix(b"\r") {
                piece = cut;
            }
            out.extend_from_slice(piece);
            let slashes = piece.iter().rev().take_while(|b| **b == b'\\').count();
            if slashes % 2 == 0 || end.is_none() {
                return Some((out, first));
            }
            out.push(b'\n');
        }
    }

    fn logical_line(&mut self, make: &mut Make, raw: &[u8], number: usize) -> Result<()> {
        let prefix = make.recipe_prefix();
        if raw.first() == Some(&prefix) {
            if self.no_targets {
                return Ok(());
            }
            if self.pending.is_some() {
                if !self.conditions.ignoring() {
                    self.recipe_line(raw.get(1..).unwrap_or_default(), number, prefix);
                }
                return Ok(());
            }
        }
        let joined = collapse(raw);
        let line = without_comment(&joined);
        let line = strip_start(&line).to_vec();
        if line.is_empty() {
            return Ok(());
        }
        if let Some(result) = self.conditions.line(make, &line) {
            return result;
        }
        if self.conditions.ignoring() {
            self.skip_define(make, &line);
            return Ok(());
        }
        if self.variable_line(make, &joined, &line)? || self.directive(make, &line)? {
            return Ok(());
        }
        if raw.first() == Some(&prefix) {
            return Err(make.fatal(make.loc.as_ref(), b"recipe commences before first target"));
        }
        self.flush(make)?;
        self.rule_line(make, raw, strip_start(&joined), number)
    }

    fn recipe_line(&mut self, text: &[u8], number: usize, prefix: u8) {
        let loc = Loc { file: Rc::clone(&self.file), line: number };
        if let Some(pending) = &mut self.pending {
            // Continuation lines lose their prefix too.
            let mut line = Text::with_capacity(text.len());
            let mut bytes = text.iter().peekable();
            while let Some(b) = bytes.next() {
                line.push(*b);
                if *b == b'\n' && bytes.peek() == Some(&&prefix) {
                    bytes.next();
                }
            }
            let first = pending.recipe_loc.get_or_insert(loc).line;
            pending.has_recipe = true;
            pending.lines.push(line);
            pending.offsets.push(number.saturating_sub(first));
        }
    }

    // The lines of a variable in a part that is passed over are not looked at.
    fn skip_define(&mut self, make: &mut Make, line: &[u8]) {
        let (_, rest) = modifiers(line);
        if let Some(rest) = keyword(rest, b"define")
            && !starts_assignment(rest)
        {
            let _ = self.define_body(make);
        }
    }

    // Assignments, `define`, `undefine`.
    fn variable_line(&mut self, make: &mut Make, joined: &[u8], line: &[u8]) -> Result<bool> {
        if let Some(a) = parse_assignment(line) {
            self.flush(make)?;
            self.set(make, &a, Modifiers::default())?;
            return Ok(true);
        }
        let (said, rest) = modifiers(strip_start(joined));
        let clean = without_comment(rest);
        let rest = clean.as_slice();
        if let Some(names) = keyword(rest, b"define") {
            self.flush(make)?;
            self.define(make, names, said)?;
            return Ok(true);
        }
        if let Some(names) = keyword(rest, b"undefine") {
            self.flush(make)?;
            let name = make.expand(names)?;
            let name = strip(&name).to_vec();
            if name.is_empty() {
                return Err(make.fatal(make.loc.as_ref(), b"empty variable name"));
            }
            make.undefine(&name, if said.overrides { Origin::Override } else { Origin::File });
            return Ok(true);
        }
        if rest.len() < strip_start(line).len() || said.export.is_some() || said.overrides || said.private {
            if let Some(a) = parse_assignment(rest) {
                self.flush(make)?;
                self.set(make, &a, said)?;
                return Ok(true);
            }
            if said.export.is_some() && !said.overrides && !said.private {
                self.flush(make)?;
                self.export(make, rest, said.export == Some(true))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn set(&mut self, make: &mut Make, a: &Assignment, said: Modifiers) -> Result<()> {
        let name = make.expand(&a.name)?;
        let name = strip(&name).to_vec();
        if name.is_empty() {
            return Err(make.fatal(make.loc.as_ref(), b"empty variable name"));
        }
        let origin = if said.overrides { Origin::Override } else { Origin::File };
        make.assign(&name, a.how, &a.value, origin, None)?;
        if let Some(var) = make.global.get_mut(&name) {
            if said.export.is_some() {
                var.export = said.export;
            }
            var.private |= said.private;
        }
        Ok(())
    }

    fn export(&mut self, make: &mut Make, rest: &[u8], on: bool) -> Result<()> {
        let names = make.expand(rest)?;
        if strip(&names).is_empty() {
            make.specials.export_everything = on;
            return Ok(());
        }
        for name in words(&names) {
            if let Some(var) = make.global.get_mut(name) {
                var.export = Some(on);
            } else {
                make.set_global(name, b"", Origin::File, true);
                if let Some(var) = make.global.get_mut(name) {
                    var.export = Some(on);
                }
            }
        }
        Ok(())
    }

    fn define(&mut self, make: &mut Make, header: &[u8], said: Modifiers) -> Result<()> {
        let start = make.loc.clone();
        let (name, how) = define_header(header);
        let name = make.expand(&name)?;
        let name = strip(&name).to_vec();
        if name.is_empty() {
            return Err(make.fatal(make.loc.as_ref(), b"empty variable name"));
        }
        let Some(body) = self.define_body(make) else {
            return Err(make.fatal(start.as_ref(), b"missing 'endef', unterminated 'define'"));
        };
        let origin = if said.overrides { Origin::Override } else { Origin::File };
        make.assign(&name, how, &body, origin, None)?;
        if said.export.is_some()
            && let Some(var) = make.global.get_mut(&name)
        {
            var.export = said.export;
        }
        Ok(())
    }

    // The lines up to the `endef` that belongs to the `define` before; none if it is missing.
    fn define_body(&mut self, make: &Make) -> Option<Text> {
        let prefix = make.recipe_prefix();
        let mut depth = 1;
        let mut body = Text::new();
        let mut first = true;
        loop {
            let (raw, _) = self.next_line()?;
            if raw.first() != Some(&prefix) {
                let line = collapse(&raw);
                let line = without_comment(&line);
                let line = strip(&line);
                if line == b"endef" {
                    depth -= 1;
                    if depth == 0 {
                        return Some(body);
                    }
                } else {
                    let (_, rest) = modifiers(line);
                    if keyword(rest, b"define").is_some_and(|r| !starts_assignment(r)) {
                        depth += 1;
                    }
                }
            }
            if !first {
                body.push(b'\n');
            }
            first = false;
            body.extend_from_slice(&raw);
        }
    }

    // `vpath` and `include`.
    fn directive(&mut self, make: &mut Make, line: &[u8]) -> Result<bool> {
        if let Some(rest) = keyword(line, b"vpath") {
            self.flush(make)?;
            let text = make.expand(rest)?;
            make.vpath_directive(&text);
            return Ok(true);
        }
        for (word, quiet) in [(&b"include"[..], false), (b"-include", true), (b"sinclude", true)] {
            if let Some(rest) = keyword(line, word) {
                self.flush(make)?;
                let names = make.expand(rest)?;
                self.include(make, &names, quiet)?;
                return Ok(true);
            }
        }
        for word in [&b"load"[..], b"-load"] {
            if keyword(line, word).is_some_and(|r| !r.contains(&b':')) {
                let text = b"the 'load' operation is not supported on this platform";
                return Err(make.fatal(make.loc.as_ref(), text));
            }
        }
        Ok(false)
    }

    fn include(&mut self, make: &mut Make, names: &[u8], quiet: bool) -> Result<()> {
        let loc = make.loc.clone();
        for word in words(names) {
            for name in crate::glob::or_name(word) {
                let mut result = make.read_makefile(&name)?;
                make.loc.clone_from(&loc);
                let mut path = name.clone();
                if result == Err(sys::Errno::NOENT) && !name.starts_with(b"/") {
                    let dirs = make.o.include_dirs.clone();
                    let standard = [&b"/usr/local/include"[..], b"/usr/include"];
                    for dir in dirs.iter().map(Vec::as_slice).chain(standard) {
                        let candidate = bytes!(dir, "/", name);
                        result = make.read_makefile(&candidate)?;
                        make.loc.clone_from(&loc);
                        if result.is_ok() {
                            path = candidate;
                            break;
                        }
                    }
                }
                if let Err(e) = result {
                    if !quiet {
                        let place = loc.as_ref().map(Loc::text).unwrap_or_default();
                        let text = bytes!(place, ": ", name, ": ", e.to_string(), "\n");
                        let id = make.graph.intern(&name);
                        make.unread.push((id, text));
                    }
                    path = name;
                }
                make.makefiles.push(Makefile { name: path, optional: quiet });
            }
        }
        Ok(())
    }
}

// What follows a word at the start of a line.
fn keyword<'a>(line: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(word)?;
    if rest.first().is_some_and(|b| !is_blank(*b)) {
        return None;
    }
    let rest = strip(rest);
    // A variable or target of that name.
    if starts_assignment(rest) || rest.starts_with(b":") && word != b"define" {
        return None;
    }
    Some(rest)
}

fn starts_assignment(rest: &[u8]) -> bool {
    let rest = strip_start(rest);
    [&b"="[..], b":=", b"::=", b"+=", b"?=", b"!="].iter().any(|op| rest.starts_with(op))
}

// The words before an assignment, and the rest.
fn modifiers(mut line: &[u8]) -> (Modifiers, &[u8]) {
    let mut said = Modifiers::default();
    loop {
        line = strip_start(line);
        let end = line.iter().position(|b| is_blank(*b)).unwrap_or(line.len());
        let rest = strip_start(line.get(end..).unwrap_or_default());
        if starts_assignment(rest) || rest.starts_with(b":") {
            return (said, line);
        }
        match line.get(..end).unwrap_or_default() {
            b"override" => said.overrides = true,
            b"export" => said.export = Some(true),
            b"unexport" => said.export = Some(false),
            b"private" => said.private = true,
            _ => return (said, line),
        }
        line = rest;
    }
}

// The name and the operator behind `define`.
fn define_header(header: &[u8]) -> (Text, Assign) {
    let header = strip_end(header);
    for (op, how) in [
        (&b"::="[..], Assign::Simple),
        (b":=", Assign::Simple),
        (b"+=", Assign::Append),
        (b"?=", Assign::Conditional),
        (b"!=", Assign::Shell),
        (b"=", Assign::Recursive),
    ] {
        if let Some(name) = header.strip_suffix(op) {
            return (strip_end(name).to_vec(), how);
        }
    }
    (header.to_vec(), Assign::Recursive)
}

/// Joins continued lines: backslash, newline and the white space around become a space.
fn collapse(raw: &[u8]) -> Text {
    if !raw.contains(&b'\n') {
        return raw.to_vec();
    }
    let mut out = Text::with_capacity(raw.len());
    let mut lines = raw.split(|b| *b == b'\n').peekable();
    let mut first = true;
    while let Some(line) = lines.next() {
        let mut piece = if first { line } else { strip_start(line) };
        first = false;
        if lines.peek().is_some() {
            piece = strip_end(piece.strip_suffix(b"\\").unwrap_or(piece));
            out.extend_from_slice(piece);
            out.push(b' ');
        } else {
            out.extend_from_slice(piece);
        }
    }
    out
}

/// The line up to a `#` that no backslash quotes.
fn without_comment(line: &[u8]) -> Text {
    let mut out = Text::with_capacity(line.len());
    let mut at = 0;
    while let Some(b) = line.get(at) {
        match b {
            b'\\' => {
                let slashes = line.iter().skip(at).take_while(|b| **b == b'\\').count();
                if line.get(at + slashes) == Some(&b'#') {
                    out.extend(std::iter::repeat_n(b'\\', slashes / 2));
                    at += slashes;
                    if slashes % 2 == 1 {
                        out.push(b'#');
                        at += 1;
                    }
                } else {
                    out.extend(std::iter::repeat_n(b'\\', slashes));
                    at += slashes;
                }
            }
            b'$' if matches!(line.get(at + 1), Some(b'(' | b'{')) => {
                let rest = line.get(at..).unwrap_or_default();
                let len = reference_len(rest);
                out.extend_from_slice(rest.get(..len).unwrap_or_default());
                at += len;
            }
            b'#' => break,
            _ => {
                out.push(*b);
                at += 1;
            }
        }
    }
    out
}

// The position of a byte outside of references that no backslash quotes.
fn find_outside(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(b) = text.get(at) {
        if *b == b'$' {
            at += reference_len(text.get(at..)?);
            continue;
        }
        if *b == b'\\' && text.get(at + 1).is_some_and(|n| wanted.contains(n)) {
            at += 2;
            continue;
        }
        if wanted.contains(b) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// A target-specific variable to be set for some targets.
fn scope_of(make: &mut Make, target: &[u8]) -> Scope {
    if target.contains(&b'%') {
        let scope = Scope::default();
        make.patterned_scopes.push((Pattern::new(target), Rc::clone(&scope)));
        return scope;
    }
    let id = make.graph.intern(target);
    Rc::clone(make.graph[id].scope.get_or_insert_with(Scope::default))
}

fn unquote_name(name: &[u8]) -> Text {
    if !name.contains(&b'\\') {
        return name.to_vec();
    }
    let mut out = Text::new();
    let mut bytes = name.iter().peekable();
    while let Some(b) = bytes.next() {
        if *b == b'\\' && bytes.peek().is_some_and(|n| b":#".contains(n)) {
            continue;
        }
        out.push(*b);
    }
    out
}

// The parts of a recipe given on the rule's line.
fn split_recipe(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    match find_outside(line, b";#") {
        Some(at) if line.get(at) == Some(&b';') => (line.get(..at).unwrap_or_default(), line.get(at + 1..)),
        Some(at) => (line.get(..at).unwrap_or_default(), None),
        None => (line, None),
    }
}

fn new_recipe(pending: &Pending) -> Option<Rc<Recipe>> {
    pending.has_recipe.then(|| {
        Rc::new(Recipe {
            lines: pending.lines.clone(),
            loc: pending.recipe_loc.clone(),
            offsets: pending.offsets.clone(),
        })
    })
}
