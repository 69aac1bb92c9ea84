//! `declare`, `local`, `export` and `readonly`.

mod list;

pub(crate) use list::{format_value, function_only, set_listing};

use super::args;
use crate::exec::xtrace::traced_value;
use crate::expand::assignment::ListOf;
use crate::field::Field;
use crate::options::{Shopt, flag};
use crate::shell::{Flow, FrameKind, FunctionEntry, Run, Shell};
use crate::variables::access::{Key, valid_nameref_target};
use crate::variables::{IndexedArray, Name, Value, Variable, attr};
use sandshell_syntax::ast::{ArrayElement, AssignmentValue, CommandKind};
use sandshell_syntax::name::is_name;
use sandshell_syntax::parser::{Parser, PlainHost};
use std::rc::Rc;

/// The name of the local variable that keeps the options which `local -` saved.
const SAVED_OPTIONS: &[u8] = b"-";

/// What the options ask for.
#[derive(Clone, Copy, Debug, Default)]
struct Wanted {
    on: u16,
    off: u16,
    indexed: bool,
    assoc: bool,
    /// `+a` or `+A`
    no_array: bool,
    functions: bool,
    names_only: bool,
    global: bool,
    inherit: bool,
    print: bool,
    local: bool,
    /// The list came as text: `~` is not expanded in it.
    is_listed_text: bool,
}

impl Wanted {
    fn list(&self) -> ListOf {
        if self.is_listed_text && !self.assoc {
            ListOf::Assigned
        } else {
            ListOf::Declared { assoc: self.assoc }
        }
    }
}

/// The parts of an argument: `name[subscript]+=value`.
#[derive(Debug)]
struct Argument<'a> {
    name: &'a [u8],
    subscript: Option<&'a [u8]>,
    append: bool,
    value: Option<&'a [u8]>,
}

fn split<'a>(shell: &Shell, word: &'a [u8]) -> Argument<'a> {
    let whole = Argument { name: word, subscript: None, append: false, value: None };
    let end = word.iter().position(|b| !sandshell_syntax::name::is_name_byte(*b)).unwrap_or(word.len());
    let name = word.get(..end).unwrap_or_default();
    if !is_name(name) {
        return whole;
    }
    let mut rest = word.get(end..).unwrap_or_default();
    let mut subscript = None;
    if rest.first() == Some(&b'[') {
        let plain = shell.opts.shopt(Shopt::assoc_expand_once)
            && Name::existing(name).is_some_and(|name| shell.is_assoc(name));
        let close = match plain {
            true => rest.iter().position(|b| *b == b']'),
            false => closing_bracket(rest),
        };
        let Some(close) = close else { return whole };
        subscript = rest.get(1..close);
        rest = rest.get(close + 1..).unwrap_or_default();
    }
    match rest {
        [] => Argument { name, subscript, append: false, value: None },
        [b'=', value @ ..] => Argument { name, subscript, append: false, value: Some(value) },
        [b'+', b'=', value @ ..] => Argument { name, subscript, append: true, value: Some(value) },
        _ => whole,
    }
}

// The offset of the bracket that matches the first one. Quotes do not count here, because quoting has been removed
// already.
fn closing_bracket(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (i, b) in text.iter().enumerate() {
        match b {
            b'[' => depth += 1,
            b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => {}
        }
    }
    None
}

/// `declare` and `typeset`
pub(super) fn declare(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    run(shell, args, Kind::Declare)
}

pub(super) fn local(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if args.get(1).is_some_and(|a| &**a == b"--help") {
        super::help::print_help(shell, b"local");
        return Ok(2);
    }
    if !shell.vars.in_function() {
        if !shell.declared_arrays.is_empty() {
            // Lists are assigned before the builtin runs.
            run(shell, args, Kind::Lists)?;
        }
        return Ok(args::fail(shell, args, "can only be used in a function"));
    }
    run(shell, args, Kind::Local)
}

/// Which builtin [`run`] works for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Declare,
    Local,
    /// Only the arguments `name=( ... )`.
    Lists,
}

