//! Durations on the command line.

use std::time::Duration;

/// Reads `500ms`, `30s`, `5m`, `2h`, `30d` or plain seconds; fractions are allowed. Zero is refused.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(format!("unknown unit {unit:?}: use ms, s, m, h or d")),
    };
    let number: f64 = number.parse().map_err(|_| "not a number".to_owned())?;
    match Duration::try_from_secs_f64(number * factor) {
        Ok(time) if !time.is_zero() => Ok(time),
        Ok(_) => Err("must be more than nothing".to_owned()),
        Err(e) => Err(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_fractions() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration("2h"), Ok(Duration::from_secs(7200)));
        assert_eq!(parse_duration("30d"), Ok(Duration::from_secs(30 * 86_400)));
        for bad in ["", "x", "0", "-1s", "1w", "1e400", "NaN"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
