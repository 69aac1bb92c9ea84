//! The listings of `unzip` and `zipinfo`.

use super::directory::Directory;
use super::record::{Member, permille};
use sandshell_cli::out;
use sandshell_posix::mode;
use sandshell_time::Zone;

fn date(zone: &Zone, member: &Member) -> String {
    let t = zone.local(member.seconds(zone));
    format!("{:04}-{:02}-{:02} {:02}:{:02}", t.year, t.month, t.day, t.hour, t.minute)
}

fn files(n: usize) -> String {
    format!("{n} file{}", if n == 1 { "" } else { "s" })
}

/// Prints the output of `unzip -l`.
pub(crate) fn short(members: &[&Member], quiet: u32) {
    let zone = Zone::system();
    if quiet < 2 {
        out::put("  Length      Date    Time    Name\n---------  ---------- -----   ----\n");
    }
    let mut total = 0u64;
    for m in members {
        total = total.wrapping_add(m.size);
        out::put([format!("{:>9}  {}   ", m.size, date(&zone, m)).as_bytes(), &m.name, b"\n"].concat());
    }
    if quiet < 2 {
        out::put(format!(
            "---------                     -------\n{total:>9}                     {}\n",
            files(members.len())
        ));
    }
}

/// Prints the output of `unzip -v`.
pub(crate) fn verbose(members: &[&Member], quiet: u32) {
    let zone = Zone::system();
    if quiet < 2 {
        out::put(
            " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n--------  ------  ------- ---- ---------- ----- --------  ----\n",
        );
    }
    let (mut total, mut packed) = (0u64, 0u64);
    for m in members {
        total = total.wrapping_add(m.size);
        packed = packed.wrapping_add(m.packed);
        let share = percent(m.size, m.packed);
        let line = format!(
            "{:>8}  {:<6} {:>8} {share:>3}% {} {:08x}  ",
            m.size,
            method(m),
            m.packed,
            date(&zone, m),
            m.crc
        );
        out::put([line.as_bytes(), &m.name, b"\n"].concat());
    }
    if quiet < 2 {
        let share = percent(total, packed);
        out::put(format!(
            "--------          -------  ---                            -------\n{total:>8}         {packed:>8} {share:>3}%                            {}\n",
            files(members.len())
        ));
    }
}

fn percent(size: u64, packed: u64) -> i64 {
    let tenths = permille(size, packed);
    if tenths >= 0 { (tenths + 5) / 10 } else { (tenths - 5) / 10 }
}

fn method(m: &Member) -> String {
    match m.method {
        0 => "Stored".into(),
        8 => format!("Defl:{}", deflate_kind(m)),
        9 => format!("Def64{}", deflate_kind(m)),
        12 => "BZip2".into(),
        14 => "LZMA".into(),
        n => format!("Unk:{n:03}"),
    }
}

fn deflate_kind(m: &Member) -> char {
    match (m.flags >> 1) & 3 {
        0 => 'N',
        1 => 'X',
        2 => 'F',
        _ => 'S',
    }
}

/// Prints the output of `zipinfo -h`.
pub(crate) fn header(directory: &Directory, name: &[u8], comment: bool) {
    out::put([b"Archive:  ", name, b"\n"].concat());
    if comment && !directory.comment.is_empty() {
        out::put([&directory.shown_comment()[..], b"\n"].concat());
    }
    let count = directory.members.len();
    out::put(format!("Zip file size: {} bytes, number of entries: {count}\n", directory.size));
}

/// Prints the lines of `zipinfo`.
pub(crate) fn info(members: &[&Member], decimal: bool) {
    let zone = Zone::system();
    for m in members {
        let modes = match m.mode() {
            0 if m.is_dir() => *b"drwxr-xr-x",
            0 => *b"-rw----   ",
            mode => mode::columns(mode),
        };
        let system = if m.made_by >> 8 == 3 { "unx" } else { "fat" };
        let version = m.made_by & 0xff;
        let text = if m.text { 't' } else { 'b' };
        let text = if m.flags & 1 != 0 { text.to_ascii_uppercase() } else { text };
        let extra = match (m.flags & 8 != 0, !m.extra.is_empty()) {
            (false, true) => 'x',
            (true, true) => 'X',
            (true, false) => 'l',
            (false, false) => '-',
        };
        let method = match m.method {
            0 => "stor".to_owned(),
            8 => format!("def{}", deflate_kind(m)),
            n => format!("u{n:03}"),
        };
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let t = zone.local(m.seconds(&zone));
        let month = usize::try_from(t.month - 1).ok().and_then(|i| MONTHS.get(i)).copied().unwrap_or("???");
        let time = if decimal {
            format!("{:04}{:02}{:02}.{:02}{:02}{:02}", t.year, t.month, t.day, t.hour, t.minute, t.second)
        } else {
            let year = t.year.rem_euclid(100);
            format!("{year:02}-{month}-{:02} {:02}:{:02}", t.day, t.hour, t.minute)
        };
        let (major, minor) = (version / 10, version % 10);
        let line = format!("  {major}.{minor} {system} {:>8} {text}{extra} {method} {time} ", m.size);
        out::put([&modes[..], line.as_bytes(), &m.name, b"\n"].concat());
    }
}

/// Prints the output of `zipinfo -t`.
pub(crate) fn totals(members: &[&Member]) {
    let total = members.iter().fold(0u64, |sum, m| sum.wrapping_add(m.size));
    let packed = members.iter().fold(0u64, |sum, m| sum.wrapping_add(m.packed));
    let share = permille(total, packed);
    let sign = if share < 0 { "-" } else { "" };
    let share = share.abs();
    let files = files(members.len());
    out::put(format!(
        "{files}, {total} bytes uncompressed, {packed} bytes compressed:  {sign}{}.{}%\n",
        share / 10,
        share % 10
    ));
}