fn run(shell: &mut Shell, args: &[Field], kind: Kind) -> Run<i32> {
    let local = kind == Kind::Local;
    let (options, at) = match args::parse(shell, args, "+acfgilnprtuxAFGI") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let mut w = Wanted { local, ..Wanted::default() };
    for o in &options {
        let bit = match o.letter {
            b'a' | b'A' => {
                if o.plus {
                    w.no_array = true;
                } else if o.letter == b'a' {
                    w.indexed = true;
                } else {
                    w.assoc = true;
                }
                continue;
            }
            b'f' => {
                w.functions = !o.plus;
                continue;
            }
            b'F' => {
                w.functions = !o.plus;
                w.names_only = !o.plus;
                continue;
            }
            b'g' | b'G' => {
                w.global = !o.plus;
                continue;
            }
            b'I' => {
                w.inherit = !o.plus;
                continue;
            }
            b'p' => {
                w.print = true;
                continue;
            }
            b'c' => attr::CAPITAL,
            b'i' => attr::INTEGER,
            b'l' => attr::LOWER,
            b'n' => attr::NAMEREF,
            b'r' => attr::READONLY,
            b't' => attr::TRACE,
            b'u' => attr::UPPER,
            _ => attr::EXPORT,
        };
        if o.plus {
            w.off |= bit;
        } else {
            w.on |= bit;
            let case = attr::LOWER | attr::UPPER | attr::CAPITAL;
            if bit & case != 0 {
                w.off |= case & !bit;
            }
        }
    }
    let words = args.get(at..).unwrap_or_default();
    if words.is_empty() {
        return list::without_names(shell, &w);
    }
    if w.functions && !w.print && (w.indexed || w.assoc || w.on & (attr::INTEGER | attr::NAMEREF) != 0) {
        let option = match w.on {
            on if on & attr::INTEGER != 0 => "-i: invalid option",
            _ if w.indexed => "-a: invalid option",
            _ if w.assoc => "-A: invalid option",
            _ => "-n: invalid option",
        };
        return Ok(args::fail(shell, args, option));
    }
    if w.print {
        return list::with_names(shell, args, words, &w);
    }
    let mut status = 0;
    for (i, word) in words.iter().enumerate() {
        if kind == Kind::Lists && !shell.declared_arrays.iter().any(|e| e.0 == at + i) {
            continue;
        }
        let ok = if w.functions {
            function(shell, args, word, &w)
        } else if local && &**word == SAVED_OPTIONS {
            save_options(shell);
            true
        } else {
            variable(shell, args, at + i, word, &w)?
        };
        if !ok {
            status = 1;
        }
    }
    Ok(status)
}

// Changes the attributes of a function, or prints its text.
fn function(shell: &mut Shell, args: &[Field], name: &[u8], w: &Wanted) -> bool {
    let Some(entry) = shell.function_named(name).cloned() else {
        if name.contains(&b'=') {
            args::fail(shell, args, "cannot use `-f' to make functions");
        }
        return false;
    };
    if w.on | w.off == 0 {
        if w.names_only {
            list::function(shell, &entry, true, false);
        } else {
            function_only(shell, &entry);
        }
        return true;
    }
    if w.off & attr::READONLY != 0 && entry.readonly.get() {
        args::fail(shell, args, [name, b": readonly function"].concat());
        return false;
    }
    set_function_attributes(shell, &entry, w.on, true);
    set_function_attributes(shell, &entry, w.off, false);
    true
}

fn set_function_attributes(shell: &mut Shell, f: &Rc<FunctionEntry>, attrs: u16, on: bool) {
    if attrs & attr::EXPORT != 0 {
        f.exported.set(on);
        shell.vars.touch();
    }
    if attrs & attr::READONLY != 0 {
        f.readonly.set(on);
    }
    if attrs & attr::TRACE != 0 {
        f.trace.set(on);
    }
}

fn save_options(shell: &mut Shell) {
    let flags = crate::text::number(shell.opts.flags.into());
    let name = Name::new(SAVED_OPTIONS);
    if shell.vars.is_local_here(name) {
        return;
    }
    if let Some(v) = shell.vars.declare_local(name, false) {
        *v.scalar_mut() = flags;
    }
}

/// Restores the options that `local -` saved. Called at the end of a function, before its scope is closed.
pub(crate) fn end_local_options(shell: &mut Shell) {
    let Some(name) = Name::existing(SAVED_OPTIONS) else { return };
    if shell.vars.is_local_here(name)
        && let Some(flags) = shell.vars.get(name).and_then(Variable::get).and_then(crate::text::parse_integer)
        && let Ok(flags) = u32::try_from(flags)
    {
        let changed = shell.opts.flags ^ flags;
        shell.opts.flags = flags;
        shell.show_options();
        if changed & flag::IGNOREEOF != 0 {
            super::set::follow_ignoreeof(shell);
        }
    }
}

