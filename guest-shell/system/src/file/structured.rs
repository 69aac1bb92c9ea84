//! JSON and CSV, which are recognised by parsing them.

/// The kind of JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Json {
    One,
    Lines,
}

/// Whether the data is a JSON object or array, or several of them on a line each.
pub(super) fn json(data: &[u8]) -> Option<Json> {
    let mut reader = Reader { data, at: 0, containers: 0 };
    reader.value(0)?;
    if reader.containers == 0 {
        return None;
    }
    reader.blanks();
    if reader.at == data.len() {
        return Some(Json::One);
    }
    // There may be more values, one per line.
    while reader.at < data.len() {
        let before = reader.at.checked_sub(1).and_then(|i| data.get(i));
        if before != Some(&b'\n') {
            return None;
        }
        reader.value(0)?;
        reader.blanks();
    }
    Some(Json::Lines)
}

/// How deeply values may be nested.
const DEPTH: usize = 500;

struct Reader<'a> {
    data: &'a [u8],
    at: usize,
    containers: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.data.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn blanks(&mut self) {
        while matches!(self.data.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > DEPTH {
            return None;
        }
        self.blanks();
        match self.next()? {
            b'{' => {
                self.containers += 1;
                self.list(b'}', |r| {
                    r.blanks();
                    (r.next()? == b'"').then_some(())?;
                    r.string()?;
                    r.blanks();
                    (r.next()? == b':').then_some(())?;
                    r.value(depth + 1)
                })
            }
            b'[' => {
                self.containers += 1;
                self.list(b']', |r| r.value(depth + 1))
            }
            b'"' => self.string(),
            b't' => self.word(b"rue"),
            b'f' => self.word(b"alse"),
            b'n' => self.word(b"ull"),
            b'0'..=b'9' | b'-' => {
                self.at -= 1;
                self.number()
            }
            _ => None,
        }
    }

    fn list(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.blanks();
        if self.data.get(self.at) == Some(&end) {
            self.at += 1;
            return Some(());
        }
        loop {
            item(self)?;
            self.blanks();
            match self.next()? {
                b',' => {}
                byte if byte == end => return Some(()),
                _ => return None,
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                0 => return None,
                b'"' => return Some(()),
                b'\\' => match self.next()? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    b'u' => {
                        for _ in 0..4 {
                            self.next()?.is_ascii_hexdigit().then_some(())?;
                        }
                    }
                    _ => return None,
                },
                _ => {}
            }
        }
    }

    fn word(&mut self, rest: &[u8]) -> Option<()> {
        for byte in rest {
            (self.next()? == *byte).then_some(())?;
        }
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        if self.data.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        let mut got = self.digits();
        if self.data.get(self.at) == Some(&b'.') {
            self.at += 1;
            got |= self.digits();
        }
        if got && matches!(self.data.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.data.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            got = self.digits();
        }
        got.then_some(())
    }

    fn digits(&mut self) -> bool {
        let from = self.at;
        while self.data.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at > from
    }
}

/// Whether the data's first lines have the same number of fields (at least two), separated by commas.
pub(super) fn is_csv(data: &[u8]) -> bool {
    const ENOUGH: usize = 10;
    let (mut commas, mut expected, mut lines) = (0usize, 0usize, 0);
    let mut bytes = data.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                // Skips to the closing quote. A doubled quote is part of the field.
                while let Some(c) = bytes.next() {
                    if c == b'"' && bytes.next_if_eq(&b'"').is_none() {
                        break;
                    }
                }
            }
            b',' => commas += 1,
            b'\n' => {
                lines += 1;
                if lines == ENOUGH {
                    return expected != 0 && expected == commas;
                }
                if expected == 0 {
                    if commas == 0 {
                        return false;
                    }
                    expected = commas;
                } else if expected != commas {
                    return false;
                }
                commas = 0;
            }
            _ => {}
        }
    }
    expected != 0 && lines > 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_and_broken_json_is_refused_without_harm() {
        let deep = "[".repeat(100_000);
        assert!(json(deep.as_bytes()).is_none());
        for broken in ["{", "[1,]", "{\"a\"}", "\"\\u12\"", "[1]x", "-", "[1e]"] {
            assert!(json(broken.as_bytes()).is_none(), "{broken}");
        }
        assert!(json(b"{\"a\": [1, -2.5e3, \"\\u00e9\", null]}\n") == Some(Json::One));
        assert!(json(b"{}\n[]\n") == Some(Json::Lines));
    }
}
