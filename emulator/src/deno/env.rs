//! Variables of a sandbox. Every command that starts later sees them.

use std::collections::BTreeMap;

use sandshell_providers::ExecuteRequest;
use serde_json::{Value, json};

use super::connection::{Called, Failure, text};
use crate::http::strings;
use crate::world::Machine;

/// The variables that were set.
pub(super) fn own(machine: &Machine) -> BTreeMap<String, String> {
    strings(&machine.status().extra["env"])
}

pub(super) async fn call(machine: &Machine, method: &str, parameters: &Value) -> Called {
    match method {
        "envToObject" => Ok(json!(all(machine).await?)),
        "envGet" => Ok(json!(all(machine).await?.get(text(parameters, "key")?))),
        "envSet" => {
            let (name, value) = (text(parameters, "key")?, text(parameters, "value")?);
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return Err(Failure::Thrown("TypeError", None, format!("{name:?} cannot be a variable")));
            }
            machine
                .set(|status| status.extra["env"][name] = json!(value))
                .map_err(|error| Failure::of(&error))?;
            Ok(Value::Null)
        }
        _ => {
            let name = text(parameters, "key")?;
            machine.change(|status| {
                status.extra["env"].as_object_mut().map(|env| env.remove(name));
            });
            Ok(Value::Null)
        }
    }
}

/// All variables that a command sees.
async fn all(machine: &Machine) -> Result<BTreeMap<String, String>, Failure> {
    let mut request = ExecuteRequest::new("env -0");
    for (name, value) in own(machine) {
        request = request.env(name, value);
    }
    let answer = machine.sandbox.execute(request).await.map_err(|error| Failure::of(&error))?;
    let text = String::from_utf8_lossy(&answer.stdout);
    let pairs = text.split_terminator('\0').filter_map(|pair| pair.split_once('='));
    Ok(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
