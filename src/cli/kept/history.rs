//! `sandshell log`.

use super::store;
use crate::cli::args::Log;
use crate::cli::failure::{Failure, printable};
use crate::cli::manage::table;
use crate::cli::on_disk::failed;
use crate::cli::print::print;
use serde_json::{Value, json};

pub(crate) async fn log(args: Log) -> Result<u8, Failure> {
    let states = store(args.of.sandbox.as_deref())?.log(&args.of.id).map_err(failed)?;
    let at = |at| humantime::format_rfc3339_seconds(at).to_string();
    let text = if args.json {
        let object = |state: &sandshell::store::State| json!({"state": state.number, "at": at(state.at), "root": state.root.to_string(), "what": state.what});
        format!("{}\n", states.iter().map(object).collect::<Value>())
    } else {
        let rows: Vec<_> = states
            .iter()
            .map(|state| {
                let what = state.what.lines().next().unwrap_or_default();
                vec![state.number.to_string(), at(state.at), printable(what)]
            })
            .collect();
        table(&rows)
    };
    print(text.as_bytes()).map(|()| 0)
}
