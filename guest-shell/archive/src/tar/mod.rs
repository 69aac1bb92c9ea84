//! GNU `tar` 1.34.

mod archive;
mod create;
mod diff;
mod extract;
mod header;
mod label;
mod links;
mod list;
mod log;
mod members;
mod names;
mod options;
mod parse;
mod pax;
mod places;
mod reader;
mod restore;
mod sparse;
mod test_label;
mod transform;
mod unpacking;
mod update;
mod writer;

use log::Fatal;
use options::{Op, Options};
use sandshell_cli::out;

/// Runs `tar` and returns its exit status.
pub fn tar_main(args: Vec<Vec<u8>>) -> i32 {
    let options = match parse::parse(&args) {
        Ok(options) => options,
        Err(code) => return code,
    };
    let ended = run(&options);
    out::flush();
    if out::failure().is_some() {
        log::warn("stdout: write error");
        return 2;
    }
    let code = log::status();
    if ended.is_ok() && code == 2 {
        log::warn("Exiting with failure status due to previous errors");
    }
    code
}

fn run(options: &Options) -> Result<(), Fatal> {
    match options.op {
        Op::Create => create::create(options),
        Op::Extract => extract::extract(options),
        Op::List => list::list(options),
        Op::Diff => diff::diff(options),
        Op::Append | Op::Update => update::append(options),
        Op::Concatenate => update::concatenate(options),
        Op::Delete => update::delete(options),
        Op::TestLabel => test_label::test(options),
    }
}

/// For tests: an archive with long names, extended headers and a sparse file.
#[cfg(test)]
pub(crate) fn sample() -> Vec<u8> {
    use header::{Entry, Layout};
    let mut out = Vec::new();
    let entry = |name: Vec<u8>, kind| Entry { name, kind, mode: 0o644, mtime: (5, 7), ..Entry::default() };
    let data = [b'x'; 512];
    for layout in [Layout::Gnu, Layout::Pax] {
        let long = Entry { stored: 512, link: vec![b'l'; 150], ..entry(vec![b'n'; 300], b'0') };
        writer::header(&mut out, &long, writer::How { layout, ..Default::default() }).unwrap();
        out.extend_from_slice(&data);
    }
    writer::header(&mut out, &entry(b"d/".to_vec(), b'5'), writer::How::default()).unwrap();
    let mut holes =
        header::build(&Entry { stored: 512, ..entry(b"s".to_vec(), b'S') }, b"s", b"", Layout::Gnu);
    holes[386..397].copy_from_slice(b"00000001000");
    holes[398..409].copy_from_slice(b"00000001000");
    holes[483..494].copy_from_slice(b"00000002000");
    holes[148..156].copy_from_slice(b"        ");
    let sum: u32 = holes.iter().map(|b| u32::from(*b)).sum();
    holes[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend_from_slice(&holes);
    out.extend_from_slice(&data);
    writer::end(&mut out).unwrap();
    out
}

/// Reads an archive to its end and returns the number of members.
#[cfg(test)]
pub(crate) fn walk(data: &[u8]) -> usize {
    let mut archive = reader::Archive::new(Box::new(data));
    let mut count = 0;
    let mut buf = [0; 256];
    while let Ok(Some(_)) = archive.next() {
        count += 1;
        let _ = archive.read(&mut buf);
    }
    count
}
