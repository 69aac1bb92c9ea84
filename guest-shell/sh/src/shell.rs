//! The state of the shell.

use crate::field::Field;
use crate::jobs::Jobs;
use crate::options::{Options, flag};
use crate::own_path::OwnPath;
use crate::path::Hash;
use crate::traps::Traps;
use crate::variables::hash::{BucketTable, COMPLETION_BUCKETS};
use crate::variables::{Name, Variables};
use sandshell_syntax::ast::{Bytes, Function};
use sandshell_sys as sys;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Why execution leaves the enclosing commands. The status is in [`Shell::status`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// `break` out of this many loops.
    Break(u32),
    /// `continue` in the loop this many levels out.
    Continue(u32),
    /// `return` from a function or sourced file.
    Return,
    /// An error abandoned the command that was read. Execution continues with the next one.
    Discard,
    /// An error abandoned also the texts that contain the command (`eval`, functions). The script continues with the
    /// next command that it reads.
    GiveUp,
    /// The shell ends.
    Exit,
}

/// The result of running something.
pub(crate) type Run<T = ()> = Result<T, Flow>;

/// A function with its definition.
#[derive(Debug)]
pub(crate) struct FunctionEntry {
    pub(crate) function: Rc<Function>,
    pub(crate) source: Bytes,
    /// [`Shell::line_shift`] at its definition.
    pub(crate) line_shift: i32,
    pub(crate) exported: std::cell::Cell<bool>,
    pub(crate) readonly: std::cell::Cell<bool>,
    pub(crate) trace: std::cell::Cell<bool>,
}

/// The kind of a frame of the call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Function,
    Source,
    Script,
}

/// One level of the call stack (`FUNCNAME`, `BASH_SOURCE`, `BASH_LINENO`).
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: FrameKind,
    pub(crate) name: Bytes,
    pub(crate) source: Bytes,
    /// The line of the call.
    pub(crate) line: u32,
}

/// The value of `IFS`, prepared for fast tests.
#[derive(Clone, Debug)]
pub(crate) struct Ifs {
    // 0 none, 1 separator, 2 white space separator, 3 the first byte of one of `wide`
    class: [u8; 256],
    // Separators that take several bytes.
    wide: Vec<Vec<u8>>,
    /// The character that joins the fields of `"$*"`.
    pub(crate) join: Vec<u8>,
    pub(crate) empty: bool,
}

impl Ifs {
    pub(crate) fn new(value: Option<&[u8]>) -> Self {
        let chars = value.unwrap_or(b" \t\n");
        let mut class = [0; 256];
        let mut wide = Vec::new();
        for c in crate::text::chars(chars) {
            match c {
                [b] => class[usize::from(*b)] = if matches!(b, b' ' | b'\t' | b'\n') { 2 } else { 1 },
                [lead, ..] => {
                    class[usize::from(*lead)] = 3;
                    wide.push(c.to_vec());
                }
                [] => {}
            }
        }
        Self { class, wide, join: first_char(chars).to_vec(), empty: chars.is_empty() }
    }

    #[inline]
    pub(crate) fn is(&self, byte: u8) -> bool {
        matches!(self.class[usize::from(byte)], 1 | 2)
    }

    /// Whether text that contains this byte may have to be split.
    #[inline]
    pub(crate) fn may_split(&self, byte: u8) -> bool {
        self.class[usize::from(byte)] != 0
    }

    /// The length of the separator at the start of `text`, 0 if there is none.
    #[inline]
    pub(crate) fn separator(&self, text: &[u8]) -> usize {
        match text.first().map(|b| self.class[usize::from(*b)]) {
            None | Some(0) => 0,
            Some(3) => self.wide.iter().find(|w| text.starts_with(w)).map_or(0, Vec::len),
            Some(_) => 1,
        }
    }

    #[inline]
    pub(crate) fn is_space(&self, byte: u8) -> bool {
        self.class[usize::from(byte)] == 2
    }
}

// The first character: a valid UTF-8 sequence, or else one byte.
fn first_char(text: &[u8]) -> &[u8] {
    text.get(..crate::text::char_len(text)).unwrap_or_default()
}