// Declares one variable. `position` is the index of its word, by which array values are found.
fn variable(shell: &mut Shell, args: &[Field], position: usize, word: &[u8], w: &Wanted) -> Run<bool> {
    let elements = shell.declared_arrays.iter().find(|e| e.0 == position).map(|e| Rc::clone(&e.1));
    let argument = split(shell, word);
    if !is_name(argument.name) {
        args::invalid_identifier(shell, args, word);
        return Ok(false);
    }
    if elements.is_some()
        && let Some(subscript) = argument.subscript
    {
        let label = [argument.name, b"[", subscript, b"]"].concat();
        return Err(shell.expansion_error([&*label, b": cannot assign list to array member"].concat()));
    }
    if let Some(subscript) = argument.subscript
        && !w.assoc
        && (subscript.is_empty() || matches!(subscript, b"@" | b"*"))
        && !shell.is_assoc(Name::new(argument.name))
    {
        if argument.value.is_none() {
            args::invalid_identifier(shell, args, word);
        } else {
            shell.error([argument.name, b"[", subscript, b"]: bad array subscript"].concat());
        }
        return Ok(false);
    }
    let mut name = Name::new(argument.name);
    let mut subscript = argument.subscript.map(<[u8]>::to_vec);
    let in_function = shell.vars.in_function();
    let make_local = in_function && !w.global;
    let making_reference = (w.on | w.off) & attr::NAMEREF != 0;
    if let Some(done) = reference(shell, args, position, word, elements.as_ref(), w)? {
        return Ok(done);
    }
    if let (Some(subscript), Some(value)) = (argument.subscript, argument.value)
        && value.starts_with(b"(")
        && value.ends_with(b")")
        && shell.variable(name).is_none()
    {
        let text = [b"warning: ", argument.name, b"[", subscript, b"]=", value].concat();
        shell.error([&*text, b": quoted compound array assignment deprecated"].concat());
    }
    if shell.keeps_own_elements(name) && &*name.bytes() != b"PIPESTATUS" {
        if make_local && (elements.is_some() || !matches!(&*name.bytes(), b"FUNCNAME" | b"GROUPS")) {
            let refused = [argument.name, b": variable may not be assigned value"].concat();
            if elements.is_some() {
                let function = shell.frames.iter().rev().find(|f| f.kind == FrameKind::Function);
                let function = function.map(|f| f.name.to_vec()).unwrap_or_default();
                let place = if w.local { [&*function, b": "].concat() } else { Vec::new() };
                shell.error([&*place, &*refused].concat());
            }
            args::fail(shell, args, refused);
            return Ok(false);
        }
        if !make_local && elements.is_some() {
            shell.status = 1;
            return Err(Flow::Discard);
        }
        if !make_local && argument.value.is_some() {
            return Ok(false);
        }
    }
    // A value in parentheses may come as text: `declare -a 'a=(1 2)'`.
    let written = elements.is_some();
    let elements = match (elements, argument.value) {
        (None, Some(value))
            if (w.indexed || w.assoc || subscript.is_none() && is_present_array(shell, name, make_local))
                && value.starts_with(b"(")
                && value.ends_with(b")") =>
        {
            parse_elements(shell, value)
        }
        (e, _) => e,
    };
    let w = &Wanted { is_listed_text: elements.is_some() && !written, ..*w };
    // A new local variable hides what the nameref refers to.
    let hides = making_reference || make_local && !shell.vars.is_local_here(name);
    if !hides {
        if argument.subscript.is_some() {
            shell.end_nameref(name);
        } else if let Some(value) = argument.value
            && elements.is_none()
            && shell.is_unbound_nameref(name)
            && !valid_nameref_target(value)
        {
            return Ok(refuse_target(shell, args, name, value));
        }
    }
    if !hides {
        let hidden = if w.global && in_function { Some(shell.vars.begin_global(name)) } else { None };
        let (target, inner) = shell.resolve_nameref(name);
        if let Some(local) = hidden {
            shell.vars.end_global(name, local);
        }
        if inner.is_some() && target == name && argument.value.is_some() {
            // The nameref refers to an element of itself.
            shell.end_nameref(name);
        }
        if inner.is_some() {
            subscript = subscript.or(inner);
        }
        if target != name && !make_local || shell.vars.is_local_here(name) {
            name = target;
        }
    }
    let saved = if w.global && in_function { Some(shell.vars.begin_global(name)) } else { None };
    let subscript = subscript.as_deref();
    let declaration =
        Declaration { args, name, subscript, argument: &argument, elements, wanted: w, make_local };
    let result = declaration.run(shell);
    if let Some(local) = saved {
        shell.vars.end_global(name, local);
    }
    result
}

// Handles a declaration that concerns the nameref itself. `Some`: nothing is left to do.
fn reference(
    shell: &mut Shell,
    args: &[Field],
    position: usize,
    word: &[u8],
    elements: Option<&Rc<Vec<ArrayElement>>>,
    w: &Wanted,
) -> Run<Option<bool>> {
    let argument = split(shell, word);
    let name = Name::new(argument.name);
    if w.off & attr::NAMEREF != 0 {
        return end_reference(shell, args, position, word, w);
    }
    if w.off == attr::READONLY && argument.value.is_none() && shell.is_unbound_nameref(name) {
        // The attribute would be removed from the target, and there is none.
        return Ok(Some(true));
    }
    if w.on & attr::NAMEREF == 0 {
        return Ok(None);
    }
    if let Some(elements) = elements {
        args::fail(shell, args, [argument.name, b": reference variable cannot be an array"].concat());
        shell.assign_array(name, elements, argument.append, ListOf::Declared { assoc: false })?;
        return Ok(Some(false));
    }
    let make_local = shell.vars.in_function() && !w.global;
    let valid = check_reference(shell, args, &argument, w, make_local)?;
    // With the integer attribute the value becomes a number, which is not a name.
    let number = w.on & attr::INTEGER != 0 && argument.value.is_some();
    Ok((!valid || number).then_some(false))
}

