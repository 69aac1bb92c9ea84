//! The command line of `wget`.

use super::names::SPEC;
use crate::base::say;
use sandshell_cli::input;
use std::time::Duration;

/// What to do.
pub(super) struct Job {
    pub(super) urls: Vec<Vec<u8>>,
    /// A file with URLs.
    pub(super) input: Option<Vec<u8>>,
    pub(super) document: Option<Vec<u8>>,
    pub(super) prefix: Option<Vec<u8>>,
    /// A file for messages, and whether they are appended to it.
    pub(super) log: Option<(Vec<u8>, bool)>,
    pub(super) quiet: bool,
    pub(super) brief: bool,
    pub(super) spider: bool,
    pub(super) resumes: bool,
    pub(super) timestamps: bool,
    pub(super) keeps: bool,
    pub(super) recursive: bool,
    pub(super) shows_server: bool,
    pub(super) shows_progress: bool,
    pub(super) saves_headers: bool,
    pub(super) content_on_error: bool,
    pub(super) server_names: bool,
    pub(super) trusts_names: bool,
    pub(super) sets_times: bool,
    pub(super) keeps_alive: bool,
    pub(super) any_length: bool,
    pub(super) asks_if_modified: bool,
    pub(super) auth_at_once: bool,
    pub(super) retries_refused: bool,
    /// Status codes after which is tried again.
    pub(super) retried: Vec<u16>,
    pub(super) headers: Vec<Vec<u8>>,
    pub(super) agent: Option<Vec<u8>>,
    pub(super) referer: Option<Vec<u8>>,
    pub(super) user: Option<Vec<u8>>,
    pub(super) password: Option<Vec<u8>>,
    pub(super) method: Option<Vec<u8>>,
    pub(super) body: Option<Vec<u8>>,
    pub(super) cookies: bool,
    pub(super) load_cookies: Option<Vec<u8>>,
    pub(super) save_cookies: Option<Vec<u8>>,
    pub(super) session_cookies: bool,
    pub(super) redirects: u32,
    /// How often is tried; 0 for ever.
    pub(super) tries: u32,
    pub(super) longest_wait: Duration,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) read_timeout: Option<Duration>,
    pub(super) only_ipv4: bool,
    pub(super) only_ipv6: bool,
}

impl Default for Job {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            input: None,
            document: None,
            prefix: None,
            log: None,
            quiet: false,
            brief: false,
            spider: false,
            resumes: false,
            timestamps: false,
            keeps: false,
            recursive: false,
            shows_server: false,
            shows_progress: false,
            saves_headers: false,
            content_on_error: false,
            server_names: false,
            trusts_names: false,
            sets_times: true,
            keeps_alive: true,
            any_length: false,
            asks_if_modified: true,
            auth_at_once: false,
            retries_refused: false,
            retried: Vec::new(),
            headers: Vec::new(),
            agent: None,
            referer: None,
            user: None,
            password: None,
            method: None,
            body: None,
            cookies: true,
            load_cookies: None,
            save_cookies: None,
            session_cookies: false,
            redirects: 20,
            tries: 20,
            longest_wait: Duration::from_secs(10),
            connect_timeout: None,
            read_timeout: Some(Duration::from_secs(900)),
            only_ipv4: false,
            only_ipv6: false,
        }
    }
}

/// The parsed command line.
pub(super) enum Wanted {
    Transfers(Box<Job>),
    Text(String),
}

const BAD: i32 = 2;

