//! Evaluates an expression for a file.

use super::entry::Entry;
use super::expr::{Compare, Leaf, Node, PermTest, Which};
use super::printf::{Piece, letter};
use super::sink::Sink;
use super::state::{Links, State};
use crate::clock::{Clock, Time};
use crate::out::message;
use sandshell_cli::bytes;
use sandshell_cli::quote::quote;
use sandshell_posix::mode;
use sandshell_posix::pattern::Matching;
use sandshell_sys as sys;

/// Evaluates an expression for a file, and performs its actions.
pub(crate) fn eval(node: &Node, e: &Entry<'_>, s: &State) -> bool {
    match node {
        Node::And(a, b) => eval(a, e, s) && !s.quit.get() && eval(b, e, s),
        Node::Or(a, b) => eval(a, e, s) || (!s.quit.get() && eval(b, e, s)),
        Node::Comma(a, b) => {
            eval(a, e, s);
            !s.quit.get() && eval(b, e, s)
        }
        Node::Not(a) => !eval(a, e, s),
        Node::Leaf(l) => leaf(l, e, s),
    }
}

/// Runs the commands that are still collecting files.
pub(crate) fn finish(node: &Node, s: &State) {
    each_exec(node, &mut |x| x.finish(s));
}

/// Tells `-execdir … +` that the walk leaves a directory.
pub(crate) fn leave_directory(node: &Node, s: &State) {
    each_exec(node, &mut |x| x.leave_directory(s));
}

fn each_exec(node: &Node, f: &mut dyn FnMut(&super::exec::Exec)) {
    match node {
        Node::And(a, b) | Node::Or(a, b) | Node::Comma(a, b) => {
            each_exec(a, f);
            each_exec(b, f);
        }
        Node::Not(a) => each_exec(a, f),
        Node::Leaf(Leaf::Exec(x)) => f(x),
        Node::Leaf(_) => {}
    }
}

fn leaf(l: &Leaf, e: &Entry<'_>, s: &State) -> bool {
    match l {
        Leaf::True => true,
        Leaf::False => false,
        Leaf::Name(p, icase) => matches(p, *icase, e.name()),
        Leaf::Path(p, icase) => matches(p, *icase, &e.path),
        Leaf::LinkName(p, icase) => {
            e.kind(s) == sys::S_IFLNK
                && sys::readlink(&e.path).is_ok_and(|target| matches(p, *icase, &target))
        }
        Leaf::Regex(r) => r.find_at(&e.path, 0, false).is_some(),
        Leaf::Type(letters, other) => letters.contains(&type_of(e, s, *other)),
        Leaf::Prune => {
            s.prune.set(true);
            true
        }
        Leaf::Quit => {
            s.quit.set(true);
            true
        }
        Leaf::Print(sink, end) => {
            let mut out = sink.borrow_mut();
            out.put(&e.path);
            out.put(&[*end]);
            true
        }
        Leaf::Printf(sink, pieces) => {
            printf(sink, pieces, e, s);
            true
        }
        Leaf::Exec(x) => x.run(e, s),
        Leaf::Delete => delete(e, s),
        Leaf::Access(mask) => sys::access(&e.path, *mask).is_ok(),
        Leaf::Empty => empty(e, s),
        Leaf::FsType(name) => e.stat(s).is_some_and(|st| s.fs_type(&e.path, st.dev) == *name),
        Leaf::Ls(sink) => {
            if let Some(st) = e.stat(s) {
                ls(sink, &st, e, s);
            }
            true
        }
        _ => e.stat(s).is_some_and(|st| by_status(l, &st, s)),
    }
}

