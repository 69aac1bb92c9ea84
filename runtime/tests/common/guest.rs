//! Guests that are written as lists of calls with their expected results.
//!
//! [`Guest::wat`] turns the list into a module whose `_start` exits with 0, or with the number of the first step that
//! failed.

use std::collections::BTreeSet;
use std::fmt::Write;

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// An i32.
    I(i32),
    /// An i64.
    L(i64),
    /// The i32 at this address.
    At(u32),
    /// The parameter of the function that is being written.
    Parameter,
}

impl From<i32> for Arg {
    fn from(value: i32) -> Arg {
        Arg::I(value)
    }
}

pub use Arg::{At, I, L, Parameter};

/// WASI's error numbers, as far as tests expect them.
pub mod errno {
    pub const OK: i32 = 0;
    pub const ACCES: i32 = 2;
    pub const ADDRINUSE: i32 = 3;
    pub const ADDRNOTAVAIL: i32 = 4;
    pub const AFNOSUPPORT: i32 = 5;
    pub const AGAIN: i32 = 6;
    pub const BADF: i32 = 8;
    pub const CHILD: i32 = 12;
    pub const CONNREFUSED: i32 = 14;
    pub const EXIST: i32 = 20;
    pub const FAULT: i32 = 21;
    pub const FBIG: i32 = 22;
    pub const ILSEQ: i32 = 25;
    pub const INTR: i32 = 27;
    pub const INVAL: i32 = 28;
    pub const ISDIR: i32 = 31;
    pub const LOOP: i32 = 32;
    pub const MFILE: i32 = 33;
    pub const NAMETOOLONG: i32 = 37;
    pub const NETUNREACH: i32 = 40;
    pub const NOENT: i32 = 44;
    pub const NOEXEC: i32 = 45;
    pub const NOLCK: i32 = 46;
    pub const NOTCONN: i32 = 53;
    pub const NOTDIR: i32 = 54;
    pub const NOTEMPTY: i32 = 55;
    pub const NOTSOCK: i32 = 57;
    pub const NOTTY: i32 = 59;
    pub const PERM: i32 = 63;
    pub const PIPE: i32 = 64;
    pub const SPIPE: i32 = 70;
    pub const SRCH: i32 = 71;
    pub const NOTCAPABLE: i32 = 76;
}

