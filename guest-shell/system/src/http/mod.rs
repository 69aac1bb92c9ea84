//! HTTP/1 as its clients read it. Whatever a server sends, memory and time per byte are bounded, and nothing is
//! allocated because a number in a message says so.

pub(crate) mod body;
pub(crate) mod coding;
pub(crate) mod head;
mod reader;

pub(crate) use reader::Reader;

/// Base64, as `Authorization: Basic` has it.
pub(crate) fn base64(data: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(data.len().div_ceil(3) * 4);
    for three in data.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
            out.push(if i > three.len() { '=' } else { char::from(digit) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_padded() {
        let all = [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("a:b", "YTpi")];
        for (text, encoded) in all {
            assert_eq!(super::base64(text.as_bytes()), encoded);
        }
    }
}
