//! Documents, databases and fonts.

use super::Description;
use super::bytes::Bytes;

/// Describes a document.
pub(super) fn describe(d: Bytes<'_>) -> Option<Description> {
    pdf(d)
        .or_else(|| postscript(d))
        .or_else(|| rich_text(d))
        .or_else(|| svg(d))
        .or_else(|| sqlite(d))
        .or_else(|| font(d))
        .or_else(|| numpy(d))
        .or_else(|| cd_image(d))
}

fn pdf(d: Bytes<'_>) -> Option<Description> {
    let at =
        [0usize, 3].into_iter().find(|at| d.has(*at, b"%PDF-") && (*at == 0 || d.has(0, b"\xef\xbb\xbf")))?;
    let mut text = String::from(if at == 3 { "PDF document (UTF-8)" } else { "PDF document" });
    if let (Some(major), Some(minor)) = (d.u8(at + 5), d.u8(at + 7)) {
        text += &format!(", version {}.{}", char::from(major), char::from(minor));
    }
    if let Some(pages) = pages(d.0) {
        text += &format!(", {pages} page(s)");
        if let Some(bare) = text.strip_suffix(" page(s)") {
            text = format!("{bare} pages");
        }
    }
    Some(Description::new(text, "application/pdf"))
}

/// The number after `/Count` in the first page tree near the beginning.
fn pages(data: &[u8]) -> Option<u64> {
    let head = data.get(..8192).unwrap_or(data);
    let at = memchr::memmem::find(head, b"/Type /Pages").or_else(|| memchr::memmem::find(head, b"/Pages"))?;
    let rest = head.get(at..)?;
    let at = memchr::memmem::find(rest, b"/Count ")?;
    let digits = rest.get(at + 7..)?.iter().take_while(|b| b.is_ascii_digit());
    let count = digits.fold(0u64, |n, b| n.saturating_mul(10).saturating_add(u64::from(b - b'0')));
    (count > 0).then_some(count)
}

fn postscript(d: Bytes<'_>) -> Option<Description> {
    let at = if d.has(0, b"\x04%!") { 1 } else { 0 };
    if !d.has(at, b"%!") {
        return None;
    }
    let mut text = b"PostScript document text".to_vec();
    if d.has(at + 2, b"PS-Adobe-") {
        let level: &[u8] = d.string(at + 11);
        let level = level.split(|b| *b == b' ').next().unwrap_or_default();
        text.extend_from_slice(b" conforming DSC level ");
        text.extend_from_slice(level);
        if d.0.get(at + 11 + level.len()..).is_some_and(|r| r.starts_with(b" EPS")) {
            text.extend_from_slice(b", type ");
            text.extend_from_slice(d.string(at + 12 + level.len()));
        }
    }
    Some(Description::bytes(text, "application/postscript"))
}

fn rich_text(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"{\\rtf") {
        return None;
    }
    let mut text = String::from("Rich Text Format data");
    if d.u8(5) == Some(b'1') {
        text += ", version 1";
    }
    let head = d.0.get(..512).unwrap_or(d.0);
    for (word, name) in [
        (b"\\ansi".as_slice(), ", ANSI"),
        (b"\\mac", ", Apple Macintosh"),
        (b"\\pca", ", IBM PS/2, code page 850"),
        (b"\\pc", ", IBM PC, code page 437"),
    ] {
        if memchr::memmem::find(head, word).is_some() {
            text += name;
            break;
        }
    }
    if let Some(at) = memchr::memmem::find(head, b"\\ansicpg") {
        let digits = head.get(at + 8..).unwrap_or_default();
        let len = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        text += &format!(", code page {}", String::from_utf8_lossy(digits.get(..len).unwrap_or_default()));
    }
    Some(Description::new(text, "text/rtf"))
}

fn svg(d: Bytes<'_>) -> Option<Description> {
    let xml = d.has(0, b"<?xml version=");
    let rest = d.0.get(19..).unwrap_or_default();
    let inside = xml && memchr::memmem::find(rest.get(..4100).unwrap_or(rest), b"<svg").is_some();
    (inside || d.has(0, b"<svg"))
        .then(|| Description::new("SVG Scalable Vector Graphics image", "image/svg+xml"))
}

