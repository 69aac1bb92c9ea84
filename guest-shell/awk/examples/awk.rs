//! awk as a separate program, for development.

fn main() {
    sandshell_sys::init();
    let args: Vec<Vec<u8>> = std::env::args_os().map(std::ffi::OsString::into_encoded_bytes).collect();
    sandshell_sys::exit(sandshell_awk::awk_main(args) as u8);
}
