//! The command line of `curl`.

use super::data;
use super::form;
use super::job::{Job, Resume};
use super::names::SPEC;
use crate::base::say;
use sandshell_cli::arguments::Value;
use sandshell_cli::input;
use sandshell_cli::out;
use sandshell_sys as sys;
use std::time::Duration;

/// The exit status for a usage error.
const BAD: i32 = 2;
/// The exit status if a local file could not be read.
const READ_ERROR: i32 = 26;

/// Reads the arguments. `Err` is the exit status.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Vec<Job>, i32> {
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
    ask_password(&mut job);
    let mut jobs = std::mem::take(&mut job.earlier);
    jobs.push(job);
    Ok(jobs)
}

/// Asks for a password that `-u NAME` left out, at the terminal if there is one.
fn ask_password(job: &mut Job) {
    job.earlier.iter_mut().for_each(ask_password_of);
    ask_password_of(job);
}

fn ask_password_of(job: &mut Job) {
    let Some(user) = job.request.user.as_mut().filter(|user| !user.contains(&b':')) else { return };
    say::raw([b"Enter host password for user '", user.as_slice(), b"':"].concat());
    let line = sys::open(b"/dev/tty", sys::open_flags::READ, 0).map(|fd| {
        let mut terminal = input::Input::of(fd);
        let line = terminal.next_record(b'\n').map(|line| line.map(<[u8]>::to_vec));
        let _ = sys::close(fd);
        line
    });
    say::raw("\n");
    user.push(b':');
    user.extend(line.ok().and_then(Result::ok).flatten().unwrap_or_default());
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
            Some(option) => switch(job, option.id, false, false, rest),
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
        return switch(job, option.id, true, false, rest);
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
            switch(job, option.id, true, true, rest)?;
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
    shown_short: bool,
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
        "#" => job.bar = on,
        "progress-meter" => job.no_meter = !on,
        "fail-early" => job.fail_early = on,
        "next" if on && !job.urls.is_empty() => job.next(),
        "remote-header-name" => job.header_names = on,
        "remote-time" => job.remote_time = on,
        "remove-on-error" => job.remove_on_error = on,
        "buffer" => job.no_buffer = on == shown_short,
        "get" => job.get = on,
        "fail" => job.fail = on,
        "fail-with-body" => job.fail_with_body = on,
        "compressed" => job.request.compressed = on,
        "tr-encoding" => job.request.transfer_coding = on,
        "http1.0" => job.request.http10 = on,
        "http1.1" => job.request.http10 = !on,
        "http0.9" => job.request.http09 = on,
        "raw" => job.request.raw = on,
        "ignore-content-length" => job.request.any_length = on,
        "path-as-is" => job.request.path_as_is = on,
        "location" => job.follow.on = on,
        "location-trusted" => (job.follow.on, job.follow.trusted) = (on, on),
        "post301" => job.follow.keeps_301 = on,
        "post302" => job.follow.keeps_302 = on,
        "post303" => job.follow.keeps_303 = on,
        "junk-session-cookies" => job.forget_session = on,
        "retry-connrefused" => job.retry.refused = on,
        "retry-all-errors" => job.retry.all_errors = on,
        "ipv4" => job.only_ipv4 = on,
        "ipv6" => job.only_ipv6 = on,
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
        "continue-at" if value == b"-" => job.resume = Some(Resume::Size),
        "continue-at" => job.resume = text_of(value).parse().ok().map(Resume::At),
        "w" => job.write_out = Some(from_file(value)?),
        "d" | "data-ascii" | "data-binary" | "json" => {
            if id == "json" {
                job.request.is_json = true;
            }
            let keeps = matches!(id, "data-binary" | "json");
            add_data(job, data::plain(value, keeps), value, id != "json");
        }
        "data-raw" => add_data(job, Some(value.to_vec()), value, true),
        "data-urlencode" => add_data(job, data::encoded(value), value, true),
        "url-query" => {
            let text = match value.strip_prefix(b"+") {
                Some(literal) => Some(literal.to_vec()),
                None => data::encoded(value),
            };
            if !job.query.is_empty() {
                job.query.push(b'&');
            }
            job.query.extend(text.unwrap_or_default());
        }
        "F" | "form-string" => {
            job.posts = true;
            match form::part(value, id == "form-string") {
                Ok(part) => job.form.push(part),
                Err(form::Bad::Unread) => job.form_is_bad = true,
                Err(form::Bad::Syntax) => return Err(wrong(shown, "is badly used here")),
            }
        }
        "header" => match value.strip_prefix(b"@") {
            Some(file) => {
                let content = contents(file).unwrap_or_default();
                let lines = content.split(|b| *b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l));
                job.request.headers.extend(lines.filter(|l| !l.is_empty()).map(<[u8]>::to_vec));
            }
            None => job.request.headers.push(value.to_vec()),
        },
        "user" => job.request.user = owned(),
        "oauth2-bearer" => job.request.bearer = owned(),
        "user-agent" => job.request.agent = owned(),
        "referer" => {
            job.request.refers_itself = value.ends_with(b";auto");
            let text = value.strip_suffix(b";auto").unwrap_or(value);
            job.request.referer = (!text.is_empty()).then(|| text.to_vec());
        }
        "request-target" => job.request.target = owned(),
        "time-cond" => match since(value) {
            Some(since) => job.request.since = Some(since),
            None if job.silent => {}
            None => say::raw(
                "Warning: Illegal date format for -z, --time-cond (and not a file name). \n\
                 Warning: Disabling time condition. See curl_getdate(3) for valid date \n\
                 Warning: syntax.\n",
            ),
        },
        "cookie" => job.cookies.push(value.to_vec()),
        "cookie-jar" => job.cookie_jar = owned(),
        "etag-save" => job.etag_save = owned(),
        "etag-compare" => {
            let tag = contents(value).unwrap_or_default();
            let tag = tag.trim_ascii();
            let tag = if tag.is_empty() { b"\"\"" } else { tag };
            job.request.headers.push([b"If-None-Match: ", tag].concat());
        }
        "unix-socket" => job.unix_socket = owned(),
        "abstract-unix-socket" => job.unix_socket = Some([b"\0", value].concat()),
        "resolve" => job.resolve.push(value.to_vec()),
        "connect-to" => job.connect_to.push(value.to_vec()),
        "max-redirs" => {
            let number: i64 = text_of(value).parse().unwrap_or_default();
            job.follow.most = Some(u32::try_from(number).ok());
        }
        "max-filesize" => job.limits.size = size(value).filter(|n| *n > 0),
        "max-time" => job.limits.total = seconds(value),
        "connect-timeout" => job.limits.connect = seconds(value),
        "expect100-timeout" => job.limits.expect = seconds(value),
        "retry" => job.retry.times = text_of(value).parse().unwrap_or(0),
        "retry-delay" => job.retry.delay = seconds(value),
        "retry-max-time" => job.retry.most = seconds(value),
        "K" => config(job, shown, value)?,
        _ => {}
    }
    Ok(())
}

