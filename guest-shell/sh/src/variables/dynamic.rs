//! Variables whose values are computed on use.

use super::access::Key;
use super::hash::{ALIAS_BUCKETS, COMMAND_BUCKETS};
use super::{AssocArray, IndexedArray, Name, Value, Variable, attr};
use crate::options::Options;
use crate::shell::{FrameKind, Run, Shell};
use crate::text;
use sandshell_sys as sys;

/// The version of bash that this shell reports.
pub(crate) const VERSION: &str = "5.2.15(1)-release";
/// The machine name that Debian uses.
pub(crate) const MACHTYPE: &str = "x86_64-pc-linux-gnu";

/// The names of all computed variables, in byte order.
pub(crate) const DYNAMIC: &[&[u8]] = &[
    b"BASH",
    b"BASHOPTS",
    b"BASHPID",
    b"BASH_ALIASES",
    b"BASH_ARGC",
    b"BASH_ARGV",
    b"BASH_ARGV0",
    b"BASH_CMDS",
    b"BASH_COMMAND",
    b"BASH_LINENO",
    b"BASH_LOADABLES_PATH",
    b"BASH_SOURCE",
    b"BASH_SUBSHELL",
    b"BASH_VERSINFO",
    b"BASH_VERSION",
    b"COMP_WORDBREAKS",
    b"DIRSTACK",
    b"EPOCHREALTIME",
    b"EPOCHSECONDS",
    b"EUID",
    b"FUNCNAME",
    b"GROUPS",
    b"HISTCMD",
    b"HOSTNAME",
    b"HOSTTYPE",
    b"IFS",
    b"LINENO",
    b"MACHTYPE",
    b"OPTERR",
    b"OPTIND",
    b"OSTYPE",
    b"PATH",
    b"PIPESTATUS",
    b"PPID",
    b"PS4",
    b"RANDOM",
    b"SECONDS",
    b"SHELL",
    b"SHELLOPTS",
    b"SRANDOM",
    b"TERM",
    b"UID",
    b"_",
];

/// Whether the name has a computed value.
pub(crate) fn is_dynamic(name: &[u8]) -> bool {
    DYNAMIC.binary_search(&name).is_ok()
}

fn array(values: Vec<Vec<u8>>) -> Variable {
    Variable { value: Value::Indexed(IndexedArray::from_values(values)), attrs: 0, scope: 0 }
}

impl Shell {
    pub(crate) fn is_readonly_dynamic(&self, name: Name) -> bool {
        matches!(&*name.bytes(), b"BASHOPTS" | b"BASH_VERSINFO" | b"EUID" | b"PPID" | b"SHELLOPTS" | b"UID")
    }

    /// Updates the variables of the options, if they are in the table because they were exported.
    pub(crate) fn show_options(&mut self) {
        type Text = fn(&Options) -> Vec<u8>;
        let all: [(&[u8], Text); 2] = [(b"SHELLOPTS", Options::shellopts), (b"BASHOPTS", Options::bashopts)];
        for (name, text) in all {
            if let Some(v) = Name::existing(name).and_then(|name| self.vars.get_mut(name)) {
                v.value = Value::Str(text(&self.opts));
                self.vars.touch();
            }
        }
    }

    /// The elements of `BASH_ARGC` or `BASH_ARGV`.
    fn call_arguments(&self, counts: bool) -> Vec<Vec<u8>> {
        let count = |n: usize| text::number(i64::try_from(n).unwrap_or(i64::MAX));
        if !self.call_args.is_empty() {
            let calls = self.call_args.iter().rev();
            return if counts {
                calls.map(|a| count(a.len())).collect()
            } else {
                calls.flat_map(|a| a.iter().rev().map(|f| f.to_vec())).collect()
            };
        }
        // Without extended debugging, there are only the shell's own arguments.
        if self.frames.iter().any(|f| f.kind == FrameKind::Function) {
            Vec::new()
        } else if counts {
            vec![count(self.args.len())]
        } else {
            self.args.iter().rev().map(|f| f.to_vec()).collect()
        }
    }

