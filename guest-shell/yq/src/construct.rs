//! Converts nodes to JSON text, as PyYAML's safe constructors and Python's encoder do.

use crate::fault::Fault;
use crate::json;
use crate::resolve::Kind;
use crate::style;
use crate::tree::{Content, Node, Tag};
use std::collections::HashMap;
use std::rc::Rc;

const TAGS: &str = "tag:yaml.org,2002:";

/// Writes one document as JSON.
pub(crate) struct Writer<'a> {
    /// The stream's name, for messages.
    pub(crate) name: &'a str,
    /// Whether styles and tags are added as extra entries (`-Y`).
    pub(crate) annotated: bool,
    /// The maximum number of characters.
    pub(crate) limit: u64,
}

/// Why a document was refused.
pub(crate) enum Refused {
    Fault(Fault),
    /// Aliases make the document too large.
    TooLong,
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

type Res = Result<(), Refused>;

impl Writer<'_> {
    pub(crate) fn document(&self, root: &Node) -> Result<String, Refused> {
        let mut out = String::new();
        self.value(root, &mut out)?;
        Ok(out)
    }

    fn value(&self, node: &Node, out: &mut String) -> Res {
        if out.len() as u64 > self.limit {
            return Err(Refused::TooLong);
        }
        match &node.content {
            Content::Scalar(text, _) => self.scalar(node, text, out)?,
            Content::Seq(items, _) => match known(&node.tag) {
                Some("omap" | "pairs") => self.pairs(items, out)?,
                Some("map" | "set") => return Err(self.wrong(node, "a mapping", "sequence")),
                _ => self.sequence(items, out)?,
            },
            Content::Map(..) => match known(&node.tag) {
                Some("seq" | "omap" | "pairs") => return Err(self.wrong(node, "a sequence", "mapping")),
                Some("str" | "int" | "float" | "bool" | "null") => {
                    return Err(self.wrong(node, "a scalar", "mapping"));
                }
                _ => self.mapping(node, out)?,
            },
        }
        if out.len() as u64 > self.limit {
            return Err(Refused::TooLong);
        }
        Ok(())
    }

    fn wrong(&self, node: &Node, wanted: &str, found: &str) -> Refused {
        let text = format!("expected {wanted} node, but found {found}");
        Fault::marked("ConstructorError", self.name, &[(&text, Some(node.start))]).into()
    }

    fn sequence(&self, items: &[Rc<Node>], out: &mut String) -> Res {
        out.push('[');
        let mut first = true;
        for item in items {
            separate(out, &mut first);
            self.value(item, out)?;
        }
        if self.annotated {
            for (i, item) in items.iter().enumerate() {
                if let Some(tag) = own_tag(item) {
                    separate(out, &mut first);
                    json::push_string(out, &style::item("tag", i, tag));
                }
                if let Some(style) = style_name(item) {
                    separate(out, &mut first);
                    json::push_string(out, &style::item("style", i, &style));
                }
            }
        }
        out.push(']');
        Ok(())
    }

    // `!!omap`: each item is a mapping with one entry, which becomes an array of two elements.
    fn pairs(&self, items: &[Rc<Node>], out: &mut String) -> Res {
        out.push('[');
        let mut first = true;
        for item in items {
            let Content::Map(entries, _) = &item.content else {
                return Err(self.wrong(item, "a mapping of length 1", "something else"));
            };
            for (key, value) in entries {
                separate(out, &mut first);
                out.push('[');
                self.value(key, out)?;
                out.push_str(", ");
                self.value(value, out)?;
                out.push(']');
            }
        }
        out.push(']');
        Ok(())
    }

