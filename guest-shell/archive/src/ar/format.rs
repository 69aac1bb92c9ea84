//! The `ar` archive format as GNU's tools write it: long names in a table, deterministic headers.

/// The start of an archive.
pub(super) const MAGIC: &[u8] = b"!<arch>\n";
/// The start of a thin archive, which only names its files.
pub(super) const THIN: &[u8] = b"!<thin>\n";
const HEADER: usize = 60;
/// Longer names do not fit in the header.
pub(super) const SHORT: usize = 15;

/// A member of an archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: Vec<u8>,
    pub(super) time: i64,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) mode: u32,
    pub(super) data: Vec<u8>,
    /// The offset of its data in the file.
    pub(super) offset: usize,
}

/// An archive that was read.
#[derive(Debug, Default)]
pub(super) struct Archive {
    pub(super) members: Vec<Member>,
    /// Whether it has a symbol table.
    pub(super) symbols: bool,
}

/// Parses an archive; `None` if it is not one. An incomplete last member is left out.
pub(super) fn parse(bytes: &[u8]) -> Option<Archive> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut archive = Archive::default();
    let mut names: &[u8] = &[];
    while let Some((header, after)) = rest.split_at_checked(HEADER) {
        let offset = bytes.len() - rest.len() + HEADER;
        let field = |from: usize, to: usize| header.get(from..to).unwrap_or_default().trim_ascii_end();
        let size = usize::try_from(number(field(48, 58), 10)).ok()?;
        let Some((data, after)) = after.split_at_checked(size) else { break };
        // Data of odd length is padded with a newline.
        rest = after.get(size % 2..).unwrap_or_default();
        let label = field(0, 16);
        match label {
            b"/" | b"/SYM64/" | b"__.SYMDEF" => {
                archive.symbols = true;
                continue;
            }
            b"//" => {
                names = data;
                continue;
            }
            _ => {}
        }
        let (name, data) = if let Some(at) = label.strip_prefix(b"/") {
            let from = names.get(usize::try_from(number(at, 10)).ok()?..).unwrap_or_default();
            let line = from.split(|byte| *byte == b'\n').next().unwrap_or_default();
            (line.strip_suffix(b"/").unwrap_or(line), data)
        } else if let Some(length) = label.strip_prefix(b"#1/") {
            // A long name in BSD's format precedes the data.
            let length = usize::try_from(number(length, 10)).ok()?;
            let (name, data) = data.split_at_checked(length)?;
            (name.split(|byte| *byte == 0).next().unwrap_or_default(), data)
        } else {
            (label.strip_suffix(b"/").unwrap_or(label), data)
        };
        archive.members.push(Member {
            name: name.to_vec(),
            time: i64::try_from(number(field(16, 28), 10)).unwrap_or(i64::MAX),
            uid: u32::try_from(number(field(28, 34), 10)).unwrap_or(u32::MAX),
            gid: u32::try_from(number(field(34, 40), 10)).unwrap_or(u32::MAX),
            mode: u32::try_from(number(field(40, 48), 8)).unwrap_or_default(),
            data: data.to_vec(),
            offset,
        });
    }
    Some(archive)
}

fn number(text: &[u8], radix: u32) -> u64 {
    let text = std::str::from_utf8(text).unwrap_or_default();
    u64::from_str_radix(text, radix).unwrap_or_default()
}

/// Builds an archive of these members.
pub(super) fn write(members: &[Member]) -> Vec<u8> {
    let mut names = Vec::new();
    let mut labels = Vec::with_capacity(members.len());
    for member in members {
        if member.name.len() <= SHORT {
            labels.push([&*member.name, b"/"].concat());
        } else {
            labels.push(format!("/{}", names.len()).into_bytes());
            names.extend_from_slice(&member.name);
            names.extend_from_slice(b"/\n");
        }
    }
    let mut out = MAGIC.to_vec();
    if !names.is_empty() {
        if names.len() % 2 == 1 {
            names.push(b'\n');
        }
        out.extend(format!("{:<48}{:<10}`\n", "//", names.len()).into_bytes());
        out.extend_from_slice(&names);
    }
    for (member, label) in members.iter().zip(labels) {
        out.extend_from_slice(&label);
        out.resize(out.len() + 16usize.saturating_sub(label.len()), b' ');
        let Member { time, uid, gid, mode, data, .. } = member;
        let rest = format!("{time:<12}{uid:<6}{gid:<6}{mode:<8o}{:<10}`\n", data.len());
        out.extend_from_slice(rest.as_bytes());
        out.extend_from_slice(data);
        if data.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, data: &str) -> Member {
        Member { name: name.into(), data: data.into(), mode: 0o644, ..Member::default() }
    }

    #[test]
    fn what_is_written_is_read() {
        let members = [
            member("a", "odd"),
            member("a name with blanks, and long", "even"),
            member("fifteen letters", ""),
        ];
        let bytes = write(&members);
        let read = parse(&bytes).unwrap_or_default();
        let plain: Vec<Member> = read.members.into_iter().map(|m| Member { offset: 0, ..m }).collect();
        assert_eq!(plain, members);
        assert!(!read.symbols);
    }

    #[test]
    fn hostile_archives_are_read_as_far_as_they_go() {
        let whole = write(&[member("a", "one"), member("this name is longer than fifteen", "two")]);
        for length in 0..whole.len() {
            let _ = parse(whole.get(..length).unwrap_or_default());
        }
        for text in ["!<arch>\n", "", "x", "!<thin>\n"] {
            let _ = parse(text.as_bytes());
        }
        // A size larger than the file, and a name outside the table.
        let huge = [MAGIC, format!("{:<48}{:<10}`\n", "x/", "9999999999").as_bytes()].concat();
        assert_eq!(parse(&huge).map(|a| a.members.len()), Some(0));
        let outside = [MAGIC, format!("{:<48}{:<10}`\n", "/77", "0").as_bytes()].concat();
        assert_eq!(parse(&outside).map(|a| a.members.len()), Some(1));
    }
}
