//! Info-ZIP's `zip` 3.0, `unzip` 6.0 and `zipinfo`.

mod arguments;
mod directory;
mod extract;
mod list;
mod pack;
mod record;
mod unzip;
mod unzip_options;

use arguments::{Options, SPEC};
use sandshell_cli::out;
use sandshell_sys as sys;

pub use unzip::unzip_main;

/// Runs `zip` and returns its exit status.
pub fn zip_main(args: Vec<Vec<u8>>) -> i32 {
    if args.len() <= 1 && sys::isatty(1) {
        out::put(SPEC.help());
        return out::finish("zip", 0, 14);
    }
    let mut options = Options { level: 6, ..Options::default() };
    let code = match options.read(args.get(1..).unwrap_or_default()) {
        Ok(()) => pack::run(&mut options),
        Err(code) => code,
    };
    out::finish("zip", code, 14)
}

/// For tests: a central directory record.
#[cfg(test)]
pub(crate) fn sample() -> Vec<u8> {
    let name = b"dir/name".to_vec();
    let mut extra = record::unix_extra(5, None, 1, 2);
    extra.extend_from_slice(&[1, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let size = u64::from(u32::MAX);
    record::central(&record::Member { name, extra, size, comment: b"comment".to_vec(), ..Default::default() })
}

/// Whether the record can be parsed. If so, it is also listed as `unzip` would do it.
#[cfg(test)]
pub(crate) fn walk(data: &[u8]) -> bool {
    let zone = sandshell_time::Zone::utc();
    match record::parse(data) {
        Some((member, _)) => {
            let _ = (member.seconds(&zone), member.mode(), record::permille(member.size, member.packed));
            let _ = record::percent(member.size, member.packed);
            true
        }
        None => false,
    }
}