    fn mapping(&self, node: &Node, out: &mut String) -> Res {
        let mut pairs = Vec::new();
        self.flatten(node, &mut pairs, 0)?;
        // A duplicate key keeps its first position and gets the last value.
        let mut entries: Vec<(String, Entry)> = Vec::with_capacity(pairs.len());
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut put = |identity: String, key: String, entry: Entry| match places
            .get(&identity)
            .and_then(|i| entries.get_mut(*i))
        {
            Some(old) => old.1 = entry,
            None => {
                places.insert(identity, entries.len());
                entries.push((key, entry));
            }
        };
        for (key, value) in &pairs {
            let name = self.key(key)?;
            if !is_text(key) {
                put(identity(key, &name), name, Entry::Node(Rc::clone(value)));
                continue;
            }
            let mut annotations = Vec::new();
            if self.annotated {
                let (tag, style) = (own_tag(value).map(str::to_owned), style_name(value));
                annotations.extend(tag.map(|t| (style::entry("tag", &name), t)));
                annotations.extend(style.map(|s| (style::entry("style", &name), s)));
            }
            put(format!("\"{name}"), name, Entry::Node(Rc::clone(value)));
            for (name, text) in annotations {
                put(format!("\"{name}"), name, Entry::Text(text));
            }
        }
        out.push('{');
        let mut first = true;
        for (name, entry) in &entries {
            separate(out, &mut first);
            json::push_string(out, name);
            out.push_str(": ");
            match entry {
                Entry::Node(node) => self.value(node, out)?,
                Entry::Text(text) => json::push_string(out, text),
            }
        }
        out.push('}');
        Ok(())
    }

    // The entries of a mapping. Those merged by `<<` come first.
    fn flatten(&self, node: &Node, out: &mut Vec<(Rc<Node>, Rc<Node>)>, depth: usize) -> Res {
        let Content::Map(pairs, _) = &node.content else { return Ok(()) };
        if out.len() as u64 > self.limit || depth > 200 {
            return Err(Refused::TooLong);
        }
        for (_, value) in pairs.iter().filter(|p| p.0.tag == Tag::Plain(Kind::Merge)) {
            let refuse = |wanted: &str, found: &Node| -> Refused {
                let text = format!("expected {wanted}, but found {}", kind_name(found));
                let parts =
                    [("while constructing a mapping", Some(node.start)), (text.as_str(), Some(found.start))];
                Fault::marked("ConstructorError", self.name, &parts).into()
            };
            match &value.content {
                Content::Map(..) => self.flatten(value, out, depth + 1)?,
                Content::Seq(items, _) => {
                    if let Some(other) = items.iter().find(|i| !matches!(i.content, Content::Map(..))) {
                        return Err(refuse("a mapping for merging", other));
                    }
                    for item in items.iter().rev() {
                        self.flatten(item, out, depth + 1)?;
                    }
                }
                Content::Scalar(..) => {
                    return Err(refuse("a mapping or list of mappings for merging", value));
                }
            }
        }
        out.extend(pairs.iter().filter(|p| p.0.tag != Tag::Plain(Kind::Merge)).cloned());
        Ok(())
    }

    // A key in the form of the JSON encoder.
    fn key(&self, node: &Node) -> Result<String, Refused> {
        let Content::Scalar(text, _) = &node.content else {
            let kind = if matches!(node.content, Content::Seq(..)) { "list" } else { "dict" };
            return Err(Fault::new("TypeError", format!("unhashable type: '{kind}'")).into());
        };
        if is_text(node) {
            return Ok(text.clone());
        }
        if scalar_kind(&node.tag) == Some(Kind::Float) {
            return Ok(match float(text)? {
                n if n.is_nan() => "NaN".to_owned(),
                n if n.is_infinite() => format!("{}Infinity", if n < 0.0 { "-" } else { "" }),
                n => json::python_float(n),
            });
        }
        let mut out = String::new();
        self.scalar(node, text, &mut out)?;
        Ok(out)
    }

    fn scalar(&self, node: &Node, text: &str, out: &mut String) -> Res {
        match scalar_kind(&node.tag) {
            Some(Kind::Null) => out.push_str("null"),
            Some(Kind::Bool) => match text.to_lowercase().as_str() {
                "true" | "yes" | "on" => out.push_str("true"),
                "false" | "no" | "off" => out.push_str("false"),
                other => return Err(Fault::new("KeyError", format!("'{other}'")).into()),
            },
            Some(Kind::Int) => out.push_str(&int(text)?),
            Some(Kind::Float) => match float(text)? {
                n if n.is_nan() => out.push_str("nan"),
                n if n.is_infinite() => out.push_str(if n < 0.0 { "-1e999" } else { "1e999" }),
                n => out.push_str(&format!("{n:e}")),
            },
            _ => match known(&node.tag) {
                Some("timestamp") if text.len() != 10 => {
                    let text = "times of day with the tag !!timestamp are not supported";
                    return Err(Fault::new("ConstructorError", text).into());
                }
                Some("seq" | "omap" | "pairs") => return Err(self.wrong(node, "a sequence", "scalar")),
                Some("map" | "set") => return Err(self.wrong(node, "a mapping", "scalar")),
                _ => json::push_string(out, text),
            },
        }
        Ok(())
    }
}

