//! Functions.

use crate::patsubst::patsubst;
use crate::say::{Result, bytes};
use crate::session::Make;
use crate::text::{Pattern, Text, dir, join, notdir, replace, strip, suffix_at, words};
use crate::vars::{Origin, Var};
use sandshell_sys as sys;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

struct Function {
    name: &'static str,
    least: usize,
    /// More arguments are part of the last one; 0 is no limit.
    most: usize,
    /// Arguments are expanded before the call.
    expand: bool,
}

const fn f(name: &'static str, least: usize, most: usize, expand: bool) -> Function {
    Function { name, least, most, expand }
}

const FUNCTIONS: &[Function] = &[
    f("abspath", 0, 1, true),
    f("addprefix", 2, 2, true),
    f("addsuffix", 2, 2, true),
    f("and", 1, 0, false),
    f("basename", 0, 1, true),
    f("call", 1, 0, true),
    f("dir", 0, 1, true),
    f("error", 0, 1, true),
    f("eval", 0, 1, true),
    f("file", 1, 2, true),
    f("filter", 2, 2, true),
    f("filter-out", 2, 2, true),
    f("findstring", 2, 2, true),
    f("firstword", 0, 1, true),
    f("flavor", 0, 1, true),
    f("foreach", 3, 3, false),
    f("guile", 0, 1, true),
    f("if", 2, 3, false),
    f("info", 0, 1, true),
    f("join", 2, 2, true),
    f("lastword", 0, 1, true),
    f("notdir", 0, 1, true),
    f("or", 1, 0, false),
    f("origin", 0, 1, true),
    f("patsubst", 3, 3, true),
    f("realpath", 0, 1, true),
    f("shell", 0, 1, true),
    f("sort", 0, 1, true),
    f("strip", 0, 1, true),
    f("subst", 3, 3, true),
    f("suffix", 0, 1, true),
    f("value", 0, 1, true),
    f("warning", 0, 1, true),
    f("wildcard", 0, 1, true),
    f("word", 2, 2, true),
    f("wordlist", 3, 3, true),
    f("words", 0, 1, true),
];

/// The name of the function that the inside of a reference calls.
pub(crate) fn called(inner: &[u8]) -> Option<&'static str> {
    find(inner).map(|f| f.name)
}

fn find(inner: &[u8]) -> Option<&'static Function> {
    let end = inner.iter().position(|b| !(b.is_ascii_lowercase() || *b == b'-')).unwrap_or(inner.len());
    let name = inner.get(..end)?;
    let next = inner.get(end);
    if next.is_some_and(|b| !crate::text::is_space(*b)) || next.is_none() {
        return None;
    }
    FUNCTIONS.iter().find(|f| f.name.as_bytes() == name)
}

impl Make {
    /// Calls the function that the inside of a reference names; `None` if it names none.
    pub(crate) fn function(&mut self, inner: &[u8], open: u8, close: u8) -> Result<Option<Text>> {
        let Some(function) = find(inner) else { return Ok(None) };
        let rest = crate::text::strip_start(inner.get(function.name.len()..).unwrap_or_default());
        let mut args = split_arguments(rest, open, close, function.most);
        if args.len() < function.least {
            let text =
                format!("insufficient number of arguments ({}) to function '{}'", args.len(), function.name);
            return Err(self.fatal(self.loc.as_ref(), text.as_bytes()));
        }
        if function.expand {
            for arg in &mut args {
                *arg = self.expand(arg)?;
            }
        }
        self.call_function(function.name, &args).map(Some)
    }

