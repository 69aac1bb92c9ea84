//! `colrm`: removes columns from lines.

use crate::text;
use sandshell_cli::input::Input;
use sandshell_cli::options::{Parsed, Spec, listed};
use sandshell_cli::out;
use sandshell_cli::warn;
use sandshell_posix::characters;

const HELP: &str = "
Usage:
 colrm [startcol [endcol]]

Passes standard input on, but cuts the columns out that lie between the numbers, or after the only number. The first
column is 1; a tab goes on to the next multiple of 8.

 -h, --help     this text
 -V, --version  the version
";

const SPEC: Spec = Spec { name: "colrm", options: &[listed(HELP)], ..Spec::DEFAULT };

/// Runs `colrm` and returns its exit status.
pub fn colrm_main(args: Vec<Vec<u8>>) -> i32 {
    run(&args).unwrap_or_else(|code| code)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let Parsed { options, operands } = SPEC.parse(args.get(1..).unwrap_or_default())?;
    if let Some(g) = options.first() {
        return Ok(if g.id == "h" { text::print("colrm", HELP) } else { text::version("colrm") });
    }
    let column = |i: usize, which: &str| match operands.get(i) {
        None => Ok(0),
        Some(text) => match std::str::from_utf8(text).ok().and_then(|t| t.parse::<u64>().ok()) {
            Some(n) => Ok(n),
            None => {
                warn!("colrm", which, " argument: '", text, "'");
                Err(1)
            }
        },
    };
    let (first, last) = (column(0, "first")?, column(1, "second")?);
    let mut input = Input::of(0);
    let mut record = Vec::new();
    while input.record(b'\n', &mut record).unwrap_or(false) && out::failure().is_none() {
        let (kept, broken) = line(&record, first, last);
        out::put(kept);
        if broken {
            break;
        }
    }
    Ok(out::finish("colrm", 0, 1))
}

/// Removes the columns from `first` to `last`; 0 means no limit. A wide character across an edge is replaced by spaces.
/// The line ends at invalid UTF-8, and then the second value is true.
fn line(line: &[u8], first: u64, last: u64) -> (Vec<u8>, bool) {
    let mut kept = Vec::with_capacity(line.len());
    let mut column = 0u64;
    for (bytes, c) in characters::characters(line) {
        let wide = match (bytes, c) {
            (b"\n", _) => {
                kept.push(b'\n');
                break;
            }
            (b"\t", _) => 8 - column % 8,
            (b"\x08", _) => {
                column = column.saturating_sub(1);
                if first == 0 || column < first {
                    kept.push(8);
                }
                continue;
            }
            (_, None) => return (kept, true),
            (_, Some(c)) => characters::char_width(c).unwrap_or(0) as u64,
        };
        if first == 0 || column + wide < first || last > 0 && column >= last {
            kept.extend_from_slice(bytes);
            column += wide;
            continue;
        }
        for _ in 0..wide {
            column += 1;
            if column < first || last > 0 && column > last {
                kept.push(b' ');
            }
        }
    }
    (kept, false)
}
