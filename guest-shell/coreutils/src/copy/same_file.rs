//! Decides what to do if source and target may be the same file, in the same way as GNU's programs.

use super::options::{Follow, Options};
use crate::base::backup::Backup;
use crate::base::resolve::{Missing, resolve};
use sandshell_posix::path;
use sandshell_sys::{self as sys, Stat};

/// What to do with an existing target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Continue: the files are different, or replacing one by the other loses nothing.
    Proceed,
    /// Nothing has to be done.
    Nothing,
    /// Refuse: they are the same file.
    Same,
}

/// Compares `from` and `to`. Their statuses `source` and `old` follow links or not, as the options say.
pub(super) fn judge(o: &Options, from: &[u8], source: &Stat, to: &[u8], old: &Stat) -> Verdict {
    let same = is_same(source, old);
    if same && o.hard_link {
        return Verdict::Nothing;
    }
    let (source_entry, old_entry, same_entry) = if o.follow == Follow::Never {
        // Neither was followed, and one of two distinct links may replace the other.
        if source.is_symlink() && old.is_symlink() {
            let distinct = !is_same_name(from, to);
            if distinct && o.backup == Backup::Off && same {
                // Renaming one hard link to another does nothing and succeeds.
                return if o.moving { Verdict::Same } else { Verdict::Nothing };
            }
            return proceed_if(distinct);
        }
        (*source, *old, same)
    } else {
        if !same {
            return Verdict::Proceed;
        }
        let (Ok(t), Ok(s)) = (sys::stat(to, false), sys::stat(from, false)) else { return Verdict::Proceed };
        // They are two links to the same file. This only works if the target is removed before it is opened.
        if s.is_symlink() && t.is_symlink() && o.remove_destination {
            return Verdict::Proceed;
        }
        (s, t, is_same(&s, &t))
    };
    if o.backup != Backup::Off {
        if same_entry {
            return proceed_if(!is_same_name(from, to));
        }
        // Renaming the target would make the source a broken link.
        let would_dangle =
            !o.moving && o.follow != Follow::Never && source_entry.is_symlink() && !old_entry.is_symlink();
        return proceed_if(!would_dangle);
    }
    if o.moving || o.remove_destination && !o.implied_removal {
        if old_entry.is_symlink() {
            return Verdict::Proceed;
        }
        // They are hard links to the same file, so a rename would do nothing.
        if same_entry && old_entry.nlink > 1 && !is_same_name(from, to) {
            return proceed_if(!o.moving);
        }
    }
    if !source_entry.is_symlink() && !old_entry.is_symlink() {
        if !is_same(&source_entry, &old_entry) {
            return Verdict::Proceed;
        }
        if o.hard_link {
            return Verdict::Nothing;
        }
    }
    // A symbolic link may replace a hard link of its target, if there are other hard links.
    if o.moving
        && source.is_symlink()
        && old_entry.nlink > 1
        && let Ok(real) = resolve(from, Missing::None, true)
    {
        return proceed_if(!is_same_name(&real, to));
    }
    if o.symbolic_link && old_entry.is_symlink() {
        return Verdict::Proceed;
    }
    if o.follow == Follow::Never {
        let behind = |name: &[u8], stat: &Stat, entry: Stat| {
            if stat.is_symlink() { sys::stat(name, true).ok() } else { Some(entry) }
        };
        let (Some(s), Some(t)) = (behind(from, source, source_entry), behind(to, old, old_entry)) else {
            return Verdict::Proceed;
        };
        if !is_same(&s, &t) {
            return Verdict::Proceed;
        }
        if o.hard_link {
            return if old.is_symlink() { Verdict::Proceed } else { Verdict::Nothing };
        }
    }
    Verdict::Same
}

/// Whether both paths name the same directory entry.
pub(super) fn is_same_name(a: &[u8], b: &[u8]) -> bool {
    path::base_name(a) == path::base_name(b)
        && match (sys::stat(path::dir_name(a), true), sys::stat(path::dir_name(b), true)) {
            (Ok(x), Ok(y)) => is_same(&x, &y),
            _ => false,
        }
}

fn is_same(a: &Stat, b: &Stat) -> bool {
    (a.dev, a.ino) == (b.dev, b.ino)
}

fn proceed_if(may: bool) -> Verdict {
    if may { Verdict::Proceed } else { Verdict::Same }
}
