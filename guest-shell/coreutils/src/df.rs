//! `df`: shows the filesystems of the sandbox.

use crate::base::resolve::{Missing, resolve};
use sandshell_cli::options::{self, Spec, hidden, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::size::Unit;
use sandshell_cli::{bytes, warn};
use sandshell_posix::characters;
use sandshell_sys::{self as sys, StatFs};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "df",
    usage: "\
Usage: df [OPTION]... [FILE]...
Shows how full file systems are: those of the FILEs, or all.

",
    options: &[
        option("-a, --all", "also file systems without a size"),
        option("-B, --block-size=SIZE", "sizes in units of SIZE"),
        option("-h, --human-readable", "sizes as 1.5M, by 1024"),
        option("-H, --si", "sizes as 1.6M, by 1000"),
        option("-i, --inodes", "inodes instead of blocks"),
        option("-k", "as --block-size=1K"),
        option("-l, --local", "only local file systems"),
        named("v", "--no-sync", "nothing: so it is by default"),
        option("--output[=FIELDS]", "these columns, or all"),
        option("-P, --portability", "POSIX's form"),
        named("v", "--sync", "write out what is cached first"),
        option("--total", "a line of totals"),
        option("-t, --type=TYPE", "only file systems of this type"),
        option("-T, --print-type", "types of file systems"),
        option("-x, --exclude-type=TYPE", "no file systems of this type"),
        option("-v", "nothing: for old scripts"),
        hidden("", "-F X, -m"),
    ],
    ..Spec::DEFAULT
};

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Field {
    Source,
    Type,
    Inodes,
    InodesUsed,
    InodesFree,
    InodesPercent,
    Size,
    Used,
    Available,
    Percent,
    File,
    Target,
}

const FIELDS: [(&str, Field); 12] = [
    ("source", Field::Source),
    ("fstype", Field::Type),
    ("itotal", Field::Inodes),
    ("iused", Field::InodesUsed),
    ("iavail", Field::InodesFree),
    ("ipcent", Field::InodesPercent),
    ("size", Field::Size),
    ("used", Field::Used),
    ("avail", Field::Available),
    ("pcent", Field::Percent),
    ("file", Field::File),
    ("target", Field::Target),
];

/// A mounted filesystem.
#[derive(Clone, Default)]
struct Mount {
    source: Vec<u8>,
    target: Vec<u8>,
    kind: Vec<u8>,
}

struct Row {
    mount: Mount,
    file: Vec<u8>,
    sizes: StatFs,
}

/// Runs `df` and returns its exit status.
pub fn df_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let args = options::operands(args);
    let parsed = SPEC.parse(&args)?;
    let posix_unit = Unit::blocks(if std::env::var_os("POSIXLY_CORRECT").is_some() { 512 } else { 1024 });
    // `-P` ignores the environment.
    let mut unit = match parsed.options.iter().any(|g| g.id == "P") {
        true => posix_unit,
        false => Unit::from_environment("DF_BLOCK_SIZE").unwrap_or(posix_unit),
    };
    let (mut all, mut inodes, mut posix, mut types, mut total) = (false, false, false, false, false);
    let mut fields: Option<Vec<Field>> = None;
    let (mut only, mut except) = (Vec::new(), Vec::new());
    for g in &parsed.options {
        match g.id {
            "a" => all = true,
            "B" => {
                unit = Unit::given("df", g.written("-B", "--block-size", &args), g.text()).ok_or(1)?;
            }
            "i" => inodes = true,
            "h" => unit = Unit::Human { base: 1024 },
            "H" => unit = Unit::Human { base: 1000 },
            "k" => unit = Unit::blocks(1024),
            "m" => unit = Unit::blocks(1 << 20),
            "P" => posix = true,
            "T" => types = true,
            "t" | "F" => only.push(g.text().to_vec()),
            "x" => except.push(g.text().to_vec()),
            "total" => total = true,
            "output" => fields = Some(listed(g.value.as_deref(), fields.unwrap_or_default())?),
            _ => {}
        }
    }
    if fields.is_some() {
        for (on, option) in [(inodes, "-i"), (posix, "-P"), (types, "-T")] {
            if on {
                let text = bytes!("options ", option, " and --output are mutually exclusive");
                return Err(SPEC.usage(text));
            }
        }
    }
    let human = matches!(unit, Unit::Human { .. });
    let chosen = fields.is_some();
    let fields = fields.unwrap_or_else(|| standard(inodes, types));
    let mut code = 0;
    let mounts = mounts();
    let mut rows = Vec::new();
    if parsed.operands.is_empty() {
        rows = all_rows(&mounts, all, &only, &except);
    }
    for operand in &parsed.operands {
        match sys::stat(operand, true).and_then(|_| sys::statfs(operand)) {
            Ok(sizes) => {
                let mount = mount_of(&mounts, operand);
                if !only.is_empty() && !only.contains(&mount.kind) || except.contains(&mount.kind) {
                    continue;
                }
                rows.push(Row { mount, file: operand.clone(), sizes });
            }
            Err(e) => {
                warn!("df", quotef(operand), ": ", e);
                code = 1;
            }
        }
    }
    if rows.is_empty() {
        if code == 0 {
            warn!("df", "no file systems processed");
        }
        return Ok(out::finish("df", 1, 1));
    }
    if total {
        rows.push(sum(&rows));
    }
    // Without a source column, the target column marks the total.
    if total
        && !fields.contains(&Field::Source)
        && let Some(row) = rows.last_mut()
    {
        row.mount.target = b"total".to_vec();
    }
    let header = header(
        &unit,
        posix,
        human,
        chosen && fields.contains(&Field::Inodes) && fields.contains(&Field::Size),
    );
    table(&fields, &rows, &unit, inodes && human, &header, posix);
    Ok(out::finish("df", code, 1))
}

