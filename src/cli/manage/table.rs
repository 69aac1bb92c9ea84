//! Tables for the terminal.

use crate::cli::failure::printable;

/// Aligns rows: each column is as wide as its widest cell, with two spaces between columns and none at the end of a
/// line. Cells may come from a service, so characters that a terminal acts on are escaped.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| printable(cell)).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let start = text.len();
        // The spaces before a cell are those of the cells before it. (Formatting has a limit for widths.)
        let mut missing = 0;
        for (cell, width) in row.iter().zip(&widths) {
            text.extend(std::iter::repeat_n(' ', missing));
            text.push_str(cell);
            missing = width - cell.chars().count() + 2;
        }
        text.truncate(start + text[start..].trim_end().len());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn cells_are_aligned() {
        let rows = [["a", "bb", ""], ["ccc", "d", "e"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows), "a    bb\nccc  d   e\n");
        assert_eq!(table(&[]), "");
        let long = "x".repeat(100_000);
        let rows = [["a", &long, "b"], ["a", "c", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows), format!("a  {long}  b\na  c\n"));
        assert_eq!(table(&[vec!["a\nb\u{1b}[2J".to_owned()]]), "a\\nb\\u{1b}[2J\n");
    }
}
