//! Pairs as JSON.

use serde_json::{Map, Value};

/// Labels or variables as an object.
pub(crate) fn object(pairs: &[(String, String)]) -> Map<String, Value> {
    pairs.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect()
}
