//! How much memory JSON may take, before it is parsed.

/// At least how many values this JSON has: each may take a hundred times the memory of its text. What is no JSON has
/// any number.
pub fn values(text: &[u8]) -> usize {
    let (mut count, mut rest) = (0_usize, text);
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        match first {
            b',' | b'[' | b'{' => count += 1,
            b'"' => {
                // To the end of the string.
                while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
                    let ends = rest.get(at) == Some(&b'"');
                    rest = rest.get(at + if ends { 1 } else { 2 }..).unwrap_or_default();
                    if ends {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    count
}
