//! The lines that tell which files the following hunks belong to.

use super::file::File;
use super::hunk::Texts;
use super::options::Style;
use super::screen::{self, Paint};
use sandshell_cli::bytes;
use sandshell_cli::out;
use sandshell_time::{
    Zone,
    strftime::{self, Moment},
};

/// Prints the command that would compare the two files, if they were found in directories.
pub(crate) fn command(work: &Texts<'_>) {
    if work.in_directories {
        let [a, b] = [0, 1].map(|f| quoted(work.options.label(work.files, f)));
        out::put(bytes!("diff", work.options.switches, " ", a, " ", b, "\n"));
    }
}

/// Prints both files' names and times after the marks.
pub(crate) fn names(work: &Texts<'_>, marks: [&str; 2]) {
    command(work);
    for (f, mark) in marks.into_iter().enumerate() {
        screen::begin(work.options.palette.as_ref(), Paint::Header);
        match work.options.labels.get(f) {
            Some(label) => out::put(bytes!(mark, " ", label)),
            None => {
                out::put(bytes!(mark, " ", quoted(&work.files[f].name), "\t", time_of(work, &work.files[f])))
            }
        }
        screen::end(work.options.palette.as_ref());
        out::put("\n");
    }
}

/// A name as it appears in headers: quoted and escaped like a C string if its end would not be clear otherwise.
fn quoted(name: &[u8]) -> Vec<u8> {
    let plain = |b: &u8| matches!(b, b'!'..=b'~') && !matches!(b, b'"' | b'\\');
    if name.iter().all(plain) {
        return name.to_vec();
    }
    let mut out = b"\"".to_vec();
    for b in name {
        match b {
            7..=13 => out.extend_from_slice(&[b'\\', b"abtnvfr"[usize::from(b - 7)]]),
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *b]),
            b' '..=b'~' => out.push(*b),
            _ => out.extend_from_slice(format!("\\{b:03o}").as_bytes()),
        }
    }
    out.push(b'"');
    out
}

fn time_of(work: &Texts<'_>, file: &File) -> Vec<u8> {
    let (seconds, nanos) = (file.stat.mtime, file.stat.mtime_nsec);
    let local = Zone::system().local(seconds);
    // In the POSIX locale, POSIX prescribes the old time format for the context format.
    let old = work.options.style == Style::Context && is_posix_locale();
    let form: &[u8] = if old { b"%a %b %e %H:%M:%S %Y" } else { b"%Y-%m-%d %H:%M:%S.%N %z" };
    strftime::format(form, &Moment { local: &local, seconds, nanos })
}

fn is_posix_locale() -> bool {
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_TIME")).or_else(|| set("LANG"));
    locale.is_none_or(|l| l == "C" || l == "POSIX")
}