/// Where a list of commands comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// The function that runs.
    Function,
    /// `eval`, `.` or `source`.
    Builtin(&'static str),
}

/// One shell process.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) vars: Variables,
    functions: Vec<Option<Rc<FunctionEntry>>>,
    pub(crate) aliases: BTreeMap<Box<[u8]>, Bytes>,
    pub(crate) opts: Options,
    /// `$?`
    pub(crate) status: i32,
    pub(crate) pipestatus: Vec<i32>,
    /// The line of the command being run.
    pub(crate) line: u32,
    /// `$1`…
    pub(crate) args: Rc<Vec<Field>>,
    /// `$0`
    pub(crate) arg0: Vec<u8>,
    /// The name that the shell was called by: as `$0`, but never the name of a script.
    pub(crate) invoked_as: Vec<u8>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) loops: u32,
    /// While above 0, a failed command triggers neither `set -e` nor the ERR trap.
    pub(crate) tested: u32,
    pub(crate) jobs: Jobs,
    pub(crate) traps: Traps,
    pub(crate) ifs: Ifs,
    pub(crate) hash: Hash,
    /// Output of the running builtin that is not written yet.
    pub(crate) out: Vec<u8>,
    /// Where standard output goes instead of to descriptor 1.
    pub(crate) capture: Option<Vec<u8>>,
    /// `$$`
    pub(crate) pid: sys::Pid,
    /// `$PPID`
    pub(crate) parent: sys::Pid,
    /// `$!`
    pub(crate) last_background: Option<sys::Pid>,
    /// `$_`
    pub(crate) last_arg: Field,
    /// The value of `$_` in the environment.
    pub(crate) given_last_arg: Option<Field>,
    /// `BASH_SUBSHELL`
    pub(crate) subshell: u32,
    /// The descriptor from which commands are read.
    pub(crate) reading_from: Option<sys::Fd>,
    pub(crate) cwd: Vec<u8>,
    pub(crate) dir_stack: Vec<Vec<u8>>,
    /// `BASH_COMMAND` while a trap runs.
    pub(crate) command_text: Option<Vec<u8>>,
    /// The command being run, for `BASH_COMMAND`.
    pub(crate) command: Option<Rc<sandshell_syntax::ast::Command>>,
    pub(crate) random: crate::random::Random,
    /// `SECONDS`: its value and the clock (ns) at the last assignment.
    pub(crate) seconds: (i64, u64),
    pub(crate) getopts: crate::builtins::getopts::Getopts,
    /// Names of computed variables that were unset.
    pub(crate) dead: Vec<Name>,
    pub(crate) names: Names,
    /// The nesting of functions, `eval` and sourced files.
    pub(crate) depth: u32,
    pub(crate) funcnest: u32,
    /// The status of the last command substitution in the words of this command.
    pub(crate) substitution_status: Option<i32>,
    pub(crate) disabled_builtins: Vec<&'static str>,
    pub(crate) history: Vec<crate::history::Entry>,
    pub(crate) record: crate::history::Record,
    pub(crate) completions: BucketTable<Rc<crate::builtins::complete::Spec>>,
    /// What the completion function that is running may change.
    pub(crate) completing: Option<crate::editor::Completing>,
    pub(crate) editor: crate::editor::Memory,
    /// The terminal's settings, as the last command in the foreground left them.
    pub(crate) terminal: Option<sys::Termios>,
    pub(crate) umask: Option<u32>,
    pub(crate) is_login: bool,
    /// The descriptors of process substitutions, which are closed when the command is over, and their processes.
    pub(crate) process_subs: Vec<sys::Fd>,
    pub(crate) trace_to: Option<sys::Fd>,
    /// Set in a cloned child. Traps and jobs of the parent are shown, but have no effect.
    pub(crate) in_child: bool,
    pub(crate) globignore: Vec<Vec<u8>>,
    pub(crate) time_zone: crate::builtins::TimeZone,
    /// The EXIT trap is running or has run.
    pub(crate) exiting: bool,
    pub(crate) regex_cache: HashMap<Vec<u8>, Rc<crate::regex::Regex>, rustc_hash::FxBuildHasher>,
    pub(crate) coprocs: Vec<crate::exec::coproc::RunningCoproc>,
    /// The nesting of evaluations, in which expansions of subscripts count several times.
    pub(crate) arith_depth: u32,
    /// Arguments `name=( ... )` of the running declaration builtin, by position.
    pub(crate) declared_arrays: Vec<(usize, Rc<Vec<sandshell_syntax::ast::ArrayElement>>)>,
    /// `exec` ran without a command, so its redirections stay.
    pub(crate) exec_kept: bool,
    /// When the shell started, nanoseconds since the epoch.
    pub(crate) started: u64,
    /// The status of a `[[ ]]` with operands that cannot be tested.
    pub(crate) failed_test: Option<i32>,
    /// The nesting of substitutions, `eval` and sourced files that `PS4` shows.
    pub(crate) trace_depth: u32,
    /// SIGINT has arrived while the shell waited for the foreground.
    pub(crate) interrupted: bool,
    /// What is added to line numbers in the text of the running code. In a substitution, for example, the first line
    /// counts as the line of the enclosing command.
    pub(crate) line_shift: i32,
    /// The line that applies until a simple command sets one: the last line read, or the first line of a function.
    pub(crate) base_line: u32,
    /// The compatibility level of `BASH_COMPAT`.
    pub(crate) compatibility: u8,
    /// What has begun, while none of its simple commands has run.
    pub(crate) begins: Option<Origin>,
    /// What the running simple command is the first of.
    pub(crate) first_of: Option<Origin>,
    /// The value of [`base_line`](Self::base_line) around the loop that begins.
    pub(crate) outer_line: u32,
    /// The next program replaces the shell, as bash sees it, and so gets the shell's own level.
    pub(crate) leaves_level: bool,
    /// The nesting of `eval`, `source` and `command` in conditions, which disable `set -e` for what they run.
    pub(crate) errexit_ignored: u32,
    /// This process is a stage of a pipeline.
    pub(crate) in_pipe: bool,
    /// While a program's redirections are applied: the descriptors that it will have.
    pub(crate) child_fds: crate::exec::redirect::FdMap,
    /// This process runs a `( list )`.
    pub(crate) in_parentheses: bool,
    /// `exit` is ending the shell.
    pub(crate) exit_called: bool,
    /// `$?` before the `return` being run.
    pub(crate) before_return: i32,
    /// The builtin was used wrongly. After a special builtin this ends a POSIX shell.
    pub(crate) usage_error: bool,
    /// The builtin that makes assignments itself. Errors in integer values name it.
    pub(crate) builtin: Option<&'static str>,
    /// This process is the child for one simple command of a pipeline or in the background. It ends as a `-c` text
    /// does.
    pub(crate) plain_child: bool,
    /// The words of such a child's command are being expanded.
    pub(crate) words_of_child: bool,
    /// A compound's standard input was redirected or is a pipe. Background commands inside then read it too.
    pub(crate) input_given: bool,
    /// Arguments of the running builtin that were written as `name[subscript]`. Their subscripts have been expanded
    /// already.
    pub(crate) references: Vec<Vec<u8>>,
    /// Names of locales that were requested but do not exist.
    pub(crate) unknown_locales: Vec<Vec<u8>>,
    /// The variables being assigned are for a program, so the shell's own locale does not change.
    pub(crate) foreign_locale: bool,
    /// With `extdebug`: the arguments of the shell and of the functions being called.
    pub(crate) call_args: Vec<Rc<Vec<Field>>>,
    /// `set` has replaced the positional parameters.
    pub(crate) args_set: bool,
    /// `$BASH`
    pub(crate) own_path: OwnPath,
    /// Where messages go.
    pub(crate) error_fd: sys::Fd,
    /// The parent has run the DEBUG trap for this process's command.
    pub(crate) debug_trap_ran: bool,
    /// The number of commands that were read from the input, for `\#` in prompts.
    pub(crate) commands_read: usize,
    /// After which command the end of input was ignored last, and how often.
    pub(crate) ends: (usize, usize),
    /// After which command the user was told of jobs that would be left.
    pub(crate) told_of_jobs: Option<usize>,
    /// `command` runs a builtin. In POSIX mode, failed assignments in it do not end the shell.
    pub(crate) in_command_builtin: bool,
    /// A prompt for the next command is being expanded.
    pub(crate) at_prompt: bool,
    /// The prompt is for the line editor.
    pub(crate) edits_prompt: bool,
    /// The innermost scope holds the assignments before the running program or builtin.
    pub(crate) own_assignments: bool,
    /// Copies of descriptors that are temporarily redirected; `None` is a free slot.
    pub(crate) saved_fds: Vec<Option<sys::Fd>>,
    /// `--dump-strings` and `--dump-po-strings`
    pub(crate) dump: Option<crate::print_only::Dump>,
}

