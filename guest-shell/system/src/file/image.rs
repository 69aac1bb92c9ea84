//! Pictures.

use super::Description;
use super::bytes::Bytes;

/// Describes a picture.
pub(super) fn describe(data: Bytes<'_>) -> Option<Description> {
    png(data)
        .or_else(|| gif(data))
        .or_else(|| jpeg(data))
        .or_else(|| bmp(data))
        .or_else(|| icon(data))
        .or_else(|| tiff(data))
        .or_else(|| netpbm(data))
        .or_else(|| photoshop(data))
}

fn png(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR") {
        return None;
    }
    let (width, height) = (d.be32(16)?, d.be32(20)?);
    let depth = d.u8(24).unwrap_or(0);
    let colour = match d.u8(25).unwrap_or(0) {
        0 => "-bit grayscale,",
        2 => "-bit/color RGB,",
        3 => "-bit colormap,",
        4 => "-bit gray+alpha,",
        6 => "-bit/color RGBA,",
        _ => "-bit",
    };
    let order = match d.u8(28) {
        Some(0) => " non-interlaced",
        Some(1) => " interlaced",
        _ => "",
    };
    Some(Description::new(format!("PNG image data, {width} x {height}, {depth}{colour}{order}"), "image/png"))
}

fn gif(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"GIF8") {
        return None;
    }
    let mut text = String::from("GIF image data");
    if d.has(4, b"7a") {
        text += ", version 87a,";
    } else if d.has(4, b"9a") {
        text += ", version 89a,";
    }
    if let (Some(width), Some(height)) = (d.le16(6), d.le16(8)) {
        text += &format!(" {width} x {height}");
    }
    Some(Description::new(text, "image/gif"))
}

fn jpeg(d: Bytes<'_>) -> Option<Description> {
    if !(d.has(0, b"\xff\xd8\xff")) {
        return None;
    }
    let mut text = b"JPEG image data".to_vec();
    if d.has(6, b"JFIF") {
        jfif(d, &mut text);
    }
    let mut at = 2;
    // Walks the segments. A length of less than two would make no progress.
    for _ in 0..256 {
        let (Some(0xff), Some(marker)) = (d.u8(at), d.u8(at + 1)) else { break };
        let length = d.be16(at + 2).unwrap_or(0) as usize;
        match marker {
            0xfe => {
                let comment = d.at(at + 4, length.saturating_sub(2)).unwrap_or_default();
                text.extend_from_slice(b", comment: \"");
                text.extend_from_slice(
                    super::printable(comment.split(|b| *b == 0).next().unwrap_or_default()).as_slice(),
                );
                text.push(b'"');
            }
            0xe1 if d.has(at + 4, b"Exif") => {
                if let Some(inner) = d.0.get(at + 10..).and_then(|rest| tiff(Bytes(rest))) {
                    text.extend_from_slice(b", Exif standard: [");
                    text.extend_from_slice(&inner.text);
                    text.push(b']');
                }
            }
            0xc0..=0xc2 => {
                let kind = match marker {
                    0xc0 => "baseline",
                    0xc1 => "extended sequential",
                    _ => "progressive",
                };
                if let (Some(precision), Some(height), Some(width), Some(parts)) =
                    (d.u8(at + 4), d.be16(at + 5), d.be16(at + 7), d.u8(at + 9))
                {
                    text.extend_from_slice(
                        format!(", {kind}, precision {precision}, {width}x{height}, components {parts}")
                            .as_bytes(),
                    );
                }
                break;
            }
            0xda => break,
            _ => {}
        }
        if length < 2 {
            break;
        }
        at += 2 + length;
    }
    Some(Description::bytes(text, "image/jpeg"))
}

fn jfif(d: Bytes<'_>, text: &mut Vec<u8>) {
    let Some(head) = d.at(11, 9) else {
        text.extend_from_slice(b", JFIF standard");
        return;
    };
    let [major, minor, unit, ..] = head else { return };
    let unit = match unit {
        0 => ", aspect ratio",
        1 => ", resolution (DPI)",
        2 => ", resolution (DPCM)",
        _ => "",
    };
    let number = |at| d.be16(at).unwrap_or(0);
    let mut more = format!(
        ", JFIF standard {major}.{minor:02}{unit}, density {}x{}, segment length {}",
        number(14),
        number(16),
        number(4)
    );
    if let (Some(width @ 1..), Some(height)) = (d.u8(18), d.u8(19)) {
        more += &format!(", thumbnail {width}x{height}");
    }
    text.extend_from_slice(more.as_bytes());
}

