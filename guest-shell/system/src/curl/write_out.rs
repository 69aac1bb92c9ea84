//! `-w`: prints information after a transfer.

use super::report::Report;
use crate::base::say;
use sandshell_cli::out;
use std::collections::HashSet;
use std::net::SocketAddr;

const TIMES: &[&str] = &[
    "time_appconnect",
    "time_connect",
    "time_namelookup",
    "time_pretransfer",
    "time_redirect",
    "time_starttransfer",
    "time_total",
];

/// Prints the format.
pub(super) fn print(format: &[u8], r: &Report) {
    let mut to_stderr = false;
    let put = |text: &[u8], to_stderr: bool| if to_stderr { say::raw(text) } else { out::put(text) };
    let mut at = 0;
    while let Some(b) = format.get(at) {
        let next = format.get(at + 1).copied();
        match (b, next) {
            (b'%', Some(b'%')) => {
                put(b"%", to_stderr);
                at += 2;
            }
            (b'%', Some(b'h')) if format.get(at..).is_some_and(|rest| rest.starts_with(b"%header{")) => {
                let rest = format.get(at + 8..).unwrap_or_default();
                let Some(end) = rest.iter().position(|b| *b == b'}') else {
                    put(b"%header{", to_stderr);
                    at += 8;
                    continue;
                };
                let name = rest.get(..end).unwrap_or_default();
                if let Some(value) = r.values(name).next() {
                    put(value, to_stderr);
                }
                at += end + 9;
            }
            (b'%', Some(b'{')) => {
                let rest = format.get(at + 2..).unwrap_or_default();
                let Some(end) = rest.iter().position(|b| *b == b'}') else {
                    put(b"%{", to_stderr);
                    at += 2;
                    continue;
                };
                let name = String::from_utf8_lossy(rest.get(..end).unwrap_or_default()).into_owned();
                at += end + 3;
                match name.as_str() {
                    "stderr" => to_stderr = true,
                    "stdout" => to_stderr = false,
                    "onerror" if r.code == 0 => return,
                    "onerror" => {}
                    _ => match value(&name, r) {
                        Some(text) => put(&text, to_stderr),
                        None => say::raw(format!("curl: unknown --write-out variable: '{name}'\n")),
                    },
                }
            }
            (b'\\', Some(letter @ (b'n' | b't' | b'r'))) => {
                let c = match letter {
                    b'n' => b"\n",
                    b't' => b"\t",
                    _ => b"\r",
                };
                put(c, to_stderr);
                at += 2;
            }
            (b'\\', Some(other)) => {
                put(&[b'\\', other], to_stderr);
                at += 2;
            }
            _ => {
                put(&[*b], to_stderr);
                at += 1;
            }
        }
    }
}

fn value(name: &str, r: &Report) -> Option<Vec<u8>> {
    let number = |n: u64| n.to_string().into_bytes();
    let text = |t: &Option<Vec<u8>>| t.clone().unwrap_or_default();
    Some(match name {
        "http_code" | "response_code" => format!("{:03}", r.code_of_answer).into_bytes(),
        "http_connect" => b"000".to_vec(),
        "http_version" => version(r).into_bytes(),
        "size_download" => number(r.downloaded),
        "size_upload" => number(r.uploaded),
        "size_header" => number(r.header_bytes),
        "size_request" => number(r.request_bytes),
        "speed_download" => number(r.speed(r.downloaded)),
        "speed_upload" => number(r.speed(r.uploaded)),
        "url" => r.url.clone(),
        "url_effective" => r.effective.clone(),
        "urlnum" => r.number.to_string().into_bytes(),
        "exitcode" => r.code.to_string().into_bytes(),
        "errormsg" => r.error.clone(),
        "filename_effective" => text(&r.file),
        "method" => r.method.clone(),
        "scheme" => r.scheme.clone().unwrap_or_default().into_bytes(),
        "num_headers" => number(headers(r)),
        "num_connects" => number(r.connects.into()),
        "num_redirects" => number(r.redirects.into()),
        "num_certs" | "proxy_ssl_verify_result" | "ssl_verify_result" => b"0".to_vec(),
        "content_type" => text(&r.kind),
        "redirect_url" => text(&r.redirect_url),
        "referer" => text(&r.referer),
        "remote_ip" => ip(r.peer).into_bytes(),
        "local_ip" => ip(r.own).into_bytes(),
        "remote_port" => number(r.peer.map_or(0, |at| at.port()).into()),
        "local_port" => r.own.map_or_else(|| b"-1".to_vec(), |at| number(at.port().into())),
        "certs" | "ftp_entry_path" => Vec::new(),
        "json" => json(r),
        "header_json" => header_json(r),
        _ => seconds(r.time_of(name)?).into_bytes(),
    })
}

