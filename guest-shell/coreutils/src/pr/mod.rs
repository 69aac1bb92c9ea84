//! `pr`.

mod cell;
mod heading;
mod layout;
mod pen;
mod sheet;
mod source;

use crate::pr::cell::Style;
use crate::pr::heading::Heading;
use crate::pr::layout::{Layout, Order};
use crate::pr::sheet::Sheets;
use crate::pr::source::Source;
use sandshell_cli::input::Input;
use sandshell_cli::number::{self, Fault};
use sandshell_cli::options::{self, Given, Parsed, Spec, hidden, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, warn};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "pr",
    usage: "\
Usage: pr [OPTION]... [FILE]...
Arranges files in pages for a printer: with headers, in columns.

  +FIRST[:LAST], --pages=FIRST[:LAST]
                                  only these pages
  -COLUMN, --columns=COLUMN       so many columns, filled downwards
",
    options: &[
        option("-a, --across", "fill columns across"),
        option("-c, --show-control-chars", "control characters as ^X and octal numbers"),
        option("-d, --double-space", "an empty line after each line"),
        option("-D, --date-format=FORMAT", "the header's date"),
        option(
            "-e[C[N]], --expand-tabs[=C[N]]",
            "tabs (or the character C) in the input become spaces up to each Nth column",
        ),
        option("-F, -f, --form-feed", "a form feed ends a page, not empty lines"),
        option("-h, --header=HEADER", "HEADER in the header's middle instead of the file's name"),
        option(
            "-i[C[N]], --output-tabs[=C[N]]",
            "spaces in the output become tabs (or the character C), N columns wide",
        ),
        option("-J, --join-lines", "whole lines: no cutting, no aligning"),
        option("-l, --length=LENGTH", "lines of a page, 66 by default"),
        option("-m, --merge", "the files side by side, one in each column"),
        option("-n[SEP[DIGITS]], --number-lines[=SEP[DIGITS]]", "number lines"),
        option("-N, --first-line-number=NUMBER", "the first number"),
        option("-o, --indent=MARGIN", "so many spaces before each line"),
        option("-r, --no-file-warnings", "say nothing of files that cannot be opened"),
        option("-s[CHAR], --separator[=CHAR]", "CHAR (a tab) between columns, which are not aligned then"),
        option("-S[STRING], --sep-string[=STRING]", "STRING between columns"),
        option("-t, --omit-header", "no headers and trailers"),
        option("-T, --omit-pagination", "as -t, and form feeds in the input do not count"),
        option("-v, --show-nonprinting", "what is not printable as octal numbers"),
        option("-w, --width=WIDTH", "a page's width for several columns, 72 by default"),
        option("-W, --page-width=WIDTH", "a page's width, always; longer lines are cut"),
        hidden("", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -b"),
        hidden("", "--pages=X"),
        hidden("", "--columns=X"),
    ],
    ties: &["pages", "page-width"],
    ..Spec::DEFAULT
};

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) first_page: u64,
    pub(crate) last_page: u64,
    pub(crate) columns: usize,
    pub(crate) across: bool,
    pub(crate) parallel: bool,
    pub(crate) hat: bool,
    pub(crate) octal: bool,
    pub(crate) double_space: bool,
    pub(crate) date_format: Vec<u8>,
    pub(crate) expand: bool,
    pub(crate) input_tab: (u8, i64),
    pub(crate) tabify: bool,
    pub(crate) output_tab: (u8, i64),
    pub(crate) form_feed: bool,
    pub(crate) header: Option<Vec<u8>>,
    pub(crate) join: bool,
    pub(crate) length: i64,
    pub(crate) numbered: bool,
    /// The character after a number, and the number of digits.
    pub(crate) number: (u8, i64),
    pub(crate) first_number: Option<i64>,
    pub(crate) margin: i64,
    pub(crate) quiet: bool,
    /// Whether a column separator was given, and which one.
    pub(crate) separated: bool,
    pub(crate) separator: Vec<u8>,
    /// Whether headers and trailers are printed.
    pub(crate) extremities: bool,
    pub(crate) keep_form_feeds: bool,
    pub(crate) truncate: bool,
    pub(crate) width: i64,
}

