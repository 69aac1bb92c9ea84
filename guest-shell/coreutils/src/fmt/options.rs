//! The command line, and the style of paragraphs that it asks for.

use sandshell_cli::number;
use sandshell_cli::options::{Spec, hidden, option};

const SPEC: Spec = Spec {
    name: "fmt",
    usage: "\
Usage: fmt [-WIDTH] [OPTION]... [FILE]...
Fills the lines of each paragraph anew, so that they are about equally long.

",
    options: &[
        option("-c, --crown-margin", "the first two lines of a paragraph keep their indentations"),
        option("-p, --prefix=STRING", "only lines that begin with STRING; it comes back in front of each"),
        option("-s, --split-only", "break long lines, do not fill short ones"),
        option("-t, --tagged-paragraph", "as -c, where the second line's indentation must differ"),
        option("-u, --uniform-spacing", "single blanks, but two behind a sentence"),
        option("-w, --width=WIDTH", "no line is longer than WIDTH; 75 by default"),
        option("-g, --goal=WIDTH", "lines should be about WIDTH long; 93% of the width by default"),
        hidden("", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9"),
    ],
    ..Spec::DEFAULT
};

/// The largest width allowed.
const WIDEST: usize = 2500;
const USUAL_WIDTH: usize = 75;
/// How much the width exceeds the goal if only the goal is given.
const ROOM_ABOVE_GOAL: usize = 10;

/// Which lines form a paragraph, and how they are indented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// Lines with the same indentation.
    Block,
    /// The second line determines the indentation of the following lines.
    Crown,
    /// Like a crown, but the indentation of the second line must differ from that of the first.
    Tagged,
    /// Each line is a paragraph.
    Split,
}

/// The text that all lines of a paragraph begin with.
#[derive(Debug)]
pub(super) struct Prefix {
    /// The prefix without surrounding blanks.
    pub(super) text: Vec<u8>,
    /// The least number of blanks before it.
    pub(super) blanks_before: usize,
    /// Its width in columns, including the blanks after it.
    pub(super) columns: usize,
}

impl Prefix {
    fn new(given: &[u8]) -> Self {
        let blanks_before = given.iter().take_while(|b| **b == b' ').count();
        let inner = &given[blanks_before..];
        let length = inner.iter().rposition(|b| *b != b' ').map_or(0, |last| last + 1);
        Self { text: inner[..length].to_vec(), blanks_before, columns: inner.len() }
    }
}

#[derive(Debug)]
pub(super) struct Style {
    pub(super) shape: Shape,
    pub(super) prefix: Prefix,
    /// Lines are narrower than this, if the words allow it.
    pub(super) width: usize,
    /// The preferred width of lines.
    pub(super) goal: usize,
    /// Whether to normalise the spaces between words.
    pub(super) uniform: bool,
}

/// Parses the command line: the style, and the files to format.
pub(super) fn parse(mut args: Vec<Vec<u8>>) -> Result<(Style, Vec<Vec<u8>>), i32> {
    let mut width = None;
    if let Some([b'-', digits @ ..]) = args.first().map(Vec::as_slice)
        && digits.first().is_some_and(u8::is_ascii_digit)
    {
        width = Some(digits.to_vec());
        args.remove(0);
    }
    let parsed = SPEC.parse(&args)?;
    let mut goal = None;
    let mut prefix = Prefix::new(b"");
    for given in &parsed.options {
        match given.id {
            "w" => width = Some(given.text().to_vec()),
            "g" => goal = Some(given.text().to_vec()),
            "p" => prefix = Prefix::new(given.text()),
            "c" | "s" | "t" | "u" => {}
            digit => {
                return Err(SPEC.usage(format!(
                    "invalid option -- {digit}; -WIDTH is recognized only when it is the first\noption; use -w N instead"
                )));
            }
        }
    }
    let (width, goal) = widths(width.as_deref(), goal.as_deref())?;
    let is_given = |id| parsed.options.iter().any(|given| given.id == id);
    let shape = if is_given("s") {
        Shape::Split
    } else if is_given("c") {
        Shape::Crown
    } else if is_given("t") {
        Shape::Tagged
    } else {
        Shape::Block
    };
    let style = Style { shape, prefix, width, goal, uniform: is_given("u") };
    let files = if parsed.operands.is_empty() { vec![b"-".to_vec()] } else { parsed.operands };
    Ok((style, files))
}

/// The width and the goal, when both, one or none of them is given.
fn widths(width: Option<&[u8]>, goal: Option<&[u8]>) -> Result<(usize, usize), i32> {
    let read = |text: &[u8], most: usize| {
        number::in_range("fmt", "invalid width", text, "", 0, most as u64).map(|n| n as usize)
    };
    let given_width = width.map(|text| read(text, WIDEST)).transpose()?;
    let width = given_width.unwrap_or(USUAL_WIDTH);
    match goal {
        Some(text) => {
            let goal = read(text, width)?;
            Ok((given_width.unwrap_or(goal + ROOM_ABOVE_GOAL), goal))
        }
        // The goal is 93.5 percent of the width.
        None => Ok((width, width * 187 / 200)),
    }
}