fn seconds(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

fn version(r: &Report) -> String {
    match r.version {
        (0, _) => "0".to_owned(),
        (1, minor) => format!("1.{minor}"),
        (major, _) => major.to_string(),
    }
}

fn ip(at: Option<SocketAddr>) -> String {
    at.map(|at| at.ip().to_string()).unwrap_or_default()
}

/// The number of headers; a file has three.
fn headers(r: &Report) -> u64 {
    match &r.scheme {
        Some(scheme) if scheme == "FILE" && r.downloaded > 0 => 3,
        _ => r.headers.len() as u64,
    }
}

fn string(text: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for c in String::from_utf8_lossy(text).chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted += "\\n",
            '\r' => quoted += "\\r",
            '\t' => quoted += "\\t",
            c if u32::from(c) < 0x20 => quoted += &format!("\\u{:04x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// The last answer's headers; those of the same name are together.
fn header_json(r: &Report) -> Vec<u8> {
    let mut members: Vec<String> = Vec::new();
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    for (name, _) in &r.headers {
        let lower = name.to_ascii_lowercase();
        if seen.insert(lower.clone()) {
            let values: Vec<String> = r.values(name).map(string).collect();
            members.push(format!("{}:[{}]", string(&lower), values.join(",")));
        }
    }
    if members.is_empty() {
        return b"{}".to_vec();
    }
    format!("{{{}\n}}", members.join(",\n")).into_bytes()
}

fn json(r: &Report) -> Vec<u8> {
    let or_null = |text: Option<&[u8]>| text.map_or("null".to_owned(), string);
    let error = (!r.error.is_empty()).then_some(r.error.as_slice());
    let local_port = match r.own {
        Some(at) => at.port().to_string(),
        None if r.scheme.is_some() => "-1".to_owned(),
        None => "0".to_owned(),
    };
    let mut members: Vec<String> = [
        ("certs", "\"\"".to_owned()),
        ("content_type", or_null(r.kind.as_deref())),
        ("errormsg", or_null(error)),
        ("exitcode", r.code.to_string()),
        ("filename_effective", or_null(r.file.as_deref())),
        ("ftp_entry_path", "null".to_owned()),
        ("http_code", r.code_of_answer.to_string()),
        ("http_connect", "0".to_owned()),
        ("http_version", format!("\"{}\"", version(r))),
        ("local_ip", format!("\"{}\"", ip(r.own))),
        ("local_port", local_port),
        ("method", string(&r.method)),
        ("num_certs", "0".to_owned()),
        ("num_connects", r.connects.to_string()),
        ("num_headers", headers(r).to_string()),
        ("num_redirects", r.redirects.to_string()),
        ("proxy_ssl_verify_result", "0".to_owned()),
        ("redirect_url", or_null(r.redirect_url.as_deref())),
        ("referer", or_null(r.referer.as_deref())),
        ("remote_ip", format!("\"{}\"", ip(r.peer))),
        ("remote_port", r.peer.map_or(0, |at| at.port()).to_string()),
        ("response_code", r.code_of_answer.to_string()),
        ("scheme", or_null(r.scheme.as_deref().map(str::as_bytes))),
        ("size_download", r.downloaded.to_string()),
        ("size_header", r.header_bytes.to_string()),
        ("size_request", r.request_bytes.to_string()),
        ("size_upload", r.uploaded.to_string()),
        ("speed_download", r.speed(r.downloaded).to_string()),
        ("speed_upload", r.speed(r.uploaded).to_string()),
        ("ssl_verify_result", "0".to_owned()),
    ]
    .iter()
    .map(|(name, value)| format!("\"{name}\":{value}"))
    .collect();
    members.extend(TIMES.iter().map(|t| format!("\"{t}\":{}", seconds(r.time_of(t).unwrap_or_default()))));
    members.push(format!("\"url\":{}", string(&r.url)));
    members.push(format!("\"url_effective\":{}", string(&r.effective)));
    members.push(format!("\"urlnum\":{}", r.number));
    members.push("\"curl_version\":\"libcurl/7.88.1\"".to_owned());
    format!("{{{}}}", members.join(",")).into_bytes()
}
