//! Prints results for each file: ripgrep's own printers writing to our output.

use super::options::{Mode, Options};
use super::pattern::Pattern;
use crate::out::Out;
use grep_printer::{
    ColorSpecs, JSON, JSONBuilder, Standard, StandardBuilder, Stats, Summary, SummaryBuilder, SummaryKind,
};
use grep_searcher::Searcher;
use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use termcolor::{Ansi, NoColor, WriteColor};

/// Prints lines, a summary of each file, or JSON messages.
pub(crate) enum Printer {
    Lines(Box<Standard<Paint>>),
    Summary(Box<Summary<Paint>>),
    Json(Box<JSON<Writer>>),
}

type Paint = Box<dyn WriteColor>;

/// An output that the printer shares with messages.
pub(crate) struct Writer(pub(crate) Rc<RefCell<Out>>);

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut out = self.0.borrow_mut();
        out.put(bytes);
        if bytes.contains(&b'\n') {
            out.end_line();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Printer {
    /// With `names`, lines and counts are printed with their file's name.
    pub(crate) fn new(o: &Options, names: bool, out: &Rc<RefCell<Out>>) -> Self {
        let writer = Writer(Rc::clone(out));
        let kind = match (o.mode, o.quiet) {
            (Mode::NamesWithout, true) => SummaryKind::QuietWithoutMatch,
            (_, true) => SummaryKind::QuietWithMatch,
            (Mode::Json, _) => {
                return Self::Json(Box::new(JSONBuilder::new().replacement(o.replace.clone()).build(writer)));
            }
            (Mode::Count, _) => SummaryKind::Count,
            (Mode::CountMatches, _) => SummaryKind::CountMatches,
            (Mode::Names, _) => SummaryKind::PathWithMatch,
            (Mode::NamesWithout, _) => SummaryKind::PathWithoutMatch,
            _ => return Self::Lines(Box::new(lines(o, names, writer))),
        };
        let summary = SummaryBuilder::new()
            .kind(kind)
            .color_specs(colors(o))
            .stats(o.stats || o.mode == Mode::Json)
            .path(names)
            .exclude_zero(!o.include_zero)
            .separator_path(o.path_separator)
            .path_terminator(o.null.then_some(0))
            .build(paint(o, writer));
        Self::Summary(Box::new(summary))
    }

    /// Runs `search` and prints what it finds. Returns whether there is a match, and the statistics.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) fn search(
        &mut self,
        name: &Path,
        pattern: &Pattern,
        searcher: &mut Searcher,
        text: Text<'_>,
    ) -> io::Result<(bool, Option<Stats>)> {
        macro_rules! search {
            ($sink:expr) => {{
                let mut sink = $sink;
                match text {
                    Text::Whole(text) => searcher.search_slice(pattern, text, &mut sink)?,
                    Text::Stream(from) => searcher.search_reader(pattern, from, &mut sink)?,
                }
                sink
            }};
        }
        Ok(match self {
            Self::Lines(printer) => {
                let sink = search!(printer.sink_with_path(pattern, name));
                (sink.has_match(), sink.stats().cloned())
            }
            Self::Summary(printer) => {
                let sink = search!(printer.sink_with_path(pattern, name));
                (sink.has_match(), sink.stats().cloned())
            }
            Self::Json(printer) => {
                let sink = search!(printer.sink_with_path(pattern, name));
                (sink.has_match(), Some(sink.stats().clone()))
            }
        })
    }
}

/// The input of a search.
pub(crate) enum Text<'a> {
    Whole(&'a [u8]),
    Stream(&'a mut dyn io::Read),
}

fn lines(o: &Options, names: bool, writer: Writer) -> Standard<Paint> {
    let between_files = match o.heading {
        true => Some(Vec::new()),
        false if o.before + o.after > 0 && !o.passthru => o.context_separator.clone(),
        false => None,
    };
    StandardBuilder::new()
        .color_specs(colors(o))
        .stats(o.stats)
        .heading(o.heading)
        .path(names)
        .only_matching(o.only)
        .per_match(o.vimgrep)
        .per_match_one_line(true)
        .replacement(o.replace.clone())
        .max_columns(o.max_columns.map(|most| most as u64))
        .max_columns_preview(o.preview)
        .column(o.column)
        .byte_offset(o.offset)
        .trim_ascii(o.trim)
        .separator_search(between_files)
        .separator_context(o.context_separator.clone())
        .separator_field_match(o.match_separator.clone())
        .separator_field_context(o.context_field_separator.clone())
        .separator_path(o.path_separator)
        .path_terminator(o.null.then_some(0))
        .build(paint(o, writer))
}

fn colors(o: &Options) -> ColorSpecs {
    if !o.color {
        return ColorSpecs::default();
    }
    let mut specs = grep_printer::default_color_specs();
    // The crate's defaults have no colour for paths on WASI.
    specs.extend("path:fg:magenta".parse().ok());
    ColorSpecs::new(&specs)
}

fn paint(o: &Options, writer: Writer) -> Paint {
    if o.color { Box::new(Ansi::new(writer)) } else { Box::new(NoColor::new(writer)) }
}

/// The statistics of all files, as `--stats` prints them, or with `--json` as the last message.
pub(crate) fn summary(o: &Options, stats: &Stats, total: Duration) -> String {
    if o.mode == Mode::Json {
        let elapsed = serde_json::json!({
            "secs": total.as_secs(),
            "nanos": total.subsec_nanos(),
            "human": format!("{:.6}s", total.as_secs_f64()),
        });
        let data = serde_json::json!({ "stats": stats, "elapsed_total": elapsed });
        return format!("{}\n", serde_json::json!({ "type": "summary", "data": data }));
    }
    format!(
        "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n{} bytes printed\n{} bytes \
         searched\n{:.6} seconds spent searching\n{:.6} seconds total\n",
        stats.matches(),
        stats.matched_lines(),
        stats.searches_with_match(),
        stats.searches(),
        stats.bytes_printed(),
        stats.bytes_searched(),
        stats.elapsed().as_secs_f64(),
        total.as_secs_f64()
    )
}
