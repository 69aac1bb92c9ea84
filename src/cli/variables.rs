//! `--env NAME[=VALUE]`.

use super::failure::Failure;
use std::ffi::OsString;

type Bytes = Vec<u8>;

/// The variables in order. One without a value gets the host's; it is left out if the host has none.
pub(crate) fn variables(given: &[OsString]) -> Result<Vec<(Bytes, Bytes)>, Failure> {
    let mut variables = Vec::new();
    for text in given {
        let bytes = text.as_encoded_bytes();
        let (name, value) = match bytes.iter().position(|byte| *byte == b'=') {
            Some(at) => (&bytes[..at], Some(bytes[at + 1..].to_vec())),
            None => (bytes, std::env::var_os(text).map(OsString::into_encoded_bytes)),
        };
        if name.is_empty() {
            return Err(Failure::about(format!("--env {}", text.display()), "the variable has no name"));
        }
        if let Some(value) = value {
            variables.push((name.to_vec(), value));
        }
    }
    Ok(variables)
}

/// The same as text, for providers that accept only text.
pub(crate) fn texts(given: &[OsString]) -> Result<Vec<(String, String)>, Failure> {
    let text = |bytes: Bytes| {
        String::from_utf8(bytes).map_err(|error| {
            let shown = String::from_utf8_lossy(error.as_bytes()).into_owned();
            Failure::about(format!("--env {shown}"), "not UTF-8")
        })
    };
    variables(given)?.into_iter().map(|(name, value)| Ok((text(name)?, text(value)?))).collect()
}

/// Reads `NAME=VALUE`.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// Sets variables; of two with the same name, the later one wins.
pub(crate) fn set(environment: &mut Vec<(Bytes, Bytes)>, variables: Vec<(Bytes, Bytes)>) {
    for (name, value) in variables {
        environment.retain(|(other, _)| *other != name);
        environment.push((name, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_their_absence() {
        let given = ["A=1=2", "SURELY_NOT_SET_ANYWHERE", "B="].map(OsString::from);
        let expected = [(b"A".to_vec(), b"1=2".to_vec()), (b"B".to_vec(), Vec::new())];
        assert_eq!(variables(&given).as_deref(), Ok(&expected[..]));
        assert!(variables(&[OsString::from("=x")]).is_err());
    }

    #[test]
    fn the_later_wins() {
        let mut environment = vec![(b"A".to_vec(), b"1".to_vec())];
        set(&mut environment, vec![(b"A".to_vec(), b"2".to_vec())]);
        assert_eq!(environment, [(b"A".to_vec(), b"2".to_vec())]);
    }
}