/// Interned names that are looked up often.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) path: Name,
    pub(crate) ps4: Name,
    pub(crate) home: Name,
    pub(crate) optarg: Name,
    pub(crate) optind: Name,
    pub(crate) opterr: Name,
    pub(crate) reply: Name,
    pub(crate) pwd: Name,
    pub(crate) oldpwd: Name,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            path: Name::new(b"PATH"),
            ps4: Name::new(b"PS4"),
            home: Name::new(b"HOME"),
            optarg: Name::new(b"OPTARG"),
            optind: Name::new(b"OPTIND"),
            opterr: Name::new(b"OPTERR"),
            reply: Name::new(b"REPLY"),
            pwd: Name::new(b"PWD"),
            oldpwd: Name::new(b"OLDPWD"),
        }
    }
}

impl Shell {
    pub(crate) fn new() -> Self {
        Self {
            vars: Variables::default(),
            functions: Vec::new(),
            aliases: BTreeMap::new(),
            opts: Options::default(),
            status: 0,
            pipestatus: Vec::new(),
            line: 0,
            args: Rc::new(Vec::new()),
            arg0: b"bash".to_vec(),
            invoked_as: b"bash".to_vec(),
            frames: Vec::new(),
            loops: 0,
            tested: 0,
            jobs: Jobs::default(),
            traps: Traps::default(),
            ifs: Ifs::new(None),
            hash: Hash::default(),
            out: Vec::new(),
            capture: None,
            pid: sys::getpid(),
            parent: sys::getppid(),
            last_background: None,
            last_arg: Field::Owned(Vec::new()),
            given_last_arg: None,
            subshell: 0,
            reading_from: None,
            cwd: Vec::new(),
            dir_stack: Vec::new(),
            command_text: None,
            command: None,
            random: crate::random::Random::default(),
            seconds: (0, sys::realtime()),
            getopts: crate::builtins::getopts::Getopts::default(),
            dead: Vec::new(),
            names: Names::default(),
            depth: 0,
            funcnest: 0,
            substitution_status: None,
            disabled_builtins: Vec::new(),
            history: Vec::new(),
            record: crate::history::Record::default(),
            completions: BucketTable::new(COMPLETION_BUCKETS),
            completing: None,
            editor: crate::editor::Memory::default(),
            terminal: None,
            umask: None,
            is_login: false,
            process_subs: Vec::new(),
            trace_to: None,
            in_child: false,
            builtin: None,
            args_set: false,
            call_args: Vec::new(),
            references: Vec::new(),
            unknown_locales: Vec::new(),
            foreign_locale: false,
            plain_child: false,
            words_of_child: false,
            input_given: false,
            globignore: Vec::new(),
            time_zone: crate::builtins::TimeZone::default(),
            exiting: false,
            regex_cache: HashMap::default(),
            coprocs: Vec::new(),
            arith_depth: 0,
            declared_arrays: Vec::new(),
            exec_kept: false,
            started: sys::realtime(),
            failed_test: None,
            trace_depth: 0,
            interrupted: false,
            line_shift: 0,
            base_line: 0,
            outer_line: 0,
            begins: None,
            compatibility: 52,
            first_of: None,
            leaves_level: false,
            errexit_ignored: 0,
            in_pipe: false,
            in_parentheses: false,
            child_fds: Vec::new(),
            exit_called: false,
            before_return: 0,
            usage_error: false,
            own_path: OwnPath::default(),
            error_fd: 2,
            debug_trap_ran: false,
            commands_read: 0,
            ends: (0, 0),
            told_of_jobs: None,
            at_prompt: false,
            edits_prompt: false,
            in_command_builtin: false,
            own_assignments: false,
            saved_fds: Vec::new(),
            dump: None,
        }
    }

