//! What the vendors' SDKs can send, and how each field is treated.
//!
//! A vendor's `fields.txt` lists its requests, and the fields of the emulated ones. A test compares it with the
//! vendor's published SDKs (`tests/sdk/known.py`), and each request is checked against it: a field that is refused
//! or not in the file is an error and never ignored.
//!
//! ```text
//! POST /v2/sandboxes
//!     timeout          honoured
//!     secure           harmless  every sandbox has a token
//!     volumeMounts     refused   volumes
//!     gpu              refused unless [0, 1]   GPUs
//!     network.rules    refused   rules of the network
//!     ?limit           honoured
//! GET /volumes   refused   volumes
//! ```
//!
//! Columns are separated by at least two spaces. The name of a query's field begins with `?`, that of a form's part
//! with `=`. Names of nested members have dots, also for members of a list's elements. In a binary protocol, a
//! request is the name of a procedure, and fields have their numbers: `definition.gpu#2.5.4`.

use std::fmt;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header;
use axum::middleware::Next;
use bytes::Bytes;
use serde_json::Value;

use crate::http::{HttpAnswer, LARGEST_BODY, PLAIN_BODY, Query, SHORT_BODY, read_within, text};

/// The requests of one vendor and their fields.
#[derive(Debug)]
pub struct Fields {
    /// In the order of the file.
    pub requests: Vec<Known>,
}

/// A request that the vendor's SDKs can make.
#[derive(Debug)]
pub struct Known {
    /// A method and a path, in which `{id}` is any segment; or a procedure.
    pub name: String,
    /// What is not emulated, if the request is refused; `None` if it is emulated.
    pub refused: Option<String>,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A field of a request.
#[derive(Debug)]
pub struct Field {
    /// Its name, after the names of the members that contain it.
    pub name: String,
    /// The numbers of these names in a binary protocol.
    pub numbers: Vec<u64>,
    /// How it is treated.
    pub treatment: Treatment,
}

/// How a field is treated.
#[derive(Clone, Debug, PartialEq)]
pub enum Treatment {
    /// It has the same effect as at the vendor, or its value is refused.
    Honoured,
    /// It is accepted without any effect, for this reason.
    Harmless(String),
    /// It is an error, because it is not emulated.
    Refused {
        /// What is not emulated.
        what: String,
        /// Values that are accepted nevertheless, because they ask for nothing special. `None`: these are `false`
        /// and 0. Empty values are always accepted.
        unless: Option<Vec<Value>>,
    },
}

/// A field that asks for something that is not emulated.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    field: String,
    /// What is not emulated; `None` if there is no such field.
    what: Option<String>,
}

impl Refused {
    /// There is no such field.
    pub(crate) fn unknown(field: &str) -> Self {
        Self { field: field.to_owned(), what: None }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field.trim_start_matches('?');
        match &self.what {
            Some(what) => write!(f, "{field}: {what}: not emulated by sandshell"),
            None => write!(f, "{field}: sandshell's emulator does not know this field, and ignores none"),
        }
    }
}

impl Fields {
    /// Parses a file.
    ///
    /// # Panics
    ///
    /// If the file is malformed. It is a part of the program.
    pub(crate) fn parse(text: &str) -> Self {
        let mut requests: Vec<Known> = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let mut columns = line.split("  ").map(str::trim).filter(|column| !column.is_empty());
            let name = columns.next().unwrap_or_default();
            let (how, note) = (columns.next(), columns.next().unwrap_or_default().to_owned());
            if line.starts_with(' ') {
                let request = requests.last_mut().expect("a field is below a request");
                let treatment =
                    treatment(how.unwrap_or_default(), note).unwrap_or_else(|| panic!("fields: {line}"));
                let (name, numbers) = name.split_once('#').unwrap_or((name, ""));
                let numbers = numbers.split('.').filter_map(|number| number.parse().ok()).collect();
                request.fields.push(Field { name: name.to_owned(), numbers, treatment });
            } else {
                assert!(matches!(how, None | Some("refused")), "fields: {line}");
                requests.push(Known {
                    name: name.to_owned(),
                    refused: how.map(|_| note),
                    fields: Vec::new(),
                });
            }
        }
        Self { requests }
    }

    /// The request at this path. Literal segments take precedence over placeholders.
    pub(crate) fn at(&self, method: &str, path: &str) -> Option<&Known> {
        let fits = |known: &&Known| {
            let Some((verb, pattern)) = known.name.split_once(' ') else { return false };
            let (mut ours, mut theirs) = (pattern.split('/'), path.trim_end_matches('/').split('/'));
            verb == method
                && loop {
                    match (ours.next(), theirs.next()) {
                        (None, None) => break true,
                        (Some(own), Some(_)) if own.starts_with('{') => {}
                        (Some(own), Some(other)) if own == other => {}
                        _ => break false,
                    }
                }
        };
        self.requests.iter().filter(fits).min_by_key(|known| known.name.matches('{').count())
    }

    /// The procedure of this name.
    pub(crate) fn procedure(&self, name: &str) -> Option<&Known> {
        self.requests.iter().find(|known| known.name == name)
    }
}

