//! `shuf`.

use crate::base::random::Random;
use sandshell_cli::input::{Input, chomp};
use sandshell_cli::number::{self, Fault};
use sandshell_cli::options::{self, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, open_flags};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "shuf",
    usage: "\
Usage: shuf [OPTION]... [FILE]
  or:  shuf -e [OPTION]... [ARG]...
  or:  shuf -i LO-HI [OPTION]...
Prints the lines of its input in a random order.
Without FILE, or if it is -, the lines come from standard input.

",
    options: &[
        option("-e, --echo", "take the arguments for the lines"),
        option("-i, --input-range=LO-HI", "take the whole numbers from LO to HI for the lines"),
        option("-n, --head-count=COUNT", "stop after COUNT lines"),
        option("-o, --output=FILE", "write to FILE"),
        named("source", "--random-source=FILE", "the random bytes come from FILE"),
        option("-r, --repeat", "draw lines again and again; one may come more than once"),
        option("-z, --zero-terminated", "lines end with NUL"),
    ],
    ..Spec::DEFAULT
};

/// Runs `shuf` and returns its exit status.
pub fn shuf_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let (mut echo, mut range, mut count, mut output, mut source, mut repeat, mut end) =
        (false, None, u64::MAX, None::<Vec<u8>>, None::<Vec<u8>>, false, b'\n');
    for g in &parsed.options {
        match g.id {
            "e" => echo = true,
            "i" => {
                if range.is_some() {
                    warn!("shuf", "multiple -i options specified");
                    return Err(1);
                }
                range = Some(limits(g.text())?);
            }
            "n" => match number::unsigned(g.text(), "") {
                Ok(n) => count = count.min(n),
                Err(Fault::Overflow) => {}
                Err(Fault::Invalid | Fault::Suffix) => {
                    warn!("shuf", "invalid line count: ", quote(g.text()));
                    return Err(1);
                }
            },
            "o" => {
                if output.as_deref().is_some_and(|o| o != g.text()) {
                    warn!("shuf", "multiple output files specified");
                    return Err(1);
                }
                output = Some(g.text().to_vec());
            }
            "source" => {
                if source.as_deref().is_some_and(|o| o != g.text()) {
                    warn!("shuf", "multiple random sources specified");
                    return Err(1);
                }
                source = Some(g.text().to_vec());
            }
            "r" => repeat = true,
            _ => end = 0,
        }
    }
    if echo && range.is_some() {
        return Err(SPEC.usage("cannot combine -e and -i options"));
    }
    let allowed = if range.is_some() { 0 } else { 1 };
    if !echo && let Some(extra) = parsed.operands.get(allowed) {
        return Err(SPEC.extra_operand(extra));
    }
    let path = parsed.operands.first().map_or(&b"-"[..], Vec::as_slice);
    let (text, sample);
    let mut lines: Vec<&[u8]> = Vec::new();
    let mut random = None;
    let mut total = match range {
        Some((low, high)) => high.wrapping_sub(low).wrapping_add(1),
        None => 0,
    };
    if echo {
        lines = parsed.operands.iter().map(Vec::as_slice).collect();
    } else if range.is_none() && count > 0 {
        let mut input = open(path)?;
        if !repeat && count < u64::MAX && is_large(input.fd()) {
            sample =
                read_sample(&mut input, count, end, random.insert(Random::new("shuf", source.as_deref())?))?;
            lines = sample.iter().map(Vec::as_slice).collect();
        } else {
            text = input.rest().map_err(read_error)?;
            let mut start = 0;
            for stop in memchr::memchr_iter(end, &text).chain([text.len()]) {
                lines.push(&text[start..stop]);
                start = stop + 1;
            }
            if lines.last().is_some_and(|l| l.is_empty()) {
                lines.pop();
            }
        }
    }
    if range.is_none() {
        total = lines.len() as u64;
    }
    let mut random = match random {
        Some(random) => random,
        None => Random::new("shuf", source.as_deref())?,
    };
    if let Some(path) = &output {
        let flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
        if let Err(e) = sys::open(path, flags, 0o666).and_then(|fd| sys::dup2(fd, 1, false)) {
            warn!("shuf", quotef(path), ": ", e);
            return Err(1);
        }
    }
    let print = |i: u64| {
        match range {
            Some((low, _)) => out::put(bytes!(low + i, [end].as_slice())),
            None => out::build(|to| {
                to.extend_from_slice(lines[i as usize]);
                to.push(end);
            }),
        }
        out::failure().is_none()
    };
    if repeat {
        if total == 0 && count > 0 {
            warn!("shuf", "no lines to repeat");
            return Err(1);
        }
        let mut i = 0;
        while i < count && print(random.below(total)?) {
            i += 1;
        }
        return Ok(out::finish("shuf", 0, 1));
    }
    for i in permutation(total, count.min(total), &mut random)? {
        if !print(i) {
            break;
        }
    }
    Ok(out::finish("shuf", 0, 1))
}

