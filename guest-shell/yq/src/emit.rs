//! Writes values as YAML, in the layout of PyYAML's emitter: block style, with lines of about 80 characters.

use crate::resolve::{self, Grammar, Kind};
use crate::scalar::{self, Analysis};
use crate::style;
use crate::value::Value;
use std::collections::HashMap;

/// The layout options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) annotated: bool,
    /// Whether lists in mappings are not indented.
    pub(crate) indentless: bool,
    pub(crate) grammar: Grammar,
    pub(crate) width: usize,
    pub(crate) explicit_start: bool,
    pub(crate) explicit_end: bool,
}

/// The context of a node.
#[derive(Clone, Copy, Default)]
struct Place {
    root: bool,
    mapping: bool,
    simple_key: bool,
}

/// The requested appearance of a value. Empty without annotations.
#[derive(Clone, Default)]
struct Look {
    style: Option<String>,
    tag: Option<String>,
}

/// Writes documents one after the other.
pub(crate) struct Emitter {
    pub(crate) out: String,
    layout: Layout,
    column: usize,
    indent: Option<usize>,
    flow: usize,
    /// Whether the last character was white space.
    whitespace: bool,
    /// Whether the current line contains only indentation and indicators.
    indention: bool,
    /// Whether the root is a plain scalar, which needs an end marker after it.
    open_ended: bool,
    first: bool,
}

const INDENT: usize = 2;
const TAGS: &str = "tag:yaml.org,2002:";

impl Emitter {
    pub(crate) fn new(layout: Layout) -> Self {
        Self {
            out: String::new(),
            layout,
            column: 0,
            indent: None,
            flow: 0,
            whitespace: true,
            indention: true,
            open_ended: false,
            first: true,
        }
    }

    /// Appends a document.
    pub(crate) fn document(&mut self, value: &Value) {
        if !std::mem::take(&mut self.first) || self.layout.explicit_start {
            self.write_indent();
            self.indicator("---", true, false, false);
        }
        self.node(value, &Look::default(), Place { root: true, ..Place::default() });
        self.write_indent();
        if self.layout.explicit_end {
            self.indicator("...", true, false, false);
            self.write_indent();
        }
    }

    /// Ends the stream.
    pub(crate) fn finish(&mut self) {
        if self.open_ended {
            self.indicator("...", true, false, false);
            self.write_indent();
        }
    }

    fn node(&mut self, value: &Value, look: &Look, place: Place) {
        match value {
            Value::Seq(items) => self.sequence(items, look, place),
            Value::Map(entries) => self.mapping(entries, look),
            scalar => self.scalar(scalar, look, place),
        }
    }

    fn increase_indent(&mut self, flow: bool, indentless: bool) -> Option<usize> {
        let outer = self.indent;
        match outer {
            None => self.indent = Some(if flow { INDENT } else { 0 }),
            Some(n) if !indentless => self.indent = Some(n + INDENT),
            Some(_) => {}
        }
        outer
    }

    fn sequence(&mut self, items: &[Value], look: &Look, place: Place) {
        let mut looks: HashMap<usize, Look> = HashMap::new();
        let mut shown: Vec<&Value> = Vec::with_capacity(items.len());
        for item in items {
            let annotation = match item {
                Value::Str(text) if self.layout.annotated => style::parse_item(text),
                _ => None,
            };
            match annotation {
                Some(("style", i, value)) => looks.entry(i).or_default().style = Some(value.to_owned()),
                Some((_, i, value)) => looks.entry(i).or_default().tag = Some(value.to_owned()),
                None => shown.push(item),
            }
        }
        let mut look_of = |i: usize| looks.remove(&i).unwrap_or_default();
        self.tag(look);
        if self.flow > 0 || look.style.as_deref() == Some("flow") || shown.is_empty() {
            self.indicator("[", true, true, false);
            self.flow += 1;
            let outer = self.increase_indent(true, false);
            for (i, item) in shown.iter().enumerate() {
                if i > 0 {
                    self.indicator(",", false, false, false);
                }
                if self.column > self.layout.width {
                    self.write_indent();
                }
                self.node(item, &look_of(i), Place::default());
            }
            self.indent = outer;
            self.flow -= 1;
            self.indicator("]", false, false, false);
            return;
        }
        let indentless = self.layout.indentless && place.mapping && !self.indention;
        let outer = self.increase_indent(false, indentless);
        for (i, item) in shown.iter().enumerate() {
            self.write_indent();
            self.indicator("-", true, false, true);
            self.node(item, &look_of(i), Place::default());
        }
        self.indent = outer;
    }

