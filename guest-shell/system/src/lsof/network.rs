//! The form of `-i`: `[46][PROTOCOL][@HOST][:PORTS]`.

/// Why a selection of network addresses is not one.
pub(super) fn check(text: &[u8]) -> Result<(), Vec<u8>> {
    let rest = text.strip_prefix(b"4").or_else(|| text.strip_prefix(b"6")).unwrap_or(text);
    let end = rest.iter().position(|byte| matches!(byte, b'@' | b':')).unwrap_or(rest.len());
    let (protocol, address) = rest.split_at(end);
    let known =
        ["", "tcp", "udp", "udplite"].iter().any(|name| protocol.eq_ignore_ascii_case(name.as_bytes()));
    if !known {
        return Err([b"unknown protocol name (", protocol, b") in: -i ", text].concat());
    }
    let ports = match address.iter().rposition(|byte| *byte == b':') {
        // Colons in brackets are those of an address.
        Some(colon) if !address.ends_with(b"]") => address.get(colon + 1..).unwrap_or_default(),
        _ => return Ok(()),
    };
    if ports.is_empty() {
        return Err([b"no port specified in: -i ", text].concat());
    }
    Ok(())
}
