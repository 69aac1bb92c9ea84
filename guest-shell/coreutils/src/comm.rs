//! `comm`.

use sandshell_cli::input::{Input, chomp};
use sandshell_cli::options::{self, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::ffi::OsString;
use std::rc::Rc;

const SPEC: Spec = Spec {
    name: "comm",
    usage: "\
Usage: comm [OPTION]... FILE1 FILE2
Compares two sorted files. Three columns: lines that only FILE1 has, lines that only FILE2 has, lines of both.

",
    options: &[
        option("-1", "leave out the first column"),
        option("-2", "leave out the second column"),
        option("-3", "leave out the third column"),
        named("check", "--check-order", "fail if a file is not sorted, even if all lines find partners"),
        named("nocheck", "--nocheck-order", "do not look whether the files are sorted"),
        named("delimiter", "--output-delimiter=STR", "STR between columns"),
        option("--total", "how many lines each column has, at the end"),
        option("-z, --zero-terminated", "lines end with NUL"),
    ],
    ..Spec::DEFAULT
};

/// One of the two files.
struct Side {
    /// In `comm - -` both sides share one input and take turns reading it.
    input: Rc<RefCell<Input>>,
    path: Vec<u8>,
    line: Option<Vec<u8>>,
    previous: Option<Vec<u8>>,
    disorder: bool,
}

struct Comm {
    show: [bool; 3],
    delimiter: Vec<u8>,
    end: u8,
    /// Whether to check the order: always, never, or (`None`) once there were unpaired lines.
    check: Option<bool>,
    unpairable: bool,
}

/// Runs `comm` and returns its exit status.
pub fn comm_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut comm =
        Comm { show: [true; 3], delimiter: b"\t".to_vec(), end: b'\n', check: None, unpairable: false };
    let (mut total, mut chosen) = (false, None);
    for g in &parsed.options {
        match g.id {
            "1" => comm.show[0] = false,
            "2" => comm.show[1] = false,
            "3" => comm.show[2] = false,
            "z" => comm.end = 0,
            "check" => comm.check = Some(true),
            "nocheck" => comm.check = Some(false),
            "total" => total = true,
            _ => {
                let text = if g.text().is_empty() { b"\0" } else { g.text() };
                if chosen.as_deref().is_some_and(|c| c != text) {
                    warn!("comm", "multiple output delimiters specified");
                    return Err(1);
                }
                chosen = Some(text.to_vec());
            }
        }
    }
    comm.delimiter = chosen.unwrap_or(comm.delimiter);
    let operands = &parsed.operands;
    match operands.as_slice() {
        [] => return Err(SPEC.missing_operand()),
        [one] => return Err(SPEC.usage(bytes!("missing operand after ", quote(one)))),
        [_, _, extra, ..] => return Err(SPEC.extra_operand(extra)),
        _ => {}
    }
    let twice = operands.iter().all(|o| o == b"-");
    let mut sides: Vec<Side> = Vec::new();
    for path in operands {
        let input = match sides.first().filter(|_| twice) {
            Some(first) => first.input.clone(),
            None => {
                let input = Input::open(path).map_err(|e| {
                    warn!("comm", quotef(path), ": ", e);
                    1
                })?;
                Rc::new(RefCell::new(input))
            }
        };
        sides.push(Side { input, path: path.clone(), line: None, previous: None, disorder: false });
    }
    let Ok([mut left, mut right]) = <[Side; 2]>::try_from(sides) else { return Err(1) };
    let mut counts = [0u64; 3];
    comm.next(&mut left, 1)?;
    comm.next(&mut right, 2)?;
    loop {
        let order = match (&left.line, &right.line) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.cmp(b),
        };
        comm.unpairable |= order != Ordering::Equal;
        let (column, line) = match order {
            Ordering::Less => (0, &left.line),
            Ordering::Greater => (1, &right.line),
            Ordering::Equal => (2, &right.line),
        };
        counts[column] += 1;
        comm.print(column, line.as_deref().unwrap_or_default());
        if out::failure().is_some() {
            break;
        }
        if order != Ordering::Greater {
            comm.next(&mut left, 1)?;
        }
        if order != Ordering::Less {
            comm.next(&mut right, 2)?;
        }
    }
    if twice {
        // GNU comm closes standard input twice.
        warn!("comm", "-: ", sys::Errno::BADF);
        return Ok(out::finish("comm", 1, 1));
    }
    if total {
        let d = &comm.delimiter;
        out::put(bytes!(counts[0], d, counts[1], d, counts[2], d, "total", [comm.end].as_slice()));
    }
    let mut code = 0;
    if left.disorder || right.disorder {
        warn!("comm", "input is not in sorted order");
        code = 1;
    }
    Ok(out::finish("comm", code, 1))
}

/// Two consecutive lines.
type Pair = (Option<Vec<u8>>, Option<Vec<u8>>);

impl Comm {
    fn next(&self, side: &mut Side, number: u8) -> Result<(), i32> {
        let mut record = Vec::new();
        let more = side.input.borrow_mut().record(self.end, &mut record).map_err(|e| {
            warn!("comm", quotef(&side.path), ": ", e);
            1
        })?;
        if !more {
            // The last two lines are checked again, as an unpaired line may have been found after they were read.
            let (before, last) = (side.previous.take(), side.line.take());
            return self.check_order(side, number, before, last).map(|_| ());
        }
        side.previous = side.line.take();
        side.line = Some(chomp(&record, self.end).0.to_vec());
        let (before, line) = (side.previous.take(), side.line.take());
        (side.previous, side.line) = self.check_order(side, number, before, line)?;
        Ok(())
    }

    /// Reports that the second line sorts before the first, if order is checked. Returns both lines.
    fn check_order(
        &self,
        side: &mut Side,
        number: u8,
        before: Option<Vec<u8>>,
        line: Option<Vec<u8>>,
    ) -> Result<Pair, i32> {
        let check = match self.check {
            Some(check) => check,
            None => self.unpairable && !side.disorder,
        };
        if check && line.is_some() && before > line {
            warn!("comm", "file ", number, " is not in sorted order");
            if self.check == Some(true) {
                return Err(1);
            }
            side.disorder = true;
        }
        Ok((before, line))
    }

    fn print(&self, column: usize, line: &[u8]) {
        if !self.show[column] {
            return;
        }
        for before in &self.show[..column] {
            if *before {
                out::put(&self.delimiter);
            }
        }
        out::put(line);
        out::put([self.end]);
    }
}
