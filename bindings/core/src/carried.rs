//! Compiled code that a package contains for its packs.

use sandshell::runtime::CarriedCode;

/// The value of `SANDSHELL_CARRIED_CODE` when the package was built: for each pack the SHA-256 of its module and
/// that of its compiled code, in hexadecimal, separated by a colon; packs are separated by commas. So the native
/// part itself contains the hashes of the compiled code that it trusts.
const CARRIED: Option<&str> = option_env!("SANDSHELL_CARRIED_CODE");

pub(crate) fn carried() -> Vec<CarriedCode> {
    CARRIED.unwrap_or_default().split(',').filter_map(parse).collect()
}

fn parse(text: &str) -> Option<CarriedCode> {
    let (module, code) = text.split_once(':')?;
    Some(CarriedCode { module: hash(module)?, code: hash(code)? })
}

fn hash(digits: &str) -> Option<[u8; 32]> {
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.iter().map(byte).collect::<Option<Vec<u8>>>()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_parsed_or_left_out() {
        let (one, two) = ("0f".repeat(32), "ff".repeat(32));
        let known = parse(&format!("{one}:{two}")).expect("two hashes");
        assert_eq!((known.module, known.code), ([0x0f; 32], [0xff; 32]));
        for bad in [
            String::new(),
            one.clone(),
            format!("{one}:"),
            format!("{one}:{two}00"),
            format!("{one}:g{}", &two[1..]),
        ] {
            assert!(parse(&bad).is_none(), "{bad}");
        }
    }
}
