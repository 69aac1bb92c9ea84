//! `column --json`.

use crate::column_table::Table;
use crate::column_tree::Tree;
use sandshell_cli::out;

/// Prints a table as an object with one array of rows.
pub(crate) fn print(table: &Table, name: &[u8], tree: Option<&Tree>) {
    let mut text = b"{\n   ".to_vec();
    quoted(&mut text, name, false);
    text.extend_from_slice(b": [\n");
    let all: Vec<usize> = (0..table.rows.len()).collect();
    rows(&mut text, table, tree.map_or(&all, |t| &t.roots), tree, 2);
    text.extend_from_slice(b"\n   ]\n}\n");
    out::put(text);
}

fn indent(to: &mut Vec<u8>, level: usize) {
    to.resize(to.len() + 3 * level, b' ');
}

/// Prints rows and the rows below them. Rows nested deeper than any sensible tree are left out.
fn rows(to: &mut Vec<u8>, table: &Table, rows: &[usize], tree: Option<&Tree>, level: usize) {
    for (i, row) in rows.iter().enumerate() {
        if i > 0 {
            to.push(b',');
        } else {
            indent(to, level);
        }
        to.extend_from_slice(b"{\n");
        let shown = table.shown();
        for (place, column) in shown.iter().enumerate() {
            if place > 0 {
                to.extend_from_slice(b",\n");
            }
            indent(to, level + 1);
            quoted(to, table.columns[*column].name.as_deref().unwrap_or_default(), true);
            to.extend_from_slice(b": ");
            match table.rows[*row].get(*column).and_then(Option::as_deref) {
                Some(cell) if !cell.is_empty() => quoted(to, cell, false),
                _ => to.extend_from_slice(b"null"),
            }
        }
        let children = tree.map(|t| t.children[*row].as_slice()).unwrap_or_default();
        if !children.is_empty() && level < 2000 {
            to.extend_from_slice(b",\n");
            indent(to, level + 1);
            to.extend_from_slice(b"\"children\": [\n");
            self::rows(to, table, children, tree, level + 2);
            to.push(b'\n');
            indent(to, level + 1);
            to.push(b']');
        }
        to.push(b'\n');
        indent(to, level);
        to.push(b'}');
    }
}

fn quoted(to: &mut Vec<u8>, text: &[u8], lower: bool) {
    to.push(b'"');
    for b in text {
        let letter = match b {
            b'"' | b'\\' => *b,
            8 => b'b',
            12 => b'f',
            10 => b'n',
            13 => b'r',
            9 => b't',
            0..0x20 => {
                to.extend_from_slice(format!("\\u{b:04x}").as_bytes());
                continue;
            }
            _ => {
                to.push(if lower { b.to_ascii_lowercase() } else { *b });
                continue;
            }
        };
        to.extend_from_slice(&[b'\\', letter]);
    }
    to.push(b'"');
}