// `declare +n`: the other attributes and the value apply to what the nameref refers to.
fn end_reference(
    shell: &mut Shell,
    args: &[Field],
    position: usize,
    word: &[u8],
    w: &Wanted,
) -> Run<Option<bool>> {
    let argument = split(shell, word);
    let last = shell.last_nameref(Name::new(argument.name));
    let bound = shell.vars.get(last).filter(|v| v.has(attr::NAMEREF));
    let target = bound.and_then(Variable::get).filter(|target| is_name(target)).map(<[u8]>::to_vec);
    let Some(target) = target else { return Ok(None) };
    if shell.check_readonly(last) {
        args::fail(shell, args, [argument.name, b": readonly variable"].concat());
        return Ok(Some(false));
    }
    if w.on == 0 && w.off == attr::NAMEREF {
        return Ok(None);
    }
    shell.vars.entry(last).attrs &= !attr::NAMEREF;
    let rest = word.get(argument.name.len()..).unwrap_or_default();
    let w = Wanted { off: w.off & !attr::NAMEREF, ..*w };
    variable(shell, args, position, &[&*target, rest].concat(), &w).map(Some)
}

// Reports `declare ref=value` where the nameref has no target and the value is not a valid one. A global nameref is
// removed.
fn refuse_target(shell: &mut Shell, args: &[Field], name: Name, value: &[u8]) -> bool {
    if shell.vars.is_local_here(name) {
        args::fail(shell, args, [b"`", value, b"': invalid variable name for name reference"].concat());
    } else {
        args::invalid_identifier(shell, args, value);
        shell.vars.take(name);
    }
    false
}

fn check_reference(
    shell: &mut Shell,
    args: &[Field],
    a: &Argument<'_>,
    w: &Wanted,
    make_local: bool,
) -> Run<bool> {
    let present = shell
        .vars
        .get(Name::new(a.name))
        .filter(|_| !make_local || shell.vars.is_local_here(Name::new(a.name)));
    // A value in parentheses is not treated as a list here.
    let no_name = a.value.is_some_and(|v| v.starts_with(b"("));
    let array = present.is_some_and(Variable::is_array) && !no_name;
    if a.subscript.is_some() || w.indexed || w.assoc || array {
        let subscript = a.subscript.map_or_else(Vec::new, |s| [b"[", s, b"]"].concat());
        args::fail(shell, args, [a.name, &subscript, b": reference variable cannot be an array"].concat());
        return Ok(false);
    }
    if present.is_some_and(|v| v.has(attr::READONLY) && !v.has(attr::NAMEREF)) {
        args::fail(shell, args, [a.name, b": readonly variable"].concat());
        return Ok(false);
    }
    let Some(value) = a.value else {
        // The present value of the variable becomes the target.
        let name = Name::new(a.name);
        let present = shell.vars.get(name).filter(|v| !make_local || v.scope != 0).and_then(Variable::get);
        if let Some(target) = present.map(<[u8]>::to_vec)
            && !valid_nameref_target(&target)
        {
            args::fail(
                shell,
                args,
                [b"`", &*target, b"': invalid variable name for name reference"].concat(),
            );
            return Ok(false);
        }
        return Ok(true);
    };
    if a.append {
        let name = Name::new(a.name);
        let present = shell.vars.get(name).and_then(Variable::get).unwrap_or_default();
        let itself = [present, value].concat() == a.name;
        if itself {
            shell.error([a.name, b": nameref variable self references not allowed"].concat());
        }
        return Ok(!itself);
    }
    if value == a.name || value.strip_prefix(a.name).is_some_and(|rest| rest.starts_with(b"[")) {
        if make_local {
            let mut line = shell.prefix();
            line.extend_from_slice(
                &[
                    &*args.first().map(|f| f.to_vec()).unwrap_or_default(),
                    b": warning: ",
                    a.name,
                    b": circular name reference\n",
                ]
                .concat(),
            );
            line.extend_from_slice(&shell.prefix());
            line.extend_from_slice(&[b"warning: ", a.name, b": circular name reference\n"].concat());
            shell.write_error(&line);
            return Ok(true);
        }
        args::fail(shell, args, [a.name, b": nameref variable self references not allowed"].concat());
        return Ok(false);
    }
    if value.is_empty() {
        args::invalid_identifier(shell, args, b"");
        return Ok(false);
    }
    if !valid_nameref_target(value) {
        args::fail(shell, args, [b"`", value, b"': invalid variable name for name reference"].concat());
        return Ok(false);
    }
    Ok(true)
}

