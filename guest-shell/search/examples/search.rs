//! All utilities in one program, for development: `search grep ARGS…`, or through links with the utilities' names.

fn main() {
    sandshell_sys::init();
    let mut args: Vec<Vec<u8>> = std::env::args_os().map(std::ffi::OsString::into_encoded_bytes).collect();
    let base = |a: &[u8]| a.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    if args.first().is_some_and(|a| base(a) == b"search") {
        args.remove(0);
    }
    let name = args.first().map(|a| base(a)).unwrap_or_default();
    let code = match name.as_slice() {
        b"grep" | b"egrep" | b"fgrep" => sandshell_search::grep_main(args),
        b"find" => sandshell_search::find_main(args),
        b"rg" => sandshell_search::rg_main(args),
        b"xargs" => sandshell_search::xargs_main(args),
        _ => 127,
    };
    sandshell_sys::exit(code as u8);
}
