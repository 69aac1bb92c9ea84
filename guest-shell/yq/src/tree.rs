//! Parses text to nodes: libyaml's events, composed as in PyYAML.

use crate::fault::Fault;
use crate::resolve::{self, Grammar, Kind};
use libyaml_safer::{Event, EventData, MappingStyle, Mark, Parser, ScalarStyle, SequenceStyle};
use std::collections::HashMap;
use std::rc::Rc;

/// A node of the document.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) tag: Tag,
    pub(crate) content: Content,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// The text, and the style's character if it is not plain.
    Scalar(String, Option<char>),
    /// The items, and whether it is in the flow style.
    Seq(Vec<Rc<Node>>, bool),
    Map(Vec<(Rc<Node>, Rc<Node>)>, bool),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tag {
    /// Resolved from a plain scalar.
    Plain(Kind),
    Str,
    Seq,
    Map,
    /// As written, after expansion of prefixes.
    Given(String),
}

/// The maximum nesting.
const DEPTH_MAX: usize = 300;

/// The documents of a text, one after the other.
pub(crate) struct Documents<'a> {
    parser: Parser<&'a [u8]>,
    text: &'a str,
    name: &'a str,
    anchors: HashMap<String, (Option<Rc<Node>>, Mark)>,
    /// Whether `*name` and `&name` are not read as aliases and anchors.
    keep_aliases: bool,
}

impl<'a> Documents<'a> {
    pub(crate) fn new(text: &'a str, name: &'a str, keep_aliases: bool) -> Self {
        let mut parser = Parser::new();
        parser.set_encoding(libyaml_safer::Encoding::Utf8);
        parser.set_input(text.as_bytes());
        Self { parser, text, name, anchors: HashMap::new(), keep_aliases }
    }

    /// The root of the next document.
    pub(crate) fn next(&mut self) -> Result<Option<Rc<Node>>, Fault> {
        loop {
            match self.event()?.data {
                EventData::StreamEnd => return Ok(None),
                EventData::DocumentStart { .. } => break,
                _ => {}
            }
        }
        self.anchors.clear();
        let event = self.event()?;
        let root = self.node(event, 0)?;
        self.event()?;
        Ok(Some(root))
    }

    fn event(&mut self) -> Result<Event, Fault> {
        self.parser.parse().map_err(|e| Fault::parse(&e, self.name, self.text))
    }

    fn node(&mut self, event: Event, depth: usize) -> Result<Rc<Node>, Fault> {
        if depth > DEPTH_MAX {
            return Err(Fault::new("RecursionError", "maximum recursion depth exceeded"));
        }
        let (start, end) = (event.start_mark, event.end_mark);
        match event.data {
            EventData::Alias { anchor } => self.alias(&anchor, start, end),
            EventData::Scalar { anchor, tag, value, plain_implicit, style, .. } => {
                self.declare(anchor.as_deref(), start)?;
                let tag = match tag {
                    Some(tag) if tag != "!" => Tag::Given(tag),
                    _ if plain_implicit => Tag::Plain(resolve::resolve(&value, Grammar::V1_2)),
                    _ => Tag::Str,
                };
                let style = match style {
                    ScalarStyle::SingleQuoted => Some('\''),
                    ScalarStyle::DoubleQuoted => Some('"'),
                    ScalarStyle::Literal => Some('|'),
                    ScalarStyle::Folded => Some('>'),
                    _ => None,
                };
                Ok(self.finish(anchor, Node { tag, content: Content::Scalar(value, style), start, end }))
            }
            EventData::SequenceStart { anchor, tag, style, .. } => {
                self.declare(anchor.as_deref(), start)?;
                let mut items = Vec::new();
                let end = loop {
                    let event = self.event()?;
                    if matches!(event.data, EventData::SequenceEnd) {
                        break event.end_mark;
                    }
                    items.push(self.node(event, depth + 1)?);
                };
                let tag = tag.filter(|t| t != "!").map_or(Tag::Seq, Tag::Given);
                let content = Content::Seq(items, style == SequenceStyle::Flow);
                Ok(self.finish(anchor, Node { tag, content, start, end }))
            }
            EventData::MappingStart { anchor, tag, style, .. } => {
                self.declare(anchor.as_deref(), start)?;
                let mut pairs = Vec::new();
                let end = loop {
                    let event = self.event()?;
                    if matches!(event.data, EventData::MappingEnd) {
                        break event.end_mark;
                    }
                    let key = self.node(event, depth + 1)?;
                    let event = self.event()?;
                    pairs.push((key, self.node(event, depth + 1)?));
                };
                let tag = tag.filter(|t| t != "!").map_or(Tag::Map, Tag::Given);
                let content = Content::Map(pairs, style == MappingStyle::Flow);
                Ok(self.finish(anchor, Node { tag, content, start, end }))
            }
            _ => Err(Fault::new("ComposerError", "unexpected event")),
        }
    }

    fn alias(&mut self, anchor: &str, start: Mark, end: Mark) -> Result<Rc<Node>, Fault> {
        if self.keep_aliases {
            let scalar = |text: &str| {
                let tag = Tag::Plain(resolve::resolve(text, Grammar::V1_2));
                Rc::new(Node { tag, content: Content::Scalar(text.to_owned(), None), start, end })
            };
            let pairs = vec![(scalar("__yq_alias__"), scalar(anchor))];
            return Ok(Rc::new(Node { tag: Tag::Map, content: Content::Map(pairs, true), start, end }));
        }
        match self.anchors.get(anchor) {
            Some((Some(node), _)) => Ok(Rc::clone(node)),
            Some((None, mark)) => Err(Fault::marked(
                "ConstructorError",
                self.name,
                &[("found unconstructable recursive node", Some(*mark))],
            )),
            None => Err(Fault::marked("ComposerError", self.name, &[("found undefined alias", Some(start))])),
        }
    }

    // Registers an anchor, at the start of its node.
    fn declare(&mut self, anchor: Option<&str>, mark: Mark) -> Result<(), Fault> {
        let Some(anchor) = anchor.filter(|_| !self.keep_aliases) else { return Ok(()) };
        if let Some((_, first)) = self.anchors.get(anchor) {
            let parts = [
                ("found duplicate anchor; first occurrence", Some(*first)),
                ("second occurrence", Some(mark)),
            ];
            return Err(Fault::marked("ComposerError", self.name, &parts));
        }
        self.anchors.insert(anchor.to_owned(), (None, mark));
        Ok(())
    }

    fn finish(&mut self, anchor: Option<String>, node: Node) -> Rc<Node> {
        let node = Rc::new(node);
        if let Some(slot) = anchor.and_then(|a| self.anchors.get_mut(&a)) {
            slot.0 = Some(Rc::clone(&node));
        }
        node
    }
}