// Whether there is already an array of this name that the declaration does not hide.
fn is_present_array(shell: &mut Shell, name: Name, make_local: bool) -> bool {
    let (target, _) = shell.resolve_nameref(name);
    (!make_local || shell.vars.is_local_here(target))
        && shell.vars.get(target).is_some_and(Variable::is_array)
}

/// The elements of `( ... )` given as text.
pub(crate) fn parse_elements(shell: &Shell, value: &[u8]) -> Option<Rc<Vec<ArrayElement>>> {
    let text = [b"a=", value].concat();
    let mut parser = Parser::from_text(&text, shell.line.max(1));
    let mut host = PlainHost(shell.parse_options());
    let list = parser.next_command(&mut host).ok()??;
    let [item] = list.items.as_slice() else { return None };
    let [command] = item.and_or.first.commands.as_slice() else { return None };
    match &command.kind {
        CommandKind::Simple(s) if s.words.is_empty() => match s.assignments.as_slice() {
            [a] => match &a.value {
                AssignmentValue::Array(e) => Some(Rc::clone(e)),
                AssignmentValue::Scalar(_) => None,
            },
            _ => None,
        },
        _ => None,
    }
}

const CONVERTING: u16 = attr::INTEGER | attr::LOWER | attr::UPPER | attr::CAPITAL;

/// What is declared, and how.
struct Declaration<'a> {
    args: &'a [Field],
    name: Name,
    subscript: Option<&'a [u8]>,
    argument: &'a Argument<'a>,
    elements: Option<Rc<Vec<ArrayElement>>>,
    wanted: &'a Wanted,
    make_local: bool,
}