    fn call_function(&mut self, name: &str, args: &[Text]) -> Result<Text> {
        let arg = |i: usize| args.get(i).map(Vec::as_slice).unwrap_or_default();
        Ok(match name {
            "subst" => replace(arg(2), arg(0), arg(1)),
            "patsubst" => patsubst(arg(0), arg(1), arg(2)),
            "strip" => join(words(arg(0))),
            "findstring" => {
                let found = arg(0).is_empty() || arg(1).windows(arg(0).len()).any(|w| w == arg(0));
                if found { arg(0).to_vec() } else { Text::new() }
            }
            "filter" | "filter-out" => filter(arg(0), arg(1), name == "filter"),
            "sort" => {
                let mut list: Vec<&[u8]> = words(arg(0)).collect();
                list.sort_unstable();
                list.dedup();
                join(list)
            }
            "word" => {
                let n = self.number(arg(0), "first", "word")?;
                if n == 0 {
                    let text = b"first argument to 'word' function must be greater than 0";
                    return Err(self.fatal(self.loc.as_ref(), text));
                }
                words(arg(1)).nth(n - 1).unwrap_or_default().to_vec()
            }
            "wordlist" => {
                let first = self.number(arg(0), "first", "wordlist")?;
                let last = self.number(arg(1), "second", "wordlist")?;
                if first == 0 {
                    let text = format!("invalid first argument to 'wordlist' function: '{first}'");
                    return Err(self.fatal(self.loc.as_ref(), text.as_bytes()));
                }
                join(words(arg(2)).take(last).skip(first - 1))
            }
            "words" => words(arg(0)).count().to_string().into_bytes(),
            "firstword" => words(arg(0)).next().unwrap_or_default().to_vec(),
            "lastword" => words(arg(0)).last().unwrap_or_default().to_vec(),
            "dir" => join(words(arg(0)).map(dir)),
            "notdir" => join(words(arg(0)).map(notdir)),
            "suffix" => join(words(arg(0)).filter_map(|w| w.get(suffix_at(w)?..))),
            "basename" => {
                join(words(arg(0)).map(|w| w.get(..suffix_at(w).unwrap_or(w.len())).unwrap_or_default()))
            }
            "addsuffix" => join(words(arg(1)).map(|w| bytes!(w, arg(0)))),
            "addprefix" => join(words(arg(1)).map(|w| bytes!(arg(0), w))),
            "join" => {
                let (mut a, mut b) = (words(arg(0)), words(arg(1)));
                let mut out = Vec::new();
                loop {
                    match (a.next(), b.next()) {
                        (None, None) => break,
                        (x, y) => out.push(bytes!(x.unwrap_or_default(), y.unwrap_or_default())),
                    }
                }
                join(out)
            }
            "wildcard" => join(words(arg(0)).flat_map(crate::glob::existing)),
            "realpath" => join(words(arg(0)).filter_map(real_path)),
            "abspath" => join(words(arg(0)).map(absolute)),
            "if" => self.if_function(args)?,
            "or" => {
                for arg in args {
                    let value = self.expand(strip(arg))?;
                    if !value.is_empty() {
                        return Ok(value);
                    }
                }
                Text::new()
            }
            "and" => {
                let mut last = Text::new();
                for arg in args {
                    last = self.expand(strip(arg))?;
                    if last.is_empty() {
                        break;
                    }
                }
                last
            }
            "foreach" => self.foreach(args)?,
            "call" => self.call(args)?,
            "value" => self.find_var(arg(0)).map(|(v, _)| v.value).unwrap_or_default(),
            "eval" => {
                self.eval(arg(0))?;
                Text::new()
            }
            "origin" => self.origin(arg(0)).as_bytes().to_vec(),
            "flavor" => match self.find_var(arg(0)) {
                None => b"undefined".to_vec(),
                Some((v, _)) => if v.recursive { &b"recursive"[..] } else { b"simple" }.to_vec(),
            },
            "shell" => self.shell_output(arg(0))?,
            "error" => return Err(self.fatal(self.loc.as_ref(), arg(0))),
            "warning" => {
                self.warn(self.loc.as_ref(), arg(0));
                Text::new()
            }
            "info" => {
                self.plain(arg(0));
                Text::new()
            }
            "file" => self.file_function(arg(0), args.get(1).map(Vec::as_slice))?,
            _ => {
                return Err(
                    self.fatal(self.loc.as_ref(), format!("function '{name}' is not supported").as_bytes())
                );
            }
        })
    }