/// (module, function, parameters as letters: i or I for i32 and i64, whether it returns an i32)
pub const FUNCTIONS: &[(&str, &str, &str, bool)] = &[
    ("wasi_snapshot_preview1", "args_get", "ii", true),
    ("wasi_snapshot_preview1", "args_sizes_get", "ii", true),
    ("wasi_snapshot_preview1", "environ_get", "ii", true),
    ("wasi_snapshot_preview1", "environ_sizes_get", "ii", true),
    ("wasi_snapshot_preview1", "clock_res_get", "ii", true),
    ("wasi_snapshot_preview1", "clock_time_get", "iIi", true),
    ("wasi_snapshot_preview1", "fd_advise", "iIIi", true),
    ("wasi_snapshot_preview1", "fd_allocate", "iII", true),
    ("wasi_snapshot_preview1", "fd_close", "i", true),
    ("wasi_snapshot_preview1", "fd_datasync", "i", true),
    ("wasi_snapshot_preview1", "fd_fdstat_get", "ii", true),
    ("wasi_snapshot_preview1", "fd_fdstat_set_flags", "ii", true),
    ("wasi_snapshot_preview1", "fd_fdstat_set_rights", "iII", true),
    ("wasi_snapshot_preview1", "fd_filestat_get", "ii", true),
    ("wasi_snapshot_preview1", "fd_filestat_set_size", "iI", true),
    ("wasi_snapshot_preview1", "fd_filestat_set_times", "iIIi", true),
    ("wasi_snapshot_preview1", "fd_pread", "iiiIi", true),
    ("wasi_snapshot_preview1", "fd_prestat_get", "ii", true),
    ("wasi_snapshot_preview1", "fd_prestat_dir_name", "iii", true),
    ("wasi_snapshot_preview1", "fd_pwrite", "iiiIi", true),
    ("wasi_snapshot_preview1", "fd_read", "iiii", true),
    ("wasi_snapshot_preview1", "fd_readdir", "iiiIi", true),
    ("wasi_snapshot_preview1", "fd_renumber", "ii", true),
    ("wasi_snapshot_preview1", "fd_seek", "iIii", true),
    ("wasi_snapshot_preview1", "fd_sync", "i", true),
    ("wasi_snapshot_preview1", "fd_tell", "ii", true),
    ("wasi_snapshot_preview1", "fd_write", "iiii", true),
    ("wasi_snapshot_preview1", "path_create_directory", "iii", true),
    ("wasi_snapshot_preview1", "path_filestat_get", "iiiii", true),
    ("wasi_snapshot_preview1", "path_filestat_set_times", "iiiiIIi", true),
    ("wasi_snapshot_preview1", "path_link", "iiiiiii", true),
    ("wasi_snapshot_preview1", "path_open", "iiiiiIIii", true),
    ("wasi_snapshot_preview1", "path_readlink", "iiiiii", true),
    ("wasi_snapshot_preview1", "path_remove_directory", "iii", true),
    ("wasi_snapshot_preview1", "path_rename", "iiiiii", true),
    ("wasi_snapshot_preview1", "path_symlink", "iiiii", true),
    ("wasi_snapshot_preview1", "path_unlink_file", "iii", true),
    ("wasi_snapshot_preview1", "poll_oneoff", "iiii", true),
    ("wasi_snapshot_preview1", "proc_exit", "i", false),
    ("wasi_snapshot_preview1", "proc_raise", "i", true),
    ("wasi_snapshot_preview1", "sched_yield", "", true),
    ("wasi_snapshot_preview1", "random_get", "ii", true),
    ("wasi_snapshot_preview1", "sock_accept", "iii", true),
    ("wasi_snapshot_preview1", "sock_recv", "iiiiii", true),
    ("wasi_snapshot_preview1", "sock_send", "iiiii", true),
    ("wasi_snapshot_preview1", "sock_shutdown", "ii", true),
    ("sandshell", "spawn", "ii", true),
    ("sandshell", "clone", "iiii", true),
    ("sandshell", "exec", "i", true),
    ("sandshell", "wait", "iii", true),
    ("sandshell", "kill", "ii", true),
    ("sandshell", "getpid", "", true),
    ("sandshell", "getppid", "", true),
    ("sandshell", "getpgid", "ii", true),
    ("sandshell", "setpgid", "ii", true),
    ("sandshell", "setsid", "i", true),
    ("sandshell", "getids", "i", true),
    ("sandshell", "umask", "i", true),
    ("sandshell", "times", "i", true),
    ("sandshell", "getrlimit", "ii", true),
    ("sandshell", "setrlimit", "iII", true),
    ("sandshell", "sigaction", "iii", true),
    ("sandshell", "sigtake", "", true),
    ("sandshell", "alarm", "Ii", true),
    ("sandshell", "pipe", "ii", true),
    ("sandshell", "socketpair", "ii", true),
    ("sandshell", "socket", "iiii", true),
    ("sandshell", "bind", "iii", true),
    ("sandshell", "listen", "ii", true),
    ("sandshell", "accept", "iii", true),
    ("sandshell", "connect", "iii", true),
    ("sandshell", "getname", "iiiii", true),
    ("sandshell", "send", "iiiiiii", true),
    ("sandshell", "recv", "iiiiiiii", true),
    ("sandshell", "shutdown", "ii", true),
    ("sandshell", "getsockopt", "iiii", true),
    ("sandshell", "setsockopt", "iiii", true),
    ("sandshell", "dup", "iiii", true),
    ("sandshell", "dup2", "iii", true),
    ("sandshell", "getfd", "ii", true),
    ("sandshell", "setfd", "ii", true),
    ("sandshell", "open", "iiiiii", true),
    ("sandshell", "stat", "iiiii", true),
    ("sandshell", "fstat", "ii", true),
    ("sandshell", "chmod", "iiiii", true),
    ("sandshell", "fchmod", "ii", true),
    ("sandshell", "chown", "iiiiii", true),
    ("sandshell", "access", "iiiii", true),
    ("sandshell", "mkdir", "iiii", true),
    ("sandshell", "mknod", "iiii", true),
    ("sandshell", "statfs", "iii", true),
    ("sandshell", "truncate", "iiiI", true),
    ("sandshell", "unlink", "iiii", true),
    ("sandshell", "rename", "iiiiii", true),
    ("sandshell", "link", "iiiiiii", true),
    ("sandshell", "symlink", "iiiii", true),
    ("sandshell", "readlink", "iiiiii", true),
    ("sandshell", "utimens", "iiiiIiIi", true),
    ("sandshell", "chdir", "iii", true),
    ("sandshell", "getcwd", "iii", true),
    ("sandshell", "flock", "ii", true),
    ("sandshell", "lock", "iiiIIi", true),
    ("sandshell", "isatty", "i", true),
    ("sandshell", "tty_size", "ii", true),
    ("sandshell", "tty_set_size", "iii", true),
    ("sandshell", "tty_mode", "ii", true),
    ("sandshell", "tcgetattr", "ii", true),
    ("sandshell", "tcsetattr", "iii", true),
    ("sandshell", "tcflush", "ii", true),
    ("sandshell", "tcgetpgrp", "ii", true),
    ("sandshell", "tcsetpgrp", "ii", true),
    ("sandshell", "applet", "iii", true),
    ("sandshell", "nproc", "", true),
    ("sandshell", "hostname", "iii", true),
    ("sandshell", "session_read", "iii", true),
    ("sandshell", "session_answer", "i", true),
];