fn sqlite(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"SQLite format 3\0") || d.0.len() < 100 {
        return None;
    }
    let mut text = String::from("SQLite 3.x database");
    let number = |at| d.be32(at).unwrap_or(0);
    if number(68) != 0 {
        text += &format!(", application id {}", number(68));
    }
    if number(60) != 0 {
        text += &format!(", user version {}", number(60));
    }
    if d.0.len() >= 100 {
        text += &format!(", last written using SQLite version {}", number(96));
        if let Some(page) = d.be16(16).filter(|p| *p != 4096) {
            text += &format!(", page size {}", if page == 1 { 65536 } else { page });
        }
        match d.at(18, 2) {
            Some([1, 1]) | None => {}
            Some([w, r]) => {
                if *w == 2 {
                    text += ", writer version 2";
                }
                if *r == 2 {
                    text += ", read version 2";
                }
            }
            Some(_) => {}
        }
        text += &format!(", file counter {}, database pages {}", number(24), number(28));
        if number(36) != 0 {
            text += &format!(", 1st free page {}, free pages {}", number(32), number(36));
        }
        text += &format!(", cookie 0x{:x}, schema {}", number(40), number(44));
        if number(48) != 0 {
            text += &format!(", cache page size {}", number(48));
        }
        if number(52) != 0 {
            text += &format!(", largest root page {}", number(52));
        }
        text += match number(56) {
            1 => ", UTF-8",
            2 => ", UTF-16 little endian",
            3 => ", UTF-16 big endian",
            _ => ", unknown 0 encoding",
        };
        if number(64) != 0 {
            text += &format!(", vacuum mode {}", number(64));
        }
        text += &format!(", version-valid-for {}", number(92));
    }
    Some(Description::new(text, "application/vnd.sqlite3"))
}

fn font(d: Bytes<'_>) -> Option<Description> {
    if d.has(0, b"OTTO") {
        return Some(Description::new("OpenType font data", "application/vnd.ms-opentype"));
    }
    let kind = |at| match d.at(at, 4) {
        Some([0, 1, 0, 0]) => ", TrueType",
        Some(b"OTTO") => ", CFF",
        Some(_) | None => "",
    };
    for (start, name, mime, version) in [
        (b"wOFF", "Web Open Font Format", "font/woff", 20),
        (b"wOF2", "Web Open Font Format (Version 2)", "font/woff2", 24),
    ] {
        if d.has(0, start) {
            let mut text = format!("{name}{}", kind(4));
            if let (Some(length), Some(major), Some(minor)) =
                (d.be32(8), d.be16(version), d.be16(version + 2))
            {
                text += &format!(", length {length}, version {major}.{minor}");
            }
            return Some(Description::new(text, mime));
        }
    }
    let name =
        d.at(12, 4).filter(|n| n.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b' ')))?;
    let tables = d.be16(4).filter(|n| (1..256).contains(n))?;
    d.has(0, b"\0\x01\0\0").then(|| {
        let name = String::from_utf8_lossy(name);
        let plural = if tables == 1 { "" } else { "s" };
        Description::new(format!("TrueType Font data, {tables} table{plural}, 1st \"{name}\""), "font/sfnt")
    })
}

fn numpy(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"\x93NUMPY") {
        return None;
    }
    let (major, minor, length) = (d.u8(6)?, d.u8(7)?, d.le16(8)?);
    Some(Description::new(
        format!("NumPy array, version {major}.{minor}, header length {length}"),
        "application/octet-stream",
    ))
}

fn cd_image(d: Bytes<'_>) -> Option<Description> {
    if !d.has(32769, b"CD001") {
        return None;
    }
    let mut text = b"ISO 9660 CD-ROM filesystem data".to_vec();
    let label = d.at(32808, 32).unwrap_or_default();
    let label = label.split(|b| *b == 0).next().unwrap_or_default().trim_ascii_end();
    if !label.is_empty() {
        text.extend_from_slice(&[b" '", label, b"'"].concat());
    }
    Some(Description::bytes(text, "application/x-iso9660-image"))
}
