//! All utilities in one program, for development. Links with the utilities' names select which one runs.

fn main() {
    sandshell_sys::init();
    let args: Vec<Vec<u8>> = std::env::args_os().map(std::ffi::OsString::into_encoded_bytes).collect();
    let name = args.first().and_then(|a| a.rsplit(|b| *b == b'/').next()).unwrap_or_default().to_vec();
    let code = match name.as_slice() {
        b"cmp" => sandshell_diff::cmp_main(args),
        b"diff" => sandshell_diff::diff_main(args),
        b"diff3" => sandshell_diff::diff3_main(args),
        b"patch" => sandshell_diff::patch_main(args),
        b"sdiff" => sandshell_diff::sdiff_main(args),
        _ => 127,
    };
    sandshell_sys::exit(code as u8);
}