fn listed(list: Option<&[u8]>, before: Vec<Field>) -> Result<Vec<Field>, i32> {
    let mut fields = before;
    let Some(list) = list else { return Ok(FIELDS.map(|f| f.1).to_vec()) };
    for word in list.split(|b| *b == b',') {
        let Some((_, field)) = FIELDS.iter().find(|f| f.0.as_bytes() == word) else {
            return Err(SPEC.usage(bytes!("option --output: field ", quote(word), " unknown")));
        };
        if fields.contains(field) {
            return Err(SPEC.usage(bytes!("option --output: field ", quote(word), " used more than once")));
        }
        fields.push(*field);
    }
    Ok(fields)
}

fn standard(inodes: bool, types: bool) -> Vec<Field> {
    use Field::*;
    let mut fields = vec![Source];
    if types {
        fields.push(Type);
    }
    fields.extend(if inodes {
        [Inodes, InodesUsed, InodesFree, InodesPercent]
    } else {
        [Size, Used, Available, Percent]
    });
    fields.push(Target);
    fields
}

/// The mounts listed in `/proc/mounts`; if it cannot be read, the one at `/`.
fn mounts() -> Vec<Mount> {
    let text = sys::read_file(b"/proc/mounts").unwrap_or_default();
    let mut mounts = Vec::new();
    for line in text.split(|b| *b == b'\n') {
        let words: Vec<&[u8]> = line.split(|b| *b == b' ').collect();
        if let [source, target, kind, ..] = words.as_slice() {
            mounts.push(Mount { source: unescape(source), target: unescape(target), kind: kind.to_vec() });
        }
    }
    if mounts.is_empty() {
        mounts.push(Mount { source: b"sandshell".to_vec(), target: b"/".to_vec(), kind: b"-".to_vec() });
    }
    mounts
}

/// Replaces escapes such as `\040`.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(b) = text.get(i) {
        if *b == b'\\'
            && let Some(digits) = text.get(i + 1..i + 4)
            && let Some(n) = std::str::from_utf8(digits).ok().and_then(|d| u8::from_str_radix(d, 8).ok())
        {
            out.push(n);
            i += 4;
        } else {
            out.push(*b);
            i += 1;
        }
    }
    out
}

fn all_rows(mounts: &[Mount], all: bool, only: &[Vec<u8>], except: &[Vec<u8>]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut devices = Vec::new();
    for mount in mounts {
        if !only.is_empty() && !only.contains(&mount.kind) || except.contains(&mount.kind) {
            continue;
        }
        let Ok(sizes) = sys::statfs(&mount.target) else { continue };
        if !all {
            let Ok(stat) = sys::stat(&mount.target, true) else { continue };
            if sizes.blocks == 0 {
                continue;
            }
            // If a filesystem is mounted twice, the shorter mount point is shown.
            if let Some(i) = devices.iter().position(|d| *d == stat.dev) {
                if rows[i].mount.target.len() > mount.target.len() {
                    rows[i].mount = mount.clone();
                }
                continue;
            }
            devices.push(stat.dev);
        }
        rows.push(Row { mount: mount.clone(), file: b"-".to_vec(), sizes });
    }
    rows
}

fn mount_of(mounts: &[Mount], operand: &[u8]) -> Mount {
    let path = resolve(operand, Missing::None, true).unwrap_or_else(|_| absolute(operand));
    let covers = |m: &&Mount| {
        m.target == b"/" || path == m.target || path.starts_with(&[m.target.as_slice(), b"/"].concat())
    };
    let device = sys::stat(operand, true).map(|s| s.dev);
    let same = |m: &&Mount| sys::stat(&m.target, true).map(|s| s.dev) == device;
    let best = mounts.iter().filter(covers).filter(same).max_by_key(|m| m.target.len());
    best.or_else(|| mounts.iter().filter(covers).max_by_key(|m| m.target.len())).cloned().unwrap_or_default()
}

fn absolute(path: &[u8]) -> Vec<u8> {
    if path.starts_with(b"/") {
        return path.to_vec();
    }
    sandshell_posix::path::join(&sys::getcwd().unwrap_or_default(), path)
}