/// A module under construction. Memory below 4096 is for the test; texts are placed from 4096 on.
pub struct Guest {
    used: BTreeSet<&'static str>,
    data: String,
    next_text: u32,
    start: String,
    functions: Vec<String>,
    in_function: bool,
    steps: Vec<String>,
}

impl Guest {
    pub fn new() -> Guest {
        Guest {
            used: BTreeSet::from(["proc_exit"]),
            data: String::new(),
            next_text: 4096,
            start: String::new(),
            functions: Vec::new(),
            in_function: false,
            steps: Vec::new(),
        }
    }

    /// Places bytes in memory: (address, length).
    pub fn text(&mut self, bytes: impl AsRef<[u8]>) -> (i32, i32) {
        let at = self.next_text;
        let bytes = bytes.as_ref();
        self.bytes(at, bytes);
        self.next_text += u32::try_from(bytes.len()).unwrap().next_multiple_of(8);
        (at.cast_signed(), i32::try_from(bytes.len()).unwrap())
    }

    /// Places bytes at an address.
    pub fn bytes(&mut self, at: u32, bytes: &[u8]) -> &mut Self {
        let escaped: String = bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
        writeln!(self.data, "(data (i32.const {at}) \"{escaped}\")").unwrap();
        self
    }

    /// Places little-endian words at an address.
    pub fn words(&mut self, at: u32, words: &[i32]) -> &mut Self {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.bytes(at, &bytes)
    }

    /// Calls a function, which must return `expected`.
    pub fn call(&mut self, name: &'static str, args: &[Arg], expected: i32) -> &mut Self {
        self.push_call(name, args);
        let step = self.step(format!("{name}{args:?} != {expected}"));
        self.expect(expected, step)
    }

    /// Calls a function and stores its result at an address.
    pub fn store(&mut self, name: &'static str, args: &[Arg], at: u32) -> &mut Self {
        self.body(&format!("(i32.const {at})"));
        self.push_call(name, args);
        self.body("(i32.store)")
    }

    /// Calls a function and ignores its result.
    pub fn ignore(&mut self, name: &'static str, args: &[Arg]) -> &mut Self {
        self.push_call(name, args);
        self.body("(drop)")
    }

    /// The i32 at an address must be this.
    pub fn word(&mut self, at: u32, expected: i32) -> &mut Self {
        self.body(&format!("(i32.load (i32.const {at}))"));
        let step = self.step(format!("word at {at} != {expected}"));
        self.expect(expected, step)
    }