impl Declaration<'_> {
    /// Declares the variable. Returns false after a message.
    fn run(&self, shell: &mut Shell) -> Run<bool> {
        let (name, w) = (self.name, self.wanted);
        let fresh = self.make_local && !shell.vars.is_local_here(name);
        if !self.is_writable(shell, fresh)? {
            return Ok(false);
        }
        if fresh && let Some(what) = inherited_kind(shell, name, w) {
            make_fresh(shell, name, w);
            return self.cannot_convert(shell, what);
        }
        if self.make_local && !fresh {
            self.take_over(shell);
        }
        if !fresh && !self.is_kind_possible(shell)? {
            return Ok(false);
        }
        if self.make_local
            && !fresh
            && (self.wants_array() || w.assoc)
            && let Some(v) = shell.vars.get_mut(name)
            && matches!(v.value, Value::Str(_))
        {
            // A local variable that becomes an array loses its value.
            v.value = new_array(w.assoc);
        }
        let is_new = fresh || shell.vars.get(name).is_none();
        // Array values are expanded before a local variable hides the variables that they refer to.
        let made = match &self.elements {
            Some(elements) => Some(make_value(shell, name, elements, self.argument.append, w, fresh)?),
            None => None,
        };
        if fresh {
            make_fresh(shell, name, w);
        } else if shell.vars.get(name).is_none()
            && (w.on | w.off != 0 || w.indexed || w.assoc)
            && self.argument.value.is_none()
            && let Some(v) = shell.dynamic(name)
        {
            shell.vars.insert(name, v);
        }
        self.set(shell, is_new, made)
    }

    fn wants_array(&self) -> bool {
        self.wanted.indexed || self.subscript.is_some() || self.elements.is_some()
    }

    fn cannot_convert(&self, shell: &mut Shell, what: &[u8]) -> Run<bool> {
        cannot_convert(shell, self.args, self.name, what, self.elements.is_some())
    }

    /// Whether the variable is not readonly, as far as that matters.
    fn is_writable(&self, shell: &mut Shell, fresh: bool) -> Run<bool> {
        let (name, w) = (self.name, self.wanted);
        let has_value = self.argument.value.is_some();
        let readonly = match shell.vars.get(name) {
            Some(v) if fresh => v.has(attr::READONLY) && (v.scope == 0 || has_value && w.inherit),
            Some(v) => v.has(attr::READONLY),
            None => shell.is_readonly_dynamic(name),
        };
        if !readonly || !fresh && !has_value && w.off & attr::READONLY == 0 {
            return Ok(true);
        }
        let message = [&*name.bytes(), b": readonly variable"].concat();
        if self.elements.is_some() {
            if !fresh {
                return Err(shell.expansion_error(message));
            }
            // The list is assigned before the declaration, which fails with a message of its own.
            shell.error([&*shell.origin_prefix(), &*message].concat());
        }
        args::fail(shell, self.args, message);
        Ok(false)
    }

    /// A value that was assigned before the call now belongs to the function's own variable.
    fn take_over(&self, shell: &mut Shell) {
        if self.wanted.on & (attr::EXPORT | attr::READONLY) == 0
            && let Some(v) = shell.vars.get_mut(self.name)
            && v.has(attr::TEMPORARY)
        {
            v.attrs = (v.attrs & !attr::TEMPORARY) | attr::FROM_CALL;
        }
    }

    /// Whether the variable that is there can become what is wanted.
    fn is_kind_possible(&self, shell: &mut Shell) -> Run<bool> {
        let (name, w) = (self.name, self.wanted);
        let Some(v) = shell.vars.get(name) else { return Ok(true) };
        if w.no_array && v.is_array() {
            let message = [&*name.bytes(), b": cannot destroy array variables in this way"].concat();
            args::fail(shell, self.args, message);
            return Ok(false);
        }
        if w.assoc && matches!(v.value, Value::Indexed(_)) {
            return self.cannot_convert(shell, b"indexed to associative");
        }
        if w.indexed && v.is_assoc() {
            return self.cannot_convert(shell, b"associative to indexed");
        }
        Ok(true)
    }

    /// Sets attributes, kind and value.
    fn set(&self, shell: &mut Shell, is_new: bool, made: Option<Value>) -> Run<bool> {
        let (a, w) = (self.argument, self.wanted);
        let ends_nameref = w.off & attr::NAMEREF != 0 && self.subscript.is_none() && made.is_none();
        let name = if ends_nameref { shell.last_nameref(self.name) } else { self.name };
        // `declare +n ref=value` assigns to the target, and the former nameref keeps its own text as its value.
        let is_bound = |v: &Variable| v.has(attr::NAMEREF) && v.get().is_some_and(|t| !t.is_empty());
        let through = ends_nameref && shell.vars.get(name).is_some_and(is_bound);
        if through && let Some(value) = a.value {
            shell.assign(name, value, a.append)?;
        }
        let v = shell.vars.entry(name);
        v.attrs |= w.on & !(attr::READONLY | attr::NAMEREF);
        v.attrs &= !w.off;
        if (w.on | w.off) & attr::EXPORT != 0 {
            shell.vars.touch();
        }
        if w.assoc && is_new && made.is_none() && matches!(shell.vars.entry(name).value, Value::Str(_)) {
            shell.vars.entry(name).value = new_array(true);
        } else if w.assoc {
            shell.make_array(name, true)?;
        } else if self.wants_array() && !shell.is_assoc(name) {
            shell.make_array(name, false)?;
        }
        if let Some(value) = made {
            let v = shell.vars.entry(name);
            v.value = value;
            v.attrs &= !attr::INVISIBLE;
            if v.has(attr::HOOKED) {
                shell.after_assignment(name);
            }
        } else if let Some(value) = a.value.filter(|_| !through) {
            self.assign(shell, name, value)?;
        }
        if w.on & (attr::EXPORT | attr::READONLY) != 0 {
            keep_temporary(shell, name, a.value.is_some(), w.on & attr::READONLY);
        }
        let v = shell.vars.entry(name);
        if w.on & attr::NAMEREF != 0 && !v.has(attr::NAMEREF) {
            v.attrs &= !CONVERTING;
        }
        v.attrs |= w.on & (attr::READONLY | attr::NAMEREF);
        Ok(true)
    }

    fn assign(&self, shell: &mut Shell, name: Name, value: &[u8]) -> Run {
        let append = self.argument.append;
        match self.subscript {
            Some(s) => {
                let key = shell.key_from_text(name, s)?;
                shell.assign_element(name, &key, value, append)
            }
            None if self.wanted.on & attr::NAMEREF != 0 => {
                let slot = shell.vars.entry(name).scalar_mut();
                if !append {
                    slot.clear();
                }
                slot.extend_from_slice(value);
                Ok(())
            }
            // The message of a failed evaluation begins with the builtin's name.
            None if shell.vars.get(name).is_some_and(|v| v.has(attr::INTEGER)) => {
                let n = shell.integer_value(value, self.args.first().map(|f| &**f))?;
                assign_scalar(shell, name, &crate::text::number(n), append)
            }
            None => assign_scalar(shell, name, value, append),
        }
    }
}

// The conversion that an inherited array would need, if its kind is the wrong one.
fn inherited_kind(shell: &Shell, name: Name, w: &Wanted) -> Option<&'static [u8]> {
    if !w.inherit && !shell.opts.shopt(Shopt::localvar_inherit) {
        return None;
    }
    match shell.vars.get(name)?.value {
        Value::Indexed(_) if w.assoc => Some(b"indexed to associative"),
        Value::Assoc(_) if w.indexed => Some(b"associative to indexed"),
        _ => None,
    }
}

