//! Providers that are commands, declared in a configuration.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::{Param, ProviderKind, Settings};
use crate::command::{CommandOptions, connect};
use crate::{Error, Result, SandboxProvider};

/// The kind `command`: `params.command` is the command to start, `params.env` adds variables, and other parameters
/// are passed on to it.
pub(super) struct Command;

#[async_trait]
impl ProviderKind for Command {
    fn name(&self) -> &str {
        "command"
    }

    async fn make(&self, settings: &Settings) -> Result<Arc<dyn SandboxProvider>> {
        let command = match settings.param("command") {
            Some(Param::List(command)) if !command.is_empty() => command.clone(),
            Some(Param::Text(program)) if !program.is_empty() => vec![program.clone()],
            _ => {
                let why = format!(
                    "the provider {} has no params.command, the program and its arguments",
                    settings.name()
                );
                return Err(Error::invalid_request(why));
            }
        };
        let mut options = CommandOptions::new(command);
        options.name = Some(settings.name().to_owned());
        options.env = match settings.param("env") {
            None => Vec::new(),
            Some(Param::Table(env)) => {
                env.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
            }
            Some(_) => return Err(Error::invalid_request("params.env is a table of variables")),
        };
        let passed_on =
            settings.params().iter().filter(|(name, _)| !matches!(name.as_str(), "command" | "env"));
        options.params = passed_on.map(|(name, param)| (name.clone(), value(param))).collect::<Map<_, _>>();
        connect(options).await
    }

    fn is_complete(&self) -> bool {
        false
    }
}

fn value(param: &Param) -> Value {
    match param {
        Param::Text(text) => Value::from(text.as_str()),
        Param::List(texts) => Value::from(texts.as_slice()),
        Param::Table(texts) => texts
            .iter()
            .map(|(name, text)| (name.clone(), Value::from(text.as_str())))
            .collect::<Map<_, _>>()
            .into(),
    }
}
