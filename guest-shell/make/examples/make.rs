//! `make` as a program for development.

fn main() {
    sandshell_sys::init();
    let args: Vec<Vec<u8>> = std::env::args_os().map(std::ffi::OsString::into_encoded_bytes).collect();
    let code = sandshell_make::make_main(args);
    sandshell_sys::exit(code as u8);
}
