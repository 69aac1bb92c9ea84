//! Commands for things that a sandbox does not have. They say so, and name the alternative.
//!
//! Whatever they are told, the answer is the same, so they have no table of options.

use crate::base::say;
use sandshell_cli::out;

/// Runs `passwd` on its arguments (its own name first) and returns the exit status: 1 for a refusal.
pub fn passwd_main(args: Vec<Vec<u8>>) -> i32 {
    refuse(
        &args,
        "there are no passwords in a sandbox, and nobody logs in",
        "Usage: passwd [LOGIN]\n\nPasswords are not kept in a sandbox: every use but this is refused.\n\
         Its accounts are in /etc/passwd; see id and getent.\n",
    )
}

/// Runs `timedatectl` on its arguments (its own name first) and returns the exit status: 1 for a refusal.
pub fn timedatectl_main(args: Vec<Vec<u8>>) -> i32 {
    refuse(
        &args,
        "the clock and the time zone belong to whoever runs the sandbox; see date, and TZ for another zone",
        "Usage: timedatectl [COMMAND]\n\nThe clock of a sandbox is set from outside (sandshell exec --clock): every use but \
         this is refused.\n\nExamples:\n date\n TZ=Europe/Paris date\n",
    )
}

/// Runs `cc` or `gcc` on its arguments (its own name first) and returns the exit status: 1 for a refusal.
pub fn cc_main(args: Vec<Vec<u8>>) -> i32 {
    refuse(
        &args,
        "there is no compiler in a sandbox; `sandshell pack cc` compiles C for it, outside of it",
        "Usage: cc FILE...\n\nNothing is compiled in a sandbox: every use but this is refused. Whoever runs the sandbox can \
         compile a program\nfor it: sandshell pack cc -O2 hello.c -o hello\n",
    )
}

/// Runs `ssh` on its arguments (its own name first) and returns the exit status: 255, as for each failure of `ssh`.
pub fn ssh_main(args: Vec<Vec<u8>>) -> i32 {
    let usage = "Usage: ssh HOST\n\nA sandbox has no network: every use but this is refused.\n";
    match refuse(&args, "there is no network in a sandbox", usage) {
        0 => 0,
        _ => 255,
    }
}

fn refuse(args: &[Vec<u8>], why: &str, usage: &str) -> i32 {
    if args.iter().skip(1).any(|arg| matches!(arg.as_slice(), b"--help" | b"-h")) {
        out::put(usage);
        return out::finish("refused", 0, 1);
    }
    say::error(args, why);
    1
}