fn treatment(how: &str, note: String) -> Option<Treatment> {
    match how.split_once(" unless ") {
        None if how == "honoured" => Some(Treatment::Honoured),
        None if how == "harmless" && !note.is_empty() => Some(Treatment::Harmless(note)),
        None if how == "refused" && !note.is_empty() => Some(Treatment::Refused { what: note, unless: None }),
        Some(("refused", values)) if !note.is_empty() => {
            let unless = match serde_json::from_str(values).ok()? {
                Value::Array(values) => values,
                value => vec![value],
            };
            Some(Treatment::Refused { what: note, unless: Some(unless) })
        }
        _ => None,
    }
}

impl Known {
    /// Checks every field of a body, including fields in lists.
    pub(crate) fn check(&self, body: &Value) -> Result<(), Refused> {
        self.check_below("", body)
    }

    /// The recursion is only as deep as the names in the file, however deep the body is.
    fn check_below(&self, above: &str, value: &Value) -> Result<(), Refused> {
        if let Value::Array(values) = value {
            return values
                .iter()
                .filter(|value| value.is_object())
                .try_for_each(|value| self.check_below(above, value));
        }
        for (member, value) in value.as_object().into_iter().flatten() {
            let name = if above.is_empty() { member.clone() } else { format!("{above}.{member}") };
            match self.field(&name) {
                Some(Field { treatment: Treatment::Honoured, .. }) if self.has_below(&name) => {
                    self.check_below(&name, value)?;
                }
                Some(field) => field.check(value)?,
                None if is_nothing(value) => {}
                None => return Err(Refused::unknown(&name)),
            }
        }
        Ok(())
    }

    /// Checks every field of a query.
    pub(crate) fn check_query(&self, query: Option<&str>) -> Result<(), Refused> {
        for (name, value) in Query::new(query).pairs().filter(|(_, value)| !value.is_empty()) {
            // Members of an object are written with brackets: `labels[name]`.
            let name = format!("?{}", name.split('[').next().unwrap_or(name));
            match self.field(&name) {
                Some(field) => field.check(&serde_json::from_str(value).unwrap_or_else(|_| value.into()))?,
                None => return Err(Refused::unknown(&name)),
            }
        }
        Ok(())
    }

    /// Whether the file lists members of a JSON body.
    fn has_members(&self) -> bool {
        self.fields.iter().any(|field| !field.name.starts_with(['?', '=']))
    }

    fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    fn has_below(&self, name: &str) -> bool {
        self.fields
            .iter()
            .any(|field| field.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    }
}

impl Field {
    /// Whether the field may have this value.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Refused> {
        let Treatment::Refused { what, unless } = &self.treatment else { return Ok(()) };
        let asks_for_nothing = is_nothing(value)
            || match unless {
                Some(values) => values.contains(value),
                None => *value == Value::Bool(false) || value.as_f64() == Some(0.0),
            };
        if asks_for_nothing {
            return Ok(());
        }
        Err(Refused { field: self.name.clone(), what: Some(what.clone()) })
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// The requests whose JSON carries a file or input of a command. That of others is short.
const LONG: &[&str] = &[
    "POST /code-interpreters/{id}/tools/invoke",
    "POST /process.Process/SendInput",
    "POST /toolbox/{id}/process/session/{id}/command/{id}/input",
    "POST /v1/devboxes/{id}/executions/{id}/send_std_in",
    "POST /v1/devboxes/{id}/write_file_contents",
    "POST /api/v1/sandboxes/{id}/contexts/{id}/input",
    "POST /vercel/api/v2/sandboxes/sessions/{id}/cmd/{id}/stdin",
];

/// Lets a request through if all its fields are known and none is refused. The services themselves handle bodies
/// that are not JSON, and long ones, which only file transfers have.
pub(crate) async fn checked(
    fields: &'static Fields,
    refuse: fn(&str) -> HttpAnswer,
    request: Request,
    next: Next,
) -> HttpAnswer {
    let Some(known) = fields.at(request.method().as_str(), request.uri().path()) else {
        return next.run(request).await;
    };
    if let Some(what) = &known.refused {
        return refuse(&format!("{what}: not emulated by sandshell"));
    }
    if let Err(refused) = known.check_query(request.uri().query()) {
        return refuse(&refused.to_string());
    }
    let is_json = text(request.headers(), header::CONTENT_TYPE.as_str())
        .is_some_and(|kind| kind.trim_start().starts_with("application/json"));
    let length =
        text(request.headers(), header::CONTENT_LENGTH.as_str()).and_then(|length| length.parse().ok());
    let is_short = length.is_some_and(|length: usize| length <= SHORT_BODY);
    // Only services that read files accept long bodies; such a body would otherwise be read twice and take its
    // memory twice.
    if !is_json || !(is_short || known.has_members()) {
        return next.run(request).await;
    }
    let longest = if LONG.contains(&known.name.as_str()) { LARGEST_BODY } else { PLAIN_BODY };
    let (head, body) = request.into_parts();
    let Some(mut body) = read_within(body, longest).await else {
        return refuse(&format!("the body cannot be read, or has more than {longest} bytes"));
    };
    if body.len() <= SHORT_BODY {
        // The body had no announced length, so memory for the longest one was reserved. The copy releases that.
        body = Bytes::copy_from_slice(&body);
    }
    if let Some(body) = crate::http::parsed(&body)
        && let Err(refused) = known.check(&body)
    {
        return refuse(&refused.to_string());
    }
    let mut request = Request::from_parts(head, Body::from(body));
    // It was read with limits of its own.
    DefaultBodyLimit::disable().apply(&mut request);
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FILE: &str = "\
# A comment.
POST /boxes
    name          honoured
    secure        harmless  there is nothing else
    volumes       refused   volumes
    memory        refused unless true   snapshots of files alone
    cpu           refused unless [1, 2]   processors
    network       honoured
    network.rules    refused   rules
    ?limit        honoured
POST /boxes/{id}
POST /boxes/list
GET /volumes    refused   volumes
";

    fn refused(body: Value) -> Option<String> {
        Fields::parse(FILE).requests[0].check(&body).err().map(|refused| refused.to_string())
    }

    #[test]
    fn what_is_not_in_the_file_is_refused() {
        assert_eq!(refused(json!({"name": {"any": [1]}, "secure": true})), None);
        assert!(refused(json!({"nmae": "x"})).expect("an error").starts_with("nmae: "));
        assert_eq!(refused(json!({"nmae": null})), None);
        assert!(
            refused(json!({"network": {"rules": [1]}}))
                .expect("an error")
                .starts_with("network.rules: rules")
        );
        assert!(refused(json!({"network": [{"x": 1}]})).expect("an error").starts_with("network.x: "));
    }

    #[test]
    fn what_asks_for_nothing_is_no_error() {
        for volumes in [json!(null), json!([]), json!(""), json!(false), json!(0)] {
            assert_eq!(refused(json!({"volumes": volumes})), None);
        }
        assert!(refused(json!({"volumes": ["x"]})).is_some());
        assert!(refused(json!({"memory": false})).is_some());
        assert_eq!(refused(json!({"memory": true, "cpu": 2})), None);
        assert!(refused(json!({"cpu": 0})).is_some());
    }

    #[test]
    fn requests_are_found_by_their_paths() {
        let fields = Fields::parse(FILE);
        let name = |method, path| fields.at(method, path).map(|known| known.name.as_str());
        assert_eq!(name("POST", "/boxes/x"), Some("POST /boxes/{id}"));
        assert_eq!(name("POST", "/boxes/list"), Some("POST /boxes/list"));
        assert_eq!(name("POST", "/boxes/x/y"), None);
        assert_eq!(name("GET", "/boxes"), None);
        let known = fields.at("POST", "/boxes").expect("a request");
        assert!(known.check_query(Some("limit=3")).is_ok());
        assert!(known.check_query(Some("limit=3&order=asc")).is_err());
        assert_eq!(fields.at("GET", "/volumes").and_then(|known| known.refused.as_deref()), Some("volumes"));
    }
}
