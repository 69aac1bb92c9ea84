//! Passes the target's name on: cargo tells it to build scripts only.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=SANDSHELL_TARGET={}", std::env::var("TARGET").unwrap_or_default());
}
