//! `column`, as in util-linux: formats lists in columns, tables or JSON.

use crate::column_options::{self, Mode, Options};
use crate::column_table::Table;
use crate::{column_json, column_tree};
use sandshell_cli::input::{Input, chomp};
use sandshell_cli::out;
use sandshell_cli::warn;
use sandshell_posix::characters;
use sandshell_sys as sys;

/// Runs `column` and returns its exit status.
pub fn column_main(args: Vec<Vec<u8>>) -> i32 {
    run(&args).unwrap_or_else(|code| code)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let o = column_options::parse(args.get(1..).unwrap_or_default())?;
    let mut code = 0;
    let mut lines = Vec::new();
    if o.files.is_empty() {
        code |= read(&o, Input::of(0), &mut lines);
    }
    for name in &o.files {
        match sys::open(name, sys::open_flags::READ, 0) {
            Ok(fd) => code |= read(&o, Input::of(fd), &mut lines),
            Err(e) => {
                warn!("column", name, ": ", e);
                code = 1;
            }
        }
    }
    match o.mode {
        Mode::FillColumns => fill(&o, &lines, false),
        Mode::FillRows => fill(&o, &lines, true),
        Mode::Table | Mode::Json => {
            let mut table = Table::new(&o, &lines)?;
            table.arrange(&o)?;
            let tree = column_tree::Tree::of(&table, &o)?;
            if table.rows.is_empty() {
            } else if o.mode == Mode::Json {
                column_json::print(&table, &o.table_name, tree.as_ref());
            } else {
                if let Some(tree) = &tree {
                    tree.draw(&mut table);
                }
                table.print(&o);
            }
        }
    }
    Ok(out::finish("column", code, 1))
}

/// Reads lines. Lines without text are kept only if the options ask for them.
fn read(o: &Options, mut input: Input, lines: &mut Vec<Vec<u8>>) -> i32 {
    let mut record = Vec::new();
    loop {
        match input.record(b'\n', &mut record) {
            Ok(true) => {}
            Ok(false) => return 0,
            Err(e) => {
                warn!("column", "read failed: ", e);
                return 1;
            }
        }
        let line = chomp(&record, b'\n').0;
        let line = line.split(|b| *b == 0).next().unwrap_or_default();
        if line.iter().all(|b| matches!(b, b' ' | 9..=13)) {
            if o.keep_empty {
                lines.push(Vec::new());
            }
            continue;
        }
        lines.push(readable(line));
    }
}

/// Returns a line that is not valid UTF-8 with escapes.
fn readable(line: &[u8]) -> Vec<u8> {
    if std::str::from_utf8(line).is_ok() {
        return line.to_vec();
    }
    let mut text = Vec::new();
    for (bytes, c) in characters::characters(line) {
        match c {
            Some(c) if characters::is_printable(c) => text.extend_from_slice(bytes),
            _ => bytes.iter().for_each(|b| text.extend_from_slice(format!("\\x{b:02x}").as_bytes())),
        }
    }
    text
}

fn fill(o: &Options, lines: &[Vec<u8>], by_rows: bool) {
    let longest = lines.iter().map(|l| characters::columns(l)).max().unwrap_or(0);
    // Columns begin at tab stops.
    let wide = (longest + 8) & !7;
    let columns = if longest >= o.width { 0 } else { o.width / wide };
    if columns <= 1 && !(by_rows && columns == 1) {
        for line in lines {
            out::put(line);
            out::put("\n");
        }
        return;
    }
    let rows = lines.len().div_ceil(columns);
    let mut text = Vec::new();
    for row in 0..rows {
        let mut column = 0;
        for i in 0..columns {
            let place = |i: usize| if by_rows { row * columns + i } else { i * rows + row };
            let Some(line) = lines.get(place(i)) else { break };
            text.extend_from_slice(line);
            column += characters::columns(line);
            let last = i + 1 == columns && by_rows || place(i + 1) >= lines.len();
            if last {
                break;
            }
            let end = wide * (i + 1);
            while (column + 8) & !7 <= end {
                text.push(b'\t');
                column = (column + 8) & !7;
            }
        }
        text.push(b'\n');
        out::put(&text);
        text.clear();
    }
}
