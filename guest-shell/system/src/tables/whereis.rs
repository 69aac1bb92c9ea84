//! `whereis` of util-linux: finds programs. There are no manual pages and sources to find.

use super::try_help;
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::{path, process};
use sandshell_sys as sys;

/// Runs `whereis` on its arguments (its own name first) and returns the exit status.
pub fn whereis_main(args: Vec<Vec<u8>>) -> i32 {
    let mut binaries = true;
    let mut directories: Option<Vec<Vec<u8>>> = None;
    let mut names = Vec::new();
    // The values of some options are all words up to the next option.
    let mut rest = args.iter().skip(1).peekable();
    while let Some(arg) = rest.next() {
        match arg.as_slice() {
            b"-b" => binaries = true,
            b"-m" | b"-s" => binaries = false,
            b"-u" | b"-f" | b"-g" | b"-l" => {}
            b"-B" | b"-M" | b"-S" => {
                let mut list = Vec::new();
                while let Some(dir) = rest.next_if(|a| !a.starts_with(b"-")) {
                    list.push(dir.clone());
                }
                if arg == b"-B" {
                    directories = Some(list);
                }
            }
            b"-h" | b"--help" => {
                out::put(HELP);
                return out::finish("whereis", 0, 1);
            }
            b"-V" | b"--version" => {
                out::put("whereis from util-linux 2.38.1\n");
                return out::finish("whereis", 0, 1);
            }
            text if text.starts_with(b"-") && text.len() > 1 => {
                let letter = text.get(1..2).unwrap_or_default();
                say::raw([say::full_name(&args), b": invalid option -- '", letter, b"'\n"].concat());
                return try_help(&args);
            }
            _ => names.push(arg.clone()),
        }
    }
    if names.is_empty() {
        say::error(&args, "not enough arguments");
        return try_help(&args);
    }
    let directories = directories.unwrap_or_else(|| {
        let standard = "/usr/bin:/usr/sbin:/bin:/sbin:/usr/lib:/etc:/usr/local/bin:/usr/local/sbin:";
        [standard.as_bytes(), &process::search_path()]
            .concat()
            .split(|b| *b == b':')
            .map(<[u8]>::to_vec)
            .collect()
    });
    for name in &names {
        let wanted = path::base_name(name);
        let mut line = [wanted, b":"].concat();
        let mut seen: Vec<(u64, u64)> = Vec::new();
        for dir in directories.iter().filter(|_| binaries) {
            // A directory that is a link to another one is searched only once.
            let Ok(status) = sys::stat(dir, true) else { continue };
            if seen.contains(&(status.dev, status.ino)) {
                continue;
            }
            seen.push((status.dev, status.ino));
            let file = path::join(dir, wanted);
            if sys::stat(&file, true).is_ok_and(|s| s.is_file()) {
                line.push(b' ');
                line.extend_from_slice(&file);
            }
        }
        line.push(b'\n');
        out::put(line);
    }
    out::finish("whereis", 0, 1)
}

const HELP: &str = "
Usage:
 whereis [options] [-BMS <dir>... -f] <name>

Shows where programs of these names are. There are no manuals and no sources here.

 -b             only programs, as usual
 -m, -s         only manuals, only sources: none
 -B <dir>...    look in these directories
 -h, --help     this text
 -V, --version  the version

Accepted without effect: -f, -g, -l, -u, -M <dir>..., -S <dir>....
";