    /// Notes that the command being run is on this line of its source.
    #[inline]
    pub(crate) fn at_line(&mut self, line: u32) {
        self.line = line.saturating_add_signed(self.line_shift);
        if self.line == 0 && self.line_shift < 0 {
            self.line = 1;
        }
    }

    #[inline]
    pub(crate) fn posix(&self) -> bool {
        self.opts.has(flag::POSIX)
    }

    #[inline]
    pub(crate) fn function(&self, name: Name) -> Option<&Rc<FunctionEntry>> {
        self.functions.get(name.index()).and_then(Option::as_ref)
    }

    /// The function of that name.
    pub(crate) fn function_named(&self, name: &[u8]) -> Option<&Rc<FunctionEntry>> {
        Name::existing(name).and_then(|n| self.function(n))
    }

    pub(crate) fn define_function(&mut self, name: Name, entry: Rc<FunctionEntry>) {
        let index = name.index();
        if index >= self.functions.len() {
            self.functions.resize_with(index + 1, || None);
        }
        if entry.exported.get() {
            self.vars.touch();
        }
        if let Some(slot) = self.functions.get_mut(index) {
            *slot = Some(entry);
        }
    }

    /// Removes a function. Returns whether it was there.
    pub(crate) fn undefine_function(&mut self, name: Name) -> bool {
        let old = self.functions.get_mut(name.index()).and_then(Option::take);
        if old.as_ref().is_some_and(|f| f.exported.get()) {
            self.vars.touch();
        }
        old.is_some()
    }

