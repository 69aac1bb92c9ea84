//! The tables were compared with Debian 12's `iconv`: for each set, all characters below U+30000 (`-c -f UTF-32LE
//! -t SET`) and all codes of two bytes (`-c -f SET -t UTF-32LE`), each followed by newlines, gave the same bytes. So
//! did all of Unicode with `//TRANSLIT`, in both locales. Here it is checked that they stay what they were then.

use super::coder::{Char, Decode, Encode, Step};
use super::tables::{Differences, Kind, Table};
use super::translit::Substitutes;
use super::{differences as d, names, single};

/// The 64-bit hash FNV-1a of numbers of 32 bits.
fn hash(numbers: impl IntoIterator<Item = u32>) -> u64 {
    let bytes = numbers.into_iter().flat_map(u32::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn sets_of_several_bytes_are_those_of_glibc() {
    let all: [(Kind, &Differences); 10] = [
        (Kind::Sjis, &d::SJIS),
        (Kind::Cp932, &d::CP932),
        (Kind::EucJp, &d::EUC_JP),
        (Kind::EucKr, &d::EUC_KR),
        (Kind::Uhc, &d::UHC),
        (Kind::Gb2312, &d::GB2312),
        (Kind::Gbk, &d::GBK),
        (Kind::Gb18030, &d::GB18030),
        (Kind::Big5, &d::BIG5),
        (Kind::Hkscs, &d::BIG5_HKSCS),
    ];
    for (kind, differences) in all {
        let table = Table::new(kind, differences);
        let codes: Vec<(u32, Char)> =
            (0..=u16::MAX).filter_map(|code| Some((code.into(), table.code(code)?))).collect();
        let characters: Vec<(Char, u32)> =
            (0..0x3_0000).filter_map(|c| Some((c, table.character(c)?.into()))).collect();
        let numbers = codes.iter().chain(&characters).flat_map(|pair| [pair.0, pair.1]);
        assert_eq!((codes.len(), characters.len(), hash(numbers)), differences.check, "{kind:?}");
    }
}

#[test]
fn sets_of_single_bytes_go_both_ways() {
    let mut count = 0;
    for group in single::names() {
        let name = group.split(' ').next().unwrap_or_default();
        let mut set = single::find(name).expect("a listed set");
        for byte in 0..=u8::MAX {
            set.reset();
            let c = match set.step(&[byte]) {
                Step::Char(c, 1) => c,
                Step::Nothing(1) => set.held().expect("a letter"),
                _ => continue,
            };
            let mut out = Vec::new();
            assert_eq!(set.put(&mut 0, c, &mut out), Ok(()), "{name} {byte:x}");
            // HP-ROMAN9 and the like have a character twice.
            set.reset();
            assert!(
                out == [byte] || matches!(set.step(&out), Step::Char(other, 1) if other == c),
                "{name} {byte:x}"
            );
            count += 1;
        }
    }
    assert_eq!(count, COUNT);
}

const COUNT: usize = 22_530;

#[test]
fn what_is_similar() {
    let (utf8, c) = (Substitutes::new(true), Substitutes::new(false));
    let text = |s: &str| s.chars().map(u32::from).collect::<Vec<_>>();
    assert_eq!(utf8.of(0xe9), [text("e")]);
    assert!(c.of(0xe9).is_empty());
    assert_eq!(utf8.of(0x152), [text("OE")]);
    assert_eq!(c.of(0x416), [text("ZH")]);
    assert_eq!(utf8.of(0x301), [text("")]);
    let numbers = |table: &Substitutes| {
        let all = (0..0x2_0000).filter(|c| !table.of(*c).is_empty());
        let numbers = all
            .flat_map(|c| [c].into_iter().chain(table.of(c).iter().flatten().copied()).collect::<Vec<_>>());
        hash(numbers)
    };
    assert_eq!((numbers(&utf8), numbers(&c)), HASHES);
}

const HASHES: (u64, u64) = (14_787_819_521_709_607_452, 16_927_119_282_147_591_430);

#[test]
fn names_as_they_are_given() {
    let read = |text: &str| {
        let request = names::request(text.as_bytes());
        (request.name, request.translit, request.ignore)
    };
    assert_eq!(read("utf-8"), ("UTF-8".to_owned(), false, false));
    assert_eq!(read(" latin 1//translit,IGNORE"), ("LATIN1".to_owned(), true, true));
    assert_eq!(read("ascii///TRANSLIT//x"), ("ASCII".to_owned(), true, false));
    assert_eq!(read("ISO-10646/UCS2//IGNORE"), ("ISO-10646/UCS2".to_owned(), false, true));
    assert_eq!(read("//TRANSLIT"), (String::new(), true, false));
    assert_eq!(read("utf8,x").0, "UTF8,X");
}

#[test]
fn every_name_is_known() {
    let list = names::list();
    assert_eq!(list.lines().count(), 568);
    for name in list.lines() {
        let name = names::request(name.as_bytes()).name;
        assert!(names::encoder(&name).is_some(), "{name}");
    }
}
