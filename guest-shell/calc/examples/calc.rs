//! The utilities as one program, for development: `calc bc ARGS…`, or called through links with their names.

fn main() {
    sandshell_sys::init();
    let mut args: Vec<Vec<u8>> = std::env::args_os().map(std::ffi::OsString::into_encoded_bytes).collect();
    let base = |a: &[u8]| a.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    if args.first().is_some_and(|a| base(a) == b"calc") {
        args.remove(0);
    }
    let name = args.first().map(|a| base(a)).unwrap_or_default();
    let code = match name.as_slice() {
        b"bc" => sandshell_calc::bc_main(args),
        b"dc" => sandshell_calc::dc_main(args),
        _ => 127,
    };
    sandshell_sys::exit(code as u8);
}