fn by_status(l: &Leaf, st: &sys::Stat, s: &State) -> bool {
    match l {
        Leaf::Size(c, n, unit) => c.holds(&st.size.div_ceil(*unit), n),
        Leaf::Perm(test, file, directory) => {
            let want = if st.is_dir() { *directory } else { *file };
            let have = st.mode & 0o7777;
            match test {
                PermTest::Exact => have == want,
                PermTest::All => have & want == want,
                PermTest::Any => want == 0 || have & want != 0,
            }
        }
        Leaf::Uid(c, n) => c.holds(&u64::from(st.uid), n),
        Leaf::Gid(c, n) => c.holds(&u64::from(st.gid), n),
        Leaf::NoUser => s.names.user(st.uid).is_none(),
        Leaf::NoGroup => s.names.group(st.gid).is_none(),
        Leaf::Links(c, n) => c.holds(&st.nlink, n),
        Leaf::Inode(c, n) => c.holds(&st.ino, n),
        Leaf::SameFile(dev, ino) => (st.dev, st.ino) == (*dev, *ino),
        Leaf::Newer(which, t) => time(st, *which) > *t,
        Leaf::Age(which, c, t, window) => {
            let have = time(st, *which);
            match c {
                // Older means earlier than the given time.
                Compare::More => have < *t,
                Compare::Less => have > *t,
                Compare::Equal => {
                    let d = i128::from(have.0 - t.0) * 1_000_000_000 + i128::from(have.1) - i128::from(t.1);
                    d > 0 && d <= i128::from(*window) * 1_000_000_000
                }
            }
        }
        Leaf::Used(c, days) => {
            let (a, ch) = (time(st, Which::Access), time(st, Which::Change));
            let delta = (a.0 - ch.0) as f64 + (f64::from(a.1) - f64::from(ch.1)) / 1e9;
            if delta < 0.0 {
                return false;
            }
            let rest = delta - days * 86400.0;
            match c {
                Compare::More => rest > 0.0,
                Compare::Less => rest < 0.0,
                Compare::Equal => rest > 0.0 && rest <= 86400.0,
            }
        }
        _ => false,
    }
}

/// One of a file's times.
pub(crate) fn time(st: &sys::Stat, which: Which) -> Time {
    match which {
        Which::Access => (st.atime, st.atime_nsec),
        Which::Change => (st.ctime, st.ctime_nsec),
        Which::Modification => (st.mtime, st.mtime_nsec),
    }
}

fn type_of(e: &Entry<'_>, s: &State, other: bool) -> u8 {
    if !other {
        return letter(e.kind(s));
    }
    // `-xtype` examines a link's target without -L, and the link itself with -L.
    let follows = s.links == Links::Always || (s.links == Links::Operands && e.depth == 0);
    if !follows && e.kind(s) != sys::S_IFLNK {
        return letter(e.kind(s));
    }
    match sys::stat(&e.path, !follows) {
        Ok(st) => letter(st.mode),
        Err(sys::Errno::NOENT | sys::Errno::NOTDIR) => b'l',
        Err(error) => {
            s.flush();
            message("find", &bytes!(quote(&e.path), ": ", error.to_string()));
            s.failed.set(true);
            0
        }
    }
}

fn empty(e: &Entry<'_>, s: &State) -> bool {
    match e.kind(s) {
        sys::S_IFDIR => match sys::read_dir(&e.path) {
            Ok(entries) => entries.is_empty(),
            Err(error) => {
                s.flush();
                message("find", &bytes!(quote(&e.path), ": ", error.to_string()));
                s.failed.set(true);
                false
            }
        },
        sys::S_IFREG => e.stat(s).is_some_and(|st| st.size == 0),
        _ => false,
    }
}

fn delete(e: &Entry<'_>, s: &State) -> bool {
    if e.path == b"." {
        return true;
    }
    let real = sys::stat(&e.path, false).map(|st| st.is_dir());
    let done = match real {
        Ok(true) => sys::rmdir(&e.path),
        _ => sys::unlink(&e.path),
    };
    match done {
        Ok(()) => true,
        Err(sys::Errno::NOENT) if s.ignore_race => true,
        Err(error) => {
            s.flush();
            message("find", &bytes!("cannot delete ", quote(&e.path), ": ", error.to_string()));
            s.failed.set(true);
            false
        }
    }
}

