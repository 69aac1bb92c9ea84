//! File modes: their text, and the symbolic and octal forms of `chmod`.

use sandshell_sys as sys;

/// The ten characters of `ls -l`.
pub fn text(mode: u32) -> [u8; 10] {
    let kind = match mode & sys::S_IFMT {
        sys::S_IFDIR => b'd',
        sys::S_IFLNK => b'l',
        sys::S_IFCHR => b'c',
        sys::S_IFBLK => b'b',
        sys::S_IFIFO => b'p',
        sys::S_IFSOCK => b's',
        sys::S_IFREG => b'-',
        _ => b'?',
    };
    let mut t = [kind, b'-', b'-', b'-', b'-', b'-', b'-', b'-', b'-', b'-'];
    for (i, letter) in b"rwxrwxrwx".iter().enumerate() {
        if mode >> (8 - i) & 1 == 1 {
            t[i + 1] = *letter;
        }
    }
    for (bit, at, on, off) in [(0o4000, 3, b's', b'S'), (0o2000, 6, b's', b'S'), (0o1000, 9, b't', b'T')] {
        if mode & bit != 0 {
            t[at] = if t[at] == b'x' { on } else { off };
        }
    }
    t
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    Ordinary,
    XIfAnyX,
    CopyExisting,
}

/// One change of a mode.
#[derive(Clone, Debug)]
struct Change {
    op: u8,
    flag: Flag,
    affected: u32,
    value: u32,
    mentioned: u32,
}

/// A parsed mode.
#[derive(Clone, Debug)]
pub struct Changes(Vec<Change>);

const ALL: u32 = 0o7777;

/// Parses `u=rwx,g+s`, `755` and the like; `None` if it is neither.
pub fn parse(text: &[u8]) -> Option<Changes> {
    if text.first().is_some_and(|b| (b'0'..=b'7').contains(b)) {
        let mut value = 0u32;
        for b in text {
            if !(b'0'..=b'7').contains(b) {
                return None;
            }
            value = value * 8 + u32::from(b - b'0');
            if value > ALL {
                return None;
            }
        }
        let mentioned = if text.len() < 5 { value & 0o6000 | 0o1777 } else { ALL };
        return Some(Changes(vec![Change {
            op: b'=',
            flag: Flag::Ordinary,
            affected: ALL,
            value,
            mentioned,
        }]));
    }
    let mut changes = Vec::new();
    let mut i = 0;
    loop {
        let mut affected = 0;
        loop {
            match text.get(i)? {
                b'u' => affected |= 0o4700,
                b'g' => affected |= 0o2070,
                b'o' => affected |= 0o1007,
                b'a' => affected |= ALL,
                b'=' | b'+' | b'-' => break,
                _ => return None,
            }
            i += 1;
        }
        while let Some(op @ (b'=' | b'+' | b'-')) = text.get(i).copied() {
            i += 1;
            let mut flag = Flag::Ordinary;
            let mut value = 0;
            let mut mentioned = 0;
            match text.get(i) {
                Some(b'0'..=b'7') => {
                    let from = i;
                    while let Some(d @ b'0'..=b'7') = text.get(i) {
                        value = value * 8 + u32::from(d - b'0');
                        if value > ALL {
                            return None;
                        }
                        i += 1;
                    }
                    if affected != 0 || text.get(i).is_some_and(|b| *b != b',') {
                        return None;
                    }
                    affected = ALL;
                    mentioned = ALL;
                    let _ = from;
                }
                Some(who @ (b'u' | b'g' | b'o')) => {
                    value = match who {
                        b'u' => 0o700,
                        b'g' => 0o070,
                        _ => 0o007,
                    };
                    flag = Flag::CopyExisting;
                    i += 1;
                }
                _ => {
                    while let Some(letter) = text.get(i) {
                        match letter {
                            b'r' => value |= 0o444,
                            b'w' => value |= 0o222,
                            b'x' => value |= 0o111,
                            b'X' => flag = Flag::XIfAnyX,
                            b's' => value |= 0o6000,
                            b't' => value |= 0o1000,
                            _ => break,
                        }
                        i += 1;
                    }
                }
            }
            if mentioned == 0 {
                mentioned = if affected != 0 { affected & value } else { value };
            }
            changes.push(Change { op, flag, affected, value, mentioned });
        }
        match text.get(i) {
            None => return Some(Changes(changes)),
            Some(b',') => i += 1,
            Some(_) => return None,
        }
    }
}

impl Changes {
    /// An absolute mode.
    pub fn absolute(mode: u32) -> Self {
        Self(vec![Change {
            op: b'=',
            flag: Flag::Ordinary,
            affected: ALL,
            value: mode & ALL,
            mentioned: ALL,
        }])
    }

    /// The mode that `old` (permission bits) becomes.
    pub fn apply(&self, old: u32, dir: bool, umask: u32) -> u32 {
        let mut new = old & ALL;
        for change in &self.0 {
            let affected = change.affected;
            let keep = if dir { 0o6000 } else { 0 } & !change.mentioned;
            let mut value = change.value;
            match change.flag {
                Flag::Ordinary => {}
                Flag::CopyExisting => {
                    value &= new;
                    let class = |bits: u32| if value & bits != 0 { bits } else { 0 };
                    value |= class(0o444) | class(0o222) | class(0o111);
                }
                Flag::XIfAnyX => {
                    if new & 0o111 != 0 || dir {
                        value |= 0o111;
                    }
                }
            }
            value &= (if affected != 0 { affected } else { !umask }) & !keep;
            match change.op {
                b'=' => {
                    let preserved = (if affected != 0 { !affected } else { 0 }) | keep;
                    new = new & preserved | value;
                }
                b'+' => new |= value,
                _ => new &= !value,
            }
        }
        new & ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbolic_modes() {
        let m = |s: &str, old, dir| parse(s.as_bytes()).unwrap().apply(old, dir, 0o022);
        assert_eq!(m("+x", 0o644, false), 0o755);
        assert_eq!(m("u+x,go-rwx", 0o644, false), 0o700);
        assert_eq!(m("go=u", 0o640, false), 0o666);
        assert_eq!(m("a+X", 0o644, false), 0o644);
        assert_eq!(m("755", 0o2644, true), 0o2755);
        assert_eq!(m("00755", 0o2644, true), 0o755);
        assert!(parse(b"zz").is_none());
        assert!(parse(b"888").is_none());
        assert_eq!(&text(0o104755), b"-rwsr-xr-x");
    }
}