// Reports that an array is of the other kind. A list is assigned before the declaration: outside of functions, its
// error is that of a separate command.
fn cannot_convert(shell: &mut Shell, args: &[Field], name: Name, what: &[u8], list: bool) -> Run<bool> {
    let message = [&*name.bytes(), b": cannot convert ", what, b" array"].concat();
    let with_origin = || [&*shell.origin_prefix(), &*message].concat();
    if list && !shell.vars.in_function() {
        return Err(shell.expansion_error(with_origin()));
    }
    if list {
        shell.error(with_origin());
    }
    args::fail(shell, args, message);
    Ok(false)
}

// `x=1 export x`: the value assigned before the command, or by the declaration, stays.
fn keep_temporary(shell: &mut Shell, name: Name, assigned: bool, attrs: u16) {
    let Some(v) = shell.vars.get(name).filter(|v| v.has(attr::TEMPORARY)).cloned() else { return };
    // An assignment before another builtin (`x=1 eval 'export x=2'`) ends together with that builtin.
    if assigned && !shell.own_assignments && !shell.vars.is_local_here(name) {
        return;
    }
    let local = shell.vars.begin_global(name);
    let global = shell.vars.entry(name);
    global.value = v.value;
    global.attrs = attrs
        | (global.attrs & !attr::INVISIBLE)
        | (v.attrs & !(attr::TEMPORARY | attr::LOCAL | attr::INVISIBLE));
    shell.vars.end_global(name, local);
}

fn assign_scalar(shell: &mut Shell, name: Name, value: &[u8], append: bool) -> Run {
    // `declare -a a=x` sets element 0, `declare -A m=x` element "0".
    match shell.vars.get(name).map(|v| &v.value) {
        Some(Value::Indexed(_)) => shell.assign_element(name, &Key::Index(0), value, append),
        Some(Value::Assoc(_)) => shell.assign_element(name, &Key::Text(b"0".to_vec()), value, append),
        _ => shell.assign(name, value, append),
    }
}

// Makes a local variable, with the attributes and value that it inherits.
fn make_fresh(shell: &mut Shell, name: Name, w: &Wanted) {
    let inherit = w.inherit || shell.opts.shopt(Shopt::localvar_inherit);
    let outer = shell.vars.get(name).filter(|v| inherit || v.has(attr::TEMPORARY)).cloned();
    let computed = if inherit && outer.is_none() { shell.dynamic(name) } else { None };
    let exported = shell.vars.get(name).map_or(0, |v| v.attrs & attr::EXPORT);
    if let Some(v) = shell.vars.declare_local(name, false) {
        if let Some(outer) = outer.or(computed) {
            let keep = outer.attrs & !(attr::TEMPORARY | attr::LOCAL | attr::NAMEREF | attr::READONLY);
            v.attrs = keep | (v.attrs & attr::HOOKED);
            v.value = outer.value;
        }
        v.attrs |= attr::LOCAL | exported;
    }
    if shell.vars.get(name).is_some_and(|v| v.has(attr::HOOKED)) && &*name.bytes() == b"IFS" {
        shell.after_assignment(name);
    }
}

fn new_array(assoc: bool) -> Value {
    if assoc { Value::Assoc(Box::default()) } else { Value::Indexed(IndexedArray::default()) }
}

// Expands `( ... )` to a value without changing the variable.
fn make_value(
    shell: &mut Shell,
    name: Name,
    elements: &Rc<Vec<ArrayElement>>,
    append: bool,
    w: &Wanted,
    fresh: bool,
) -> Run<Value> {
    let before = shell.vars.get(name).cloned();
    let inherits = !fresh || w.inherit || shell.opts.shopt(Shopt::localvar_inherit);
    let assoc = w.assoc || (inherits && shell.is_assoc(name));
    let is_new = before.is_none() || fresh && !(append && inherits);
    {
        let v = shell.vars.entry(name);
        let keep = if fresh { 0 } else { v.attrs & CONVERTING };
        v.attrs = (v.attrs & !CONVERTING & !attr::READONLY)
            | ((keep | (w.on & CONVERTING)) & !(w.off & CONVERTING));
        if fresh && !assoc && v.is_assoc() || assoc && matches!(v.value, Value::Indexed(_)) {
            // The kinds differ: the outer value is not visible while the new one is expanded.
            v.value = Value::Str(Vec::new());
            v.attrs |= attr::INVISIBLE;
        }
        if assoc && is_new && !v.is_assoc() {
            v.value = new_array(true);
            v.attrs |= attr::INVISIBLE;
        }
    }
    let result = { shell.assign_array(name, elements, append && inherits, w.list()) };
    let made = shell.vars.take(name);
    if let Some(before) = before {
        shell.vars.insert(name, before);
    } else if result.is_err()
        && let Some(made) = &made
    {
        // Elements before the error stay assigned.
        shell.vars.insert(name, made.clone());
    }
    result?;
    Ok(made.map_or_else(|| Value::Str(Vec::new()), |v| v.value))
}

