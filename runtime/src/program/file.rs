//! Files of programs, by what is in them.

/// The type of a file, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Core,
    Component,
    Script,
    Unknown,
}

/// Recognises a file's type by its first bytes (8 are enough).
pub(crate) fn format(head: &[u8]) -> Format {
    match head {
        [b'#', b'!', ..] => Format::Script,
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => Format::Core,
        [0, b'a', b's', b'm', _, 0, 1, 0, ..] => Format::Component,
        _ => Format::Unknown,
    }
}

/// The custom section in which a command file names its program.
const PROGRAM_SECTION: &[u8] = b"sandshell.program";

/// The module and applet that a command file names.
pub(crate) fn system_reference(wasm: &[u8]) -> Option<(&str, &str)> {
    let mut rest = wasm.get(8..)?;
    while let [id, tail @ ..] = rest {
        let (size, tail) = leb(tail)?;
        let body = tail.get(..size)?;
        rest = tail.get(size..)?;
        if *id != 0 {
            continue;
        }
        let (name, content) = leb(body)?;
        if content.get(..name)? == PROGRAM_SECTION {
            return std::str::from_utf8(content.get(name..)?).ok()?.split_once(':');
        }
    }
    None
}

/// The file of a system command: a valid empty module whose custom section `sandshell.program` holds `MODULE:APPLET`.
pub fn command_file(module: &str, applet: &str) -> Vec<u8> {
    let payload = format!("{module}:{applet}");
    let mut wasm = b"\0asm\x01\0\0\0\0".to_vec();
    let mut body = Vec::new();
    push_leb(&mut body, PROGRAM_SECTION.len());
    body.extend_from_slice(PROGRAM_SECTION);
    body.extend_from_slice(payload.as_bytes());
    push_leb(&mut wasm, body.len());
    wasm.extend_from_slice(&body);
    wasm
}

fn leb(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0usize;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(index + 1..)?));
        }
    }
    None
}

fn push_leb(out: &mut Vec<u8>, mut value: usize) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_files_name_their_program() {
        let file = command_file("util", "ls");
        assert_eq!(format(&file), Format::Core);
        assert_eq!(system_reference(&file), Some(("util", "ls")));
        assert_eq!(system_reference(b"\0asm\x01\0\0\0"), None);
        for end in 0..file.len() {
            assert_eq!(system_reference(&file[..end]), None, "cut at {end}");
        }
    }
}
