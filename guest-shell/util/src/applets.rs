//! The table of applets.

use sandshell_coreutils as coreutils;
use std::ffi::OsString;

/// A utility of the program.
pub(crate) struct Applet {
    pub(crate) name: &'static str,
    /// Runs it on its arguments (its own name first) and returns the exit status.
    pub(crate) run: fn(Vec<OsString>) -> i32,
    /// A short description.
    pub(crate) about: &'static str,
}

/// The applet of this name.
pub(crate) fn find(name: &[u8]) -> Option<&'static Applet> {
    APPLETS.iter().find(|a| a.name.as_bytes() == name)
}

/// An entry for an applet of this project.
macro_rules! own {
    ($name:literal, $run:expr, $about:literal) => {
        Applet { name: $name, run: $run, about: $about }
    };
}

/// An entry for an applet of this project that takes its arguments as bytes.
macro_rules! bytes {
    ($name:literal, $run:path, $about:literal) => {
        Applet {
            name: $name,
            run: |args| $run(args.into_iter().map(OsString::into_encoded_bytes).collect()),
            about: $about,
        }
    };
}

/// Makes the table, and a custom section that tells the host the names.
macro_rules! table {
    ($($kind:ident!($name:literal, $run:path, $about:literal),)*) => {
        /// All applets, sorted by name.
        pub(crate) const APPLETS: &[Applet] = &[$($kind!($name, $run, $about)),*];
        sandshell_sys::applets!($($name),*);
    };
}