/// The first `count` elements of a random permutation of the numbers below `total`.
fn permutation(total: u64, count: u64, random: &mut Random) -> Result<Vec<u64>, i32> {
    if total / 8 <= count {
        let mut all = Vec::new();
        let room = usize::try_from(total).is_ok_and(|total| all.try_reserve_exact(total).is_ok());
        if !room {
            warn!("shuf", "memory exhausted");
            return Err(1);
        }
        all.extend(0..total);
        for i in 0..count {
            let j = i + random.below(total - i)?;
            all.swap(i as usize, j as usize);
        }
        all.truncate(count as usize);
        return Ok(all);
    }
    // For a large range, only the swapped places are stored.
    let mut swapped = std::collections::HashMap::new();
    let mut chosen = Vec::new();
    for i in 0..count {
        let j = i + random.below(total - i)?;
        chosen.push(swapped.get(&j).copied().unwrap_or(j));
        let here = swapped.remove(&i).unwrap_or(i);
        if i != j {
            swapped.insert(j, here);
        }
    }
    Ok(chosen)
}

fn open(path: &[u8]) -> Result<Input, i32> {
    Input::open(path).map_err(|e| {
        warn!("shuf", quotef(path), ": ", e);
        1
    })
}

fn read_error(e: sys::Errno) -> i32 {
    warn!("shuf", "read error: ", e);
    1
}

/// Whether the input may be too large to keep in memory: anything except a file of up to 8 MiB.
fn is_large(fd: sys::Fd) -> bool {
    let file = sys::fstat(fd).ok().filter(sys::Stat::is_file);
    match (file, sys::lseek(fd, 0, 1)) {
        (Some(file), Ok(at)) => file.size.saturating_sub(at) > 8 << 20,
        _ => true,
    }
}

/// Selects `count` random lines without keeping the others, by reservoir sampling. It draws the same random numbers as
/// GNU shuf.
fn read_sample(input: &mut Input, count: u64, end: u8, random: &mut Random) -> Result<Vec<Vec<u8>>, i32> {
    let mut sample = Vec::new();
    let mut record = Vec::new();
    let mut number = 0u64;
    loop {
        // The random number is drawn before it is known whether there is another line.
        let place = if number < count { number } else { random.below(number + 1)? };
        if !input.record(end, &mut record).map_err(read_error)? {
            return Ok(sample);
        }
        number += 1;
        let line = chomp(&record, end).0.to_vec();
        match usize::try_from(place).ok().and_then(|place| sample.get_mut(place)) {
            Some(kept) => *kept = line,
            None if place < count => sample.push(line),
            None => {}
        }
    }
}

fn limits(text: &[u8]) -> Result<(u64, u64), i32> {
    let dash = text.iter().position(|b| *b == b'-').ok_or_else(|| {
        warn!("shuf", "invalid input range: ", quote(text));
        1
    })?;
    let part = |part: &[u8]| {
        number::unsigned(part, "").map_err(|bad| {
            let why = if bad == Fault::Overflow { ": Value too large for defined data type" } else { "" };
            warn!("shuf", bytes!("invalid input range: ", quote(part), why));
            1
        })
    };
    let (low, high) = (part(&text[..dash])?, part(&text[dash + 1..])?);
    if low > high && low - 1 != high || high - low.min(high) == u64::MAX {
        warn!("shuf", "invalid input range: ", quote(text));
        return Err(1);
    }
    Ok((low, high))
}
