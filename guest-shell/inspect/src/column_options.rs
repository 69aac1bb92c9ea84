//! The options of `column`.

use crate::text;
use sandshell_cli::options::{Parsed, Spec, hidden, listed};
use sandshell_cli::warn;

const HELP: &str = "
Usage:
 column [options] [<file>...]

Puts lines beside one another as `ls` does with names, or with -t the words of each line into a table.

 -t, --table                      a table
 -J, --json                       JSON; -N must give the keys
 -x, --fillrows                   neither: lines from left to right, not from top to bottom
 -c, --output-width, --columns <width>   no wider than this

Reading:
 -s, --separator <string>         its characters stand between columns, not blanks
 -l, --table-columns-limit <num>  so many columns; the last has all the rest
 -L, --keep-empty-lines, --table-empty-lines   empty lines are lines too

Tables, by columns' names or numbers, with commas:
 -N, --table-columns <names>      what columns are called
 -n, --table-name <name>          what the table is called in JSON
 -O, --table-order <columns>      these first, in this order
 -H, --table-hide <columns>       without these
 -R, --table-right <columns>      these with the blanks on the left
 -T, --table-truncate <columns>   cut these if it is too wide
 -W, --table-wrap <columns>       go on in further lines if it is too wide
 -d, --table-noheadings           no line with the names
 -o, --output-separator <string>  what to put between columns instead of two blanks
 -r, --tree <column>              draw a tree in this column
 -i, --tree-id <column>           where each line has a name of its own
 -p, --tree-parent <column>       where it has that of the line above it in the tree

 -h, --help                       this text
 -V, --version                    the version

Accepted without effect: -e, --table-header-repeat, -E, --table-noextreme <columns>.

Example: column -t -s: -N name,pass,uid -H pass /etc/passwd
";

const SPEC: Spec = Spec {
    name: "column",
    options: &[
        listed(HELP),
        hidden("e", "-e, --table-header-repeat"),
        hidden("E", "-E X, --table-noextreme=X"),
    ],
    ..Spec::DEFAULT
};

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    FillColumns,
    FillRows,
    Table,
    Json,
}

/// Lists of columns, by name or by number.
pub(crate) type Names = Vec<Vec<u8>>;

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) mode: Mode,
    pub(crate) width: usize,
    pub(crate) separators: Option<Vec<u8>>,
    pub(crate) output_separator: Vec<u8>,
    pub(crate) limit: usize,
    pub(crate) keep_empty: bool,
    pub(crate) names: Option<Names>,
    pub(crate) table_name: Vec<u8>,
    pub(crate) headings: bool,
    pub(crate) order: Option<Names>,
    pub(crate) hide: Option<Names>,
    pub(crate) right: Option<Names>,
    pub(crate) truncate: Option<Names>,
    pub(crate) wrap: Option<Names>,
    /// The columns of `--tree`, `--tree-id` and `--tree-parent`.
    pub(crate) tree: Option<[Vec<u8>; 3]>,
    pub(crate) files: Names,
}

/// Parses the options; `Err` is the exit status.
pub(crate) fn parse(args: &[Vec<u8>]) -> Result<Options, i32> {
    let Parsed { options, operands } = SPEC.parse(args)?;
    let mut o = Options {
        mode: Mode::FillColumns,
        width: terminal_width(),
        separators: None,
        output_separator: b"  ".to_vec(),
        limit: 0,
        keep_empty: false,
        names: None,
        table_name: b"table".to_vec(),
        headings: true,
        order: None,
        hide: None,
        right: None,
        truncate: None,
        wrap: None,
        tree: None,
        files: operands,
    };
    let (mut tree, mut id, mut parent) = (None, None, None);
    let (mut table, mut json, mut rows, mut named) = (false, false, false, false);
    for g in &options {
        let list = || g.text().split(|b| *b == b',').map(<[u8]>::to_vec).collect::<Names>();
        match g.id {
            "c" => o.width = number(g.text(), "invalid columns argument")?,
            "d" => o.headings = false,
            "H" => o.hide = Some(list()),
            "J" => json = true,
            "l" => {
                o.limit = number(g.text(), "invalid columns limit argument")?;
                if o.limit == 0 {
                    return Err(fail("columns limit must be greater than zero"));
                }
            }
            "L" => o.keep_empty = true,
            "N" => o.names = Some(list()),
            "n" => {
                named = true;
                o.table_name = g.text().to_vec();
            }
            "O" => o.order = Some(list()),
            "o" => o.output_separator = g.text().to_vec(),
            "R" => o.right = Some(list()),
            "s" => o.separators = Some(g.text().to_vec()),
            "T" => o.truncate = Some(list()),
            "t" => table = true,
            "W" => o.wrap = Some(list()),
            "x" => rows = true,
            "r" => tree = Some(g.text().to_vec()),
            "i" => id = Some(g.text().to_vec()),
            "p" => parent = Some(g.text().to_vec()),
            "h" => return Err(text::print("column", HELP)),
            "V" => return Err(text::version("column")),
            // No effect here: `-e` is for terminals, `-E` for tables wider than the terminal.
            _ => {}
        }
        if rows && (table || json) {
            let other = if json { "--json" } else { "--table" };
            warn!("column", "mutually exclusive arguments: ", other, " --fillrows");
            return Err(1);
        }
    }
    if rows {
        o.mode = Mode::FillRows;
    }
    if table {
        o.mode = Mode::Table;
    }
    if json {
        o.mode = Mode::Json;
    }
    if let Some(tree) = tree {
        let (Some(id), Some(parent)) = (id, parent) else {
            return Err(fail("options --tree-id and --tree-parent are required for tree formatting"));
        };
        o.tree = Some([tree, id, parent]);
        if !json {
            o.mode = Mode::Table;
        }
    }
    let wants_table =
        [&o.order, &o.hide, &o.right, &o.truncate, &o.wrap, &o.names].iter().any(|l| l.is_some());
    if !matches!(o.mode, Mode::Table | Mode::Json) && (wants_table || named) {
        return Err(fail("option --table required for all --table-*"));
    }
    if json && o.names.is_none() {
        return Err(fail("option --table-columns required for --json"));
    }
    Ok(o)
}

fn fail(text: &str) -> i32 {
    warn!("column", text);
    1
}

fn number(text: &[u8], what: &str) -> Result<usize, i32> {
    let value = std::str::from_utf8(text).ok().and_then(|t| t.trim_start().parse::<u32>().ok());
    value.map(|n| n as usize).ok_or_else(|| {
        warn!("column", what, ": '", text, "'");
        1
    })
}

fn terminal_width() -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|c| c.parse::<usize>().ok());
    let real = || sandshell_sys::tty_size(1).ok().map(|(_, columns)| columns as usize);
    given.or_else(real).filter(|w| *w > 0).unwrap_or(80)
}
