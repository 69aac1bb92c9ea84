//! `tr`: like GNU's, it works on bytes.

mod sets;

use crate::tr::sets::{Case, Part};
use sandshell_cli::input::Input;
use sandshell_cli::message;
use sandshell_cli::options::{self, Order, Spec, hidden, option};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::warn;
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "tr",
    order: Order::First,
    usage: "\
Usage: tr [OPTION]... STRING1 [STRING2]
Copies its input to its output with other characters: those of STRING1 become those of STRING2.

",
    options: &[
        option("-c, -C, --complement", "all characters that are not in STRING1"),
        option("-d, --delete", "leave out the characters of STRING1"),
        option("-s, --squeeze-repeats", "of equal characters in a row that the last string has, only one"),
        option("-t, --truncate-set1", "STRING1 is cut to the length of STRING2"),
        hidden("", "-A"),
    ],
    notes: "\n\
In strings: \\NNN \\\\ \\a \\b \\f \\n \\r \\t \\v; A-Z all from A to Z; [A*] and [A*N] A repeated; [:alnum:], [:alpha:], [:blank:],
[:cntrl:], [:digit:], [:graph:], [:lower:], [:print:], [:punct:], [:space:], [:upper:], [:xdigit:]; [=A=].
",
    ..Spec::DEFAULT
};

/// What to do with each byte.
struct Plan {
    map: [u8; 256],
    delete: [bool; 256],
    squeeze: [bool; 256],
}

#[derive(Default)]
struct Mode {
    complement: bool,
    delete: bool,
    squeeze: bool,
    truncate: bool,
}

/// Runs `tr` and returns its exit status.
pub fn tr_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut mode = Mode::default();
    for g in &parsed.options {
        match g.id {
            "c" => mode.complement = true,
            "d" => mode.delete = true,
            "s" => mode.squeeze = true,
            "t" => mode.truncate = true,
            _ => {}
        }
    }
    let operands = &parsed.operands;
    let least = 1 + usize::from(mode.delete == mode.squeeze);
    let most = 1 + usize::from(mode.delete <= mode.squeeze);
    if operands.len() < least {
        let Some(last) = operands.last() else { return Err(SPEC.missing_operand()) };
        warn!("tr", "missing operand after ", quote(last));
        let text = if mode.squeeze {
            "Two strings must be given when both deleting and squeezing repeats.\n"
        } else {
            "Two strings must be given when translating.\n"
        };
        let _ = sys::write_all(2, text.as_bytes());
        message::try_help("tr");
        return Err(1);
    }
    if let Some(extra) = operands.get(most) {
        warn!("tr", "extra operand ", quote(extra));
        if operands.len() == 2 {
            let text = b"Only one string may be given when deleting without squeezing repeats.\n";
            let _ = sys::write_all(2, text);
        }
        message::try_help("tr");
        return Err(1);
    }
    let first = sets::parse(&operands[0])?;
    let second = operands.get(1).map(|o| sets::parse(o)).transpose()?;
    let plan = plan(&mode, &first, second)?;
    let code = match filter(&plan) {
        Ok(()) => 0,
        Err(e) => {
            warn!("tr", "read error: ", e);
            1
        }
    };
    Ok(out::finish("tr", code, 1))
}

fn fail<T>(text: &str) -> Result<T, i32> {
    warn!("tr", text);
    Err(1)
}

fn set(parts: &[Part]) -> [bool; 256] {
    let mut set = [false; 256];
    for part in parts {
        match part {
            Part::Repeat(c, _) => set[usize::from(*c)] = true,
            other => other.bytes().iter().for_each(|b| set[usize::from(*b)] = true),
        }
    }
    set
}

fn length(parts: &[Part]) -> u64 {
    parts
        .iter()
        .map(|p| match p {
            Part::Repeat(_, n) => n.unwrap_or(0),
            other => other.bytes().len() as u64,
        })
        .fold(0, u64::saturating_add)
}

fn plan(mode: &Mode, first: &[Part], second: Option<Vec<Part>>) -> Result<Plan, i32> {
    let translate = !mode.delete && second.is_some();
    let mut chosen = set(first);
    if mode.complement {
        chosen.iter_mut().for_each(|c| *c = !*c);
    }
    if first.iter().any(|p| matches!(p, Part::Repeat(_, None))) {
        return fail("the [c*] repeat construct may not appear in string1");
    }
    let mut plan =
        Plan { map: std::array::from_fn(|i| i as u8), delete: [false; 256], squeeze: [false; 256] };
    let Some(mut second) = second else {
        *(if mode.delete { &mut plan.delete } else { &mut plan.squeeze }) = chosen;
        return Ok(plan);
    };
    let indefinite = second.iter().filter(|p| matches!(p, Part::Repeat(_, None))).count();
    if indefinite > 1 {
        return fail("only one [c*] repeat construct may appear in string2");
    }
    if translate {
        let members = chosen.iter().filter(|c| **c).count() as u64;
        let wanted = if mode.complement { members } else { length(first) };
        let missing = wanted.saturating_sub(length(&second));
        if let Some(Part::Repeat(_, n)) = second.iter_mut().find(|p| matches!(p, Part::Repeat(_, None))) {
            *n = Some(missing);
        }
        if second.iter().any(|p| matches!(p, Part::Equivalence(_))) {
            return fail("[=c=] expressions may not appear in string2 when translating");
        }
        if second.iter().any(|p| matches!(p, Part::Class(_))) {
            return fail(
                "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
            );
        }
        if mode.complement {
            let domain: Vec<u8> = (0..=255u8).filter(|b| chosen[usize::from(*b)]).collect();
            let classes = first.iter().any(Part::is_class);
            translate_complement(mode, &domain, classes, &second, &mut plan.map)?;
        } else {
            translate_parts(mode, first, &second, &mut plan.map)?;
        }
        if mode.squeeze {
            plan.squeeze = set(&second);
        }
    } else {
        if indefinite > 0 {
            return fail("the [c*] construct may appear in string2 only when translating");
        }
        plan.delete = chosen;
        plan.squeeze = set(&second);
    }
    Ok(plan)
}