    /// The computed variable of that name.
    pub(crate) fn dynamic(&mut self, name: Name) -> Option<Variable> {
        let bytes = name.bytes();
        if !is_dynamic(&bytes) || self.dead.contains(&name) {
            return None;
        }
        let number = |n: i64| Some(Variable::scalar(text::number(n)));
        let string = |s: &str| Some(Variable::scalar(s.as_bytes().to_vec()));
        let flagged = |mut v: Variable, attrs: u16| {
            v.attrs |= attrs;
            Some(v)
        };
        match &*bytes {
            b"BASH" => Some(Variable::scalar(self.own_path())),
            b"BASHOPTS" => flagged(Variable::scalar(self.opts.bashopts()), attr::READONLY),
            b"BASHPID" => flagged(Variable::scalar(text::number(sys::getpid().into())), attr::INTEGER),
            b"BASH_ALIASES" => {
                let mut a = AssocArray::with_buckets(ALIAS_BUCKETS);
                for (k, v) in &self.aliases {
                    a.set(k, v.to_vec());
                }
                Some(Variable { value: Value::Assoc(Box::new(a)), attrs: 0, scope: 0 })
            }
            b"BASH_CMDS" => {
                let mut a = AssocArray::with_buckets(COMMAND_BUCKETS);
                for (k, v) in self.hash.table.ordered() {
                    a.set(k, v.path.clone());
                }
                Some(Variable { value: Value::Assoc(Box::new(a)), attrs: 0, scope: 0 })
            }
            b"BASH_ARGC" | b"BASH_ARGV" => Some(array(self.call_arguments(bytes.ends_with(b"C")))),
            b"BASH_ARGV0" => Some(Variable::scalar(self.arg0.clone())),
            b"BASH_COMMAND" => Some(Variable::scalar(self.bash_command())),
            b"BASH_LINENO" => {
                let list = self.frames.iter().rev().map(|f| text::number(f.line.into())).collect();
                Some(array(list))
            }
            b"BASH_SOURCE" => Some(array(self.frames.iter().rev().map(|f| f.source.to_vec()).collect())),
            b"FUNCNAME" => {
                if !self.frames.iter().any(|f| f.kind == FrameKind::Function) {
                    let mut none = array(Vec::new());
                    none.attrs |= attr::INVISIBLE;
                    return Some(none);
                }
                Some(array(self.frames.iter().rev().map(|f| f.name.to_vec()).collect()))
            }
            b"BASH_LOADABLES_PATH" => string(
                "/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.",
            ),
            b"BASH_SUBSHELL" => number(self.subshell.into()),
            b"BASH_VERSINFO" => {
                let parts = ["5", "2", "15", "1", "release", MACHTYPE];
                flagged(array(parts.iter().map(|s| s.as_bytes().to_vec()).collect()), attr::READONLY)
            }
            b"BASH_VERSION" => string(VERSION),
            b"COMP_WORDBREAKS" => Some(Variable::scalar(b" \t\n\"'@><=;|&(:".to_vec())),
            b"DIRSTACK" => {
                let mut list = vec![self.logical_cwd()];
                list.extend(self.dir_stack.iter().rev().cloned());
                Some(array(list))
            }
            b"EPOCHREALTIME" => {
                let now = sys::realtime() / 1000;
                Some(Variable::scalar(format!("{}.{:06}", now / 1_000_000, now % 1_000_000).into_bytes()))
            }
            b"EPOCHSECONDS" => number(i64::try_from(sys::realtime() / 1_000_000_000).unwrap_or(i64::MAX)),
            b"EUID" | b"UID" => {
                let n = sys::getids().0;
                flagged(Variable::scalar(text::number(n.into())), attr::READONLY | attr::INTEGER)
            }
            b"GROUPS" => Some(array(vec![text::number(sys::getids().1.into())])),
            b"HISTCMD" => {
                let count = self.record.dropped + self.history.len();
                let n = i64::try_from(count).unwrap_or(0) + i64::from(self.opts.interactive);
                flagged(Variable::scalar(text::number(n)), attr::INTEGER)
            }
            b"HOSTNAME" => Some(Variable::scalar(sys::hostname())),
            b"HOSTTYPE" => string("x86_64"),
            b"IFS" => string(" \t\n"),
            b"LINENO" => number(self.line.into()),
            b"MACHTYPE" => string(MACHTYPE),
            b"OPTERR" => number(1),
            b"OPTIND" => flagged(Variable::scalar(b"1".to_vec()), attr::INTEGER),
            b"OSTYPE" => string("linux-gnu"),
            b"PATH" => string("/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin:."),
            b"PIPESTATUS" if self.pipestatus.is_empty() => None,
            b"PIPESTATUS" => Some(array(self.pipestatus.iter().map(|s| text::number((*s).into())).collect())),
            b"PPID" => {
                flagged(Variable::scalar(text::number(self.parent.into())), attr::READONLY | attr::INTEGER)
            }
            b"PS4" => string("+ "),
            b"RANDOM" => {
                let n = self.random.next();
                flagged(Variable::scalar(text::number(n.into())), attr::INTEGER)
            }
            b"SECONDS" => {
                let passed = sys::realtime() / 1_000_000_000
                    - (self.seconds.1 / 1_000_000_000).min(sys::realtime() / 1_000_000_000);
                let n = self.seconds.0.wrapping_add(i64::try_from(passed).unwrap_or(0));
                flagged(Variable::scalar(text::number(n)), attr::INTEGER)
            }
            b"SHELL" => string("/bin/bash"),
            b"SHELLOPTS" => flagged(Variable::scalar(self.opts.shellopts()), attr::READONLY),
            b"SRANDOM" => {
                let mut bytes = [0; 4];
                sys::random(&mut bytes);
                number(u32::from_le_bytes(bytes).into())
            }
            b"TERM" => string("dumb"),
            b"_" => Some(Variable::scalar(self.last_arg.to_vec())),
            _ => None,
        }
    }