enum Entry {
    Node(Rc<Node>),
    Text(String),
}

fn separate(out: &mut String, first: &mut bool) {
    if !std::mem::take(first) {
        out.push_str(", ");
    }
}

// The name of a tag, if YAML defines it.
fn known(tag: &Tag) -> Option<&str> {
    match tag {
        Tag::Given(tag) => tag.strip_prefix(TAGS),
        _ => None,
    }
}

fn scalar_kind(tag: &Tag) -> Option<Kind> {
    match (tag, known(tag)) {
        (Tag::Plain(kind), _) => Some(*kind),
        (_, Some("null")) => Some(Kind::Null),
        (_, Some("bool")) => Some(Kind::Bool),
        (_, Some("int")) => Some(Kind::Int),
        (_, Some("float")) => Some(Kind::Float),
        _ => None,
    }
}

// The identity of a key that is not a string. In Python, true equals 1 and false equals 0.
fn identity(key: &Node, name: &str) -> String {
    match (scalar_kind(&key.tag), name) {
        (Some(Kind::Bool), "true") => "1".to_owned(),
        (Some(Kind::Bool), _) => "0".to_owned(),
        (Some(Kind::Float), name) => name.strip_suffix(".0").unwrap_or(name).to_owned(),
        (_, name) => name.to_owned(),
    }
}

// Whether a scalar is a string.
fn is_text(node: &Node) -> bool {
    !matches!(scalar_kind(&node.tag), Some(Kind::Null | Kind::Bool | Kind::Int | Kind::Float))
}

// The name of an application's own tag: `!name`.
fn own_tag(node: &Node) -> Option<&str> {
    match &node.tag {
        Tag::Given(tag) if tag.starts_with('!') && !tag.starts_with("!!") && tag.len() > 1 => Some(tag),
        _ => None,
    }
}

fn style_name(node: &Node) -> Option<String> {
    match &node.content {
        Content::Scalar(_, style) => style.map(String::from),
        Content::Seq(_, flow) | Content::Map(_, flow) => flow.then(|| "flow".to_owned()),
    }
}

fn kind_name(node: &Node) -> &'static str {
    match node.content {
        Content::Scalar(..) => "scalar",
        Content::Seq(..) => "sequence",
        Content::Map(..) => "mapping",
    }
}

// Converts PyYAML's integers. They are those of YAML 1.1, whichever grammar resolved the scalar.
fn int(text: &str) -> Result<String, Fault> {
    let plain = text.replace('_', "");
    let (negative, digits) = match plain.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let radix = |digits: &str, shown: &str, base: u32| -> Result<String, Fault> {
        u128::from_str_radix(digits, base).map(|n| n.to_string()).map_err(|_| {
            Fault::new("ValueError", format!("invalid literal for int() with base {base}: '{shown}'"))
        })
    };
    let value = if digits == "0" {
        "0".to_owned()
    } else if let Some(rest) = digits.strip_prefix("0b") {
        radix(rest, rest, 2)?
    } else if let Some(rest) = digits.strip_prefix("0x") {
        radix(rest, rest, 16)?
    } else if digits.starts_with('0') {
        radix(digits.strip_prefix("0o").unwrap_or(digits), digits, 8)?
    } else if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        digits.to_owned()
    } else {
        radix("", digits, 10)?
    };
    Ok(if negative && value != "0" { format!("-{value}") } else { value })
}

fn float(text: &str) -> Result<f64, Fault> {
    let plain = text.replace('_', "").to_lowercase();
    let (sign, rest) = match plain.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    match rest {
        ".inf" => Ok(sign * f64::INFINITY),
        ".nan" => Ok(f64::NAN),
        _ => rest
            .parse::<f64>()
            .map(|n| sign * n)
            .map_err(|_| Fault::new("ValueError", format!("could not convert string to float: '{rest}'"))),
    }
}
