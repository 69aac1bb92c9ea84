//! The table of applets.

use sandshell_coreutils::{apps, text};
use std::ffi::OsString;

/// A utility of the program.
pub(crate) struct Applet {
    /// The name it is called by.
    pub(crate) name: &'static str,
    /// Runs it on its arguments (its own name first); the exit status.
    pub(crate) run: fn(Vec<OsString>) -> i32,
    /// What it does.
    pub(crate) about: &'static str,
}

/// The applet of this name.
pub(crate) fn find(name: &[u8]) -> Option<&'static Applet> {
    APPLETS.iter().find(|a| a.name.as_bytes() == name)
}

/// An applet of this project.
macro_rules! own {
    ($name:literal, $run:expr, $about:literal) => {
        Applet { name: $name, run: $run, about: $about }
    };
}

/// An applet of this project that takes its arguments as bytes.
macro_rules! bytes {
    ($name:literal, $run:path, $about:literal) => {
        Applet {
            name: $name,
            run: |args| $run(args.into_iter().map(OsString::into_encoded_bytes).collect()),
            about: $about,
        }
    };
}

/// All applets, by name.
pub(crate) const APPLETS: &[Applet] = &[
    own!("[", text::test::bracket_main, "evaluate an expression"),
    own!("arch", text::small::arch_main, "print the machine's name"),
    bytes!("awk", sandshell_awk::awk_main, "process text by patterns"),
    own!("b2sum", text::checksum::b2sum_main, "BLAKE2 checksums"),
    own!("base32", text::basenc::base32_main, "base32 encode or decode"),
    own!("base64", text::basenc::base64_main, "base64 encode or decode"),
    own!("basename", text::names::basename_main, "last part of a name"),
    own!("basenc", text::basenc::basenc_main, "encode or decode data"),
    own!("cat", apps::cat::cat_main, "print files one after another"),
    own!("chgrp", apps::change::chgrp_main, "change group"),
    own!("chmod", apps::change::chmod_main, "change modes"),
    own!("chown", apps::change::chown_main, "change owner and group"),
    own!("chroot", apps::launch::chroot_main, "run a command with another root"),
    own!("cksum", text::checksum::cksum_main, "checksums"),
    bytes!("cmp", sandshell_diff::cmp_main, "compare two files byte by byte"),
    own!("comm", text::comm::comm_main, "compare sorted files line by line"),
    own!("cp", apps::copy::cp_main, "copy files"),
    own!("csplit", text::csplit::csplit_main, "split a file by patterns"),
    own!("cut", text::cut::cut_main, "parts of lines"),
    own!("date", apps::date::date_main, "print the time"),
    own!("dd", apps::dd::dd_main, "copy and convert"),
    own!("df", apps::df::df_main, "free space"),
    bytes!("diff", sandshell_diff::diff_main, "compare files line by line"),
    bytes!("diff3", sandshell_diff::diff3_main, "compare three files line by line"),
    own!("dir", apps::ls::dir_main, "list directories"),
    own!("dircolors", text::dircolors::dircolors_main, "colours for ls"),
    own!("dirname", text::names::dirname_main, "a name without its last part"),
    own!("du", apps::du::du_main, "disk usage"),
    own!("echo", text::echo::echo_main, "print arguments"),
    bytes!("egrep", sandshell_search::grep_main, "search with extended expressions"),
    own!("env", apps::run::env_main, "run a command in another environment"),
    own!("expand", text::tabs::expand_main, "tabs to blanks"),
    own!("expr", text::expr::expr_main, "evaluate an expression"),
    own!("factor", text::factor::factor_main, "prime factors"),
    own!("false", text::echo::false_main, "do nothing, fail"),
    bytes!("fgrep", sandshell_search::grep_main, "search for fixed strings"),
    bytes!("find", sandshell_search::find_main, "search for files"),
    own!("fmt", text::fmt::fmt_main, "fill paragraphs"),
    own!("fold", text::fold::fold_main, "break long lines"),
    bytes!("gawk", sandshell_awk::awk_main, "process text by patterns"),
    bytes!("grep", sandshell_search::grep_main, "search in files"),
    own!("groups", apps::identity::groups_main, "print groups"),
    own!("head", text::head::head_main, "first part of files"),
    own!("hostid", text::small::hostid_main, "print the host's number"),
    own!("hostname", apps::identity::hostname_main, "print the host name"),
    own!("id", apps::identity::id_main, "print user and groups"),
    own!("install", apps::copy::install_main, "copy files and set attributes"),
    own!("join", text::join::join_main, "join lines on a field"),
    bytes!("jq", sandshell_jq::jq_main, "process JSON"),
    own!("kill", apps::kill::kill_main, "send signals"),
    own!("link", apps::make::link_main, "make a hard link"),
    own!("ln", apps::ln::ln_main, "make links"),
    own!("logname", apps::identity::logname_main, "print the login name"),
    own!("ls", apps::ls::ls_main, "list directories"),
    own!("md5sum", text::checksum::md5sum_main, "MD5 checksums"),
    own!("mkdir", apps::make::mkdir_main, "make directories"),
    own!("mkfifo", apps::make::mkfifo_main, "make named pipes"),
    own!("mknod", apps::mknod::mknod_main, "make pipes"),
    own!("mktemp", apps::make::mktemp_main, "make a temporary file"),
    own!("mv", apps::copy::mv_main, "move files"),
    own!("nice", apps::launch::nice_main, "run a command with another priority"),
    own!("nl", text::nl::nl_main, "number lines"),
    own!("nohup", apps::launch::nohup_main, "run a command immune to hangups"),
    own!("nproc", apps::identity::nproc_main, "number of processors"),
    own!("numfmt", text::numfmt::numfmt_main, "convert numbers"),
    own!("od", text::od::od_main, "dump files"),
    own!("paste", text::paste::paste_main, "merge lines"),
    bytes!("patch", sandshell_diff::patch_main, "apply a diff to files"),
    own!("pathchk", apps::pathchk::pathchk_main, "check names"),
    own!("pr", text::pr::pr_main, "paginate for printing"),
    own!("printenv", text::small::printenv_main, "print the environment"),
    own!("printf", text::printf::printf_main, "format and print"),
    own!("ptx", text::ptx::ptx_main, "permuted index"),
    own!("pwd", text::small::pwd_main, "print the working directory"),
    own!("readlink", apps::realpath::readlink_main, "target of a symbolic link"),
    own!("realpath", apps::realpath::realpath_main, "resolve a name"),
    bytes!("rg", sandshell_search::rg_main, "search recursively"),
    own!("rm", apps::rm::rm_main, "remove files"),
    own!("rmdir", apps::make::rmdir_main, "remove empty directories"),
    bytes!("sed", sandshell_sed::sed_main, "edit lines by a script"),
    own!("seq", text::seq::seq_main, "print a sequence of numbers"),
    own!("sha1sum", text::checksum::sha1sum_main, "SHA-1 checksums"),
    own!("sha224sum", text::checksum::sha224sum_main, "SHA-224 checksums"),
    own!("sha256sum", text::checksum::sha256sum_main, "SHA-256 checksums"),
    own!("sha384sum", text::checksum::sha384sum_main, "SHA-384 checksums"),
    own!("sha512sum", text::checksum::sha512sum_main, "SHA-512 checksums"),
    own!("shred", apps::shred::shred_main, "overwrite and remove"),
    own!("shuf", text::shuf::shuf_main, "shuffle lines"),
    own!("sleep", text::small::sleep_main, "wait"),
    own!("sort", text::sort::sort_main, "sort lines"),
    own!("split", text::split::split_main, "split a file"),
    own!("stat", apps::stat::stat_main, "print file status"),
    own!("stdbuf", apps::launch::stdbuf_main, "run a command with other buffering"),
    own!("stty", apps::sessions::stty_main, "terminal settings"),
    own!("sum", text::checksum::sum_main, "checksum and blocks"),
    own!("sync", apps::make::sync_main, "write out cached data"),
    own!("tac", apps::cat::tac_main, "print lines in reverse"),
    own!("tail", text::tail::tail_main, "last part of files"),
    own!("tee", text::tee::tee_main, "copy input to files and output"),
    own!("test", text::test::test_main, "evaluate an expression"),
    own!("timeout", apps::run::timeout_main, "run a command with a time limit"),
    own!("touch", apps::touch::touch_main, "change times"),
    own!("tr", text::tr::tr_main, "translate characters"),
    own!("true", text::echo::true_main, "do nothing, succeed"),
    own!("truncate", text::truncate::truncate_main, "set the size of a file"),
    own!("tsort", text::tsort::tsort_main, "topological sort"),
    own!("tty", text::small::tty_main, "name of the terminal"),
    own!("uname", apps::identity::uname_main, "print system information"),
    own!("unexpand", text::tabs::unexpand_main, "blanks to tabs"),
    own!("uniq", text::uniq::uniq_main, "drop repeated lines"),
    own!("unlink", apps::make::unlink_main, "remove a name"),
    own!("users", apps::sessions::users_main, "who is logged in"),
    own!("vdir", apps::ls::vdir_main, "list directories at length"),
    own!("wc", text::wc::wc_main, "count lines, words and bytes"),
    own!("which", apps::run::which_main, "find a command"),
    own!("who", apps::sessions::who_main, "who is logged in"),
    own!("whoami", apps::identity::whoami_main, "print the user"),
    bytes!("xargs", sandshell_search::xargs_main, "build and run commands"),
    own!("yes", text::echo::yes_main, "print a line for ever"),
];
