//! Every utility in one program: the name it is called by selects the applet.

mod applets;
mod missing;

use std::ffi::OsString;
use std::io::Write;

/// Tells the host the names of the table, and the test below.
macro_rules! declare {
    ($($name:literal),* $(,)?) => {
        sandshell_sys::applets!($($name),*);
        #[cfg(test)]
        const DECLARED: &[&str] = &[$($name),*];
    };
}

#[rustfmt::skip]
declare!(
    "[", "ar", "arch", "awk", "b2sum", "base32", "base64", "basename", "basenc", "bc",
    "bunzip2", "bzcat", "bzip2", "cal", "cat", "chgrp", "chmod", "chown", "chroot", "cksum",
    "cmp", "colrm", "column", "comm", "cp", "csplit", "curl", "cut", "date", "dc",
    "dd", "df", "diff", "diff3", "dir", "dircolors", "dirname", "du", "echo", "egrep",
    "env", "envsubst", "expand", "expr", "factor", "fallocate", "false", "fgrep", "file", "find",
    "findmnt", "flock", "fmt", "fold", "free", "gawk", "getent", "getopt", "gettext", "grep",
    "groups", "gunzip", "gzip", "hd", "head", "hexdump", "hostid", "hostname", "id", "install",
    "ionice", "join", "jq", "kill", "killall", "less", "link", "ln", "locale", "logname",
    "ls", "lzcat", "lzma", "make", "man", "md5sum", "mkdir", "mkfifo", "mknod", "mktemp",
    "more", "mount", "mountpoint", "mv", "ncal", "ngettext", "nice", "nl", "nohup", "nproc",
    "numfmt", "od", "passwd", "paste", "patch", "pathchk", "pgrep", "pidof", "pkill", "pr",
    "printenv", "printf", "ps", "ptx", "pwd", "readlink", "realpath", "renice", "rev", "rg",
    "rm", "rmdir", "sdiff", "sed", "seq", "setsid", "sha1sum", "sha224sum", "sha256sum", "sha384sum",
    "sha512sum", "shred", "shuf", "sleep", "sort", "split", "stat", "stdbuf", "strings", "stty",
    "sum", "sync", "tac", "tail", "tar", "taskset", "tee", "test", "time", "timedatectl",
    "timeout", "top", "touch", "tr", "tree", "true", "truncate", "tsort", "tty", "uname",
    "uncompress", "unexpand", "uniq", "unlink", "unlzma", "unxz", "unzip", "unzstd", "uptime", "users",
    "vdir", "watch", "wc", "wget", "whereis", "which", "who", "whoami", "xargs", "xxd",
    "xz", "xzcat", "yes", "yq", "zcat", "zegrep", "zfgrep", "zgrep", "zip", "zipinfo",
    "zstd", "zstdcat",
);

fn main() {
    sandshell_sys::init();
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let mut name = sandshell_sys::applet();
    if let Some(code) = missing::pack(&name, &args) {
        sandshell_sys::exit(code);
    }
    if applets::find(&name).is_none() && args.len() > 1 {
        // `util NAME ARGS…`, for development.
        args.remove(0);
        name = args[0].as_encoded_bytes().rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    }
    let code = match applets::find(&name) {
        Some(applet) => (applet.run)(args),
        None => {
            let mut err = std::io::stderr();
            let _ = writeln!(err, "{}: applet not found; there are:", String::from_utf8_lossy(&name));
            for applet in applets::APPLETS {
                let _ = writeln!(err, "  {:<12} {}", applet.name, applet.about);
            }
            127
        }
    };
    let _ = std::io::stdout().flush();
    sandshell_sys::exit((code & 0xff) as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declared_names_are_those_of_the_table() {
        let table: Vec<&str> = applets::APPLETS.iter().map(|applet| applet.name).collect();
        assert_eq!(DECLARED, table);
    }
}
