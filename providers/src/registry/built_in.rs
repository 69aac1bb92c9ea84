//! All clouds, including those that this build lacks.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ProviderKind, Settings};
use crate::{Error, ErrorKind, Result, SandboxProvider};

type Make = fn(&Settings) -> Result<Arc<dyn SandboxProvider>>;

/// A cloud.
pub(super) struct Cloud {
    name: &'static str,
    /// Sets of variables. All variables of at least one set are needed.
    needs: &'static [&'static [&'static str]],
    /// Makes the provider. `None` if the feature is off.
    make: Option<Make>,
}

macro_rules! clouds {
    ($($(#[$_doc:meta])* $_vendor:ident, $module:ident, $name:literal, $provider:ident, $options:ident,
        [$([$($variable:literal),*]),*];)*) => {
        pub(super) fn clouds() -> Vec<Cloud> {
            vec![$({
                #[cfg(feature = $name)]
                let make: Option<Make> = Some(|settings| {
                    let variable = |name: &str| settings.variable(name);
                    let variables = crate::cloud::Variables(&variable);
                    let options = crate::$module::$options::from_variables(&variables);
                    Ok(Arc::new(crate::$module::$provider::new(options)?))
                });
                #[cfg(not(feature = $name))]
                let make: Option<Make> = None;
                Cloud { name: $name, needs: &[$(&[$($variable),*]),*], make }
            }),*]
        }
    };
}

crate::each_cloud!(clouds);

impl Cloud {
    /// The command that builds a program with this cloud.
    fn how_to_add(&self) -> String {
        format!("run `cargo install --path . --features {}` in sandshell's sources", self.name)
    }
}

#[async_trait]
impl ProviderKind for Cloud {
    fn name(&self) -> &str {
        self.name
    }

    fn missing(&self, settings: &Settings) -> Option<String> {
        if self.make.is_none() {
            return Some(self.how_to_add());
        }
        let lacks = |needed: &&&[&'static str]| {
            needed.iter().copied().filter(|name| settings.filled(name).is_none()).collect::<Vec<_>>()
        };
        let missing: Vec<Vec<&str>> = self.needs.iter().map(|needed| lacks(&needed)).collect();
        if missing.is_empty() || missing.iter().any(Vec::is_empty) {
            return None;
        }
        let ways: Vec<String> = missing.iter().map(|names| names.join(" and ")).collect();
        Some(format!("set {}", ways.join(", or ")))
    }

    async fn make(&self, settings: &Settings) -> Result<Arc<dyn SandboxProvider>> {
        match self.make {
            Some(make) => make(settings),
            None => {
                let why = format!("{} is not part of this build: {}", self.name, self.how_to_add());
                Err(Error::new(ErrorKind::Unsupported, why))
            }
        }
    }

    fn is_in_this_build(&self) -> bool {
        self.make.is_some()
    }
}
