//! All archivers in one program, for development: `archive tar ARGS…`, or through links with their names.

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
        b"gzip" | b"gunzip" | b"zcat" | b"uncompress" => sandshell_archive::gzip_main(args),
        b"bzip2" | b"bunzip2" | b"bzcat" => sandshell_archive::bzip2_main(args),
        b"xz" | b"unxz" | b"xzcat" | b"lzma" | b"unlzma" | b"lzcat" => sandshell_archive::xz_main(args),
        b"zstd" | b"unzstd" | b"zstdcat" => sandshell_archive::zstd_main(args),
        b"zip" => sandshell_archive::zip_main(args),
        b"unzip" | b"zipinfo" => sandshell_archive::unzip_main(args),
        b"zgrep" | b"zegrep" | b"zfgrep" => sandshell_archive::zgrep_main(args),
        _ => 127,
    };
    sandshell_sys::exit(code as u8);
}