/// Runs `pr` and returns its exit status.
pub fn pr_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let Parsed { options, operands } = SPEC.parse(&options::operands(args))?;
    let (mut o, explicit) = read_options(&options)?;
    let mut files: Vec<Vec<u8>> = Vec::new();
    for operand in operands {
        let taken = match operand.strip_prefix(b"+") {
            Some(pages) if o.first_page == 0 => read_pages(&mut o, "+", pages)?,
            _ => false,
        };
        if !taken {
            files.push(operand);
        }
    }
    o.first_page = o.first_page.max(1);
    if o.parallel && explicit {
        return fail(bytes!("cannot specify number of columns when printing in parallel"));
    }
    if o.parallel && o.across {
        return fail(bytes!("cannot specify both printing across and printing in parallel"));
    }
    adapt(&mut o, &options, explicit);
    let mut failed = false;
    let groups: Vec<&[Vec<u8>]> =
        if files.is_empty() || o.parallel { vec![&files] } else { files.chunks(1).collect() };
    for group in groups {
        print_group(&o, group, &mut failed)?;
    }
    Ok(out::finish("pr", i32::from(failed), 1))
}

/// Prints one file, or several side by side.
fn print_group(o: &Options, names: &[Vec<u8>], failed: &mut bool) -> Result<(), i32> {
    let Some(layout) = Layout::new(o, names.len()) else { return fail(bytes!("page width too narrow")) };
    let sources = open_all(names, o.quiet, failed);
    if sources.is_empty() {
        return Ok(());
    }
    let alone = layout.order != Order::Merged && !names.is_empty();
    let heading = Heading::new(o, sources.first().filter(|_| alone));
    Sheets::new(o, &layout, &Style::new(o, &layout), heading, sources).print()
}

/// Opens files, or standard input if there are none. Files that cannot be opened are reported, unless `quiet`.
fn open_all(names: &[Vec<u8>], quiet: bool, failed: &mut bool) -> Vec<Source> {
    if names.is_empty() {
        return vec![Source::new(b"standard input", Input::of(0))];
    }
    let mut sources = Vec::new();
    for name in names {
        match Input::open(name) {
            Ok(input) => sources.push(Source::new(name, input)),
            Err(e) => {
                *failed = true;
                if !quiet {
                    warn!("pr", quotef(name), ": ", e);
                }
            }
        }
    }
    sources
}

fn fail<T>(text: Vec<u8>) -> Result<T, i32> {
    warn!("pr", text);
    Err(1)
}

fn read_options(options: &[Given]) -> Result<(Options, bool), i32> {
    let mut o = Options {
        first_page: 0,
        last_page: u64::MAX,
        columns: 1,
        across: false,
        parallel: false,
        hat: false,
        octal: false,
        double_space: false,
        date_format: b"%Y-%m-%d %H:%M".to_vec(),
        expand: false,
        input_tab: (b'\t', 8),
        tabify: false,
        output_tab: (b'\t', 8),
        form_feed: false,
        header: None,
        join: false,
        length: 66,
        numbered: false,
        number: (b'\t', 5),
        first_number: None,
        margin: 0,
        quiet: false,
        separated: false,
        separator: Vec::new(),
        extremities: true,
        keep_form_feeds: false,
        truncate: false,
        width: 72,
    };
    let mut explicit = false;
    let mut digits: Vec<u8> = Vec::new();
    for g in options {
        let text = g.text();
        match g.id {
            "pages" => {
                if !read_pages(&mut o, "--pages", text)? {
                    return fail(bytes!("invalid page range ", quote(text)));
                }
            }
            "columns" => {
                o.columns = count("invalid number of columns", text, 1)? as usize;
                explicit = true;
                digits.clear();
            }
            "a" => o.across = true,
            // Columns are always balanced.
            "b" => {}
            "c" => o.hat = true,
            "d" => o.double_space = true,
            "D" => o.date_format = text.to_vec(),
            "e" => {
                character_and_number(g, &mut o.input_tab)?;
                o.expand = true;
            }
            "F" => o.form_feed = true,
            "h" => o.header = Some(text.to_vec()),
            "i" => {
                character_and_number(g, &mut o.output_tab)?;
                o.tabify = true;
            }
            "J" => o.join = true,
            "l" => o.length = count("'-l PAGE_LENGTH' invalid number of lines", text, 1)?,
            "m" => o.parallel = true,
            "n" => {
                o.numbered = true;
                character_and_number(g, &mut o.number)?;
            }
            "N" => {
                let what = "'-N NUMBER' invalid starting line number";
                o.first_number = Some(count(what, text, i32::MIN.into())?);
            }
            "o" => o.margin = count("'-o MARGIN' invalid line offset", text, 0)?,
            "r" => o.quiet = true,
            "s" => {
                if !o.separated && g.value.is_some() {
                    o.separator = text.to_vec();
                }
            }
            "S" => {
                o.separated = true;
                o.separator = text.to_vec();
            }
            "t" | "T" => {
                o.extremities = false;
                o.keep_form_feeds = g.id == "t";
            }
            "v" => o.octal = true,
            "w" => {
                let width = count("'-w PAGE_WIDTH' invalid number of characters", text, 1)?;
                if !o.truncate {
                    o.width = width;
                }
            }
            "W" => {
                o.truncate = true;
                o.width = count("'-W PAGE_WIDTH' invalid number of characters", text, 1)?;
            }
            digit => digits.extend_from_slice(digit.as_bytes()),
        }
    }
    if !digits.is_empty() {
        o.columns = count("invalid number of columns", &digits, 1)? as usize;
        explicit = true;
    }
    Ok((o, explicit))
}

