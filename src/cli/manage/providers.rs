//! `sandshell providers`.

use super::table::table;
use crate::cli::args::Providers;
use crate::cli::choice::registry;
use crate::cli::failure::Failure;
use crate::cli::print::print;
use sandshell::ProviderMetadata;
use sandshell::registry::{Known, Source};
use serde_json::{Value, json};

/// A provider with its metadata, or with the reason why there is none.
type Described = (Known, Result<ProviderMetadata, String>);

pub(crate) async fn providers(args: Providers) -> Result<u8, Failure> {
    let (registry, _) = registry()?;
    let mut described = Vec::new();
    for known in registry.known() {
        let metadata = match &known.missing {
            Some(missing) => Err(missing.clone()),
            None => registry
                .provider(&known.name)
                .await
                .map(|provider| provider.metadata())
                .map_err(|e| e.to_string()),
        };
        described.push((known, metadata));
    }
    print(if args.json { as_json(&described) } else { as_table(&described) }.as_bytes()).map(|()| 0)
}

fn source(source: Source) -> &'static str {
    match source {
        Source::BuiltIn => "built in",
        Source::Registered => "registered",
        Source::Declared => "declared",
    }
}

fn capabilities(metadata: &ProviderMetadata) -> Vec<&'static str> {
    metadata.capabilities.flags().filter(|(_, has)| *has).map(|(name, _)| name).collect()
}

fn as_table(described: &[Described]) -> String {
    let mut rows = vec![["NAME", "KIND", "SOURCE", "STATE", "CAPABILITIES"].map(str::to_owned).to_vec()];
    for (known, metadata) in described {
        let (state, can) = match metadata {
            Ok(metadata) => ("configured".to_owned(), capabilities(metadata).join(" ")),
            Err(missing) => (missing.clone(), String::new()),
        };
        rows.push(vec![known.name.clone(), known.kind.clone(), source(known.source).to_owned(), state, can]);
    }
    table(&rows)
}

fn as_json(described: &[Described]) -> String {
    let object = |(known, metadata): &Described| {
        let mut object = json!({
            "name": known.name,
            "kind": known.kind,
            "source": source(known.source),
            "configured": metadata.is_ok(),
        });
        match metadata {
            Ok(metadata) => {
                object["working_dir"] = Value::from(metadata.working_dir.as_str());
                object["capabilities"] = Value::from(capabilities(metadata));
            }
            Err(missing) => object["missing"] = Value::from(missing.as_str()),
        }
        object
    };
    format!("{}\n", described.iter().map(object).collect::<Value>())
}
