//! Sizes on the command line.

/// Reads bytes with an optional unit K, M, G or T (powers of 1024, `B` or `iB` may follow). Zero is refused.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit.to_ascii_uppercase().trim_end_matches("IB").trim_end_matches('B') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(format!("unknown unit {unit:?}: use K, M, G or T")),
    };
    let number: u64 = number.parse().map_err(|_| "not a whole number".to_owned())?;
    match number.checked_mul(1 << shift) {
        Some(0) => Err("must be more than nothing".to_owned()),
        Some(size) => Ok(size),
        None => Err("too large".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(parse_size("512"), Ok(512));
        assert_eq!(parse_size("64M"), Ok(64 << 20));
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        for bad in ["", "0", "x", "1.5G", "99999999999T", "-1"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