table! {
    own!("[", coreutils::test::bracket_main, "evaluate an expression"),
    bytes!("ar", sandshell_archive::ar_main, "archives of files, libraries"),
    own!("arch", coreutils::arch::arch_main, "print the machine's name"),
    bytes!("awk", sandshell_awk::awk_main, "process text by patterns"),
    own!("b2sum", coreutils::checksum::b2sum_main, "BLAKE2 checksums"),
    own!("base32", coreutils::basenc::base32_main, "base32 encode or decode"),
    own!("base64", coreutils::basenc::base64_main, "base64 encode or decode"),
    own!("basename", coreutils::basename::basename_main, "last part of a name"),
    own!("basenc", coreutils::basenc::basenc_main, "encode or decode data"),
    bytes!("bc", sandshell_calc::bc_main, "arbitrary-precision calculator language"),
    bytes!("bunzip2", sandshell_archive::bzip2_main, "expand files"),
    bytes!("bzcat", sandshell_archive::bzip2_main, "expand files to standard output"),
    bytes!("bzegrep", sandshell_archive::zgrep_main, "search compressed files"),
    bytes!("bzfgrep", sandshell_archive::zgrep_main, "search compressed files"),
    bytes!("bzgrep", sandshell_archive::zgrep_main, "search compressed files"),
    bytes!("bzip2", sandshell_archive::bzip2_main, "compress files"),
    bytes!("cal", sandshell_system::cal_main, "display a calendar"),
    own!("cat", coreutils::cat::cat_main, "print files one after another"),
    bytes!("cc", sandshell_system::cc_main, "say how to compile for a sandbox"),
    own!("chgrp", coreutils::chown::chgrp_main, "change group"),
    own!("chmod", coreutils::chmod::chmod_main, "change modes"),
    own!("chown", coreutils::chown::chown_main, "change owner and group"),
    own!("chroot", coreutils::chroot::chroot_main, "run a command with another root"),
    own!("cksum", coreutils::checksum::cksum_main, "checksums"),
    bytes!("clear", sandshell_system::clear_main, "clear the screen"),
    bytes!("cmp", sandshell_diff::cmp_main, "find the first difference of two files"),
    bytes!("col", sandshell_inspect::col_main, "text without reverse line feeds"),
    bytes!("colrm", sandshell_inspect::colrm_main, "remove columns"),
    bytes!("column", sandshell_inspect::column_main, "lines in columns"),
    own!("comm", coreutils::comm::comm_main, "lines that two sorted files share"),
    own!("cp", coreutils::copy::cp_main, "copy files"),
    own!("csplit", coreutils::csplit::csplit_main, "split a file by patterns"),
    bytes!("curl", sandshell_system::curl_main, "transfer files, without a network"),
    own!("cut", coreutils::cut::cut_main, "parts of lines"),
    own!("date", coreutils::date::date_main, "print the time"),
    bytes!("dc", sandshell_calc::dc_main, "reverse-Polish calculator"),
    own!("dd", coreutils::dd::dd_main, "copy and convert"),
    own!("df", coreutils::df::df_main, "free space"),
    bytes!("diff", sandshell_diff::diff_main, "differences of files"),
    bytes!("diff3", sandshell_diff::diff3_main, "differences of three files"),
    own!("dir", coreutils::ls::dir_main, "list directories"),
    own!("dircolors", coreutils::dircolors::dircolors_main, "colours for ls"),
    own!("dirname", coreutils::dirname::dirname_main, "a name without its last part"),
    own!("du", coreutils::du::du_main, "disk usage"),
    own!("echo", coreutils::echo::echo_main, "print arguments"),
    own!("ed", coreutils::ed::ed_main, "edit text line by line"),
    bytes!("egrep", sandshell_search::grep_main, "search with extended expressions"),
    own!("env", coreutils::env::env_main, "run a command in another environment"),
    bytes!("envsubst", sandshell_system::envsubst_main, "replace variables in text"),
    own!("expand", coreutils::expand::expand_main, "tabs to blanks"),
    own!("expr", coreutils::expr::expr_main, "evaluate an expression"),
    own!("factor", coreutils::factor::factor_main, "prime factors"),
    bytes!("fallocate", sandshell_system::fallocate_main, "reserve space for a file"),
    own!("false", coreutils::true_false::false_main, "do nothing, fail"),
    bytes!("fgrep", sandshell_search::grep_main, "search for fixed strings"),
    bytes!("file", sandshell_system::file_main, "tell kinds of files"),
    bytes!("find", sandshell_search::find_main, "search for files"),
    bytes!("findmnt", sandshell_system::findmnt_main, "list mounts"),
    bytes!("flock", sandshell_system::flock_main, "hold a lock while a command runs"),
    own!("fmt", coreutils::fmt::fmt_main, "fill paragraphs"),
    own!("fold", coreutils::fold::fold_main, "break long lines"),
    bytes!("free", sandshell_system::free_main, "show memory"),
    bytes!("gawk", sandshell_awk::awk_main, "process text by patterns"),
    bytes!("gcc", sandshell_system::cc_main, "say how to compile for a sandbox"),
    bytes!("getconf", sandshell_system::getconf_main, "show limits and options of the system"),
    bytes!("getent", sandshell_system::getent_main, "look up users, groups and hosts"),
    bytes!("getopt", sandshell_system::getopt_main, "parse options for scripts"),
    bytes!("gettext", sandshell_system::gettext_main, "print a message"),
    bytes!("grep", sandshell_search::grep_main, "search in files"),
    own!("groups", coreutils::groups::groups_main, "print groups"),
    bytes!("gunzip", sandshell_archive::gzip_main, "expand files"),
    bytes!("gzip", sandshell_archive::gzip_main, "compress files"),
    bytes!("hd", sandshell_inspect::hexdump_main, "dump files in hexadecimal"),
    own!("head", coreutils::head::head_main, "how files begin"),
    bytes!("hexdump", sandshell_inspect::hexdump_main, "dump files in formats"),
    own!("hostid", coreutils::hostid::hostid_main, "print the host's number"),
    own!("hostname", coreutils::hostname::hostname_main, "print the host name"),
    bytes!("iconv", sandshell_system::iconv_main, "convert between character sets"),
    own!("id", coreutils::id::id_main, "print user and groups"),
    own!("install", coreutils::copy::install_main, "copy files, with their modes and owners"),
    bytes!("ionice", sandshell_system::ionice_main, "run with an I/O priority"),
    own!("join", coreutils::join::join_main, "join lines on a field"),
    bytes!("jq", sandshell_jq::jq_main, "process JSON"),
    own!("kill", coreutils::kill::kill_main, "send signals"),
    bytes!("killall", sandshell_system::killall_main, "signal processes by name"),
    bytes!("less", sandshell_view::less_main, "show text"),
    own!("link", coreutils::link::link_main, "make a hard link"),
    own!("ln", coreutils::ln::ln_main, "make links"),
    bytes!("locale", sandshell_system::locale_main, "show locale settings"),
    own!("logname", coreutils::logname::logname_main, "print the login name"),
    own!("ls", coreutils::ls::ls_main, "list directories"),
    bytes!("lsof", sandshell_system::lsof_main, "list open files"),
    bytes!("lzcat", sandshell_archive::xz_main, "expand files to standard output"),
    bytes!("lzma", sandshell_archive::xz_main, "compress files"),
    bytes!("make", sandshell_make::make_main, "keep files up to date by rules"),
    bytes!("man", sandshell_system::man_main, "show a command's help"),
    own!("md5sum", coreutils::checksum::md5sum_main, "MD5 checksums"),
    own!("mkdir", coreutils::mkdir::mkdir_main, "make directories"),
    own!("mkfifo", coreutils::mkfifo::mkfifo_main, "make named pipes"),
    own!("mknod", coreutils::mknod::mknod_main, "make pipes"),
    own!("mktemp", coreutils::mktemp::mktemp_main, "make a temporary file"),
    bytes!("more", sandshell_view::more_main, "show text"),
    bytes!("mount", sandshell_system::mount_main, "list mounts"),
    bytes!("mountpoint", sandshell_system::mountpoint_main, "tell whether a directory is a mount point"),
    own!("mv", coreutils::copy::mv_main, "move files"),
    bytes!("nc", sandshell_system::nc_main, "connect programs"),
    bytes!("ncal", sandshell_system::ncal_main, "display a calendar"),
    bytes!("ngettext", sandshell_system::ngettext_main, "print a message in singular or plural"),
    own!("nice", coreutils::nice::nice_main, "run a command with another priority"),
    own!("nl", coreutils::nl::nl_main, "number lines"),
    own!("nohup", coreutils::nohup::nohup_main, "run a command that outlives its terminal"),
    own!("nproc", coreutils::nproc::nproc_main, "number of processors"),
    own!("numfmt", coreutils::numfmt::numfmt_main, "convert numbers"),
    own!("od", coreutils::od::od_main, "dump files"),
    bytes!("passwd", sandshell_system::passwd_main, "say that there are no passwords"),
    own!("paste", coreutils::paste::paste_main, "merge lines"),
    bytes!("patch", sandshell_diff::patch_main, "apply a diff to files"),
    own!("pathchk", coreutils::pathchk::pathchk_main, "check names"),
    bytes!("pgrep", sandshell_system::pgrep_main, "find processes"),
    bytes!("pidof", sandshell_system::pidof_main, "find processes by name"),
    bytes!("pkill", sandshell_system::pkill_main, "signal processes by name"),
    own!("pr", coreutils::pr::pr_main, "paginate for printing"),
    own!("printenv", coreutils::printenv::printenv_main, "print the environment"),
    own!("printf", coreutils::printf::printf_main, "format and print"),
    bytes!("ps", sandshell_system::ps_main, "list processes"),
    own!("ptx", coreutils::ptx::ptx_main, "permuted index"),
    own!("pwd", coreutils::pwd::pwd_main, "print the working directory"),
    own!("readlink", coreutils::readlink::readlink_main, "what a symbolic link stands for"),
    own!("realpath", coreutils::realpath::realpath_main, "resolve a name"),
    bytes!("renice", sandshell_system::renice_main, "change priorities"),
    bytes!("rev", sandshell_inspect::rev_main, "reverse lines"),
    bytes!("rg", sandshell_search::rg_main, "search recursively"),
    own!("rm", coreutils::rm::rm_main, "remove files"),
    own!("rmdir", coreutils::rmdir::rmdir_main, "remove empty directories"),
    bytes!("sdiff", sandshell_diff::sdiff_main, "compare side by side"),
    bytes!("sed", sandshell_sed::sed_main, "edit lines by a script"),
    own!("seq", coreutils::seq::seq_main, "count"),
    bytes!("setsid", sandshell_system::setsid_main, "run in a new session"),
    own!("sha1sum", coreutils::checksum::sha1sum_main, "SHA-1 checksums"),
    own!("sha224sum", coreutils::checksum::sha224sum_main, "SHA-224 checksums"),
    own!("sha256sum", coreutils::checksum::sha256sum_main, "SHA-256 checksums"),
    own!("sha384sum", coreutils::checksum::sha384sum_main, "SHA-384 checksums"),
    own!("sha512sum", coreutils::checksum::sha512sum_main, "SHA-512 checksums"),
    own!("shasum", coreutils::checksum::shasum_main, "SHA checksums"),
    own!("shred", coreutils::shred::shred_main, "overwrite and remove"),
    own!("shuf", coreutils::shuf::shuf_main, "shuffle lines"),
    own!("sleep", coreutils::sleep::sleep_main, "wait"),
    own!("sort", coreutils::sort::sort_main, "sort lines"),
    own!("split", coreutils::split::split_main, "split a file"),
    bytes!("ssh", sandshell_system::ssh_main, "say that there is no network"),
    own!("stat", coreutils::stat::stat_main, "print file status"),
    own!("stdbuf", coreutils::stdbuf::stdbuf_main, "run a command with other buffering"),
    bytes!("strings", sandshell_inspect::strings_main, "printable strings of files"),
    own!("stty", coreutils::stty::stty_main, "terminal settings"),
    own!("sum", coreutils::checksum::sum_main, "checksum and blocks"),
    own!("sync", coreutils::sync::sync_main, "write out cached data"),
    own!("tac", coreutils::tac::tac_main, "print lines in reverse"),
    own!("tail", coreutils::tail::tail_main, "how files end"),
    bytes!("tar", sandshell_archive::tar_main, "archives of files"),
    bytes!("taskset", sandshell_system::taskset_main, "run a command on some processors"),
    own!("tee", coreutils::tee::tee_main, "copy input to files and output"),
    own!("test", coreutils::test::test_main, "evaluate an expression"),
    bytes!("time", sandshell_system::time_main, "measure a command"),
    bytes!("timedatectl", sandshell_system::timedatectl_main, "say how to set time and zone"),
    own!("timeout", coreutils::timeout::timeout_main, "end a command after some time"),
    bytes!("top", sandshell_system::top_main, "show processes as they work"),
    own!("touch", coreutils::touch::touch_main, "change times"),
    bytes!("tput", sandshell_system::tput_main, "what a terminal can do"),
    own!("tr", coreutils::tr::tr_main, "translate characters"),
    bytes!("tree", sandshell_inspect::tree_main, "directories as a tree"),
    own!("true", coreutils::true_false::true_main, "do nothing, succeed"),
    own!("truncate", coreutils::truncate::truncate_main, "set the size of a file"),
    own!("tsort", coreutils::tsort::tsort_main, "put things in order by pairs"),
    own!("tty", coreutils::tty::tty_main, "name of the terminal"),
    own!("uname", coreutils::uname::uname_main, "name and version of the system"),
    bytes!("uncompress", sandshell_archive::gzip_main, "expand files"),
    own!("unexpand", coreutils::unexpand::unexpand_main, "blanks to tabs"),
    own!("uniq", coreutils::uniq::uniq_main, "drop repeated lines"),
    own!("unlink", coreutils::link::unlink_main, "remove a name"),
    bytes!("unlzma", sandshell_archive::xz_main, "expand files"),
    bytes!("unxz", sandshell_archive::xz_main, "expand files"),
    bytes!("unzip", sandshell_archive::unzip_main, "unpack zip archives"),
    bytes!("unzstd", sandshell_archive::zstd_main, "expand files"),
    bytes!("uptime", sandshell_system::uptime_main, "show how long the system runs"),
    own!("users", coreutils::users::users_main, "who is logged in"),
    bytes!("uudecode", sandshell_inspect::uudecode_main, "text to files again"),
    bytes!("uuencode", sandshell_inspect::uuencode_main, "files as text"),
    bytes!("uuidgen", sandshell_system::uuidgen_main, "make unique identifiers"),
    own!("vdir", coreutils::ls::vdir_main, "list directories at length"),
    bytes!("vi", sandshell_view::vi_main, "edit files"),
    bytes!("watch", sandshell_system::watch_main, "run a command again and again"),
    own!("wc", coreutils::wc::wc_main, "count lines, words and bytes"),
    bytes!("wget", sandshell_system::wget_main, "fetch files, without a network"),
    bytes!("whereis", sandshell_system::whereis_main, "find programs"),
    own!("which", coreutils::which::which_main, "find a command"),
    own!("who", coreutils::who::who_main, "who is logged in"),
    own!("whoami", coreutils::whoami::whoami_main, "print the user"),
    bytes!("xargs", sandshell_search::xargs_main, "build and run commands"),
    bytes!("xxd", sandshell_inspect::xxd_main, "hexadecimal dump, and back"),
    bytes!("xz", sandshell_archive::xz_main, "compress files"),
    bytes!("xzcat", sandshell_archive::xz_main, "expand files to standard output"),
    bytes!("xzegrep", sandshell_archive::zgrep_main, "search compressed files"),
    bytes!("xzfgrep", sandshell_archive::zgrep_main, "search compressed files"),
    bytes!("xzgrep", sandshell_archive::zgrep_main, "search compressed files"),
    own!("yes", coreutils::yes::yes_main, "print a line for ever"),
    bytes!("yq", sandshell_yq::yq_main, "process YAML with jq"),
    bytes!("zcat", sandshell_archive::gzip_main, "expand files to standard output"),
    bytes!("zcmp", sandshell_archive::zdiff_main, "compare compressed files"),
    bytes!("zdiff", sandshell_archive::zdiff_main, "differences of compressed files"),
    bytes!("zegrep", sandshell_archive::zgrep_main, "search compressed files"),
    bytes!("zfgrep", sandshell_archive::zgrep_main, "search compressed files"),
    bytes!("zgrep", sandshell_archive::zgrep_main, "search compressed files"),
    bytes!("zip", sandshell_archive::zip_main, "package files"),
    bytes!("zipinfo", sandshell_archive::unzip_main, "list zip archives"),
    bytes!("zstd", sandshell_archive::zstd_main, "compress files"),
    bytes!("zstdcat", sandshell_archive::zstd_main, "expand files to standard output"),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order() {
        assert!(APPLETS.is_sorted_by_key(|applet| applet.name));
    }

    #[test]
    fn the_readme_counts_them() {
        let count = format!("{} utilities", APPLETS.len());
        assert!(include_str!("../../../README.md").contains(&count), "{count}");
    }
}