/// Adds to the body, after `&`.
fn add_data(job: &mut Job, text: Option<Vec<u8>>, value: &[u8], separated: bool) {
    job.posts = true;
    if text.is_none() && !job.silent {
        data::warn_unread(value);
    }
    let body = match &mut job.data {
        Some(body) => {
            if separated {
                body.push(b'&');
            }
            body
        }
        None => job.data.insert(Vec::new()),
    };
    body.extend(text.unwrap_or_default());
}

fn text_of(value: &[u8]) -> &str {
    std::str::from_utf8(value).unwrap_or_default()
}

/// A time that is more than none.
fn seconds(value: &[u8]) -> Option<Duration> {
    let seconds = text_of(value).parse().ok().filter(|n: &f64| *n > 0.0)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A number of bytes, also with `k`, `m` or `g`.
fn size(value: &[u8]) -> Option<u64> {
    let text = text_of(value);
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text.get(number.len()..)? {
        "" | "b" | "B" => 1,
        "k" | "K" => 1 << 10,
        "m" | "M" => 1 << 20,
        "g" | "G" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

/// `-z`: a date or a file, and whether `-` asks for what is older.
fn since(value: &[u8]) -> Option<(i64, bool)> {
    let (older, text) = match value.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, value),
    };
    let time = super::date::seconds(text).or_else(|| sys::stat(text, true).ok().map(|s| s.mtime))?;
    Some((time, older))
}

/// The content of a file; `-` is standard input.
pub(super) fn contents(path: &[u8]) -> Option<Vec<u8>> {
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
This is sandshell's own program with the behaviour of that version: it reaches
servers in the same sandbox, without TLS, and there is no network.
Protocols: dict file ftp ftps gopher gophers http https imap imaps ldap ldaps mqtt pop3 pop3s rtsp smb smbs smtp smtps telnet tftp
Features: IPv6 Largefile
";
