//! The command line of `curl`.

use super::names::SPEC;
use crate::base::say;
use sandshell_cli::arguments::Value;
use sandshell_cli::input;
use sandshell_cli::out;

/// What to do.
#[derive(Default)]
pub(super) struct Job {
    pub(super) urls: Vec<Vec<u8>>,
    /// The output for each URL: a file, or `None` for the name in the URL.
    pub(super) outputs: Vec<Option<Vec<u8>>>,
    pub(super) all_named: bool,
    pub(super) uploads: Vec<Vec<u8>>,
    pub(super) output_dir: Option<Vec<u8>>,
    pub(super) create_dirs: bool,
    pub(super) no_clobber: bool,
    pub(super) silent: bool,
    pub(super) show_error: bool,
    pub(super) verbose: bool,
    pub(super) head: bool,
    pub(super) include: bool,
    pub(super) dump_header: Option<Vec<u8>>,
    pub(super) write_out: Option<Vec<u8>>,
    pub(super) range: Option<Vec<u8>>,
    pub(super) resume: Option<u64>,
    pub(super) proxy: Option<Vec<u8>>,
    pub(super) method: Option<Vec<u8>>,
    pub(super) posts: bool,
    pub(super) no_glob: bool,
    pub(super) no_meter: bool,
    pub(super) fail_early: bool,
    pub(super) stderr: Option<Vec<u8>>,
    /// Whether a file for a form could not be read.
    pub(super) form_is_bad: bool,
    pub(super) retries: u32,
}

/// The exit status for a usage error.
const BAD: i32 = 2;
/// The exit status if a local file could not be read.
const READ_ERROR: i32 = 26;

/// Reads the arguments. `Err` is the exit status.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Job, i32> {
    let mut job = Job::default();
    if args.is_empty() {
        return Err(try_help());
    }
    let mut pending = args.iter();
    let mut operands_only = false;
    while let Some(arg) = pending.next() {
        if operands_only || !arg.starts_with(b"-") || arg == b"-" {
            job.urls.push(arg.clone());
        } else if arg == b"--" {
            operands_only = true;
        } else if let Some(name) = arg.strip_prefix(b"--") {
            long(&mut job, name, &mut pending)?;
        } else {
            letters(&mut job, arg, &mut pending)?;
        }
    }
    if job.urls.is_empty() {
        say::raw("curl: no URL specified!\n");
        return Err(try_help());
    }
    Ok(job)
}

fn try_help() -> i32 {
    say::raw("curl: try 'curl --help' or 'curl --manual' for more information\n");
    BAD
}

fn wrong(option: &[u8], what: &str) -> i32 {
    say::raw([b"curl: option ", option, b": ", what.as_bytes(), b"\n"].concat());
    try_help()
}

fn long<'a>(job: &mut Job, name: &[u8], rest: &mut impl Iterator<Item = &'a Vec<u8>>) -> Result<(), i32> {
    let shown = [b"--", name].concat();
    if let Some(bare) = name.strip_prefix(b"no-") {
        return match SPEC.long(bare).filter(|_| !bare.starts_with(b"no-")) {
            Some(option) if option.value == Value::Required => {
                Err(wrong(&shown, "used '--no-' for option that isn't a boolean"))
            }
            Some(option) => switch(job, option.id, false, rest),
            None => Err(wrong(&shown, "is unknown")),
        };
    }
    let mut like = SPEC.abbreviated(name);
    like.retain(|option| !option.text.starts_with("no-"));
    let option = match like[..] {
        [option] if !name.is_empty() => option,
        [_, _, ..] => return Err(wrong(&shown, "is ambiguous")),
        _ => return Err(wrong(&shown, "is unknown")),
    };
    if option.value != Value::Required {
        return switch(job, option.id, true, rest);
    }
    match rest.next() {
        Some(value) => set(job, option.id, &shown, value),
        None => Err(wrong(&shown, "requires parameter")),
    }
}