/// Parses the arguments. `Err` is the exit status.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Wanted, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut job = Job::default();
    for given in parsed.options {
        let id = given.id;
        let value = given.value.unwrap_or_default();
        match id {
            "?" => {
                say::raw([say::full_name(args), b": ", &value, b"\n"].concat());
                return Err(usage());
            }
            "V" => return Ok(Wanted::Text(VERSION.to_owned())),
            "h" => return Ok(Wanted::Text(SPEC.help())),
            "n" => {
                for letter in value {
                    job.less(letter).map_err(|()| {
                        say::raw(
                            [say::full_name(args), b": illegal option -- `-n", &[letter], b"'\n"].concat(),
                        );
                        usage_after_missing()
                    })?;
                }
            }
            "q" => job.quiet = true,
            "verbose" => (job.quiet, job.brief) = (false, false),
            "no-verbose" => job.brief = true,
            "no-clobber" => job.keeps = true,
            "c" => job.resumes = true,
            "N" => job.timestamps = true,
            "mirror" => (job.timestamps, job.recursive) = (true, true),
            "recursive" | "page-requisites" => job.recursive = true,
            "S" | "server-response" => job.shows_server = true,
            "show-progress" => job.shows_progress = true,
            "save-headers" => job.saves_headers = true,
            "content-on-error" => job.content_on_error = true,
            "content-disposition" => job.server_names = true,
            "trust-server-names" => job.trusts_names = true,
            "no-use-server-timestamps" => job.sets_times = false,
            "no-http-keep-alive" => job.keeps_alive = false,
            "ignore-length" => job.any_length = true,
            "no-if-modified-since" => job.asks_if_modified = false,
            "auth-no-challenge" => job.auth_at_once = true,
            "retry-connrefused" => job.retries_refused = true,
            "no-cookies" => job.cookies = false,
            "keep-session-cookies" => job.session_cookies = true,
            "inet4-only" => job.only_ipv4 = true,
            "inet6-only" => job.only_ipv6 = true,
            "retry-on-http-error" => {
                let codes = value.split(|b| *b == b',');
                job.retried
                    .extend(codes.filter_map(|c| std::str::from_utf8(c).ok()?.trim().parse::<u16>().ok()));
            }
            "user-agent" => job.agent = Some(value),
            "referer" => job.referer = Some(value),
            "user" | "http-user" => job.user = Some(value),
            "password" | "http-password" => job.password = Some(value),
            "load-cookies" => job.load_cookies = Some(value),
            "save-cookies" => job.save_cookies = Some(value),
            "method" => job.method = Some(value.to_ascii_uppercase()),
            "body-data" => job.body = Some(value),
            "post-data" => (job.body, job.method) = (Some(value), Some(b"POST".to_vec())),
            "post-file" | "body-file" => {
                if id == "post-file" {
                    job.method = Some(b"POST".to_vec());
                }
                match input::contents(&value) {
                    Ok(content) => job.body = Some(content),
                    Err(e) => {
                        let text = e.to_string();
                        if !job.quiet {
                            say::raw(
                                [
                                    "BODY data file ‘".as_bytes(),
                                    &value,
                                    "’ missing: ".as_bytes(),
                                    text.as_bytes(),
                                    b"\n",
                                ]
                                .concat(),
                            );
                        }
                        return Err(3);
                    }
                }
            }
            "max-redirect" => job.redirects = number(&value).unwrap_or(job.redirects),
            "t" | "tries" => {
                job.tries = if value == b"inf" { 0 } else { number(&value).unwrap_or(job.tries) }
            }
            "header" if value.is_empty() => job.headers.clear(),
            "header" if value.contains(&b':') => job.headers.push(value),
            "spider" => job.spider = true,
            "O" => job.document = Some(value),
            "P" => job.prefix = Some(value),
            "o" => job.log = Some((value, false)),
            "a" => job.log = Some((value, true)),
            "i" => job.input = Some(value),
            "header" => {
                return Err(invalid(args, "--header", "Invalid header", &value, "."));
            }
            "quota" | "limit-rate" if !is_size(&value) => {
                return Err(invalid(args, &format!("--{id}"), "Invalid byte value", &value, ""));
            }
            "T" | "timeout" | "dns-timeout" | "connect-timeout" | "read-timeout" | "wait" | "waitretry"
                if !is_time(&value) =>
            {
                return Err(invalid(
                    args,
                    &format!("--{}", if id == "T" { "timeout" } else { id }),
                    "Invalid time period",
                    &value,
                    "",
                ));
            }
            "T" | "timeout" => (job.connect_timeout, job.read_timeout) = (period(&value), period(&value)),
            "connect-timeout" => job.connect_timeout = period(&value),
            "read-timeout" => job.read_timeout = period(&value),
            "waitretry" => job.longest_wait = period(&value).unwrap_or_default(),
            _ => {}
        }
    }
    job.urls = parsed.operands;
    if job.urls.is_empty() && job.input.is_none() {
        say::raw([say::full_name(args), b": missing URL\n"].concat());
        return Err(usage_after_missing());
    }
    Ok(Wanted::Transfers(Box::new(job)))
}

impl Job {
    /// What a letter after `-n` means.
    fn less(&mut self, letter: u8) -> Result<(), ()> {
        match letter {
            b'v' => self.brief = true,
            b'c' => self.keeps = true,
            b'd' | b'H' | b'p' => {}
            _ => return Err(()),
        }
        Ok(())
    }
}

fn invalid(args: &[Vec<u8>], option: &str, what: &str, value: &[u8], end: &str) -> i32 {
    let name = say::full_name(args);
    say::raw(
        [
            name,
            format!(": {option}: {what} \u{2018}").as_bytes(),
            value,
            format!("\u{2019}{end}\n").as_bytes(),
        ]
        .concat(),
    );
    BAD
}

fn is_size(text: &[u8]) -> bool {
    let digits =
        text.strip_suffix(b"k").or(text.strip_suffix(b"m")).or(text.strip_suffix(b"g")).unwrap_or(text);
    text == b"inf" || std::str::from_utf8(digits).is_ok_and(|d| d.parse::<f64>().is_ok_and(|n| n >= 0.0))
}

fn is_time(text: &[u8]) -> bool {
    let digits =
        text.strip_suffix(b"s").or(text.strip_suffix(b"m")).or(text.strip_suffix(b"h")).unwrap_or(text);
    let digits = digits.strip_suffix(b"d").or(digits.strip_suffix(b"w")).unwrap_or(digits);
    std::str::from_utf8(digits).is_ok_and(|d| d.parse::<f64>().is_ok_and(|n| n >= 0.0))
}

fn number(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// A time that is more than none.
fn period(text: &[u8]) -> Option<Duration> {
    let (digits, unit) = match text.split_last() {
        Some((b's', digits)) => (digits, 1.0),
        Some((b'm', digits)) => (digits, 60.0),
        Some((b'h', digits)) => (digits, 3600.0),
        Some((b'd', digits)) => (digits, 86_400.0),
        Some((b'w', digits)) => (digits, 604_800.0),
        _ => (text, 1.0),
    };
    let number: f64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Duration::try_from_secs_f64(number * unit).ok().filter(|time| !time.is_zero())
}

fn usage() -> i32 {
    say::raw("Usage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n");
    BAD
}

/// Like [`usage`], but with the exit status for a missing URL, or a wrong letter after `-n`.
fn usage_after_missing() -> i32 {
    usage();
    1
}

const VERSION: &str = "GNU Wget 1.21.3 built on sandshell.\nThis is sandshell's own program with the behaviour of that version: it reaches servers in the same sandbox,\nwithout TLS, and there is no network.\n";