    fn number(&self, text: &[u8], which: &str, function: &str) -> Result<usize> {
        let digits = strip(text);
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            let text = bytes!("non-numeric ", which, " argument to '", function, "' function: '", text, "'");
            return Err(self.fatal(self.loc.as_ref(), &text));
        }
        Ok(std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok()).unwrap_or(usize::MAX))
    }

    fn if_function(&mut self, args: &[Text]) -> Result<Text> {
        let condition = args.first().map(|a| strip(a)).unwrap_or_default();
        let holds = !self.expand(condition)?.is_empty();
        match args.get(if holds { 1 } else { 2 }) {
            Some(branch) => self.expand(branch),
            None => Ok(Text::new()),
        }
    }

    fn foreach(&mut self, args: &[Text]) -> Result<Text> {
        let [name, list, body] = args else { return Ok(Text::new()) };
        let name = self.expand(name)?;
        let name = strip(&name).to_vec();
        let list = self.expand(list)?;
        let scope = Rc::new(RefCell::new(HashMap::new()));
        self.scopes.push(Rc::clone(&scope));
        let mut out = Vec::new();
        for word in words(&list) {
            scope.borrow_mut().insert(name.clone(), automatic(word));
            out.push(self.expand(body)?);
        }
        self.scopes.pop();
        Ok(join(out))
    }

    fn call(&mut self, args: &[Text]) -> Result<Text> {
        let name = strip(args.first().map(Vec::as_slice).unwrap_or_default()).to_vec();
        if let Some(function) = FUNCTIONS.iter().find(|f| f.name.as_bytes() == name) {
            let rest = args.get(1..).unwrap_or_default();
            if rest.len() < function.least {
                let text = format!(
                    "insufficient number of arguments ({}) to function '{}'",
                    rest.len(),
                    function.name
                );
                return Err(self.fatal(self.loc.as_ref(), text.as_bytes()));
            }
            return self.call_function(function.name, rest);
        }
        let Some((var, _)) = self.find_var(&name) else { return Ok(Text::new()) };
        let mut values = HashMap::new();
        for (i, arg) in args.iter().enumerate() {
            values.insert(i.to_string().into_bytes(), automatic(if i == 0 { &name } else { arg }));
        }
        // Arguments of a call outside are not this call's.
        for i in args.len()..10.max(args.len()) {
            values.insert(i.to_string().into_bytes(), automatic(b""));
        }
        self.scopes.push(Rc::new(RefCell::new(values)));
        let hidden = std::mem::take(&mut self.expanding);
        let result = if var.recursive { self.expand(&var.value) } else { Ok(var.value) };
        self.expanding = hidden;
        self.scopes.pop();
        result
    }

    fn origin(&self, name: &[u8]) -> &'static str {
        match self.find_var(name) {
            None => "undefined",
            Some((v, _)) => match v.origin {
                Origin::Default => "default",
                Origin::Environment => "environment",
                Origin::File => "file",
                Origin::EnvironmentOverride => "environment override",
                Origin::CommandLine => "command line",
                Origin::Override => "override",
                Origin::Automatic => "automatic",
            },
        }
    }

    // `$(file OP NAME[,TEXT])`.
    fn file_function(&mut self, target: &[u8], text: Option<&[u8]>) -> Result<Text> {
        let target = strip(target);
        let (name, append) = if let Some(rest) = target.strip_prefix(b">>") {
            (strip(rest), true)
        } else if let Some(rest) = target.strip_prefix(b">") {
            (strip(rest), false)
        } else if let Some(rest) = target.strip_prefix(b"<") {
            let name = strip(rest);
            let flags = sys::open_flags::READ | sys::open_flags::CLOEXEC;
            let Ok(fd) = sys::open(name, flags, 0) else { return Ok(Text::new()) };
            let mut text = sys::read_to_end(fd).unwrap_or_default();
            let _ = sys::close(fd);
            if text.last() == Some(&b'\n') {
                text.pop();
            }
            return Ok(text);
        } else {
            let text = bytes!("file: invalid file operation: ", target);
            return Err(self.fatal(self.loc.as_ref(), &text));
        };
        if name.is_empty() {
            return Err(self.fatal(self.loc.as_ref(), b"file: missing filename"));
        }
        use sys::open_flags as o;
        let flags = o::WRITE | o::CREATE | o::CLOEXEC | if append { o::APPEND } else { o::TRUNC };
        let result = sys::open(name, flags, 0o666).and_then(|fd| {
            let mut bytes = text.unwrap_or_default().to_vec();
            if text.is_some() && bytes.last() != Some(&b'\n') {
                bytes.push(b'\n');
            }
            let written = sys::write_all(fd, &bytes);
            sys::close(fd).and(written)
        });
        if let Err(e) = result {
            let text = bytes!("open: ", name, ": ", e.to_string());
            return Err(self.fatal(self.loc.as_ref(), &text));
        }
        Ok(Text::new())
    }
}

