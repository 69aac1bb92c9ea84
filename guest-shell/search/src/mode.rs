//! Permission bits in text: the modes of `chmod` and the columns of `ls -l`.

/// Reads an octal or symbolic mode, applied to no bits and no mask. `directory` is what `X` asks for.
pub(crate) fn parse(text: &[u8], directory: bool) -> Option<u32> {
    if !text.is_empty() && text.iter().all(|b| (b'0'..=b'7').contains(b)) {
        let n = u32::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok()?;
        return (n <= 0o7777).then_some(n);
    }
    let mut mode = 0u32;
    for clause in text.split(|b| *b == b',') {
        let ops = clause.iter().position(|b| b"+-=".contains(b))?;
        let (who, mut rest) = clause.split_at(ops);
        let mut mask = 0;
        for w in who {
            mask |= match w {
                b'u' => 0o4700,
                b'g' => 0o2070,
                b'o' => 0o1007,
                b'a' => 0o7777,
                _ => return None,
            };
        }
        if who.is_empty() {
            mask = 0o7777;
        }
        while let Some((&op, tail)) = rest.split_first() {
            if !b"+-=".contains(&op) {
                return None;
            }
            let end = tail.iter().position(|b| b"+-=".contains(b)).unwrap_or(tail.len());
            let (letters, next) = tail.split_at(end);
            rest = next;
            let mut bits = 0;
            match letters {
                [who @ (b'u' | b'g' | b'o')] => {
                    let shift = match who {
                        b'u' => 6,
                        b'g' => 3,
                        _ => 0,
                    };
                    bits = ((mode >> shift) & 7) * 0o111;
                }
                _ if !letters.is_empty() && letters.iter().all(|b| b"01234567".contains(b)) => {
                    bits = u32::from_str_radix(std::str::from_utf8(letters).ok()?, 8).ok()?;
                }
                _ => {
                    for l in letters {
                        bits |= match l {
                            b'r' => 0o444,
                            b'w' => 0o222,
                            b'x' => 0o111,
                            b'X' if directory || mode & 0o111 != 0 => 0o111,
                            b'X' => 0,
                            b's' => 0o6000,
                            b't' => 0o1000,
                            _ => return None,
                        };
                    }
                }
            }
            bits &= mask;
            match op {
                b'+' => mode |= bits,
                b'-' => mode &= !bits,
                _ => mode = (mode & !(mask & 0o777)) | bits,
            }
        }
    }
    Some(mode)
}

/// The letter of a file type in `ls -l`.
pub(crate) fn type_letter(mode: u32) -> u8 {
    match mode & sandshell_sys::S_IFMT {
        sandshell_sys::S_IFDIR => b'd',
        sandshell_sys::S_IFLNK => b'l',
        sandshell_sys::S_IFIFO => b'p',
        sandshell_sys::S_IFCHR => b'c',
        sandshell_sys::S_IFBLK => b'b',
        sandshell_sys::S_IFSOCK => b's',
        sandshell_sys::S_IFREG => b'-',
        _ => b'?',
    }
}

/// The ten columns of `ls -l`.
pub(crate) fn columns(mode: u32) -> [u8; 10] {
    let bit = |shift: u32, c: u8| if mode >> shift & 1 == 1 { c } else { b'-' };
    let special = |x: u32, s: u32, on: u8, off: u8| match (mode >> x & 1, mode >> s & 1) {
        (1, 1) => on,
        (0, 1) => off,
        (1, _) => b'x',
        _ => b'-',
    };
    [
        type_letter(mode),
        bit(8, b'r'),
        bit(7, b'w'),
        special(6, 11, b's', b'S'),
        bit(5, b'r'),
        bit(4, b'w'),
        special(3, 10, b's', b'S'),
        bit(2, b'r'),
        bit(1, b'w'),
        special(0, 9, b't', b'T'),
    ]
}
