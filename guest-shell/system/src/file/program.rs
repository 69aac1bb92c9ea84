//! Compiled programs other than ELF, and data of development tools.

use super::bytes::Bytes;
use super::{Description, date};

/// Describes a program.
pub(super) fn describe(d: Bytes<'_>) -> Option<Description> {
    wasm(d)
        .or_else(|| java(d))
        .or_else(|| python(d))
        .or_else(|| mach(d))
        .or_else(|| dos(d))
        .or_else(|| git(d))
        .or_else(|| capture(d))
        .or_else(|| {
            let known: [(&[u8], &str, &str); 3] = [
                (b"BC\xc0\xde", "LLVM IR bitcode", "application/octet-stream"),
                (b"dex\n035\0", "Dalvik dex file version 035", "application/octet-stream"),
                (
                    b"\xde\x12\x04\x95",
                    "GNU message catalog (little endian)",
                    "application/x-gettext-translation",
                ),
            ];
            known.iter().find(|k| d.has(0, k.0)).map(|k| Description::new(k.1, k.2))
        })
}

fn wasm(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"\0asm") {
        return None;
    }
    let version = d.le32(4)?;
    let (name, mime) =
        if version == 1 { (" (MVP)", "application/wasm") } else { ("", "application/octet-stream") };
    Some(Description::new(format!("WebAssembly (wasm) binary module version 0x{version:x}{name}"), mime))
}

fn java(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"\xca\xfe\xba\xbe") {
        return None;
    }
    let (major, minor) = (d.be16(6)?, d.be16(4)?);
    if major <= 30 {
        return None;
    }
    let name = match major {
        45 => " (Java 1.1)".to_owned(),
        46..=52 => format!(" (Java 1.{})", major - 44),
        53.. => format!(" (Java SE {})", major - 44),
        _ => String::new(),
    };
    Some(Description::new(
        format!("compiled Java class data, version {major}.{minor}{name}"),
        "application/x-java-applet",
    ))
}

fn python(d: Bytes<'_>) -> Option<Description> {
    if !d.has(2, b"\r\n") {
        return None;
    }
    let version = match d.le16(0)? {
        3390..=3394 => "3.7",
        3400..=3413 => "3.8",
        3420..=3425 => "3.9",
        3430..=3439 => "3.10",
        3450..=3495 => "3.11",
        3500..=3531 => "3.12",
        _ => return None,
    };
    let mut text = format!("Byte-compiled Python module for CPython {version}");
    let flags = d.le32(4)?;
    if flags & 1 == 0 {
        text += &format!(
            ", timestamp-based, .py timestamp: {} UTC, .py size: {} bytes",
            date(d.le32(8)?),
            d.le32(12)?
        );
    } else {
        text += if flags & 2 == 0 { ", unchecked-hash-based" } else { ", checked-hash-based" };
        text += &format!(", .py hash: 0x{:016x}", d.number(8, 8, false)?);
    }
    Some(Description::new(text, "application/x-bytecode.python"))
}

fn mach(d: Bytes<'_>) -> Option<Description> {
    let bits = match d.at(0, 4)? {
        b"\xce\xfa\xed\xfe" => "",
        b"\xcf\xfa\xed\xfe" => " 64-bit",
        _ => return None,
    };
    let cpu = match d.le32(4)? {
        7 => " i386",
        12 => " arm",
        0x0100_0007 => " x86_64",
        0x0100_000c => " arm64",
        _ => "",
    };
    let kind = match d.le32(12)? {
        1 => " object",
        2 => " executable",
        3 => " fixed virtual memory shared library",
        4 => " core",
        5 => " preload executable",
        6 => " dynamically linked shared library",
        7 => " dynamic linker",
        8 => " bundle",
        _ => "",
    };
    Some(Description::new(format!("Mach-O{bits}{cpu}{kind}"), "application/x-mach-binary"))
}

fn dos(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"MZ") {
        return None;
    }
    let at = usize::try_from(d.le32(60).unwrap_or(0)).unwrap_or(0);
    if at == 0 || !d.has(at, b"PE\0\0") {
        return (d.0.len() > 63).then(|| Description::new("MS-DOS executable", "application/x-dosexec"));
    }
    let machine = match d.le16(at + 4)? {
        0x14c => "Intel 80386",
        0x1c0 => "ARM",
        0x8664 => "x86-64",
        0xaa64 => "Aarch64",
        _ => "Unknown processor type",
    };
    let format = match d.le16(at + 24)? {
        0x10b => "PE32",
        0x20b => "PE32+",
        other => {
            return Some(Description::new(
                format!(
                    "PE Unknown PE signature {other:#x} {machine}, for MS Windows, {} sections",
                    d.le16(at + 6)?
                )
                .replace("0x0 ", "0 "),
                "application/vnd.microsoft.portable-executable",
            ));
        }
    };
    let flags = d.le16(at + 22)?;
    let what = if flags & 0x2000 != 0 { " executable (DLL)" } else { " executable" };
    let system = match d.le16(at + 92)? {
        1 => " (native)",
        2 => " (GUI)",
        3 => " (console)",
        10 => " (EFI application)",
        _ => "",
    };
    let text = format!("{format}{what}{system} {machine}, for MS Windows, {} sections", d.le16(at + 6)?);
    Some(Description::new(text, "application/vnd.microsoft.portable-executable"))
}

fn git(d: Bytes<'_>) -> Option<Description> {
    if d.has(0, b"PACK") && d.be32(4).is_some_and(|v| v == 2 || v == 3) {
        return Some(Description::new(
            format!("Git pack, version {}, {} objects", d.be32(4)?, d.be32(8)?),
            "application/x-git",
        ));
    }
    if d.has(0, b"DIRC") {
        return Some(Description::new(
            format!("Git index, version {}, {} entries", d.be32(4)?, d.be32(8)?),
            "application/octet-stream",
        ));
    }
    None
}

fn capture(d: Bytes<'_>) -> Option<Description> {
    let (big, order) = match d.at(0, 4)? {
        b"\xd4\xc3\xb2\xa1" => (false, "little-endian"),
        b"\xa1\xb2\xc3\xd4" => (true, "big-endian"),
        _ => return None,
    };
    let link = match d.number(20, 4, big)? {
        0 => "No link-layer encapsulation",
        1 => "Ethernet",
        101 => "raw IP",
        113 => "Linux cooked v1",
        _ => "linktype#unknown",
    };
    let text = format!(
        "pcap capture file, microsecond ts ({order}) - version {}.{} ({link}, capture length {})",
        d.number(4, 2, big)?,
        d.number(6, 2, big)?,
        d.number(16, 4, big)?
    );
    Some(Description::new(text, "application/vnd.tcpdump.pcap"))
}
