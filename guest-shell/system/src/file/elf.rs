//! ELF files.

use super::Description;
use super::bytes::Bytes;

/// Describes an ELF file.
pub(super) fn describe(d: Bytes<'_>) -> Option<Description> {
    if !d.has(0, b"\x7fELF") {
        return None;
    }
    let elf = Elf { d, wide: d.u8(4) == Some(2), big: d.u8(5) == Some(2) };
    let mut text = String::from("ELF");
    text += match d.u8(4) {
        Some(1) => " 32-bit",
        Some(2) => " 64-bit",
        Some(0) => " invalid class",
        _ => "",
    };
    text += match d.u8(5) {
        Some(1) => " LSB",
        Some(2) => " MSB",
        Some(0) => " invalid byte order",
        _ => "",
    };
    let Some(kind) = elf.half(16).filter(|_| elf.known()) else {
        return Some(Description::new(text, "application/octet-stream"));
    };
    let program = elf.program();
    let pie = kind == 3 && program.pie;
    let (name, mime) = match kind {
        0 => (" no file type,", "application/octet-stream"),
        1 => (" relocatable,", "application/x-object"),
        2 => (" executable,", "application/x-executable"),
        3 if pie => (" pie executable,", "application/x-pie-executable"),
        3 => (" shared object,", "application/x-sharedlib"),
        4 => (" core file,", "application/x-coredump"),
        _ => ("", "application/octet-stream"),
    };
    text += name;
    text += match elf.half(18).unwrap_or(0) {
        3 => " Intel 80386,",
        8 => " MIPS,",
        20 => " PowerPC or cisco 4500,",
        21 => " 64-bit PowerPC or cisco 7500,",
        22 => " IBM S/390,",
        40 => " ARM,",
        62 => " x86-64,",
        183 => " ARM aarch64,",
        243 => " UCB RISC-V,",
        _ => " *unknown arch*",
    };
    if let Some(version) = elf.word(20) {
        text += &if version == 1 { " version 1".to_owned() } else { " invalid version".to_owned() };
    }
    text += match d.u8(7) {
        Some(0) => " (SYSV)",
        Some(1) => " (HP-UX)",
        Some(2) => " (NetBSD)",
        Some(3) => " (GNU/Linux)",
        Some(6) => " (Solaris)",
        Some(9) => " (FreeBSD)",
        _ => "",
    };
    let mut text = text.into_bytes();
    // The header tables are only read if there is more than the first header.
    if d.0.len() > elf.pick(64, 52) && matches!(kind, 1..=3) {
        if kind != 1 {
            elf.put_program(&mut text, &program, pie);
        }
        elf.put_sections(&mut text, kind == 1 || elf.programs() == 0);
    }
    Some(Description::bytes(text, mime))
}

struct Elf<'a> {
    d: Bytes<'a>,
    wide: bool,
    big: bool,
}

#[derive(Default)]
struct Program<'a> {
    interpreter: Option<&'a [u8]>,
    dynamic: bool,
    pie: bool,
    notes: Vec<u8>,
}

#[derive(Default)]
struct Sections {
    symbols: bool,
    debug: bool,
    notes: Vec<u8>,
}

impl<'a> Elf<'a> {
    fn known(&self) -> bool {
        matches!(self.d.u8(4), Some(1 | 2)) && matches!(self.d.u8(5), Some(1 | 2))
    }

    fn half(&self, at: usize) -> Option<u64> {
        self.d.number(at, 2, self.big)
    }

    fn word(&self, at: usize) -> Option<u64> {
        self.d.number(at, 4, self.big)
    }

    /// A number with the size of an address.
    fn address(&self, at: usize) -> Option<usize> {
        usize::try_from(self.d.number(at, if self.wide { 8 } else { 4 }, self.big)?).ok()
    }

    fn pick(&self, wide: usize, narrow: usize) -> usize {
        if self.wide { wide } else { narrow }
    }

    fn programs(&self) -> usize {
        self.half(self.pick(56, 44)).unwrap_or(0) as usize
    }

    fn put_program(&self, text: &mut Vec<u8>, program: &Program<'_>, pie: bool) {
        if self.programs() == 0 {
            text.extend_from_slice(b", no program header");
            return;
        }
        text.extend_from_slice(match (program.dynamic, program.interpreter.is_some()) {
            (true, false) if pie => b", static-pie linked".as_slice(),
            (true, _) => b", dynamically linked",
            (false, _) => b", statically linked",
        });
        if let Some(interpreter) = program.interpreter {
            text.extend_from_slice(b", interpreter ");
            text.extend_from_slice(interpreter);
        }
        text.extend_from_slice(&program.notes);
    }

    fn put_sections(&self, text: &mut Vec<u8>, with_notes: bool) {
        let table = self.address(self.pick(40, 32)).unwrap_or(0);
        if self.half(self.pick(60, 48)).unwrap_or(0) == 0 {
            text.extend_from_slice(b", no section header");
            return;
        }
        if table >= self.d.0.len() {
            text.extend_from_slice(format!(", missing section headers at {table}").as_bytes());
            return;
        }
        let sections = self.sections();
        if with_notes {
            text.extend_from_slice(&sections.notes);
        }
        if sections.debug {
            text.extend_from_slice(b", with debug_info");
        }
        text.extend_from_slice(if sections.symbols { b", not stripped" } else { b", stripped" });
    }