fn printf(sink: &Sink, pieces: &[Piece], e: &Entry<'_>, s: &State) {
    for piece in pieces {
        match piece {
            Piece::Text(t) => sink.borrow_mut().put(t),
            Piece::Stop => {
                sink.borrow_mut().flush();
                return;
            }
            Piece::Field(f) => {
                // Stat errors flush all sinks, so none may be borrowed here.
                let text = f.text(e, s);
                sink.borrow_mut().put(&text);
            }
        }
    }
}

fn ls(sink: &Sink, st: &sys::Stat, e: &Entry<'_>, s: &State) {
    let number = |n: u64| n.to_string().into_bytes();
    let user = s.names.user(st.uid).map_or_else(|| number(st.uid.into()), <[u8]>::to_vec);
    let group = s.names.group(st.gid).map_or_else(|| number(st.gid.into()), <[u8]>::to_vec);
    let size = if matches!(st.mode & sys::S_IFMT, sys::S_IFCHR | sys::S_IFBLK) {
        format!("{:3}, {:3}", st.rdev >> 8 & 0xfff, st.rdev & 0xff).into_bytes()
    } else {
        number(st.size)
    };
    let fields = [number(st.ino), number(st.blocks.div_ceil(2)), number(st.nlink), user, group, size];
    let mut widths = s.widths.get();
    for (w, f) in widths.iter_mut().zip(&fields) {
        *w = (*w).max(f.len());
    }
    s.widths.set(widths);
    let [inode, blocks, links, user, group, size] = fields;
    let [wi, wb, wl, wu, wg, ws] = widths;
    let right = |t: &[u8], w: usize| bytes!(vec![b' '; w.saturating_sub(t.len())], t);
    let left = |t: &[u8], w: usize| bytes!(t, vec![b' '; w.saturating_sub(t.len())]);
    let mut line = bytes!(
        right(&inode, wi),
        " ",
        right(&blocks, wb),
        " ",
        mode::columns(st.mode),
        " ",
        right(&links, wl),
        " ",
        left(&user, wu),
        " ",
        left(&group, wg),
        " ",
        right(&size, ws),
        " ",
        date((st.mtime, st.mtime_nsec), s),
        " "
    );
    escaped(&e.path, &mut line);
    if st.is_symlink()
        && let Ok(target) = sys::readlink(&e.path)
    {
        line.extend_from_slice(b" -> ");
        escaped(&target, &mut line);
    }
    line.push(b'\n');
    sink.borrow_mut().put(&line);
}

// As in `ls -l`: the year instead of the time of day if the time is more than half a year ago or in the future.
fn date(t: Time, s: &State) -> String {
    let clock = Clock::new(t, &s.zone);
    let f = |c| clock.field(c);
    let recent = t.0 <= s.now.0 + 3600 && t.0 > s.now.0 - 6 * 30 * 86400;
    let last = if recent { f(b'R') } else { format!(" {:>4}", f(b'Y')) };
    format!("{} {} {last}", f(b'b'), f(b'e'))
}

fn escaped(name: &[u8], out: &mut Vec<u8>) {
    for b in name {
        match b {
            b'\\' | b' ' | b'"' => out.extend_from_slice(&[b'\\', *b]),
            b'\n' => out.extend_from_slice(b"\\n"),
            8 => out.extend_from_slice(b"\\b"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            12 => out.extend_from_slice(b"\\f"),
            0x21..=0x7e => out.push(*b),
            _ => out.extend_from_slice(format!("\\{b:03o}").as_bytes()),
        }
    }
}

fn matches(pattern: &[u8], ignore_case: bool, name: &[u8]) -> bool {
    Matching { ignore_case, ..Matching::default() }.matches(pattern, name)
}
