//! JSON of a service, which may take a hundred times the memory of its text.

use serde::de::{DeserializeOwned, Error as _};

use crate::json_size::values;

/// How many values one text may have. A long list of sandboxes has a tenth of them.
const MOST_VALUES: usize = 1 << 18;

/// What a text says, if it has no more values than that.
pub(crate) fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
    let values = values(text);
    if values > MOST_VALUES {
        let why = format_args!("it has {values} values: the limit is {MOST_VALUES}");
        return Err(serde_json::Error::custom(why));
    }
    serde_json::from_slice(text)
}