    /// All functions in byte order of their names.
    pub(crate) fn all_functions(&self) -> Vec<(Rc<[u8]>, Rc<FunctionEntry>)> {
        let mut list: Vec<_> =
            self.functions.iter().flatten().map(|f| (f.function.name.bytes(), Rc::clone(f))).collect();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list
    }

    /// The environment that programs get.
    pub(crate) fn environment(&mut self) -> Rc<Vec<Vec<u8>>> {
        let functions = &self.functions;
        self.vars.environment(|| {
            let mut list = Vec::new();
            for f in functions.iter().flatten().filter(|f| f.exported.get()) {
                let text = sandshell_syntax::print::function(&f.function);
                let body =
                    text.iter().position(|b| *b == b'(').and_then(|i| text.get(i..)).unwrap_or_default();
                // Other shells recognise only text that begins with `() {` as a function.
                let body = match body.strip_prefix(b"() \n{ \n") {
                    Some(rest) => [b"() {  ", rest.trim_ascii_start()].concat(),
                    None => body.to_vec(),
                };
                list.push([b"BASH_FUNC_", &*f.function.name.bytes(), b"%%=", &body].concat());
            }
            list
        })
    }

    /// Appends to the output of the running builtin.
    #[inline]
    pub(crate) fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// Writes the output that [`put`](Self::put) collected.
    pub(crate) fn flush(&mut self) -> sys::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        if let Some(capture) = &mut self.capture {
            capture.append(&mut self.out);
            return Ok(());
        }
        let result = sys::write_all(1, &self.out);
        if self.out.capacity() > 64 * 1024 {
            self.out = Vec::new();
        }
        self.out.clear();
        result
    }

    /// The path of the running script or function; `None` at the top level of a `-c` text.
    pub(crate) fn source_name(&self) -> Option<&Bytes> {
        self.frames.last().map(|f| &f.source)
    }
}
