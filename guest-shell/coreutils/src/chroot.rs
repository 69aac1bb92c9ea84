//! `chroot`.

use sandshell_cli::options::{self, Order, Spec, named};
use sandshell_cli::quote::quoteaf;
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, Errno};
use std::ffi::OsString;

/// Runs `chroot`, which is always refused, as it would be to an ordinary user.
pub fn chroot_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "chroot",
        order: Order::First,
        usage: "\
Usage: chroot [OPTION] NEWROOT [COMMAND [ARG]...]
Runs a command (a shell by default) that sees NEWROOT as /.

",
        options: &[
            named("g", "--groups=G_LIST", "with these further groups"),
            named("u", "--userspec=USER:GROUP", "as this user and group"),
            named("s", "--skip-chdir", "do not change to /"),
        ],
        failure: 125,
        unwritten: 125,
        ..Spec::DEFAULT
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let Some(root) = parsed.operands.first() else { return SPEC.missing_operand() };
    let is_root = matches!(
        (sys::stat(root, true), sys::stat(b"/", true)),
        (Ok(a), Ok(b)) if (a.dev, a.ino) == (b.dev, b.ino)
    );
    if !is_root && parsed.options.iter().any(|g| g.id == "s") {
        let what = "option --skip-chdir only permitted if NEWROOT is old ";
        return SPEC.usage(bytes!(what, quoteaf(b"/")));
    }
    let e = match sys::stat(root, true) {
        Ok(s) if s.is_dir() => Errno::PERM,
        Ok(_) => Errno::NOTDIR,
        Err(e) => e,
    };
    warn!("chroot", bytes!("cannot change root directory to ", quoteaf(root)), ": ", e);
    125
}