pub(super) fn export(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    with_attribute(shell, args, attr::EXPORT)
}

pub(super) fn readonly(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    with_attribute(shell, args, attr::READONLY)
}

// Both builtins take the same options, including some that are missing in the usage line.
fn with_attribute(shell: &mut Shell, args: &[Field], on: u16) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "aAfnp") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let w = Wanted { on, functions: has(b'f'), indexed: has(b'a'), assoc: has(b'A'), ..Wanted::default() };
    attribute(shell, args, at, w, has(b'n'))
}

fn attribute(shell: &mut Shell, args: &[Field], at: usize, w: Wanted, undo: bool) -> Run<i32> {
    let words = args.get(at..).unwrap_or_default();
    if words.is_empty() {
        return list::with_attribute(shell, &w, args.first().map_or(b"", |a| a));
    }
    let mut status = 0;
    for (i, word) in words.iter().enumerate() {
        if w.functions {
            match shell.function_named(word).cloned() {
                Some(_)
                    if w.on & attr::EXPORT != 0 && !undo && word.iter().any(|b| matches!(b, b'/' | b'=')) =>
                {
                    status = args::fail(shell, args, [word, b": cannot export".as_slice()].concat());
                }
                Some(f) => set_function_attributes(shell, &f, w.on, !undo),
                None => status = args::fail(shell, args, [word, b": not a function".as_slice()].concat()),
            }
            continue;
        }
        let a = split(shell, word);
        if !is_name(a.name) || a.subscript.is_some() {
            let end =
                word.iter().position(|b| *b == b'=').filter(|_| a.subscript.is_some()).unwrap_or(word.len());
            status = args::invalid_identifier(shell, args, word.get(..end).unwrap_or_default());
            continue;
        }
        let (name, element) = shell.resolve_nameref(Name::new(a.name));
        if let (Some(element), None) = (&element, a.value) {
            args::invalid_identifier(shell, args, &[&*name.bytes(), b"[", element, b"]"].concat());
            continue;
        }
        let elements = shell.declared_arrays.iter().find(|e| e.0 == at + i).map(|e| Rc::clone(&e.1));
        let elements = match (elements, a.value) {
            (None, Some(value))
                if (w.indexed || w.assoc) && value.starts_with(b"(") && value.ends_with(b")") =>
            {
                parse_elements(shell, value)
            }
            (e, _) => e,
        };
        // For an array given as text, the message begins with the builtin's name.
        let from_text = elements.is_some() && !shell.declared_arrays.iter().any(|e| e.0 == at + i);
        let readonly = if from_text && shell.check_readonly(name) {
            args::fail(shell, args, [a.name, b": readonly variable"].concat());
            true
        } else {
            a.value.is_some() && !args::tolerate(shell.check_writable(name))?
        };
        if readonly {
            status = 1;
            if shell.posix() {
                // This error ends the shell.
                shell.usage_error = true;
                return Ok(1);
            }
            continue;
        }
        if shell.opts.has(crate::options::flag::XTRACE)
            && elements.is_none()
            && let Some(value) = a.value
        {
            let sign: &[u8] = if a.append { b"+=" } else { b"=" };
            let quoted = if value.is_empty() { Vec::new() } else { traced_value(value) };
            shell.write_trace(&[a.name, sign, &quoted].concat());
        }
        let result = match (elements, a.value) {
            (Some(elements), _) => shell.assign_array(name, &elements, a.append, w.list()),
            (None, Some(value)) => shell.assign(name, value, a.append),
            (None, None) => Ok(()),
        };
        result?;
        if shell.vars.get(name).is_none()
            && let Some(v) = shell.dynamic(name)
        {
            shell.vars.insert(name, v);
        }
        // As in bash, `readonly -a name` alone makes no array.
        if (w.assoc || w.indexed) && a.value.is_some() && !args::tolerate(shell.make_array(name, w.assoc))? {
            status = 1;
            continue;
        }
        let v = shell.vars.entry(name);
        if undo {
            // Nothing makes a readonly variable writable again.
            v.attrs &= !(w.on & !attr::READONLY);
        } else {
            v.attrs |= w.on;
        }
        if !undo {
            keep_temporary(shell, name, a.value.is_some(), w.on & attr::READONLY);
        }
        shell.vars.touch();
    }
    Ok(status)
}