fn bmp(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"BM") || d.le32(14)? != 40 {
        return None;
    }
    let signed = |at| d.le32(at).map(|n| n as u32 as i32);
    let (width, height, depth) = (signed(18)?, signed(22)?, d.le16(28)?);
    let mut text = format!("PC bitmap, Windows 3.x format, {width} x {height} x {depth}");
    match d.le32(30).unwrap_or(0) {
        1 => text += ", 8-bit/pixel RLE",
        2 => text += ", 4-bit/pixel RLE",
        _ => {}
    }
    if let Some(size @ 1..) = d.le32(34) {
        text += &format!(", image size {size}");
    }
    if let (Some(x @ 1..), Some(y)) = (signed(38), signed(42)) {
        text += &format!(", resolution {x} x {y} px/m");
    }
    if let Some(used @ 1..) = d.le32(46).filter(|_| depth > 8) {
        text += &format!(", {used} important colors");
    }
    text += &format!(", cbSize {}, bits offset {}", d.le32(2)?, d.le32(10)?);
    Some(Description::new(text, "image/bmp"))
}

fn icon(d: Bytes<'_>) -> Option<Description> {
    let (kind, mime) = match d.at(0, 4)? {
        [0, 0, 1, 0] => ("icon", "image/vnd.microsoft.icon"),
        _ => return None,
    };
    let count = d.le16(4).filter(|n| (1..256).contains(n))?;
    // The picture of the first entry must be after the directory and inside the file.
    let (size, offset) = (d.le32(14)?, d.le32(18)?);
    let inside = usize::try_from(offset).ok().filter(|o| *o >= 22)?;
    d.at(inside, 4)?;
    let png = d.has(inside, b"\x89PNG");
    if d.u8(9)? != 0 || size == 0 || !png && d.le32(inside)? != 40 {
        return None;
    }
    let side = |at| d.u8(at).map(|n| if n == 0 { 256 } else { u32::from(n) });
    let mut text = format!(
        "MS Windows {kind} resource - {count} icon{}, {}x{}",
        if count == 1 { "" } else { "s" },
        side(6)?,
        side(7)?
    );
    if png {
        if let Some(inner) = d.0.get(inside..).and_then(|rest| self::png(Bytes(rest))) {
            text += &format!(" with {}", String::from_utf8_lossy(&inner.text));
        }
    } else if let Some(colours @ 1..) = d.u8(8) {
        text += &format!(", {colours} colors");
    }
    if let Some(bits @ 1..) = d.le16(12) {
        text += &format!(", {bits} bits/pixel");
    }
    Some(Description::new(text, mime))
}

fn tiff(d: Bytes<'_>) -> Option<Description> {
    let (big, order) = match d.at(0, 4)? {
        b"II*\0" => (false, "little-endian"),
        b"MM\0*" => (true, "big-endian"),
        _ => return None,
    };
    let mut text = format!("TIFF image data, {order}");
    let directory = d.number(4, 4, big).and_then(|n| usize::try_from(n).ok());
    if let Some(entries) = directory.and_then(|at| d.number(at, 2, big)) {
        text += &format!(", direntries={entries}");
    }
    Some(Description::new(text, "image/tiff"))
}

fn netpbm(d: Bytes<'_>) -> Option<Description> {
    let (kind, mime) = match d.at(0, 2)? {
        b"P1" => ("bitmap", "image/x-portable-bitmap"),
        b"P2" => ("greymap", "image/x-portable-greymap"),
        b"P3" => ("pixmap", "image/x-portable-pixmap"),
        b"P4" => ("rawbits, bitmap", "image/x-portable-bitmap"),
        b"P5" => ("rawbits, greymap", "image/x-portable-greymap"),
        b"P6" => ("rawbits, pixmap", "image/x-portable-pixmap"),
        _ => return None,
    };
    d.u8(2).filter(u8::is_ascii_whitespace)?;
    // Comments end with the line.
    let head = d.0.get(2..514.min(d.0.len()))?;
    let lines = head.split(|b| *b == b'\n').map(|l| l.split(|b| *b == b'#').next().unwrap_or_default());
    let joined: Vec<u8> = lines.collect::<Vec<_>>().join(&b'\n');
    let mut words = joined.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let mut number = || {
        let word = words.next()?;
        word.iter().all(u8::is_ascii_digit).then(|| String::from_utf8_lossy(word).into_owned())
    };
    let (width, height) = (number()?, number()?);
    let text = format!("Netpbm image data, size = {width} x {height}, {kind}");
    let answer = Description::new(text, mime);
    // The plain kinds are texts, so their encoding is printed too.
    Some(if d.u8(1)? < b'4' { answer.with_encoding() } else { answer })
}

fn photoshop(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"8BPS\0") {
        return None;
    }
    let mode = match d.be16(24)? {
        0 => "bitmap",
        1 => "grayscale",
        2 => "indexed",
        3 => "RGB",
        4 => "CMYK",
        7 => "multichannel",
        8 => "duotone",
        9 => "lab",
        _ => "",
    };
    let (channels, depth) = (d.be16(12)?, d.be16(22)?);
    let mut text = format!("Adobe Photoshop Image, {} x {}, {mode}", d.be32(18)?, d.be32(14)?);
    text += &if channels == 1 {
        format!(", {depth}-bit channel")
    } else {
        format!(", {channels}x {depth}-bit channels")
    };
    Some(Description::new(text, "image/vnd.adobe.photoshop"))
}