fn letters<'a>(job: &mut Job, arg: &[u8], rest: &mut impl Iterator<Item = &'a Vec<u8>>) -> Result<(), i32> {
    for (i, letter) in arg.iter().enumerate().skip(1) {
        let Some(option) = SPEC.letter(*letter) else { return Err(wrong(arg, "is unknown")) };
        if option.value != Value::Required {
            switch(job, option.id, true, rest)?;
            continue;
        }
        let attached = arg.get(i + 1..).filter(|r| !r.is_empty()).map(<[u8]>::to_vec);
        let Some(value) = attached.or_else(|| rest.next().cloned()) else {
            return Err(wrong(&[b'-', *letter], "requires parameter"));
        };
        return set(job, option.id, &[b'-', *letter], &value);
    }
    Ok(())
}

fn switch<'a>(
    job: &mut Job,
    id: &str,
    on: bool,
    rest: &mut impl Iterator<Item = &'a Vec<u8>>,
) -> Result<(), i32> {
    match id {
        "s" => job.silent = on,
        "show-error" => job.show_error = on,
        "v" => job.verbose = on,
        "I" => job.head = on,
        "include" => job.include = on,
        "O" => job.outputs.push(None),
        "remote-name-all" => job.all_named = on,
        "create-dirs" => job.create_dirs = on,
        "clobber" => job.no_clobber = !on,
        "g" => job.no_glob = on,
        "#" => job.no_meter = on,
        "progress-meter" => job.no_meter = !on,
        "fail-early" => job.fail_early = on,
        "V" if on => {
            out::put(VERSION);
            return Err(out::finish("curl", 0, 23));
        }
        "h" if on => {
            // All help categories have the same text.
            let _ = rest.next();
            out::put(SPEC.help());
            return Err(out::finish("curl", 0, 23));
        }
        "M" if on => {
            say::raw("curl: built-in manual was disabled at build-time\n");
            return Err(0);
        }
        _ => {}
    }
    Ok(())
}

fn set(job: &mut Job, id: &str, shown: &[u8], value: &[u8]) -> Result<(), i32> {
    const NUMBERS: &[&str] = &[
        "connect-timeout",
        "continue-at",
        "expect100-timeout",
        "happy-eyeballs-timeout-ms",
        "keepalive-time",
        "max-redirs",
        "max-time",
        "parallel-max",
        "retry",
        "retry-delay",
        "retry-max-time",
        "speed-limit",
        "speed-time",
        "tftp-blksize",
    ];
    if NUMBERS.contains(&id) && !(id == "continue-at" && value == b"-") {
        let text = std::str::from_utf8(value).unwrap_or_default();
        let decimals = matches!(id, "connect-timeout" | "max-time" | "expect100-timeout");
        let fits =
            if decimals { text.parse::<f64>().is_ok_and(|n| n >= 0.0) } else { text.parse::<i64>().is_ok() };
        if !fits {
            return Err(wrong(shown, "expected a proper numerical parameter"));
        }
        if !decimals && text.starts_with('-') && id != "max-redirs" {
            return Err(wrong(shown, "expected a positive numerical parameter"));
        }
    }
    let owned = || Some(value.to_vec());
    match id {
        "url" => job.urls.push(value.to_vec()),
        "o" => job.outputs.push(owned()),
        "output-dir" => job.output_dir = owned(),
        "T" => job.uploads.push(value.to_vec()),
        "D" => job.dump_header = owned(),
        "r" => job.range = owned(),
        "x" => job.proxy = owned(),
        "X" => job.method = owned(),
        "stderr" => job.stderr = owned(),
        "continue-at" => job.resume = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok()),
        "w" => job.write_out = Some(from_file(value)?),
        "d" | "data-ascii" | "data-binary" | "json" => {
            job.posts = true;
            if let Some(file) = value.strip_prefix(b"@")
                && let Err(()) = readable(file)
                && !job.silent
            {
                say::raw(
                    [b"Warning: Couldn't read data from file \"", file, b"\", this makes an empty POST.\n"]
                        .concat(),
                );
            }
        }
        "F" => {
            job.posts = true;
            let file = value
                .split(|b| *b == b'=')
                .nth(1)
                .and_then(|v| v.strip_prefix(b"@").or(v.strip_prefix(b"<")));
            let file = file.map(|f| f.split(|b| *b == b';').next().unwrap_or_default());
            job.form_is_bad |= file.is_some_and(|f| f != b"-" && contents(f).is_none());
        }
        "data-raw" | "data-urlencode" | "form-string" => job.posts = true,
        "retry" => job.retries = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok()).unwrap_or(0),
        "K" => config(job, shown, value)?,
        _ => {}
    }
    Ok(())
}