    fn mapping(&mut self, entries: &[(String, Value)], look: &Look) {
        let mut looks: HashMap<&str, Look> = HashMap::new();
        let mut shown = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            if self.layout.annotated {
                if key == "__yq_alias__" {
                    continue;
                }
                if let Some((kind, hash)) = style::parse_entry(key) {
                    if let Value::Str(text) = value {
                        let look = looks.entry(hash).or_default();
                        let slot = if kind == "style" { &mut look.style } else { &mut look.tag };
                        *slot = Some(text.clone());
                    }
                    continue;
                }
            }
            shown.push((key, value));
        }
        self.tag(look);
        let flow = self.flow > 0 || look.style.as_deref() == Some("flow") || shown.is_empty();
        if flow {
            self.indicator("{", true, true, false);
            self.flow += 1;
        }
        let outer = self.increase_indent(flow, false);
        for (i, (key, value)) in shown.into_iter().enumerate() {
            let look = match looks.is_empty() {
                true => None,
                false => looks.remove(style::hash(key).as_str()),
            };
            let look = look.unwrap_or_default();
            if !flow {
                self.write_indent();
            } else {
                if i > 0 {
                    self.indicator(",", false, false, false);
                }
                if self.column > self.layout.width {
                    self.write_indent();
                }
            }
            let simple = is_simple_key(key);
            if !simple {
                self.indicator("?", true, false, !flow);
            }
            let place = Place { mapping: true, simple_key: simple, root: false };
            self.scalar(&Value::Str(key.clone()), &Look::default(), place);
            if simple {
                self.indicator(":", false, false, false);
            } else if flow {
                if self.column > self.layout.width {
                    self.write_indent();
                }
                self.indicator(":", true, false, false);
            } else {
                self.write_indent();
                self.indicator(":", true, false, true);
            }
            self.node(value, &look, Place { mapping: true, ..Place::default() });
        }
        self.indent = outer;
        if flow {
            self.flow -= 1;
            self.indicator("}", false, false, false);
        }
    }

    // Writes the tag of a collection.
    fn tag(&mut self, look: &Look) {
        if let Some(tag) =
            look.tag.as_deref().filter(|t| *t != "tag:yaml.org,2002:map" && *t != "tag:yaml.org,2002:seq")
        {
            let text = shown_tag(tag);
            self.indicator(&text, true, false, false);
        }
    }

    fn scalar(&mut self, value: &Value, look: &Look, place: Place) {
        let (kind, text) = represent(value);
        let chars: Vec<char> = text.chars().collect();
        let analysis = scalar::analyze(&chars);
        let own_tag = look.tag.as_deref();
        let plain_implied = own_tag.is_none() && resolve::resolve(&text, self.layout.grammar) == kind;
        let quoted_implied = own_tag.is_none() && kind == Kind::Str;
        let style = self.choose(look, &analysis, plain_implied, place);
        let implied = if style.is_none() { plain_implied } else { quoted_implied };
        if !implied {
            let tag = own_tag.map_or_else(|| shown_tag(tag_name(kind)), shown_tag);
            self.indicator(&tag, true, false, false);
        }
        let outer = self.increase_indent(true, false);
        let split = !place.simple_key;
        match style {
            None => self.plain(&chars, split, place),
            Some('"') => self.double_quoted(&chars, split),
            Some('|') => self.literal(&chars),
            Some('>') => self.folded(&chars),
            Some(_) => self.single_quoted(&chars, split),
        }
        self.indent = outer;
    }

    // The character of the chosen style. `None` for plain.
    fn choose(&self, look: &Look, analysis: &Analysis, plain_implied: bool, place: Place) -> Option<char> {
        let wanted = look.style.as_deref().filter(|s| !s.is_empty());
        if wanted == Some("\"") {
            return Some('"');
        }
        if wanted.is_none() && plain_implied {
            let bad_key = place.simple_key && (analysis.empty || analysis.multiline);
            let allowed = if self.flow > 0 { analysis.flow_plain } else { analysis.block_plain };
            if allowed && !bad_key {
                return None;
            }
        }
        if let Some(style @ ("|" | ">")) = wanted
            && self.flow == 0
            && !place.simple_key
            && analysis.block
        {
            return style.chars().next();
        }
        let single = analysis.single_quoted && !(place.simple_key && analysis.multiline);
        Some(if single { '\'' } else { '"' })
    }

    fn indicator(&mut self, text: &str, needs_space: bool, whitespace: bool, indention: bool) {
        if !self.whitespace && needs_space {
            self.put_char(' ');
        }
        self.whitespace = whitespace;
        self.indention &= indention;
        self.open_ended = false;
        self.put(text);
    }

    fn put(&mut self, text: &str) {
        self.column += text.chars().count();
        self.out.push_str(text);
    }

    fn put_char(&mut self, c: char) {
        self.column += 1;
        self.out.push(c);
    }

    fn put_all(&mut self, chars: &[char]) {
        self.column += chars.len();
        self.out.extend(chars);
    }

    fn line_break(&mut self, c: char) {
        self.whitespace = true;
        self.indention = true;
        self.column = 0;
        self.out.push(c);
    }

    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.line_break('\n');
        }
        if self.column < indent {
            self.whitespace = true;
            while self.column < indent {
                self.put_char(' ');
            }
        }
    }

    // Writes the breaks between two lines of a scalar. A folded scalar needs an additional one.
    fn breaks(&mut self, run: &[char], double: bool) {
        if double {
            self.line_break('\n');
        }
        for c in run {
            self.line_break(*c);
        }
    }

    fn plain(&mut self, text: &[char], split: bool, place: Place) {
        if place.root {
            self.open_ended = true;
        }
        if text.is_empty() {
            return;
        }
        if !self.whitespace {
            self.put_char(' ');
        }
        self.whitespace = false;
        self.indention = false;
        for (_, run) in runs(text, false) {
            let is_space = run.first() == Some(&' ');
            if is_space && run.len() == 1 && self.column > self.layout.width && split {
                self.write_indent();
                self.whitespace = false;
                self.indention = false;
            } else if run.first().is_some_and(|c| scalar::is_break(*c)) {
                self.breaks(run, run.first() == Some(&'\n'));
                self.write_indent();
                self.whitespace = false;
                self.indention = false;
            } else {
                self.put_all(run);
            }
        }
    }

    fn single_quoted(&mut self, text: &[char], split: bool) {
        self.indicator("'", true, false, false);
        for (at, run) in runs(text, true) {
            match run.first() {
                Some(' ') => {
                    let inner = at != 0 && at + run.len() != text.len();
                    if run.len() == 1 && self.column > self.layout.width && split && inner {
                        self.write_indent();
                    } else {
                        self.put_all(run);
                    }
                }
                Some(c) if scalar::is_break(*c) => {
                    self.breaks(run, *c == '\n');
                    self.write_indent();
                }
                Some('\'') => self.put("''"),
                _ => self.put_all(run),
            }
        }
        self.indicator("'", false, false, false);
    }

    fn double_quoted(&mut self, text: &[char], split: bool) {
        self.indicator("\"", true, false, false);
        let len = text.len();
        let mut start = 0;
        for end in 0..=len {
            let c = text.get(end).copied();
            if c.is_none_or(needs_escape) {
                if start < end {
                    self.put_all(text.get(start..end).unwrap_or_default());
                    start = end;
                }
                if let Some(c) = c {
                    let escaped = escape(c);
                    self.put(&escaped);
                    start = end + 1;
                }
            }
            let at_gap = c == Some(' ') || start >= end;
            let pending = end.saturating_sub(start);
            // In Python, the pending length can be negative here.
            let reach = if start > end { self.column.saturating_sub(1) } else { self.column + pending };
            if end > 0 && end + 1 < len && at_gap && reach > self.layout.width && split {
                if start < end {
                    self.put_all(text.get(start..end).unwrap_or_default());
                    start = end;
                }
                self.put_char('\\');
                self.write_indent();
                self.whitespace = false;
                self.indention = false;
                if text.get(start) == Some(&' ') {
                    self.put_char('\\');
                }
            }
        }
        self.indicator("\"", false, false, false);
    }

    fn block_header(&mut self, mark: &str, text: &[char]) {
        let mut hints = String::from(mark);
        let is_break = |c: Option<&char>| c.is_some_and(|c| scalar::is_break(*c));
        if text.first() == Some(&' ') || is_break(text.first()) {
            hints.push('2');
        }
        let before_last = text.len().checked_sub(2).and_then(|i| text.get(i));
        let mut keeps = false;
        if !is_break(text.last()) {
            hints.push('-');
        } else if text.len() == 1 || is_break(before_last) {
            hints.push('+');
            keeps = true;
        }
        self.indicator(&hints, true, false, false);
        self.open_ended |= keeps;
        self.line_break('\n');
    }

    fn literal(&mut self, text: &[char]) {
        self.block_header("|", text);
        let mut fresh = true;
        for line in text.split_inclusive(|c| scalar::is_break(*c)) {
            let (body, end) = match line.split_last() {
                Some((c, body)) if scalar::is_break(*c) => (body, Some(*c)),
                _ => (line, None),
            };
            if !body.is_empty() {
                if fresh {
                    self.write_indent();
                }
                self.put_all(body);
            }
            self.line_break(end.unwrap_or('\n'));
            fresh = true;
        }
    }

    fn folded(&mut self, text: &[char]) {
        self.block_header(">", text);
        let mut leading_space = true;
        let mut after_breaks = true;
        let pieces = runs(text, false);
        let mut breaks: &[char] = &[];
        for (at, run) in &pieces {
            let first = run.first().copied().unwrap_or('\n');
            if scalar::is_break(first) {
                breaks = run;
                after_breaks = true;
                continue;
            }
            if after_breaks {
                self.folded_breaks(breaks, &mut leading_space, Some(first));
                breaks = &[];
                after_breaks = false;
            }
            if first == ' ' && run.len() == 1 && self.column > self.layout.width && at + 1 < text.len() {
                self.write_indent();
            } else {
                self.put_all(run);
            }
        }
        if breaks.is_empty() {
            self.line_break('\n');
        } else {
            self.folded_breaks(breaks, &mut leading_space, None);
        }
    }

    fn folded_breaks(&mut self, breaks: &[char], leading_space: &mut bool, next: Option<char>) {
        let folds = !*leading_space && next.is_some_and(|c| c != ' ') && breaks.first() == Some(&'\n');
        *leading_space = next == Some(' ');
        self.breaks(breaks, folds);
        if next.is_some() {
            self.write_indent();
        }
    }
}

