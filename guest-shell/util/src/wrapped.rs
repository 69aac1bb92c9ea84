//! Applets of uutils behind GNU's reading of options: what is wrong with them is told as GNU tells it, abbreviated
//! long options are written out.

use sandshell_coreutils::base::getopt::{Long, Spec, Value, Value::*};
use std::ffi::OsString;

/// Options of a wrapped applet; the last field of each long option is unused.
pub(crate) struct Wrapped {
    /// The command.
    pub(crate) spec: Spec,
    /// What runs it.
    pub(crate) run: fn(std::vec::IntoIter<OsString>) -> i32,
}

impl Wrapped {
    /// Runs the applet unless its options are wrong.
    pub(crate) fn main(&self, args: Vec<OsString>) -> i32 {
        let words: Vec<Vec<u8>> = args.iter().skip(1).map(|a| a.clone().into_encoded_bytes()).collect();
        if let Err(code) = self.spec.parse(&words) {
            return code;
        }
        let _ = uucore::locale::setup_localization(self.spec.name);
        (self.run)(args.into_iter())
    }
}

const fn flag(name: &'static str) -> Long {
    (name, No, "")
}

const fn with(name: &'static str, value: Value) -> Long {
    (name, value, "")
}

/// `od`.
pub(crate) const OD: Wrapped = Wrapped {
    spec: Spec {
        name: "od",
        short: "A:aBbcDdeFfHhIij:LlN:OoS:st:vw::Xx",
        long: &[
            with("skip-bytes", Yes),
            with("address-radix", Yes),
            with("read-bytes", Yes),
            with("format", Yes),
            flag("output-duplicates"),
            with("strings", Maybe),
            flag("traditional"),
            with("width", Maybe),
            with("endian", Yes),
        ],
        failure: 1,
        help: "Usage: od [OPTION]... [FILE]...\n  or:  od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]\n  or:  od --traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]\n\nWrite an unambiguous representation, octal bytes by default, of FILE to standard output.\n\n  -A, --address-radix=RADIX   output format for file offsets; one of [doxn]\n  -j, --skip-bytes=BYTES      skip BYTES input bytes first\n  -N, --read-bytes=BYTES      limit dump to BYTES input bytes\n  -S BYTES, --strings[=BYTES]  output strings of at least BYTES graphic chars\n  -t, --format=TYPE           select output format or formats: a, c, d[SIZE], f[SIZE], o[SIZE], u[SIZE], x[SIZE]\n  -v, --output-duplicates     do not use * to mark line suppression\n  -w[BYTES], --width[=BYTES]  output BYTES bytes per output line\n",
    },
    run: |args| uu_od::uumain(args),
};

/// `csplit`.
pub(crate) const CSPLIT: Wrapped = Wrapped {
    spec: Spec {
        name: "csplit",
        short: "f:b:kn:sqz",
        long: &[
            with("digits", Yes),
            flag("quiet"),
            flag("silent"),
            flag("keep-files"),
            flag("elide-empty-files"),
            with("prefix", Yes),
            with("suffix-format", Yes),
            flag("suppress-matched"),
        ],
        failure: 1,
        help: "Usage: csplit [OPTION]... FILE PATTERN...\nOutput pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ...,\nand output byte counts of each piece to standard output.\n\n  -b, --suffix-format=FORMAT  use sprintf FORMAT instead of %02d\n  -f, --prefix=PREFIX        use PREFIX instead of 'xx'\n  -k, --keep-files           do not remove output files on errors\n      --suppress-matched     suppress the lines matching PATTERN\n  -n, --digits=DIGITS        use specified number of digits instead of 2\n  -s, --quiet, --silent      do not print counts of output file sizes\n  -z, --elide-empty-files    remove empty output files\n",
    },
    run: |args| uu_csplit::uumain(args),
};

/// `pathchk`.
pub(crate) const PATHCHK: Wrapped = Wrapped {
    spec: Spec {
        name: "pathchk",
        short: "+pP",
        long: &[flag("portability")],
        failure: 1,
        help: "Usage: pathchk [OPTION]... NAME...\nDiagnose invalid or unportable file names.\n\n  -p                  check for most POSIX systems\n  -P                  check for empty names and leading \"-\"\n      --portability   check for all POSIX systems (equivalent to -p -P)\n",
    },
    run: |args| uu_pathchk::uumain(args),
};

/// `dircolors`.
pub(crate) const DIRCOLORS: Wrapped = Wrapped {
    spec: Spec {
        name: "dircolors",
        short: "bcp",
        long: &[
            flag("bourne-shell"),
            flag("sh"),
            flag("csh"),
            flag("c-shell"),
            flag("print-database"),
            flag("print-ls-colors"),
        ],
        failure: 1,
        help: "Usage: dircolors [OPTION]... [FILE]\nOutput commands to set the LS_COLORS environment variable.\n\n  -b, --sh, --bourne-shell    output Bourne shell code to set LS_COLORS\n  -c, --csh, --c-shell        output C shell code to set LS_COLORS\n  -p, --print-database        output defaults\n      --print-ls-colors       output fully escaped colors for display\n",
    },
    run: |args| uu_dircolors::uumain(args),
};

/// `shred`.
pub(crate) const SHRED: Wrapped = Wrapped {
    spec: Spec {
        name: "shred",
        short: "fn:s:uvxz",
        long: &[
            flag("exact"),
            flag("force"),
            with("iterations", Yes),
            with("size", Yes),
            with("random-source", Yes),
            with("remove", Maybe),
            flag("verbose"),
            flag("zero"),
        ],
        failure: 1,
        help: "Usage: shred [OPTION]... FILE...\nOverwrite the specified FILE(s) repeatedly, in order to make it harder\nfor even very expensive hardware probing to recover the data.\n\n  -f, --force           change permissions to allow writing if necessary\n  -n, --iterations=N    overwrite N times instead of the default (3)\n  -s, --size=N          shred this many bytes\n  -u, --remove[=HOW]    deallocate and remove file after overwriting\n  -v, --verbose         show progress\n  -x, --exact           do not round file sizes up to the next full block\n  -z, --zero            add a final overwrite with zeros to hide shredding\n",
    },
    run: |args| uu_shred::uumain(args),
};
