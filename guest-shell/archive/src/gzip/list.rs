//! `gzip -l`.

use super::options::Options;
use sandshell_cli::out;
use sandshell_time::Zone;

/// The totals of the listed files.
#[derive(Default)]
pub(crate) struct Totals {
    files: u32,
    packed: u64,
    unpacked: u64,
    header: u64,
}

/// The content of a line.
pub(crate) struct Line<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) packed: u64,
    pub(crate) unpacked: u64,
    pub(crate) header: u64,
    pub(crate) crc: u32,
    pub(crate) time: i64,
}

impl Totals {
    pub(crate) fn line(&mut self, options: &Options, line: &Line<'_>) {
        if self.files == 0 && !options.quiet {
            if options.verbose > 0 {
                out::put("method  crc     date  time  ");
            }
            out::put("         compressed        uncompressed  ratio uncompressed_name\n");
        }
        self.files += 1;
        self.packed += line.packed;
        self.unpacked += line.unpacked;
        self.header = line.header;
        if options.verbose > 0 {
            const MONTHS: [&str; 12] =
                ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
            let t = Zone::system().local(line.time);
            let month =
                usize::try_from(t.month - 1).ok().and_then(|m| MONTHS.get(m)).copied().unwrap_or("Jan");
            out::put(format!("defla {:08x} {month} {:2} {:02}:{:02} ", line.crc, t.day, t.hour, t.minute));
        }
        let saved = line.unpacked as f64 - (line.packed as f64 - line.header as f64);
        out::put(format!("{:>19} {:>19} {} ", line.packed, line.unpacked, ratio(saved, line.unpacked)));
        out::put([line.name, b"\n"].concat());
    }

    pub(crate) fn end(&self, options: &Options) {
        if self.files < 2 {
            return;
        }
        if options.verbose > 0 {
            out::put("                            ");
        }
        let saved = self.unpacked as f64 - (self.packed as f64 - self.header as f64);
        let ratio = ratio(saved, self.unpacked);
        out::put(format!("{:>19} {:>19} {ratio} (totals)\n", self.packed, self.unpacked));
    }
}

/// A share as a percentage.
pub(crate) fn ratio(part: f64, whole: u64) -> String {
    let percent = if whole == 0 { 0.0 } else { 100.0 * part / whole as f64 };
    format!("{percent:5.1}%")
}
