//! `-w`: prints information after a transfer.

use crate::base::say;
use sandshell_cli::out;

/// The result of a transfer.
#[derive(Default)]
pub(super) struct Report {
    pub(super) code: i32,
    pub(super) error: Vec<u8>,
    pub(super) url: Vec<u8>,
    pub(super) effective: Vec<u8>,
    pub(super) file: Option<Vec<u8>>,
    pub(super) method: Vec<u8>,
    pub(super) scheme: Option<String>,
    pub(super) downloaded: u64,
    pub(super) uploaded: u64,
    pub(super) number: usize,
}

const TIMES: &[&str] = &[
    "time_appconnect",
    "time_connect",
    "time_namelookup",
    "time_pretransfer",
    "time_redirect",
    "time_starttransfer",
    "time_total",
];
const ZEROS: &[&str] = &[
    "num_certs",
    "num_connects",
    "num_redirects",
    "proxy_ssl_verify_result",
    "remote_port",
    "size_header",
    "size_request",
    "speed_download",
    "speed_upload",
    "ssl_verify_result",
];
const EMPTY: &[&str] =
    &["certs", "content_type", "ftp_entry_path", "local_ip", "redirect_url", "referer", "remote_ip"];

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
    Some(match name {
        "http_code" | "response_code" | "http_connect" => b"000".to_vec(),
        "http_version" => b"0".to_vec(),
        "size_download" => number(r.downloaded),
        "size_upload" => number(r.uploaded),
        "url" => r.url.clone(),
        "url_effective" => r.effective.clone(),
        "urlnum" => r.number.to_string().into_bytes(),
        "exitcode" => r.code.to_string().into_bytes(),
        "errormsg" => r.error.clone(),
        "filename_effective" => r.file.clone().unwrap_or_default(),
        "method" => r.method.clone(),
        "scheme" => r.scheme.clone().unwrap_or_default().into_bytes(),
        "num_headers" => number(if r.downloaded > 0 { 3 } else { 0 }),
        "local_port" => b"-1".to_vec(),
        "json" => json(r),
        "header_json" => b"{}".to_vec(),
        _ if TIMES.contains(&name) => b"0.000000".to_vec(),
        _ if ZEROS.contains(&name) => b"0".to_vec(),
        _ if EMPTY.contains(&name) => Vec::new(),
        _ => return None,
    })
}

fn json(r: &Report) -> Vec<u8> {
    let string = |text: &[u8]| {
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
    };
    let or_null = |text: Option<&[u8]>| text.map_or("null".to_owned(), string);
    let error = (!r.error.is_empty()).then_some(r.error.as_slice());
    let mut members: Vec<String> = [
        ("certs", "\"\"".to_owned()),
        ("content_type", "null".to_owned()),
        ("errormsg", or_null(error)),
        ("exitcode", r.code.to_string()),
        ("filename_effective", or_null(r.file.as_deref())),
        ("ftp_entry_path", "null".to_owned()),
        ("http_code", "0".to_owned()),
        ("http_connect", "0".to_owned()),
        ("http_version", "\"0\"".to_owned()),
        ("local_ip", "\"\"".to_owned()),
        ("local_port", if r.scheme.is_some() { "-1" } else { "0" }.to_owned()),
        ("method", string(&r.method)),
        ("num_certs", "0".to_owned()),
        ("num_connects", "0".to_owned()),
        ("num_headers", if r.downloaded > 0 { "3" } else { "0" }.to_owned()),
        ("num_redirects", "0".to_owned()),
        ("proxy_ssl_verify_result", "0".to_owned()),
        ("redirect_url", "null".to_owned()),
        ("referer", "null".to_owned()),
        ("remote_ip", "\"\"".to_owned()),
        ("remote_port", "0".to_owned()),
        ("response_code", "0".to_owned()),
        ("scheme", or_null(r.scheme.as_deref().map(str::as_bytes))),
        ("size_download", r.downloaded.to_string()),
        ("size_header", "0".to_owned()),
        ("size_request", "0".to_owned()),
        ("size_upload", r.uploaded.to_string()),
        ("speed_download", "0".to_owned()),
        ("speed_upload", "0".to_owned()),
        ("ssl_verify_result", "0".to_owned()),
    ]
    .iter()
    .map(|(name, value)| format!("\"{name}\":{value}"))
    .collect();
    members.extend(TIMES.iter().map(|t| format!("\"{t}\":0.000000")));
    members.push(format!("\"url\":{}", string(&r.url)));
    members.push(format!("\"url_effective\":{}", string(&r.effective)));
    members.push(format!("\"urlnum\":{}", r.number));
    members.push("\"curl_version\":\"libcurl/7.88.1\"".to_owned());
    format!("{{{}}}", members.join(",")).into_bytes()
}