/// Adapts the options to each other: the meaning of `-s` and `-w` depends on others, as in older versions of `pr`.
fn adapt(o: &mut Options, options: &[Given], explicit: bool) {
    let last = |ids: &[&str]| options.iter().rev().map(|g| g.id).find(|id| ids.contains(id));
    let old_s = last(&["s", "S"]) == Some("s");
    let old_w = last(&["w", "W"]) == Some("w");
    let many = o.parallel || explicit;
    if old_w {
        if many {
            o.truncate = true;
            o.separated |= old_s;
        } else {
            o.join = true;
        }
    } else if !o.separated && old_s && many {
        if o.truncate {
            o.separated = true;
        } else {
            o.join = true;
            o.separated = !o.separator.is_empty();
        }
    }
}

/// Parses the number of an option.
fn count(what: &str, text: &[u8], least: i64) -> Result<i64, i32> {
    let most = i64::from(i32::MAX);
    let why = match number::signed(text, "") {
        Ok(n) if (least..=most).contains(&n) => return Ok(n),
        Ok(n) if n.unsigned_abs() <= most as u64 / 2 => ": Numerical result out of range",
        Ok(_) | Err(number::Fault::Overflow) => ": Value too large for defined data type",
        Err(number::Fault::Invalid | number::Fault::Suffix) => "",
    };
    fail(bytes!(what, ": ", quote(text), why))
}

/// Parses `[CHAR][NUMBER]`.
fn character_and_number(g: &Given, to: &mut (u8, i64)) -> Result<(), i32> {
    let mut text = g.text();
    if let Some((first, rest)) = text.split_first()
        && !first.is_ascii_digit()
    {
        to.0 = *first;
        text = rest;
    }
    // After an empty value, GNU pr reads unrelated memory. Here it is an error.
    if text.is_empty() && g.value.as_deref() != Some(b"") {
        return Ok(());
    }
    let why = match number::signed(text, "") {
        Ok(n) if n > 0 && n <= i32::MAX.into() => {
            to.1 = n;
            return Ok(());
        }
        Ok(n) if n <= 0 => "",
        Err(number::Fault::Invalid | number::Fault::Suffix) => "",
        _ => ": Value too large for defined data type",
    };
    let what = "' extra characters or invalid number in the argument: ";
    Err(SPEC.usage(bytes!("'-", g.id, what, quote(text), why)))
}

/// Parses `FIRST[:LAST]`. Returns false if the text has another form.
fn read_pages(o: &mut Options, option: &str, text: &[u8]) -> Result<bool, i32> {
    let complain = |text: &[u8], fault: Fault| {
        number::complain("pr", option, text, fault);
        Err(1)
    };
    let colon = text.iter().position(|b| *b == b':');
    let (first, last) = match colon {
        Some(i) => (&text[..i], Some(&text[i + 1..])),
        None => (text, None),
    };
    let page = match number::unsigned(first, "") {
        Ok(0) => return Ok(false),
        Err(Fault::Suffix) => {
            // If the number is too large, the message includes the text after it.
            let digits = first.iter().take_while(|b| b.is_ascii_digit()).count();
            if number::unsigned(&first[..digits], "") == Err(Fault::Overflow) {
                return complain(text, Fault::Suffix);
            }
            return Ok(false);
        }
        Ok(page) => page,
        Err(fault) => return complain(text, fault),
    };
    if let Some(last) = last {
        match number::unsigned(last, "") {
            Ok(last) if last >= page => o.last_page = last,
            Ok(_) => return Ok(false),
            Err(fault) => return complain(text, fault),
        }
    }
    o.first_page = page;
    Ok(true)
}
