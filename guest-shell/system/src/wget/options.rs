//! The command line of `wget`.

use super::names::SPEC;
use crate::base::say;

/// What to do.
#[derive(Default)]
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
}

/// The parsed command line.
pub(super) enum Wanted {
    Transfers(Job),
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
            "N" | "mirror" => job.timestamps = true,
            "spider" => job.spider = true,
            "O" => job.document = Some(value),
            "P" => job.prefix = Some(value),
            "o" => job.log = Some((value, false)),
            "a" => job.log = Some((value, true)),
            "i" => job.input = Some(value),
            "header" if !value.is_empty() && !value.contains(&b':') => {
                return Err(invalid(args, "--header", "Invalid header", &value, "."));
            }
            "quota" | "limit-rate" if !is_size(&value) => {
                return Err(invalid(args, &format!("--{id}"), "Invalid byte value", &value, ""));
            }
            "timeout" | "dns-timeout" | "connect-timeout" | "read-timeout" | "wait" | "waitretry"
                if !is_time(&value) =>
            {
                return Err(invalid(args, &format!("--{id}"), "Invalid time period", &value, ""));
            }
            _ => {}
        }
    }
    job.urls = parsed.operands;
    if job.urls.is_empty() && job.input.is_none() {
        say::raw([say::full_name(args), b": missing URL\n"].concat());
        return Err(usage_after_missing());
    }
    Ok(Wanted::Transfers(job))
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

fn usage() -> i32 {
    say::raw("Usage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n");
    BAD
}

/// Like [`usage`], but with the exit status for a missing URL, or a wrong letter after `-n`.
fn usage_after_missing() -> i32 {
    usage();
    1
}

const VERSION: &str = "GNU Wget 1.21.3 built on sandshell.\nThis is sandshell's own program with the behaviour of that version, without a network.\n";