// Splits text into runs of spaces, of breaks, and of other characters, with their positions. `quotes`: each quote is a
// run of its own.
fn runs(text: &[char], quotes: bool) -> Vec<(usize, &[char])> {
    let class = |c: char| match c {
        ' ' => 0,
        '\'' if quotes => 1,
        c if scalar::is_break(c) => 2,
        _ => 3,
    };
    let mut out = Vec::new();
    let mut at = 0;
    for run in text.chunk_by(|a, b| class(*a) == class(*b) && class(*a) != 1) {
        out.push((at, run));
        at += run.len();
    }
    out
}

// Whether a key can be written before a colon: it must be short and on one line.
fn is_simple_key(key: &str) -> bool {
    let tag = "!!str".len();
    !key.is_empty() && !key.contains(scalar::is_break) && key.chars().count() + tag < 128
}

fn represent(value: &Value) -> (Kind, String) {
    match value {
        Value::Null => (Kind::Null, "null".to_owned()),
        Value::Bool(b) => (Kind::Bool, b.to_string()),
        Value::Int(n) => (Kind::Int, if n == "-0" { "0".to_owned() } else { n.clone() }),
        Value::Float(n) if n.is_infinite() => {
            (Kind::Float, if *n < 0.0 { "-.inf" } else { ".inf" }.to_owned())
        }
        Value::Float(n) => {
            let text = crate::json::python_float(*n);
            // In YAML 1.1, every float needs a point.
            (Kind::Float, if text.contains('.') { text } else { text.replacen('e', ".0e", 1) })
        }
        Value::Str(text) => (Kind::Str, text.clone()),
        Value::Seq(_) | Value::Map(_) => (Kind::Other, String::new()),
    }
}