fn translate_complement(
    mode: &Mode,
    domain: &[u8],
    classes: bool,
    second: &[Part],
    map: &mut [u8; 256],
) -> Result<(), i32> {
    let mut to: Vec<u8> = second.iter().flat_map(Part::bytes).collect();
    if to.len() < domain.len() && !mode.truncate {
        let last = extension(second)?;
        to.resize(domain.len(), last);
    }
    let homogeneous = to.len() == domain.len() && to.windows(2).all(|w| w[0] == w[1]);
    if classes && !homogeneous {
        return fail(
            "when translating with complemented character classes,\nstring2 must map all characters in the domain to one",
        );
    }
    for (from, to) in domain.iter().zip(to) {
        map[usize::from(*from)] = to;
    }
    Ok(())
}

/// The byte that extends a string2 that is too short.
fn extension(second: &[Part]) -> Result<u8, i32> {
    let last = second.iter().rev().find(|p| !matches!(p, Part::Repeat(_, Some(0))));
    match last {
        None => match second.last() {
            Some(Part::Repeat(c, _)) => Ok(*c),
            _ => fail("when not truncating set1, string2 must be non-empty"),
        },
        Some(part) if part.is_class() => fail(
            "when translating with string1 longer than string2,\nthe latter string must not end with a character class",
        ),
        Some(Part::Repeat(c, _) | Part::Equivalence(c)) => Ok(*c),
        Some(part) => part.bytes().last().copied().ok_or(1),
    }
}

/// A position in a string: the part, and the byte in it.
struct Cursor<'a> {
    parts: &'a [Part],
    inside: std::vec::IntoIter<u8>,
    next: usize,
}

impl<'a> Cursor<'a> {
    fn new(parts: &'a [Part]) -> Self {
        Self { parts, inside: Vec::new().into_iter(), next: 0 }
    }

    /// The case class that begins at this position.
    fn case(&self) -> Option<Case> {
        match self.parts.get(self.next) {
            Some(Part::Case(case)) if self.inside.len() == 0 => Some(*case),
            _ => None,
        }
    }

    fn skip_part(&mut self) {
        self.next += 1;
    }

    fn byte(&mut self) -> Option<u8> {
        loop {
            if let Some(b) = self.inside.next() {
                return Some(b);
            }
            self.inside = self.parts.get(self.next)?.bytes().into_iter();
            self.next += 1;
        }
    }
}

fn translate_parts(mode: &Mode, first: &[Part], second: &[Part], map: &mut [u8; 256]) -> Result<(), i32> {
    let (mut from, mut to) = (Cursor::new(first), Cursor::new(second));
    let mut last = None;
    loop {
        if let Some(into) = to.case() {
            let Some(of) = from.case() else {
                return fail("misaligned [:upper:] and/or [:lower:] construct");
            };
            if of != into {
                for b in Part::Case(of).bytes() {
                    map[usize::from(b)] = b ^ 0x20;
                }
            }
            from.skip_part();
            to.skip_part();
            continue;
        }
        let Some(a) = from.byte() else { return Ok(()) };
        let b = match (last, to.byte()) {
            (_, Some(b)) => b,
            (Some(b), None) => b,
            (None, None) if mode.truncate => return Ok(()),
            (None, None) => {
                let b = extension(second)?;
                last = Some(b);
                b
            }
        };
        map[usize::from(a)] = b;
    }
}

fn filter(plan: &Plan) -> sys::Result<()> {
    let mut input = Input::of(0);
    let simple = !plan.delete.contains(&true) && !plan.squeeze.contains(&true);
    let mut text = Vec::new();
    let mut last: Option<u8> = None;
    loop {
        let there = input.fill()?;
        if there.is_empty() || out::failure().is_some() {
            return Ok(());
        }
        text.clear();
        if simple {
            text.extend(there.iter().map(|b| plan.map[usize::from(*b)]));
        } else {
            for b in there {
                if plan.delete[usize::from(*b)] {
                    continue;
                }
                let b = plan.map[usize::from(*b)];
                if last == Some(b) && plan.squeeze[usize::from(b)] {
                    continue;
                }
                last = Some(b);
                text.push(b);
            }
        }
        out::put(&text);
        let n = there.len();
        input.consume(n);
    }
}