fn sum(rows: &[Row]) -> Row {
    let mut sizes = StatFs { bsize: 1, ..StatFs::default() };
    for row in rows {
        let s = &row.sizes;
        sizes.blocks = sizes.blocks.saturating_add(s.blocks.saturating_mul(s.bsize));
        sizes.bfree = sizes.bfree.saturating_add(s.bfree.saturating_mul(s.bsize));
        sizes.bavail = sizes.bavail.saturating_add(s.bavail.saturating_mul(s.bsize));
        sizes.files = sizes.files.saturating_add(s.files);
        sizes.ffree = sizes.ffree.saturating_add(s.ffree);
    }
    let mount = Mount { source: b"total".to_vec(), target: b"-".to_vec(), kind: b"-".to_vec() };
    Row { mount, file: b"-".to_vec(), sizes }
}

/// The title of the size column.
fn header(unit: &Unit, posix: bool, human: bool, all_fields: bool) -> String {
    let Unit::Blocks { size, .. } = unit else { return "Size".into() };
    if human {
        return "Size".into();
    }
    if posix {
        return format!("{size}-blocks");
    }
    let _ = all_fields;
    let (mut by1000, mut by1024) = (*size, *size);
    let (mut divides1000, mut divides1024);
    loop {
        divides1000 = by1000 % 1000 == 0;
        by1000 /= 1000;
        divides1024 = by1024 % 1024 == 0;
        by1024 /= 1024;
        if !(divides1000 && divides1024) {
            break;
        }
    }
    let base = if divides1024 && !divides1000 { 1024 } else { 1000 };
    let text = Unit::Human { base }.format(*size).replace(".0", "");
    format!("{text}{}-blocks", if base == 1000 { "B" } else { "" })
}

fn percent(used: u64, free: u64) -> String {
    let total = u128::from(used) + u128::from(free);
    if total == 0 { "-".into() } else { format!("{}%", (u128::from(used) * 100).div_ceil(total)) }
}

fn cell(field: Field, row: &Row, unit: &Unit, human_inodes: bool) -> Vec<u8> {
    let s = &row.sizes;
    let used = s.blocks.saturating_sub(s.bfree);
    let size = |blocks: u64| unit.format(blocks.saturating_mul(s.bsize.max(1))).into_bytes();
    let count = |n: u64| if human_inodes { unit.format(n) } else { n.to_string() }.into_bytes();
    let inodes_used = s.files.saturating_sub(s.ffree);
    match field {
        Field::Source => row.mount.source.clone(),
        Field::Type => row.mount.kind.clone(),
        Field::Target => row.mount.target.clone(),
        Field::File => row.file.clone(),
        Field::Inodes => count(s.files),
        Field::InodesUsed => count(inodes_used),
        Field::InodesFree => count(s.ffree),
        Field::InodesPercent => percent(inodes_used, s.ffree).into_bytes(),
        Field::Size => size(s.blocks),
        Field::Used => size(used),
        Field::Available => size(s.bavail),
        Field::Percent => percent(used, s.bavail).into_bytes(),
    }
}

fn table(fields: &[Field], rows: &[Row], unit: &Unit, human_inodes: bool, sizes: &str, posix: bool) {
    let human = matches!(unit, Unit::Human { .. });
    let mut lines: Vec<Vec<Vec<u8>>> = vec![
        fields
            .iter()
            .map(|f| {
                match f {
                    Field::Source => "Filesystem",
                    Field::Type => "Type",
                    Field::Inodes => "Inodes",
                    Field::InodesUsed => "IUsed",
                    Field::InodesFree => "IFree",
                    Field::InodesPercent => "IUse%",
                    Field::Size => sizes,
                    Field::Used => "Used",
                    Field::Available if human || fields.contains(&Field::File) => "Avail",
                    Field::Available => "Available",
                    Field::Percent if posix && !human => "Capacity",
                    Field::Percent => "Use%",
                    Field::File => "File",
                    Field::Target => "Mounted on",
                }
                .as_bytes()
                .to_vec()
            })
            .collect(),
    ];
    lines.extend(rows.iter().map(|r| fields.iter().map(|f| cell(*f, r, unit, human_inodes)).collect()));
    let least = |f: Field| match f {
        Field::Source => 14,
        Field::Type => 4,
        Field::File | Field::Target => 0,
        Field::Percent | Field::InodesPercent => 4,
        _ => 5,
    };
    let widths: Vec<usize> = fields
        .iter()
        .enumerate()
        .map(|(i, f)| lines.iter().map(|l| characters::columns(&l[i])).max().unwrap_or(0).max(least(*f)))
        .collect();
    for line in &lines {
        for (i, (text, field)) in line.iter().zip(fields).enumerate() {
            let last = i + 1 == fields.len();
            let fill = vec![b' '; widths[i].saturating_sub(characters::columns(text))];
            let left = matches!(field, Field::Source | Field::Type | Field::File | Field::Target);
            if i > 0 {
                out::put(" ");
            }
            match (left, last) {
                (true, true) => out::put(text),
                (true, false) => out::put(bytes!(text, fill)),
                (false, _) => out::put(bytes!(fill, text)),
            }
        }
        out::put("\n");
    }
}
