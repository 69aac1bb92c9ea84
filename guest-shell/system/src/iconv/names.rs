//! Names of character sets.

use super::coder::{Decode, Encode};
use super::differences as d;
use super::iso2022jp::Iso2022Jp;
use super::single;
use super::tables::{Differences, Kind, Table};
use super::unicode::{Form, Units, Utf8};
use super::utf7;
use std::cmp::Ordering;

/// A set that is not one of single bytes.
#[derive(Clone, Copy)]
enum Set {
    Utf8,
    Utf7,
    /// The form, whether the first byte is the highest, and whether a byte order mark comes first.
    Units(Form, bool, bool),
    Table(Kind, &'static Differences),
    Iso2022Jp,
}

#[rustfmt::skip]
const SETS: &[(&str, Set)] = &[
    ("UTF-8 UTF8 ISO-10646/UTF-8 ISO-10646/UTF8 ISO-IR-193 OSF05010001", Set::Utf8),
    ("UTF-7 UTF7", Set::Utf7),
    ("UTF-16 UTF16", Set::Units(Form::Utf16, false, true)),
    ("UTF-16LE UTF16LE", Set::Units(Form::Utf16, false, false)),
    ("UTF-16BE UTF16BE", Set::Units(Form::Utf16, true, false)),
    ("UTF-32 UTF32", Set::Units(Form::Utf32, false, true)),
    ("UTF-32LE UTF32LE", Set::Units(Form::Utf32, false, false)),
    ("UTF-32BE UTF32BE", Set::Units(Form::Utf32, true, false)),
    ("UNICODE CSUNICODE", Set::Units(Form::Ucs2, false, true)),
    ("UCS-2 UCS2 UCS-2LE UNICODELITTLE ISO-10646/UCS2 OSF00010100 OSF00010101 OSF00010102",
     Set::Units(Form::Ucs2, false, false)),
    ("UCS-2BE UNICODEBIG", Set::Units(Form::Ucs2, true, false)),
    ("UCS-4 UCS4 UCS-4BE CSUCS4 ISO-10646 ISO-10646/UCS4 10646-1:1993 10646-1:1993/UCS4 OSF00010104 OSF00010105 \
      OSF00010106", Set::Units(Form::Ucs4, true, false)),
    ("UCS-4LE", Set::Units(Form::Ucs4, false, false)),
    ("WCHAR_T", Set::Units(Form::Wide, false, false)),
    ("SJIS SHIFT_JIS SHIFT-JIS MS_KANJI CSSHIFTJIS", Set::Table(Kind::Sjis, &d::SJIS)),
    ("CP932 MS932 WINDOWS-31J CSWINDOWS31J SJIS-OPEN SJIS-WIN", Set::Table(Kind::Cp932, &d::CP932)),
    ("EUC-JP EUCJP UJIS CSEUCPKDFMTJAPANESE OSF00030010", Set::Table(Kind::EucJp, &d::EUC_JP)),
    ("ISO-2022-JP ISO2022JP CSISO2022JP", Set::Iso2022Jp),
    ("EUC-KR EUCKR CSEUCKR OSF0004000A", Set::Table(Kind::EucKr, &d::EUC_KR)),
    ("UHC CP949 MSCP949 OSF100203B5", Set::Table(Kind::Uhc, &d::UHC)),
    ("GB2312 EUC-CN EUCCN CN-GB CSGB2312", Set::Table(Kind::Gb2312, &d::GB2312)),
    ("GBK CP936 MS936 WINDOWS-936 GB13000", Set::Table(Kind::Gbk, &d::GBK)),
    ("GB18030", Set::Table(Kind::Gb18030, &d::GB18030)),
    ("BIG5 BIG-5 BIG-FIVE BIGFIVE CN-BIG5 CP950", Set::Table(Kind::Big5, &d::BIG5)),
    ("BIG5-HKSCS BIG5HKSCS", Set::Table(Kind::Hkscs, &d::BIG5_HKSCS)),
];

fn find(name: &str) -> Option<Set> {
    SETS.iter().find(|(names, _)| names.split(' ').any(|known| known == name)).map(|set| set.1)
}

/// The kinds of tables that are converted to each other, if both are tables.
fn kinds(from: &str, to: &str) -> Option<(Kind, Kind)> {
    let kind = |name: &str| match find(name) {
        Some(Set::Table(kind, _)) => Some(kind),
        _ => None,
    };
    Some((kind(from)?, kind(to)?))
}

/// Whether glibc has a table of its own from one set to the other, with other answers than over Unicode.
pub(super) fn is_direct(from: &Request, to: &Request) -> bool {
    matches!(kinds(&from.name, &to.name), Some((Kind::Gb2312, Kind::Big5) | (Kind::Big5, Kind::Gb2312)))
}

/// The decoder and the encoder between two sets.
pub(super) fn both(from: &str, to: &str) -> Option<(Box<dyn Decode>, Box<dyn Encode>)> {
    // Two characters of these have the same codes, but not the same in Unicode.
    let same = || Box::new(Table::new(Kind::Gb2312, &Differences { codes: &[], ..d::GB2312 }));
    Some(match kinds(from, to) {
        Some((Kind::Gb2312, Kind::Gbk)) => (same(), encoder(to)?),
        Some((Kind::Gbk, Kind::Gb2312)) => (decoder(from)?, same()),
        _ => (decoder(from)?, encoder(to)?),
    })
}

/// What takes characters from bytes of this set.
fn decoder(name: &str) -> Option<Box<dyn Decode>> {
    Some(match find(name) {
        Some(Set::Utf8) => Box::new(Utf8),
        Some(Set::Utf7) => Box::new(utf7::Utf7::default()),
        Some(Set::Units(form, big, mark)) => Box::new(Units::new(form, big, mark)),
        Some(Set::Table(kind, differences)) => Box::new(Table::new(kind, differences)),
        Some(Set::Iso2022Jp) => Box::new(Iso2022Jp::new(Table::new(Kind::EucJp, &d::EUC_JP))),
        None => Box::new(single::find(name)?),
    })
}

/// What makes bytes of this set.
pub(super) fn encoder(name: &str) -> Option<Box<dyn Encode>> {
    Some(match find(name) {
        Some(Set::Utf8) => Box::new(Utf8),
        Some(Set::Utf7) => Box::new(utf7::Encoder),
        Some(Set::Units(form, big, mark)) => Box::new(Units::new(form, big, mark)),
        Some(Set::Table(kind, differences)) => Box::new(Table::new(kind, differences)),
        Some(Set::Iso2022Jp) => Box::new(Iso2022Jp::new(Table::new(Kind::EucJp, &d::EUC_JP))),
        None => Box::new(single::find(name)?),
    })
}

/// All names as `--list` shows them.
pub(super) fn list() -> String {
    let groups = SETS.iter().map(|set| set.0).chain(single::names());
    let shown = |name: &str| format!("{name}{}", if name.contains('/') { "/" } else { "//" });
    let mut names: Vec<String> = groups.flat_map(|group| group.split_ascii_whitespace().map(shown)).collect();
    names.sort_by(|a, b| by_version(a.as_bytes(), b.as_bytes()));
    names.push(String::new());
    names.join("\n")
}

/// The order of `strverscmp(3)`: numbers count, and one that begins with 0 is a fraction.
fn by_version(a: &[u8], b: &[u8]) -> Ordering {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let before = a.iter().take(same).rev().take_while(|byte| byte.is_ascii_digit()).count();
    let number = |text: &[u8]| text.get(same - before..).map(<[u8]>::to_vec).unwrap_or_default();
    let (of_a, of_b) = (number(a), number(b));
    let is_fraction = of_a.starts_with(b"0") || of_b.starts_with(b"0");
    let lengths = (digits(&of_a), digits(&of_b));
    match lengths.0.cmp(&lengths.1) {
        order if !is_fraction && lengths.0 > 0 && lengths.1 > 0 && order.is_ne() => order,
        _ => a.cmp(b),
    }
}

/// What an argument says: a name, and what follows its second slash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Request {
    /// The name in capital letters; empty for the locale's set.
    pub(super) name: String,
    pub(super) translit: bool,
    pub(super) ignore: bool,
}

/// Reads an argument.
pub(super) fn request(argument: &[u8]) -> Request {
    let mut slashes = argument.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    let end = slashes.nth(1).unwrap_or(argument.len());
    let (name, suffixes) = argument.split_at_checked(end).unwrap_or((argument, b""));
    let has =
        |word: &[u8]| suffixes.split(|b| matches!(b, b'/' | b',')).any(|s| s.eq_ignore_ascii_case(word));
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./:,".contains(byte);
    let kept = name.iter().filter(|byte| is_part(byte));
    let name: String = kept.map(|byte| char::from(byte.to_ascii_uppercase())).collect();
    let name = name.trim_end_matches(['/', ',']).to_owned();
    Request { name, translit: has(b"TRANSLIT"), ignore: has(b"IGNORE") }
}
