//! Audio and video.

use super::Description;
use super::bytes::Bytes;

/// Describes an audio or video file.
pub(super) fn describe(d: Bytes<'_>) -> Option<Description> {
    riff(d)
        .or_else(|| ogg(d))
        .or_else(|| flac(d))
        .or_else(|| mp3(d))
        .or_else(|| iso(d))
        .or_else(|| matroska(d))
}

fn riff(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"RIFF") {
        return None;
    }
    let mut text = String::from("RIFF (little-endian) data");
    let mime = match d.at(8, 4) {
        Some(b"WAVE") => {
            text += ", WAVE audio";
            wave(d, &mut text);
            "audio/x-wav"
        }
        Some(b"WEBP") => {
            text += ", Web/P image";
            webp(d, &mut text);
            "image/webp"
        }
        Some(b"AVI ") => {
            text += ", AVI";
            "video/x-msvideo"
        }
        _ => "application/octet-stream",
    };
    Some(Description::new(text, mime))
}

fn wave(d: Bytes<'_>, text: &mut String) {
    if !d.has(12, b"fmt ") {
        return;
    }
    let bits = match d.le16(20) {
        Some(1) => {
            *text += ", Microsoft PCM";
            d.le16(34)
        }
        Some(3) => {
            *text += ", IEEE Float";
            None
        }
        Some(6) => {
            *text += ", ITU G.711 A-law";
            None
        }
        Some(7) => {
            *text += ", ITU G.711 mu-law";
            None
        }
        _ => None,
    };
    if let Some(bits @ 1..1024) = bits {
        *text += &format!(", {bits} bit");
    }
    match d.le16(22) {
        Some(1) => *text += ", mono",
        Some(2) => *text += ", stereo",
        Some(n @ 3..128) => *text += &format!(", {n} channels"),
        _ => {}
    }
    if let Some(rate @ 1..) = d.le32(24) {
        *text += &format!(" {rate} Hz");
    }
}

fn webp(d: Bytes<'_>, text: &mut String) {
    if !d.has(12, b"VP8 ") || !d.has(23, b"\x9d\x01\x2a") {
        return;
    }
    let (Some(width), Some(height)) = (d.le16(26), d.le16(28)) else { return };
    let scale = |n: u64| match n >> 14 {
        0 => "none",
        1 => "5/4",
        2 => "5/3",
        _ => "2",
    };
    *text += &format!(
        ", VP8 encoding, {}x{}, Scaling: [{}]x[{}]",
        width & 0x3fff,
        height & 0x3fff,
        scale(width),
        scale(height)
    );
    let flags = d.u8(30).unwrap_or(0);
    *text += ", YUV color";
    *text += if flags & 0x40 != 0 { ", no clamping required" } else { ", decoders should clamp" };
}

fn ogg(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"OggS") {
        return None;
    }
    let channels = |n: u8| match n {
        1 => ", mono".to_owned(),
        2 => ", stereo".to_owned(),
        n => format!(", {n} channels"),
    };
    let mut text = String::from("Ogg data");
    let mut mime = "application/octet-stream";
    if d.has(28, b"\x01vorbis") {
        mime = "audio/ogg";
        text += ", Vorbis audio";
        if let (Some(n), Some(rate)) = (d.u8(39), d.le32(40)) {
            text += &format!("{}, {rate} Hz", channels(n));
        }
        if d.0.len() > 60 {
            let rates = [(52, '<'), (48, '~'), (44, '>')]
                .map(|(at, sign)| (d.le32(at).unwrap_or(0) as u32 as i32, sign));
            let told: String =
                rates.iter().filter(|r| r.0 > 0).map(|(rate, sign)| format!(" {sign}{rate}")).collect();
            if !told.is_empty() {
                text += &format!(",{told} bps");
            }
        }
    } else if d.has(28, b"OpusHead") {
        mime = "audio/ogg";
        text += ", Opus audio,";
        if let (Some(version), Some(n), Some(rate)) = (d.u8(36), d.u8(37), d.le32(40)) {
            text += &format!(" version {}.{}{}", version >> 4, version & 15, channels(n));
            if rate > 0 {
                text += &format!(", {rate} Hz (Input Sample Rate)");
            }
        }
    } else if d.has(28, b"\x7fFLAC") {
        mime = "audio/ogg";
        text += ", FLAC audio";
    } else if d.has(28, b"\x80theora") {
        mime = "video/ogg";
        text += ", Theora video";
    }
    Some(Description::new(text, mime))
}

