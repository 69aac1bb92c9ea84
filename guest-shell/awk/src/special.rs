//! The variables that gawk sets or looks at, with fixed places among the global variables.

macro_rules! specials {
    ($($id:ident)*) => {
        #[allow(dead_code, non_camel_case_types, clippy::upper_case_acronyms, reason = "awk's own names")]
        #[derive(Clone, Copy)]
        #[repr(u32)]
        enum Numbers { $($id),*, COUNT }
        $(#[allow(dead_code, reason = "not all need care")]
        pub(crate) const $id: u32 = Numbers::$id as u32;)*
        /// How many there are.
        pub(crate) const COUNT: u32 = Numbers::COUNT as u32;
        /// Their names.
        pub(crate) const NAMES: &[&str] = &[$(stringify!($id)),*];
    };
}

// Those up to LINT need care when they are read or assigned to.
specials! {
    NF NR FNR FS RS OFS ORS SUBSEP CONVFMT OFMT IGNORECASE FIELDWIDTHS FPAT BINMODE TEXTDOMAIN LINT
    RT FILENAME RSTART RLENGTH ERRNO ARGC ARGIND ARGV ENVIRON PROCINFO PREC ROUNDMODE SYMTAB FUNCTAB
}

/// Whether reading or assigning needs care.
pub(crate) fn is_hooked(global: u32) -> bool {
    global <= LINT
}

/// What `ENVIRON` says of the environment if that does not say it itself; commands are not told.
pub(crate) const PATHS: &[(&[u8], &[u8])] =
    &[(b"AWKPATH", b".:/usr/share/awk"), (b"AWKLIBPATH", b"/usr/lib/x86_64-linux-gnu/gawk")];
