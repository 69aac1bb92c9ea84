//! yq as a separate program, for development.

fn main() {
    sandshell_sys::init();
    let args = std::env::args_os().map(std::ffi::OsString::into_encoded_bytes).collect();
    sandshell_sys::exit(sandshell_yq::yq_main(args) as u8);
}