fn flac(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"fLaC") {
        return None;
    }
    let mut text = String::from("FLAC audio bitstream data");
    if d.u8(4).is_some_and(|b| b & 0x7f == 0)
        && let Some(packed) = d.number(18, 8, true)
    {
        let (rate, channels, bits) = (packed >> 44, packed >> 41 & 7, packed >> 36 & 31);
        text += &format!(", {} bit", bits + 1);
        text += &match channels {
            0 => ", mono".to_owned(),
            1 => ", stereo".to_owned(),
            n => format!(", {} channels", n + 1),
        };
        text += &match rate {
            44100 => ", 44.1 kHz".to_owned(),
            22050 => ", 22.05 kHz".to_owned(),
            11025 => ", 11.025 kHz".to_owned(),
            n if n % 1000 == 0 => format!(", {} kHz", n / 1000),
            n => format!(", {n} Hz"),
        };
        text += &match packed & 0xf_ffff_ffff {
            0 => ", length unknown".to_owned(),
            n => format!(", {n} samples"),
        };
    }
    Some(Description::new(text, "audio/flac"))
}

fn mp3(d: Bytes<'_>) -> Option<Description> {
    const MIME: &str = "audio/mpeg";
    if d.has(0, b"ID3") {
        let mut text = String::from("Audio file with ID3 version 2");
        if let (Some(major), Some(minor)) = (d.u8(3), d.u8(4)) {
            text += &format!(".{major}.{minor}");
        }
        let flags = d.u8(5).unwrap_or(0);
        for (bit, name) in [
            (0x80, ", unsynchronized frames"),
            (0x40, ", extended header"),
            (0x20, ", experimental"),
            (0x10, ", footer present"),
        ] {
            if flags & bit != 0 {
                text += name;
            }
        }
        let size = d.at(6, 4).map(|b| b.iter().fold(0usize, |n, b| n << 7 | usize::from(b & 0x7f)));
        if let Some(frames) = size.and_then(|n| d.0.get(n + 10..)).and_then(|rest| frame(Bytes(rest))) {
            text += &format!(", contains: {frames}");
            return Some(Description::new(text, MIME));
        }
        return Some(Description::new(text, "application/octet-stream"));
    }
    frame(d).map(|text| Description::new(text, MIME))
}

/// Describes an MPEG layer III frame.
fn frame(d: Bytes<'_>) -> Option<String> {
    let [0xff, kind, rates, mode] = *d.at(0, 4)? else { return None };
    const V1: [u32; 16] = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0];
    const V2: [u32; 16] = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0];
    let (version, table, hertz) = match kind & 0xfe {
        0xfa => ("v1", V1, ["44.1 kHz", "48 kHz", "32 kHz"]),
        0xf2 => ("v2", V2, ["22.05 kHz", "24 kHz", "16 kHz"]),
        _ => return None,
    };
    let rate = table.get(usize::from(rates >> 4)).copied().filter(|r| *r > 0)?;
    let hertz = hertz.get(usize::from(rates >> 2 & 3))?;
    let channels = ["Stereo", "JntStereo", "2x Monaural", "Monaural"].get(usize::from(mode >> 6))?;
    Some(format!("MPEG ADTS, layer III, {version}, {rate:3} kbps, {hertz}, {channels}"))
}

fn iso(d: Bytes<'_>) -> Option<Description> {
    if !d.has(4, b"ftyp") {
        return None;
    }
    let (text, mime) = match d.at(8, 4)? {
        b"isom" => ("MP4 Base Media v1 [ISO 14496-12:2003]", "video/mp4"),
        b"iso2" => ("MP4 Base Media v2 [ISO 14496-12:2005]", "video/mp4"),
        b"iso4" => ("MP4 Base Media v4", "video/mp4"),
        b"iso5" => ("MP4 Base Media v5", "video/mp4"),
        b"iso6" => ("MP4 Base Media v6", "video/mp4"),
        b"mp41" => ("MP4 v1 [ISO 14496-1:ch13]", "video/mp4"),
        b"mp42" => ("MP4 v2 [ISO 14496-14]", "video/mp4"),
        b"qt  " => ("Apple QuickTime movie, Apple QuickTime (.MOV/QT)", "video/quicktime"),
        b"M4A " => ("Apple iTunes ALAC/AAC-LC (.M4A) Audio", "audio/x-m4a"),
        b"M4V " => ("Apple iTunes Video (.M4V) Video", "video/x-m4v"),
        b"heic" => ("HEIF Image HEVC Main or Main Still Picture Profile", "image/heic"),
        b"mif1" => ("HEIF Image", "image/heif"),
        b"avif" => ("AVIF Image", "image/avif"),
        _ => ("", "video/mp4"),
    };
    let text = if text.is_empty() { "ISO Media".to_owned() } else { format!("ISO Media, {text}") };
    Some(Description::new(text, mime))
}

fn matroska(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"\x1a\x45\xdf\xa3") {
        return None;
    }
    let head = d.0.get(4..4096.min(d.0.len()))?;
    let at = memchr::memmem::find(head, b"\x42\x82")?;
    let name = head.get(at + 3..)?;
    if name.starts_with(b"webm") {
        return Some(Description::new("WebM", "video/webm"));
    }
    name.starts_with(b"matroska").then(|| Description::new("Matroska data", "video/x-matroska"))
}
