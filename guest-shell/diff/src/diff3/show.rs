//! The default format of diff3.

use super::Three;
use super::options::Options;
use sandshell_cli::out;

/// Prints each block with the lines of all three files. If two files have the same lines, these are printed once.
pub(super) fn print(options: &Options, three: &Three) {
    for block in &three.blocks {
        let odd = block.odd.file();
        match odd {
            Some(f) => out::put(format!("===={}\n", f + 1)),
            None => out::put("====\n"),
        }
        // Equal files are listed one after the other, and their lines follow the last one.
        let order = if odd == Some(1) { [0, 2, 1] } else { [0, 1, 2] };
        let without_lines = match odd {
            Some(0) => Some(1),
            Some(_) => Some(0),
            None => None,
        };
        for f in order {
            let lines = &block.lines[f];
            out::put(match lines.len() {
                0 => format!("{}:{}a\n", f + 1, lines.start),
                1 => format!("{}:{}c\n", f + 1, lines.end),
                _ => format!("{}:{},{}c\n", f + 1, lines.start + 1, lines.end),
            });
            if without_lines == Some(f) {
                continue;
            }
            let mut complete = true;
            for line in three.lines(block, f) {
                out::put(if options.initial_tab { "\t" } else { "  " });
                out::put(line);
                complete = line.ends_with(b"\n");
            }
            if !complete {
                out::put("\n\\ No newline at end of file\n");
            }
        }
    }
}