fn tag_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "tag:yaml.org,2002:null",
        Kind::Bool => "tag:yaml.org,2002:bool",
        Kind::Int => "tag:yaml.org,2002:int",
        Kind::Float => "tag:yaml.org,2002:float",
        _ => "tag:yaml.org,2002:str",
    }
}

// The written form of a tag.
fn shown_tag(tag: &str) -> String {
    let (handle, suffix) = match (tag.strip_prefix('!'), tag.strip_prefix(TAGS)) {
        (Some(rest), _) => ("!", rest),
        (_, Some(rest)) if !rest.is_empty() => ("!!", rest),
        _ => ("", tag),
    };
    let mut text = String::new();
    for c in suffix.chars() {
        if c.is_ascii_alphanumeric() || "-;/?:@&=+$,_.~*'()[]".contains(c) || (c == '!' && handle != "!") {
            text.push(c);
        } else {
            let mut buffer = [0; 4];
            for b in c.encode_utf8(&mut buffer).bytes() {
                text.push_str(&format!("%{b:02X}"));
            }
        }
    }
    if handle.is_empty() { format!("!<{text}>") } else { format!("{handle}{text}") }
}

fn needs_escape(c: char) -> bool {
    matches!(c, '"' | '\\' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
        || !matches!(c, ' '..='\u{7e}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
}

fn escape(c: char) -> String {
    let short = match c {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' | '\\' => c,
        '\u{85}' => 'N',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = u32::from(c);
            return match code {
                0..=0xFF => format!("\\x{code:02X}"),
                0x100..=0xFFFF => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{short}")
}