fn readable(file: &[u8]) -> Result<(), ()> {
    if file == b"-" {
        return Ok(());
    }
    contents(file).map(drop).ok_or(())
}

fn contents(path: &[u8]) -> Option<Vec<u8>> {
    input::contents(path).ok()
}

/// The value itself, or for `@FILE` the content of the file.
fn from_file(value: &[u8]) -> Result<Vec<u8>, i32> {
    match value.strip_prefix(b"@") {
        None => Ok(value.to_vec()),
        // The lines of the file are joined.
        Some(file) => contents(file)
            .map(|c| c.into_iter().filter(|b| !b"\r\n".contains(b)).collect())
            .ok_or_else(|| {
                say::raw([b"curl: Failed to open ", file, b"\n"].concat());
                READ_ERROR
            }),
    }
}

/// Reads a file with one option per line.
fn config(job: &mut Job, shown: &[u8], file: &[u8]) -> Result<(), i32> {
    let Some(content) = contents(file) else {
        say::raw([b"curl: cannot read config from '", file, b"'\n"].concat());
        say::raw([b"curl: option ", shown, b": error encountered when reading a file\n"].concat());
        try_help();
        return Err(READ_ERROR);
    };
    for line in content.split(|b| *b == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let end = line.iter().position(|b| matches!(b, b' ' | b'\t' | b'=' | b':')).unwrap_or(line.len());
        let (name, value) = line.split_at(end);
        let value = value.trim_ascii_start();
        let value = value.strip_prefix(b"=").or(value.strip_prefix(b":")).unwrap_or(value).trim_ascii();
        let value = match value.strip_prefix(b"\"") {
            Some(quoted) => unquoted(quoted),
            None => value.split(u8::is_ascii_whitespace).next().unwrap_or_default().to_vec(),
        };
        let mut rest = if value.is_empty() { [].iter() } else { std::slice::from_ref(&value).iter() };
        match name.strip_prefix(b"--") {
            Some(long_name) => long(job, long_name, &mut rest)?,
            None if name.starts_with(b"-") => letters(job, name, &mut rest)?,
            None => long(job, name, &mut rest)?,
        }
    }
    Ok(())
}

fn unquoted(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.iter();
    while let Some(b) = bytes.next() {
        match b {
            b'"' => break,
            b'\\' => match bytes.next() {
                Some(b'n') => out.push(b'\n'),
                Some(b't') => out.push(b'\t'),
                Some(b'r') => out.push(b'\r'),
                Some(b'v') => out.push(0x0b),
                Some(other) => out.push(*other),
                None => {}
            },
            _ => out.push(*b),
        }
    }
    out
}

const VERSION: &str = "curl 7.88.1 (wasm32-sandshell) libcurl/7.88.1
This is sandshell's own program with the behaviour of that version, without a network.
Protocols: dict file ftp ftps gopher gophers http https imap imaps ldap ldaps mqtt pop3 pop3s rtsp smb smbs smtp smtps telnet tftp
Features: IPv6 Largefile
";