fn automatic(value: &[u8]) -> Var {
    Var::new(value.to_vec(), false, Origin::Automatic)
}

// Splits at commas outside of brackets of the reference's kind.
fn split_arguments(text: &[u8], open: u8, close: u8, most: usize) -> Vec<Text> {
    let mut out = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (i, b) in text.iter().enumerate() {
        if *b == open {
            depth += 1;
        } else if *b == close {
            depth -= 1;
        } else if *b == b',' && depth == 0 && (most == 0 || out.len() + 1 < most) {
            out.push(text.get(start..i).unwrap_or_default().to_vec());
            start = i + 1;
        }
    }
    out.push(text.get(start..).unwrap_or_default().to_vec());
    out
}

fn filter(patterns: &[u8], text: &[u8], keep: bool) -> Text {
    let patterns: Vec<Pattern> = words(patterns).map(Pattern::new).collect();
    join(words(text).filter(|w| patterns.iter().any(|p| p.stem(w).is_some()) == keep))
}

// An absolute name without `.`, `..` and double slashes.
fn absolute(name: &[u8]) -> Text {
    let full = if name.starts_with(b"/") {
        name.to_vec()
    } else {
        bytes!(sys::getcwd().unwrap_or_default(), "/", name)
    };
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in full.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let mut out = Text::new();
    for part in &parts {
        out.push(b'/');
        out.extend_from_slice(part);
    }
    if out.is_empty() { b"/".to_vec() } else { out }
}

// The name without symbolic links, if the file exists.
fn real_path(name: &[u8]) -> Option<Text> {
    let mut rest: Vec<Text> = Vec::new();
    let push = |rest: &mut Vec<Text>, path: &[u8]| {
        rest.extend(path.split(|b| *b == b'/').rev().map(<[u8]>::to_vec));
    };
    push(&mut rest, name);
    let mut done = if name.starts_with(b"/") { Text::new() } else { sys::getcwd().ok()? };
    let mut links = 0;
    while let Some(part) = rest.pop() {
        match part.as_slice() {
            b"" | b"." => continue,
            b".." => {
                let end = done.iter().rposition(|b| *b == b'/').unwrap_or(0);
                done.truncate(end);
                continue;
            }
            _ => {}
        }
        let next = bytes!(done, "/", part);
        if sys::stat(&next, false).ok()?.is_symlink() {
            links += 1;
            if links > 40 {
                return None;
            }
            let target = sys::readlink(&next).ok()?;
            if target.starts_with(b"/") {
                done.clear();
            }
            push(&mut rest, &target);
        } else {
            done = next;
        }
    }
    if done.is_empty() {
        done.push(b'/');
    }
    sys::stat(&done, true).ok().map(|_| done)
}
