//! The command line of `wget`.

use crate::base::options::{self, Item};
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
    Text(&'static str),
}

const BAD: i32 = 2;

/// Parses the arguments. `Err` is the exit status.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Wanted, i32> {
    let long: Vec<(&str, u32)> = NAMES.iter().copied().zip(1000..).collect();
    let given = args.get(1..).unwrap_or_default();
    let parsed = options::permuted(&plain(given), LETTERS, &long);
    let mut job = Job::default();
    for item in parsed.items {
        let (id, value) = match item {
            Item::Option(id, value) => (id, value.unwrap_or_default()),
            Item::Wrong(text) => {
                say::raw([say::full_name(args), b": ", &text, b"\n"].concat());
                return Err(usage());
            }
            Item::Operand(_) => continue,
        };
        let name = match char::from_u32(id).and_then(|l| SHORT.iter().find(|s| s.0 == l)) {
            Some((_, name)) => name,
            None => long.iter().find(|l| l.1 == id).map_or("", |l| l.0).trim_end_matches('='),
        };
        match name {
            "version" => return Ok(Wanted::Text(VERSION)),
            "help" => return Ok(Wanted::Text(HELP)),
            "quiet" => job.quiet = true,
            "verbose" => (job.quiet, job.brief) = (false, false),
            "no-verbose" => job.brief = true,
            "no-clobber" => job.keeps = true,
            "continue" => job.resumes = true,
            "timestamping" | "mirror" => job.timestamps = true,
            "spider" => job.spider = true,
            "output-document" => job.document = Some(value),
            "directory-prefix" => job.prefix = Some(value),
            "output-file" => job.log = Some((value, false)),
            "append-output" => job.log = Some((value, true)),
            "input-file" => job.input = Some(value),
            "header" if !value.is_empty() && !value.contains(&b':') => {
                return Err(invalid(args, "--header", "Invalid header", &value, "."));
            }
            "quota" | "limit-rate" if !is_size(&value) => {
                return Err(invalid(args, &format!("--{name}"), "Invalid byte value", &value, ""));
            }
            "timeout" | "dns-timeout" | "connect-timeout" | "read-timeout" | "wait" | "waitretry"
                if !is_time(&value) =>
            {
                return Err(invalid(args, &format!("--{name}"), "Invalid time period", &value, ""));
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

/// Replaces `-nv`, `-nc`, `-nd`, `-nH` and `-np` by long options.
fn plain(args: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut end = false;
    args.iter()
        .map(|arg| {
            end |= arg == b"--";
            let long: &[u8] = match arg.as_slice() {
                b"-nv" if !end => b"--no-verbose",
                b"-nc" if !end => b"--no-clobber",
                b"-nd" if !end => b"--no-directories",
                b"-nH" if !end => b"--no-host-directories",
                b"-np" if !end => b"--no-parent",
                other => other,
            };
            long.to_vec()
        })
        .collect()
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

/// Like [`usage`], but with the exit status for a missing URL.
fn usage_after_missing() -> i32 {
    usage();
    1
}

const VERSION: &str = "GNU Wget 1.21.3 built on sandshell.\nThis is sandshell's own program with the behaviour of that version, without a network.\n";

const HELP: &str = "\
GNU Wget 1.21.3, without a network.
Usage: wget [OPTION]... [URL]...

Nothing can be fetched in a sandbox: names are not found, as on a machine that is not connected.

  -O,  --output-document=FILE    all documents into FILE; `-` is standard output
  -P,  --directory-prefix=DIR    into DIR
  -i,  --input-file=FILE         URLs are the lines of FILE
  -c,  --continue                go on with files that are there in part
  -N,  --timestamping            only what is newer; so does -m, --mirror
  -nc, --no-clobber              only what is not there
       --spider                  only see whether it is there
  -o,  --output-file=FILE        messages into FILE
  -a,  --append-output=FILE      messages at the end of FILE
  -q,  --quiet                   no messages
  -nv, --no-verbose              short messages; -v, --verbose: all
  -h,  --help                    this text
  -V,  --version                 the version

Values of --header, --quota, --limit-rate, --wait, --waitretry and timeouts are checked. The other options of
version 1.21.3 are accepted without effect.
";

const LETTERS: &str = "46A:B:D:EFHI:KLNO:P:Q:R:ST:U:VX:a:bcde:hi:kl:mo:pqrt:vw:x";

/// The letters of long options.
#[rustfmt::skip]
const SHORT: &[(char, &str)] = &[
    ('4', "inet4-only"),
    ('6', "inet6-only"),
    ('A', "accept"),
    ('B', "base"),
    ('D', "domains"),
    ('E', "adjust-extension"),
    ('F', "force-html"),
    ('H', "span-hosts"),
    ('I', "include-directories"),
    ('K', "backup-converted"),
    ('L', "relative"),
    ('N', "timestamping"),
    ('O', "output-document"),
    ('P', "directory-prefix"),
    ('Q', "quota"),
    ('R', "reject"),
    ('S', "server-response"),
    ('T', "timeout"),
    ('U', "user-agent"),
    ('V', "version"),
    ('X', "exclude-directories"),
    ('a', "append-output"),
    ('b', "background"),
    ('c', "continue"),
    ('d', "debug"),
    ('e', "execute"),
    ('h', "help"),
    ('i', "input-file"),
    ('k', "convert-links"),
    ('l', "level"),
    ('m', "mirror"),
    ('o', "output-file"),
    ('p', "page-requisites"),
    ('q', "quiet"),
    ('r', "recursive"),
    ('t', "tries"),
    ('v', "verbose"),
    ('w', "wait"),
    ('x', "force-directories"),
];

/// The long options, with `=` if they take a value.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "accept=", "accept-regex=", "adjust-extension", "append-output=", "ask-password", "auth-no-challenge",
    "background", "backup-converted", "backups=", "base=", "bind-address=", "body-data=", "body-file=",
    "ca-certificate=", "ca-directory=", "cache", "certificate=", "certificate-type=", "check-certificate",
    "ciphers=", "clobber", "compression=", "config=", "connect-timeout=", "content-disposition",
    "content-on-error", "continue", "convert-file-only", "convert-links", "cookies", "crl-file=", "cut-dirs=",
    "debug", "default-page=", "delete-after", "directories", "directory-prefix=", "dns-cache", "dns-timeout=",
    "domains=", "exclude-directories=", "exclude-domains=", "execute=", "follow-ftp", "follow-tags=",
    "force-directories", "force-html", "ftp-password=", "ftp-user=", "ftps-clear-data-connection",
    "ftps-fallback-to-ftp", "ftps-implicit", "ftps-resume-ssl", "glob", "header=", "help", "host-directories",
    "hsts", "hsts-file=", "http-keep-alive", "http-password=", "http-user=", "https-only", "if-modified-since",
    "ignore-case", "ignore-length", "ignore-tags=", "include-directories=", "inet4-only", "inet6-only",
    "input-file=", "iri", "keep-session-cookies", "level=", "limit-rate=", "load-cookies=", "local-encoding=",
    "max-redirect=", "method=", "mirror", "netrc", "no-background", "no-cache", "no-check-certificate",
    "no-clobber", "no-config", "no-continue", "no-cookies", "no-debug", "no-directories", "no-dns-cache",
    "no-glob", "no-host-directories", "no-hsts", "no-http-keep-alive", "no-if-modified-since", "no-iri",
    "no-netrc", "no-parent", "no-passive-ftp", "no-proxy", "no-quiet", "no-recursive", "no-remove-listing",
    "no-timestamping", "no-use-server-timestamps", "no-verbose", "no-warc-compression", "no-warc-digests",
    "no-warc-keep-log", "output-document=", "output-file=", "page-requisites", "parent", "passive-ftp",
    "password=", "pinnedpubkey=", "post-data=", "post-file=", "prefer-family=", "preserve-permissions",
    "private-key=", "private-key-type=", "progress=", "protocol-directories", "proxy", "proxy-password=",
    "proxy-user=", "quiet", "quota=", "random-wait", "read-timeout=", "recursive", "referer=", "regex-type=",
    "reject=", "reject-regex=", "rejected-log=", "relative", "remote-encoding=", "remove-listing",
    "report-speed=", "restrict-file-names=", "retr-symlinks", "retry-connrefused", "retry-on-http-error=",
    "save-cookies=", "save-headers", "secure-protocol=", "server-response", "show-progress", "span-hosts",
    "spider", "start-pos=", "strict-comments", "timeout=", "timestamping", "tries=", "trust-server-names",
    "unlink", "use-askpass=", "use-server-timestamps", "user=", "user-agent=", "verbose", "version", "wait=",
    "waitretry=", "warc-cdx", "warc-compression", "warc-dedup=", "warc-digests", "warc-file=", "warc-header=",
    "warc-keep-log", "warc-max-size=", "warc-tempdir=", "xattr",
];
