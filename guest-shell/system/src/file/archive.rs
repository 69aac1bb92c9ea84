//! Archives and compressed data.

use super::bytes::Bytes;
use super::{Description, date};

/// Describes an archive.
pub(super) fn describe(d: Bytes<'_>) -> Option<Description> {
    gzip(d).or_else(|| zip(d)).or_else(|| zstd(d)).or_else(|| other(d))
}

fn gzip(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"\x1f\x8b") {
        return None;
    }
    let mut text = b"gzip compressed data".to_vec();
    let flags = d.u8(3).unwrap_or(0);
    if let Some(method) = d.u8(2)
        && method != 8
    {
        text.extend_from_slice(if method < 8 { b", reserved method" } else { b", unknown method" });
    }
    if flags & 1 != 0 {
        text.extend_from_slice(b", ASCII");
    }
    if flags & 2 != 0 {
        text.extend_from_slice(b", has CRC");
    }
    if flags & 4 != 0 {
        text.extend_from_slice(b", extra field");
    }
    if flags & 0xc == 8 {
        text.extend_from_slice(b", was \"");
        text.extend_from_slice(&super::printable(d.string(10)));
        text.push(b'"');
    }
    if flags & 0x10 != 0 {
        text.extend_from_slice(b", has comment");
    }
    if flags & 0x20 != 0 {
        text.extend_from_slice(b", encrypted");
    }
    if let Some(time @ 1..) = d.le32(4) {
        text.extend_from_slice(format!(", last modified: {}", date(time)).as_bytes());
    }
    match d.u8(8) {
        Some(2) => text.extend_from_slice(b", max compression"),
        Some(4) => text.extend_from_slice(b", max speed"),
        _ => {}
    }
    const SYSTEMS: [&str; 14] = [
        "FAT filesystem (MS-DOS, OS/2, NT)",
        "Amiga",
        "VMS",
        "Unix",
        "VM/CMS",
        "Atari",
        "HPFS filesystem (OS/2, NT)",
        "MacOS",
        "Z-System",
        "CP/M",
        "TOPS/20",
        "NTFS filesystem (NT)",
        "QDOS",
        "Acorn RISCOS",
    ];
    if let Some(system) = d.u8(9).and_then(|n| SYSTEMS.get(usize::from(n))) {
        text.extend_from_slice(format!(", from {system}").as_bytes());
    }
    if let Some(size) = d.0.len().checked_sub(4).filter(|at| *at >= 10).and_then(|at| d.le32(at)) {
        text.extend_from_slice(format!(", original size modulo 2^32 {size}").as_bytes());
    }
    Some(Description::bytes(text, "application/gzip"))
}

fn zip(d: Bytes<'_>) -> Option<Description> {
    if d.has(0, b"PK\x05\x06") {
        return Some(Description::new("Zip archive data (empty)", "application/zip"));
    }
    if !d.has(0, b"PK\x03\x04") || d.0.len() < 30 {
        return None;
    }
    let name_len = d.le16(26).unwrap_or(0) as usize;
    let name = d.at(30, name_len).unwrap_or_default();
    if name == b"mimetype" {
        let content = d.0.get(38..).unwrap_or_default();
        let kinds = [
            (b"application/epub+zip".as_slice(), "EPUB document", "application/epub+zip"),
            (
                b"application/vnd.oasis.opendocument.text",
                "OpenDocument Text",
                "application/vnd.oasis.opendocument.text",
            ),
            (
                b"application/vnd.oasis.opendocument.spreadsheet",
                "OpenDocument Spreadsheet",
                "application/vnd.oasis.opendocument.spreadsheet",
            ),
            (
                b"application/vnd.oasis.opendocument.presentation",
                "OpenDocument Presentation",
                "application/vnd.oasis.opendocument.presentation",
            ),
            (
                b"application/vnd.oasis.opendocument.graphics",
                "OpenDocument Drawing",
                "application/vnd.oasis.opendocument.graphics",
            ),
        ];
        if let Some(kind) = kinds.iter().find(|k| content.starts_with(k.0)) {
            return Some(Description::new(kind.1, kind.2));
        }
    }
    if [b"[Content_Types].xml".as_slice(), b"_rels/.rels", b"docProps"].iter().any(|n| name.starts_with(n))
        && let Some(kind) = office(d)
    {
        return Some(kind);
    }
    // The first entry has Java's extra field.
    if d.le16(28).is_some_and(|n| n >= 4) && d.has(30 + name_len, b"\xfe\xca\0\0") {
        return Some(Description::new("Java archive data (JAR)", "application/java-archive"));
    }
    let (version, method) = (d.le16(4).unwrap_or(0), d.le16(8).unwrap_or(0));
    let method = match method {
        0 => "store",
        8 => "deflate",
        9 => "deflate64",
        12 => "bzip2",
        14 => "lzma",
        93 => "zstd",
        95 => "xz",
        _ => "unknown",
    };
    let text = format!(
        "Zip archive data, at least v{}.{} to extract, compression method={method}",
        version / 10,
        version % 10
    );
    Some(Description::new(text, "application/zip"))
}

