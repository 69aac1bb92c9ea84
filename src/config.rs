//! Providers declared in a configuration file.
//!
//! ```toml
//! [sandboxes]
//! default = "work"
//!
//! [sandboxes.providers.work]
//! kind = "e2b"
//! working_dir = "/home/user/project"
//! params = { template = "python" }
//!
//! [sandboxes.providers.mine]
//! kind = "command"
//! params = { command = ["python3", "/opt/provider.py"] }
//! ```
//!
//! A parameter has the name of the kind's environment variable, in lower case and without the kind's name:
//! `api_key` of `e2b` is `E2B_API_KEY`. An entry without `kind` configures the kind of the same name.

use sandshell_providers::registry::{Declaration, Param, Registry};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The contents of a configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// The provider that is used if no other is asked for.
    pub default: Option<String>,
    /// Providers by name.
    pub providers: BTreeMap<String, Declaration>,
}

impl Config {
    /// Reads the text of a file. Malformed entries are left out; the second value has one line about each.
    pub fn parse(text: &str) -> (Self, Vec<String>) {
        let mut config = Self::default();
        let mut warnings = Vec::new();
        let file: Table = match text.parse() {
            Ok(file) => file,
            // The message alone: the rest shows the position over several lines.
            Err(error) => return (config, vec![at(text, &error)]),
        };
        let sandboxes = match file.get("sandboxes") {
            None => return (config, warnings),
            Some(Value::Table(sandboxes)) => sandboxes,
            Some(_) => return (config, vec!["sandboxes is not a table".to_owned()]),
        };
        for (key, value) in sandboxes {
            match (key.as_str(), value) {
                ("default", Value::String(name)) => config.default = Some(name.clone()),
                ("providers", Value::Table(providers)) => {
                    for (name, entry) in providers {
                        match declaration(entry) {
                            Ok(declaration) => drop(config.providers.insert(name.clone(), declaration)),
                            Err(why) => {
                                warnings.push(format!("sandboxes.providers.{name} is skipped: {why}"))
                            }
                        }
                    }
                }
                ("default", _) => warnings.push("sandboxes.default is skipped: it is not a name".to_owned()),
                ("providers", _) => {
                    warnings.push("sandboxes.providers is skipped: it is no table".to_owned())
                }
                _ => warnings.push(format!("sandboxes.{key} is skipped: nothing has this name")),
            }
        }
        (config, warnings)
    }

    /// Checks that the text is valid TOML.
    ///
    /// # Errors
    ///
    /// One line with the line number and what is wrong there.
    pub fn check(text: &str) -> Result<(), String> {
        text.parse::<Table>().map(drop).map_err(|error| at(text, &error))
    }

    /// Declares the providers in a registry. Those that cannot be declared are left out; the result has one line
    /// about each.
    pub fn declare(&self, registry: &mut Registry) -> Vec<String> {
        let mut warnings = Vec::new();
        for (name, declaration) in &self.providers {
            if let Err(why) = registry.declare(name, declaration.clone()) {
                warnings.push(format!("sandboxes.providers.{name} is skipped: {why}"));
            }
        }
        warnings
    }
}

fn at(text: &str, error: &toml::de::Error) -> String {
    let line =
        error.span().and_then(|span| text.get(..span.start)).map(|before| before.lines().count().max(1));
    match line {
        Some(line) => format!("line {line}: {}", error.message()),
        None => error.message().to_owned(),
    }
}

fn declaration(entry: &Value) -> Result<Declaration, String> {
    let entry = entry.as_table().ok_or("it is not a table")?;
    let mut declaration = Declaration::default();
    for (key, value) in entry {
        match (key.as_str(), value) {
            ("kind", Value::String(kind)) => declaration.kind = Some(kind.clone()),
            ("working_dir", Value::String(path)) => declaration.working_dir = Some(path.clone()),
            ("params", Value::Table(params)) => {
                for (name, value) in params {
                    declaration.params.insert(name.clone(), param(name, value)?);
                }
            }
            ("kind" | "working_dir", _) => return Err(format!("{key} is not text")),
            ("params", _) => return Err("params is not a table".to_owned()),
            _ => return Err(format!("there is no key {key:?}: known are kind, working_dir and params")),
        }
    }
    Ok(declaration)
}

fn param(name: &str, value: &Value) -> Result<Param, String> {
    let wrong = || format!("params.{name} is not text, a list of texts or a table of texts");
    Ok(match value {
        Value::Array(values) => {
            Param::List(values.iter().map(text).collect::<Option<_>>().ok_or_else(wrong)?)
        }
        Value::Table(values) => {
            let text = |(name, value): (&String, &Value)| Some((name.clone(), text(value)?));
            Param::Table(values.iter().map(text).collect::<Option<_>>().ok_or_else(wrong)?)
        }
        value => Param::Text(text(value).ok_or_else(wrong)?),
    })
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_entries_are_skipped() {
        let text = r#"
[sandboxes]
default = "a"
colour = "red"
[sandboxes.providers.a]
kind = "command"
params = { command = ["x", "y"], env = { A = "1" }, level = 3, on = true }
[sandboxes.providers.b]
kind = 7
[sandboxes.providers.c]
workingdir = "/x"
[sandboxes.providers.d]
params = { at = [[1]] }
"#;
        let (config, warnings) = Config::parse(text);
        assert_eq!(config.default.as_deref(), Some("a"));
        assert_eq!(config.providers.keys().collect::<Vec<_>>(), ["a"]);
        let level = config.providers.get("a").and_then(|a| a.params.get("level"));
        assert!(level == Some(&Param::Text("3".to_owned())));
        assert_eq!(warnings.len(), 4, "{warnings:?}");
        let (config, warnings) = Config::parse("a = 1\nb = \n");
        assert_eq!((config, warnings.len()), (Config::default(), 1));
        assert!(warnings.iter().all(|warning| warning.starts_with("line ")), "{warnings:?}");
    }
}