    /// Handles an assignment to a computed variable that is not stored. Returns whether the name is one.
    pub(crate) fn assign_dynamic(&mut self, name: Name, bytes: &[u8], value: &[u8]) -> Run<bool> {
        if self.dead.contains(&name) {
            return Ok(false);
        }
        match bytes {
            b"RANDOM" => {
                let n = self.arith_text(value)?;
                self.random.seed((n & 0xffff_ffff) as u32);
            }
            b"SECONDS" => {
                let n = self.arith_text(value)?;
                self.seconds = (n, sys::realtime());
            }
            b"BASH_ARGV0" => self.arg0 = value.to_vec(),
            b"BASH_SUBSHELL" => {
                let n = text::parse_integer(value).unwrap_or(0);
                self.subshell = u32::try_from(n).unwrap_or(0);
            }
            b"BASHPID" | b"EPOCHREALTIME" | b"EPOCHSECONDS" | b"SRANDOM" | b"BASH_COMMAND" | b"FUNCNAME"
            | b"BASH_SOURCE" | b"BASH_LINENO" | b"GROUPS" | b"HISTCMD" | b"BASH_ARGC" | b"BASH_ARGV"
            | b"_" | b"LINENO" | b"PIPESTATUS" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether only the shell sets the elements of an array. Assignments to them are ignored.
    pub(crate) fn keeps_own_elements(&self, name: Name) -> bool {
        self.vars.get(name).is_none()
            && !self.dead.contains(&name)
            && matches!(
                &*name.bytes(),
                b"PIPESTATUS"
                    | b"GROUPS"
                    | b"FUNCNAME"
                    | b"BASH_SOURCE"
                    | b"BASH_LINENO"
                    | b"BASH_ARGC"
                    | b"BASH_ARGV"
            )
    }

    /// Handles an assignment to an element of a computed array. Returns whether the name is one.
    pub(crate) fn assign_dynamic_element(
        &mut self,
        name: Name,
        key: &Key,
        value: &[u8],
        append: bool,
    ) -> bool {
        if self.keeps_own_elements(name) {
            return true;
        }
        if self.vars.get(name).is_some() || self.dead.contains(&name) {
            return false;
        }
        let text = match key {
            Key::Text(t) => t.clone(),
            Key::Index(n) => text::number(*n),
        };
        match &*name.bytes() {
            b"BASH_ALIASES" => {
                let mut new = match self.aliases.get(&*text) {
                    Some(old) if append => old.to_vec(),
                    _ => Vec::new(),
                };
                new.extend_from_slice(value);
                if crate::builtins::is_alias_name(&text) {
                    self.aliases.insert(text.into(), new.into());
                } else {
                    self.error([b"`", &*text, b"': invalid alias name"].concat());
                }
            }
            b"BASH_CMDS" => {
                if let Some(why) = self.refuses_path(value) {
                    self.error(why);
                    return true;
                }
                let slot = self.hash.table.entry(&text);
                if !append {
                    slot.path.clear();
                }
                slot.path.extend_from_slice(value);
                slot.hits = 0;
            }
            b"DIRSTACK" => {
                // Element 0 is the working directory. The others are on the stack in reverse order.
                let Key::Index(n) = key else { return true };
                let length = self.dir_stack.len();
                let at = usize::try_from(*n).ok().and_then(|n| length.checked_sub(n));
                if let Some(slot) = at.and_then(|at| self.dir_stack.get_mut(at)) {
                    *slot = value.to_vec();
                }
            }
            _ => return false,
        }
        true
    }

    /// `BASH_COMMAND`
    pub(crate) fn bash_command(&self) -> Vec<u8> {
        if let Some(text) = &self.command_text {
            return text.clone();
        }
        match &self.command {
            Some(command) => sandshell_syntax::print::heading(command),
            None => Vec::new(),
        }
    }
}