    /// The byte at an address must be this.
    pub fn byte(&mut self, at: u32, expected: u8) -> &mut Self {
        self.body(&format!("(i32.load8_u (i32.const {at}))"));
        let step = self.step(format!("byte at {at} != {expected}"));
        self.expect(i32::from(expected), step)
    }

    /// Raw instructions.
    pub fn raw(&mut self, text: &str) -> &mut Self {
        self.body(text)
    }

    /// Begins a function `(i32) -> i32` and returns its index in the table. End it with [`end`](Self::end).
    pub fn function(&mut self) -> i32 {
        self.in_function = true;
        self.functions.push(String::new());
        i32::try_from(self.functions.len()).unwrap()
    }

    /// Ends the function with this return value.
    pub fn end(&mut self, result: i32) {
        self.body(&format!("(i32.const {result})"));
        self.in_function = false;
    }

    /// Writes a text to a descriptor.
    pub fn print(&mut self, fd: Arg, text: &str) -> &mut Self {
        let (at, len) = self.text(text);
        let (vector, _) = self.text([at.to_le_bytes(), len.to_le_bytes()].concat());
        self.call("fd_write", &[fd, I(vector), I(1), I(vector + 4)], 0)
    }

    /// The module.
    pub fn wat(&self) -> String {
        let mut text = String::from("(module\n(type $entry (func (param i32) (result i32)))\n");
        for (module, name, params, result) in FUNCTIONS.iter().filter(|known| self.used.contains(known.1)) {
            let params: String =
                params.chars().map(|letter| if letter == 'i' { " i32" } else { " i64" }).collect();
            let result = if *result { " (result i32)" } else { "" };
            writeln!(text, "(import \"{module}\" \"{name}\" (func ${name} (param{params}){result}))")
                .unwrap();
        }
        writeln!(text, "(memory (export \"memory\") 4)").unwrap();
        writeln!(text, "(global (export \"__stack_pointer\") (mut i32) (i32.const 131072))").unwrap();
        writeln!(text, "(table (export \"__indirect_function_table\") {} funcref)", self.functions.len() + 1)
            .unwrap();
        for (index, body) in self.functions.iter().enumerate() {
            writeln!(
                text,
                "(func $f{index} (type $entry) (local $n i32) {body})\n(elem (i32.const {}) $f{index})",
                index + 1
            )
            .unwrap();
        }
        writeln!(text, "{}(func (export \"_start\")\n{})\n)", self.data, self.start).unwrap();
        text
    }

    /// Describes the step that failed, from the guest's exit code.
    pub fn describe(&self, step: u8) -> String {
        let what = self.steps.get(usize::from(step) - 1).map_or("(no such step)", |step| step);
        format!("step {step} failed: {what}")
    }

    fn body(&mut self, text: &str) -> &mut Self {
        let body = match self.functions.last_mut() {
            Some(function) if self.in_function => function,
            _ => &mut self.start,
        };
        body.push_str(text);
        body.push('\n');
        self
    }

    fn step(&mut self, description: String) -> usize {
        self.steps.push(description);
        assert!(self.steps.len() < 250, "too many steps for an exit code");
        self.steps.len()
    }

    fn expect(&mut self, expected: i32, step: usize) -> &mut Self {
        self.body(&format!(
            "(i32.const {expected}) (i32.ne) (if (then (call $proc_exit (i32.const {step}))))"
        ))
    }

    fn push_call(&mut self, name: &'static str, args: &[Arg]) {
        let known =
            FUNCTIONS.iter().find(|known| known.1 == name).unwrap_or_else(|| panic!("no function {name}"));
        assert_eq!(known.2.len(), args.len(), "arguments of {name}");
        self.used.insert(name);
        let args: String = args
            .iter()
            .map(|arg| match arg {
                I(value) => format!(" (i32.const {value})"),
                L(value) => format!(" (i64.const {value})"),
                At(at) => format!(" (i32.load (i32.const {at}))"),
                Parameter => " (local.get 0)".into(),
            })
            .collect();
        self.body(&format!("(call ${name}{args})"));
    }
}
