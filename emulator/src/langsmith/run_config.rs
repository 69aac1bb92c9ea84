//! Settings for commands, `run_config` in requests: of a box, of a snapshot, or of one command.

use serde_json::{Value, json};

use super::invalid;
use crate::http::{HttpAnswer, strings};

/// A request's settings for commands. The only user is root, and directories must be absolute.
pub(super) fn of(body: &Value) -> Result<&Value, HttpAnswer> {
    let run = &body["run_config"];
    if run["user"].as_str().is_some_and(|user| !matches!(user, "root" | "0" | "root:root" | "0:0")) {
        return Err(invalid("user", "other users are not emulated"));
    }
    if run["work_dir"].as_str().is_some_and(|path| !path.starts_with('/')) {
        return Err(invalid("work_dir", "must be an absolute path"));
    }
    Ok(run)
}

/// Merges two configurations: variables are joined, everything else in `above` replaces that in `below`.
pub(super) fn layered(below: &Value, above: &Value) -> Value {
    let (Some(lower), Some(upper)) = (below.as_object(), above.as_object()) else {
        return if above.is_null() { below.clone() } else { above.clone() };
    };
    let (mut run, mut env) = (lower.clone(), strings(&below["env_vars"]));
    run.extend(upper.clone());
    env.extend(strings(&above["env_vars"]));
    run.insert("env_vars".to_owned(), json!(env));
    Value::Object(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_lie_over_each_other() {
        let below = json!({"work_dir": "/a", "env_vars": {"A": "1", "B": "1"}});
        let above = json!({"work_dir": "/b", "env_vars": {"B": "2"}});
        let both = json!({"work_dir": "/b", "env_vars": {"A": "1", "B": "2"}});
        assert_eq!(layered(&below, &above), both);
        assert_eq!(layered(&below, &Value::Null), below);
        assert_eq!(layered(&Value::Null, &above), above);
        for bad in [json!({"user": "nobody"}), json!({"work_dir": "a"})] {
            assert!(of(&json!({"run_config": bad})).is_err());
        }
    }
}
