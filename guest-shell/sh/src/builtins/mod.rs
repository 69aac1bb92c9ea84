//! The builtin commands.

mod alias;
pub(crate) mod args;
mod basic;
pub(crate) mod bind;
pub(crate) mod cd;
pub(crate) mod complete;
pub(crate) mod declare;
mod dirs;
mod enable;
mod eval;
mod fc;
mod flow;
pub(crate) mod getopts;
mod hash;
mod help;
mod history;
mod jobs;
mod mapfile;
pub(crate) mod printf;
mod printf_command;
mod process;
pub(crate) mod read;
mod reference;
pub(crate) mod set;
pub(crate) mod shopt;
pub(crate) mod test;
mod test_command;
pub(crate) mod test_host;
pub(crate) mod time_zone;
mod trap;
mod type_command;
mod unset;

pub(crate) use alias::is_alias_name;
pub(crate) use reference::assign_reference;
pub(crate) use time_zone::TimeZone;

use crate::field::Field;
use crate::shell::{Run, Shell};

/// POSIX's classes of builtins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Found before functions in POSIX mode. Its errors end a script there.
    Special,
    Regular,
}

/// A builtin command.
#[derive(Debug)]
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Runs it. `args[0]` is its name; the status is left in [`Shell::status`], the output in [`Shell::out`].
    pub(crate) run: fn(&mut Shell, &[Field]) -> Run,
    /// The synopsis.
    pub(crate) usage: &'static str,
}

/// The builtin of that name, enabled or not.
#[inline]
pub(crate) fn find(name: &[u8]) -> Option<&'static Builtin> {
    TABLE.binary_search_by(|b| b.name.as_bytes().cmp(name)).ok().and_then(|i| TABLE.get(i))
}

/// All builtins, ordered by name.
pub(crate) fn all() -> &'static [Builtin] {
    TABLE
}

macro_rules! table {
    ($($name:literal $kind:ident $function:path, $usage:literal;)*) => {
        const TABLE: &[Builtin] = &[$(Builtin {
            name: $name,
            kind: Kind::$kind,
            run: |shell, args| {
                let status = $function(shell, args)?;
                shell.status = status;
                Ok(())
            },
            usage: $usage,
        }),*];
    };
}

table! {
    "." Special eval::source, ". filename [arguments]";
    ":" Special basic::succeed, ":";
    "[" Regular test_command::bracket, "[ arg... ]";
    "alias" Regular alias::alias, "alias [-p] [name[=value] ... ]";
    "bg" Regular jobs::bg, "bg [job_spec ...]";
    "bind" Regular bind::bind, "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]";
    "break" Special flow::break_loop, "break [n]";
    "builtin" Regular eval::builtin, "builtin [shell-builtin [arg ...]]";
    "caller" Regular flow::caller, "caller [expr]";
    "cd" Regular cd::cd, "cd [-L|[-P [-e]] [-@]] [dir]";
    "command" Regular eval::command, "command [-pVv] command [arg ...]";
    "compgen" Regular complete::compgen, "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]";
    "complete" Regular complete::complete, "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]";
    "compopt" Regular complete::compopt, "compopt [-o|+o option] [-DEI] [name ...]";
    "continue" Special flow::continue_loop, "continue [n]";
    "declare" Regular declare::declare, "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]";
    "dirs" Regular dirs::dirs, "dirs [-clpv] [+N] [-N]";
    "disown" Regular jobs::disown, "disown [-h] [-ar] [jobspec ... | pid ...]";
    "echo" Regular basic::echo, "echo [-neE] [arg ...]";
    "enable" Regular enable::enable, "enable [-a] [-dnps] [-f filename] [name ...]";
    "eval" Special eval::eval, "eval [arg ...]";
    "exec" Special eval::exec, "exec [-cl] [-a name] [command [argument ...]] [redirection ...]";
    "exit" Special flow::exit, "exit [n]";
    "export" Special declare::export, "export [-fn] [name[=value] ...] or export -p";
    "false" Regular basic::fail, "false";
    "fc" Regular fc::fc, "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]";
    "fg" Regular jobs::fg, "fg [job_spec]";
    "getopts" Regular getopts::getopts, "getopts optstring name [arg ...]";
    "hash" Regular hash::hash, "hash [-lr] [-p pathname] [-dt] [name ...]";
    "help" Regular help::help, "help [-dms] [pattern ...]";
    "history" Regular history::history, "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]";
    "jobs" Regular jobs::jobs, "jobs [-lnprs] [jobspec ...] or jobs -x command [args]";
    "kill" Regular trap::kill, "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]";
    "let" Regular basic::let_command, "let arg [arg ...]";
    "local" Regular declare::local, "local [option] name[=value] ...";
    "logout" Regular flow::logout, "logout [n]";
    "mapfile" Regular mapfile::mapfile, "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]";
    "popd" Regular dirs::popd, "popd [-n] [+N | -N]";
    "printf" Regular printf_command::printf, "printf [-v var] format [arguments]";
    "pushd" Regular dirs::pushd, "pushd [-n] [+N | -N | dir]";
    "pwd" Regular cd::pwd, "pwd [-LP]";
    "read" Regular read::read, "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]";
    "readarray" Regular mapfile::mapfile, "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]";
    "readonly" Special declare::readonly, "readonly [-aAf] [name[=value] ...] or readonly -p";
    "return" Special flow::return_function, "return [n]";
    "set" Special set::set, "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]";
    "shift" Special basic::shift, "shift [n]";
    "shopt" Regular shopt::shopt, "shopt [-pqsu] [-o] [optname ...]";
    "source" Special eval::source, "source filename [arguments]";
    "suspend" Regular jobs::suspend, "suspend [-f]";
    "test" Regular test_command::test, "test [expr]";
    "times" Special process::times, "times";
    "trap" Special trap::trap, "trap [-lp] [[arg] signal_spec ...]";
    "true" Regular basic::succeed, "true";
    "type" Regular type_command::type_command, "type [-afptP] name [name ...]";
    "typeset" Regular declare::declare, "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]";
    "ulimit" Regular process::ulimit, "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]";
    "umask" Regular process::umask, "umask [-p] [-S] [mode]";
    "unalias" Regular alias::unalias, "unalias [-a] name [name ...]";
    "unset" Special unset::unset, "unset [-f] [-v] [-n] [name ...]";
    "wait" Regular jobs::wait, "wait [-fn] [-p var] [id ...]";
}
