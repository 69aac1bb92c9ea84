//! The table of applets.

use std::ffi::OsString;

/// A utility of the program.
pub struct Applet {
    /// The name it is called by.
    pub name: &'static str,
    /// Runs it on its arguments (its own name first); the exit status.
    pub run: fn(Vec<OsString>) -> i32,
    /// What it does.
    pub about: &'static str,
}

/// The applet of this name.
pub fn find(name: &[u8]) -> Option<&'static Applet> {
    APPLETS.iter().find(|a| a.name.as_bytes() == name)
}

/// Runs an applet of uutils, whose messages need their translation table.
macro_rules! uu {
    ($name:literal, $krate:ident, $about:literal) => {
        Applet {
            name: $name,
            run: |args| {
                let _ = uucore::locale::setup_localization($name);
                $krate::uumain(args.into_iter())
            },
            about: $about,
        }
    };
}

/// All applets, by name.
pub const APPLETS: &[Applet] = &[
    uu!("arch", uu_arch, ""),
    uu!("b2sum", uu_b2sum, ""),
    uu!("base32", uu_base32, ""),
    uu!("base64", uu_base64, ""),
    uu!("basename", uu_basename, ""),
    uu!("basenc", uu_basenc, ""),
    uu!("cat", uu_cat, ""),
    uu!("cksum", uu_cksum, ""),
    uu!("comm", uu_comm, ""),
    uu!("csplit", uu_csplit, ""),
    uu!("cut", uu_cut, ""),
    uu!("date", uu_date, ""),
    uu!("dd", uu_dd, ""),
    uu!("dircolors", uu_dircolors, ""),
    uu!("dirname", uu_dirname, ""),
    uu!("echo", uu_echo, ""),
    uu!("expand", uu_expand, ""),
    uu!("expr", uu_expr, ""),
    uu!("factor", uu_factor, ""),
    uu!("false", uu_false, ""),
    uu!("fmt", uu_fmt, ""),
    uu!("fold", uu_fold, ""),
    uu!("head", uu_head, ""),
    uu!("hostid", uu_hostid, ""),
    uu!("join", uu_join, ""),
    uu!("link", uu_link, ""),
    uu!("md5sum", uu_md5sum, ""),
    uu!("nl", uu_nl, ""),
    uu!("nproc", uu_nproc, ""),
    uu!("numfmt", uu_numfmt, ""),
    uu!("od", uu_od, ""),
    uu!("paste", uu_paste, ""),
    uu!("pathchk", uu_pathchk, ""),
    uu!("pr", uu_pr, ""),
    uu!("printenv", uu_printenv, ""),
    uu!("printf", uu_printf, ""),
    uu!("ptx", uu_ptx, ""),
    uu!("pwd", uu_pwd, ""),
    uu!("readlink", uu_readlink, ""),
    uu!("realpath", uu_realpath, ""),
    uu!("rm", uu_rm, ""),
    uu!("rmdir", uu_rmdir, ""),
    uu!("seq", uu_seq, ""),
    uu!("sha1sum", uu_sha1sum, ""),
    uu!("sha224sum", uu_sha224sum, ""),
    uu!("sha256sum", uu_sha256sum, ""),
    uu!("sha384sum", uu_sha384sum, ""),
    uu!("sha512sum", uu_sha512sum, ""),
    uu!("shred", uu_shred, ""),
    uu!("shuf", uu_shuf, ""),
    uu!("sleep", uu_sleep, ""),
    uu!("sort", uu_sort, ""),
    uu!("split", uu_split, ""),
    uu!("sum", uu_sum, ""),
    uu!("tac", uu_tac, ""),
    uu!("tail", uu_tail, ""),
    uu!("tr", uu_tr, ""),
    uu!("true", uu_true, ""),
    uu!("truncate", uu_truncate, ""),
    uu!("tsort", uu_tsort, ""),
    uu!("tty", uu_tty, ""),
    uu!("unexpand", uu_unexpand, ""),
    uu!("uniq", uu_uniq, ""),
    uu!("unlink", uu_unlink, ""),
    uu!("wc", uu_wc, ""),
    uu!("yes", uu_yes, ""),
];
