//! The archivers as one program for development: `archive tar ARGS…`, or through links of their names.

fn main() {
    sandshell_sys::init();
    let mut args: Vec<Vec<u8>> = std::env::args_os().map(std::ffi::OsString::into_encoded_bytes).collect();
    let base = |a: &[u8]| a.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    if args.first().is_some_and(|a| base(a) == b"archive") {
        args.remove(0);
    }
    let name = args.first().map(|a| base(a)).unwrap_or_default();
    let code = match name.as_slice() {
        b"tar" => sandshell_archive::tar_main(args),
        _ => 127,
    };
    sandshell_sys::exit(code as u8);
}