/// Microsoft's formats: the folder of the third or fourth entry tells which one it is.
fn office(d: Bytes<'_>) -> Option<Description> {
    let mut at = 30;
    for _ in 0..3 {
        let rest = d.0.get(at..)?;
        let rest = rest.get(..65536).unwrap_or(rest);
        at += memchr::memmem::find(rest, b"PK\x03\x04")? + 30;
        for (folder, text, mime) in [
            (
                b"word/".as_slice(),
                "Microsoft Word 2007+",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            ),
            (
                b"ppt/",
                "Microsoft PowerPoint 2007+",
                "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            ),
            (
                b"xl/",
                "Microsoft Excel 2007+",
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            ),
        ] {
            if d.has(at, folder) {
                return Some(Description::new(text, mime));
            }
        }
    }
    Some(Description::new("Microsoft OOXML", "application/octet-stream"))
}

fn zstd(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"\x28\xb5\x2f\xfd") {
        return None;
    }
    let flags = d.u8(4)?;
    let at = if flags & 0x20 != 0 { 5 } else { 6 };
    let dictionary = match flags & 3 {
        0 => "None".to_owned(),
        1 => d.u8(at)?.to_string(),
        2 => d.le16(at)?.to_string(),
        _ => d.le32(at)?.to_string(),
    };
    Some(Description::new(
        format!("Zstandard compressed data (v0.8+), Dictionary ID: {dictionary}"),
        "application/zstd",
    ))
}

fn other(d: Bytes<'_>) -> Option<Description> {
    if d.has(0, b"BZh") {
        let size = d.u8(3).filter(|b| (b'1'..=b'9').contains(b));
        let text = size.map(|b| format!(", block size = {}00k", b - b'0')).unwrap_or_default();
        return Some(Description::new(format!("bzip2 compressed data{text}"), "application/x-bzip2"));
    }
    if d.has(0, b"\xfd7zXZ\0") {
        let check = match d.u8(7).map(|b| b & 15) {
            Some(0) => ", checksum NONE",
            Some(1) => ", checksum CRC32",
            Some(4) => ", checksum CRC64",
            Some(10) => ", checksum SHA-256",
            _ => "",
        };
        return Some(Description::new(format!("XZ compressed data{check}"), "application/x-xz"));
    }
    if d.has(0, b"7z\xbc\xaf\x27\x1c") {
        let (major, minor) = (d.u8(6).unwrap_or(0), d.u8(7).unwrap_or(0));
        return Some(Description::new(
            format!("7-zip archive data, version {major}.{minor}"),
            "application/x-7z-compressed",
        ));
    }
    if d.has(0, b"Rar!\x1a\x07\x01\0") {
        return Some(Description::new("RAR archive data, v5", "application/x-rar"));
    }
    if d.has(0, b"Rar!\x1a\x07\0") {
        return Some(Description::new("RAR archive data", "application/x-rar"));
    }
    if d.has(0, b"\x04\x22\x4d\x18") {
        return Some(Description::new("LZ4 compressed data (v1.4+)", "application/x-lz4"));
    }
    if d.has(0, b"LZIP") {
        let version = d.u8(4).unwrap_or(0);
        return Some(Description::new(
            format!("lzip compressed data, version: {version}"),
            "application/x-lzip",
        ));
    }
    if d.has(0, b"\x1f\x9d") {
        let bits = d.u8(2).unwrap_or(0);
        return Some(Description::new(
            format!("compress'd data {} bits", bits & 0x1f),
            "application/x-compress",
        ));
    }
    if d.has(0, b"!<arch>\ndebian-binary") {
        let format = d.string(68);
        return Some(Description::bytes(
            [b"Debian binary package (format ", format, b")"].concat(),
            "application/vnd.debian.binary-package",
        ));
    }
    if d.has(0, b"!<arch>\n") {
        return Some(Description::new("current ar archive", "application/x-archive"));
    }
    cpio(d)
}

fn cpio(d: Bytes<'_>) -> Option<Description> {
    let text = match d.at(0, 6)? {
        b"070701" => "ASCII cpio archive (SVR4 with no CRC)",
        b"070702" => "ASCII cpio archive (SVR4 with CRC)",
        b"070707" => "ASCII cpio archive (pre-SVR4 or odc)",
        [0xc7, 0x71, ..] => "cpio archive",
        _ => return None,
    };
    Some(Description::new(text, "application/x-cpio"))
}

/// A tape archive, recognised by the checksum of its first header.
pub(super) fn tar(data: &[u8]) -> Option<Description> {
    let header = Bytes(data.get(..512)?);
    let octal = |field: &[u8]| {
        let digits = field.trim_ascii_start();
        let mut value = 0i64;
        let mut any = false;
        for b in digits {
            match b {
                b'0'..=b'7' => {
                    any = true;
                    value = value.checked_mul(8)?.checked_add(i64::from(b - b'0'))?;
                }
                0 | b' ' => break,
                _ => return None,
            }
        }
        any.then_some(value)
    };
    let recorded = octal(header.at(148, 8)?)?;
    let sum = header.0.iter().enumerate();
    let sum: i64 = sum.map(|(i, b)| if (148..156).contains(&i) { 32 } else { i64::from(*b) }).sum();
    if recorded != sum {
        return None;
    }
    let text = match (header.at(257, 8)?, header.at(257, 6)?) {
        (b"ustar  \0", _) => "POSIX tar archive (GNU)",
        (_, b"ustar\0") => "POSIX tar archive",
        _ => "tar archive",
    };
    Some(Description::new(text, "application/x-tar"))
}
