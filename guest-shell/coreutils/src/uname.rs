//! `uname`.

use sandshell_cli::bytes;
use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "uname",
    usage: "\
Usage: uname [OPTION]...
Prints what system this is: with -s if there are no options.

",
    options: &[
        option("-a, --all", "all of it, in this order; -p and -i only if they are known"),
        option("-s, --kernel-name", "the kernel's name"),
        option("-n, --nodename", "the host's name"),
        option("-r, --kernel-release", "the kernel's release"),
        option("-v, --kernel-version", "the kernel's version"),
        option("-m, --machine", "the kind of machine"),
        option("-p, --processor", "the kind of processor"),
        option("-i, --hardware-platform", "the platform"),
        option("-o, --operating-system", "the operating system"),
    ],
    ..Spec::DEFAULT
};

/// Runs `uname`: reports a Linux system, as the kernel's `/proc/version` does.
pub fn uname_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if let Some(extra) = parsed.operands.first() {
        return SPEC.extra_operand(extra);
    }
    let read = |name: &str| {
        let text = sys::read_file(format!("/proc/sys/kernel/{name}").as_bytes()).unwrap_or_default();
        text.trim_ascii().to_vec()
    };
    let has =
        |id: &str| parsed.options.iter().any(|g| g.id == id || (g.id == "a" && !matches!(id, "p" | "i")));
    let or = |text: Vec<u8>, default: &str| if text.is_empty() { default.as_bytes().to_vec() } else { text };
    let mut parts: Vec<Vec<u8>> = Vec::new();
    if has("s") || parsed.options.is_empty() {
        parts.push(or(read("ostype"), "Linux"));
    }
    if has("n") {
        parts.push(sys::hostname());
    }
    if has("r") {
        parts.push(or(read("osrelease"), "unknown"));
    }
    if has("v") {
        parts.push(or(read("version"), "unknown"));
    }
    if has("m") {
        parts.push(b"x86_64".to_vec());
    }
    if has("p") {
        parts.push(b"unknown".to_vec());
    }
    if has("i") {
        parts.push(b"unknown".to_vec());
    }
    if has("o") {
        parts.push(b"GNU/Linux".to_vec());
    }
    out::put(bytes!(parts.join(&b' '), "\n"));
    out::finish("uname", 0, 1)
}
