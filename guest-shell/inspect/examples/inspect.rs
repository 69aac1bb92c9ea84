//! All utilities in one program, for development: `inspect xxd ARGS…`, or through links with the utilities' names.

fn main() {
    sandshell_sys::init();
    let mut args: Vec<Vec<u8>> = std::env::args_os().map(std::ffi::OsString::into_encoded_bytes).collect();
    let base = |a: &[u8]| a.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    if args.first().is_some_and(|a| base(a) == b"inspect") {
        args.remove(0);
    }
    let name = args.first().map(|a| base(a)).unwrap_or_default();
    let code = match name.as_slice() {
        b"colrm" => sandshell_inspect::colrm_main(args),
        b"column" => sandshell_inspect::column_main(args),
        b"hexdump" | b"hd" => sandshell_inspect::hexdump_main(args),
        b"rev" => sandshell_inspect::rev_main(args),
        b"strings" => sandshell_inspect::strings_main(args),
        b"tree" => sandshell_inspect::tree_main(args),
        b"xxd" => sandshell_inspect::xxd_main(args),
        _ => 127,
    };
    sandshell_sys::exit(code as u8);
}
