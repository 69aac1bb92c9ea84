//! `column --tree`: puts rows below the rows that they name as their parents.

use crate::column_options::Options;
use crate::column_table::Table;

/// The rows as a tree.
pub(crate) struct Tree {
    column: usize,
    /// The children of each row.
    pub(crate) children: Vec<Vec<usize>>,
    pub(crate) roots: Vec<usize>,
}

impl Tree {
    /// Builds the tree that the options ask for.
    pub(crate) fn of(table: &Table, o: &Options) -> Result<Option<Self>, i32> {
        let Some([column, id, parent]) = &o.tree else { return Ok(None) };
        if table.rows.is_empty() {
            return Ok(None);
        }
        let (Some(column), Some(id), Some(parent)) =
            (table.find(column)?, table.find(id)?, table.find(parent)?)
        else {
            return Ok(None);
        };
        let cell = |row: usize, column: usize| table.rows[row].get(column).and_then(Option::as_deref);
        let count = table.rows.len();
        let mut by_id = std::collections::HashMap::new();
        for row in 0..count {
            by_id.entry(cell(row, id)).or_insert(row);
        }
        let mut tree = Self { column, children: vec![Vec::new(); count], roots: Vec::new() };
        for row in 0..count {
            let above = cell(row, parent).and_then(|p| by_id.get(&Some(p))).copied().filter(|p| *p != row);
            match above {
                Some(above) => tree.children[above].push(row),
                None => tree.roots.push(row),
            }
        }
        Ok(Some(tree))
    }

    /// Sorts the rows of a table in tree order and draws the tree into its column.
    pub(crate) fn draw(&self, table: &mut Table) {
        let mut rows = Vec::new();
        // The row, the text before it, and the text before the rows below it.
        let mut stack: Vec<(usize, String, String)> =
            self.roots.iter().rev().map(|r| (*r, String::new(), String::new())).collect();
        while let Some((row, before, below)) = stack.pop() {
            let mut cells = table.rows[row].clone();
            if let Some(Some(cell)) = cells.get_mut(self.column) {
                cell.splice(..0, before.bytes());
            }
            rows.push(cells);
            let children = &self.children[row];
            for (i, child) in children.iter().enumerate().rev() {
                let last = i + 1 == children.len();
                let (mark, line) = if last { ("└─", "  ") } else { ("├─", "│ ") };
                stack.push((*child, format!("{below}{mark}"), format!("{below}{line}")));
            }
        }
        table.rows = rows;
    }
}