    fn program(&self) -> Program<'a> {
        let mut program = Program::default();
        let table = self.address(self.pick(32, 28)).unwrap_or(0);
        let size = self.half(self.pick(54, 42)).unwrap_or(0) as usize;
        let count = self.programs();
        for i in 0..count.min(2048) {
            let Some(at) = size.checked_mul(i).and_then(|n| n.checked_add(table)) else { break };
            let field = |wide, narrow| at.checked_add(self.pick(wide, narrow)).and_then(|p| self.address(p));
            let (Some(kind), Some(offset), Some(len)) = (self.word(at), field(8, 4), field(32, 16)) else {
                break;
            };
            let content = self.d.at(offset, len);
            match kind {
                2 => {
                    program.dynamic = true;
                    program.pie |= content.is_some_and(|c| self.is_pie(c));
                }
                3 => program.interpreter = content.map(|c| Bytes(c).string(0)),
                4 => self.notes(content.unwrap_or_default(), &mut program.notes),
                _ => {}
            }
        }
        program
    }

    /// Whether the flags of the dynamic section mark a position-independent executable.
    fn is_pie(&self, section: &[u8]) -> bool {
        const FLAGS_1: u64 = 0x6fff_fffb;
        const PIE: u64 = 0x0800_0000;
        let step = self.pick(8, 4);
        let section = Bytes(section);
        (0..section.0.len() / (2 * step)).any(|i| {
            let number = |at| section.number(at, step, self.big).unwrap_or(0);
            number(i * 2 * step) == FLAGS_1 && number(i * 2 * step + step) & PIE != 0
        })
    }

    fn sections(&self) -> Sections {
        let mut found = Sections::default();
        let table = self.address(self.pick(40, 32)).unwrap_or(0);
        let size = self.half(self.pick(58, 46)).unwrap_or(0) as usize;
        let count = self.half(self.pick(60, 48)).unwrap_or(0) as usize;
        let names = self.half(self.pick(62, 50)).unwrap_or(0) as usize;
        let header = |i: usize| size.checked_mul(i)?.checked_add(table);
        let offset = |at: usize| self.address(at.checked_add(self.pick(24, 16))?);
        let names = header(names).and_then(offset);
        for i in 0..count {
            let Some(at) = header(i) else { break };
            let (Some(name), Some(kind)) = (self.word(at), self.word(at + 4)) else { break };
            found.symbols |= kind == 2;
            let name = usize::try_from(name).ok().zip(names).and_then(|(n, base)| n.checked_add(base));
            found.debug |= name.is_some_and(|n| self.d.has(n, b".debug_info\0"));
            if kind == 7
                && let (Some(from), Some(len)) =
                    (offset(at), at.checked_add(self.pick(32, 20)).and_then(|p| self.address(p)))
            {
                self.notes(self.d.at(from, len).unwrap_or_default(), &mut found.notes);
            }
        }
        found
    }

    /// Describes the build ID and the target system.
    fn notes(&self, content: &[u8], text: &mut Vec<u8>) {
        let notes = Bytes(content);
        let mut at = 0;
        while let (Some(name_len), Some(len), Some(kind)) = (
            notes.number(at, 4, self.big),
            notes.number(at + 4, 4, self.big),
            notes.number(at + 8, 4, self.big),
        ) {
            let (Ok(name_len), Ok(len)) = (usize::try_from(name_len), usize::try_from(len)) else { return };
            let Some(from) = name_len.checked_next_multiple_of(4).and_then(|n| n.checked_add(at + 12)) else {
                return;
            };
            let Some(description) = notes.at(from, len) else { return };
            if notes.has(at + 12, b"GNU\0") && name_len == 4 {
                match kind {
                    3 if matches!(len, 8 | 16 | 20) => {
                        let hash = match len {
                            8 => "xxHash",
                            16 => "md5/uuid",
                            _ => "sha1",
                        };
                        let hex: String = description.iter().map(|b| format!("{b:02x}")).collect();
                        text.extend_from_slice(format!(", BuildID[{hash}]={hex}").as_bytes());
                    }
                    1 if len == 16 => {
                        let n = |i| Bytes(description).number(i, 4, self.big).unwrap_or(0);
                        let system = match n(0) {
                            0 => "Linux",
                            1 => "Hurd",
                            2 => "Solaris",
                            3 => "kFreeBSD",
                            _ => "<unknown>",
                        };
                        text.extend_from_slice(
                            format!(", for GNU/{system} {}.{}.{}", n(4), n(8), n(12)).as_bytes(),
                        );
                    }
                    _ => {}
                }
            }
            let Some(next) = len.checked_next_multiple_of(4).and_then(|n| n.checked_add(from)) else {
                return;
            };
            at = next;
        }
    }
}
