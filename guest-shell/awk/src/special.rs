//! Variables with a special meaning. They have fixed numbers among the global variables.

macro_rules! specials {
    ($($id:ident)*) => {
        #[allow(dead_code, non_camel_case_types, clippy::upper_case_acronyms, reason = "awk's own names")]
        #[derive(Clone, Copy)]
        #[repr(u32)]
        enum Numbers { $($id),*, COUNT }
        $(#[allow(dead_code, reason = "not all need care")]
        pub(crate) const $id: u32 = Numbers::$id as u32;)*
        /// The number of these variables.
        pub(crate) const COUNT: u32 = Numbers::COUNT as u32;
        /// Their names.
        pub(crate) const NAMES: &[&str] = &[$(stringify!($id)),*];
    };
}

// Reading or assigning the variables up to LINT has side effects.
specials! {
    NF NR FNR FS RS OFS ORS SUBSEP CONVFMT OFMT IGNORECASE FIELDWIDTHS FPAT BINMODE TEXTDOMAIN LINT
    RT FILENAME RSTART RLENGTH ERRNO ARGC ARGIND ARGV ENVIRON PROCINFO PREC ROUNDMODE SYMTAB FUNCTAB
}

/// Whether reading or assigning has side effects.
pub(crate) fn is_hooked(global: u32) -> bool {
    global <= LINT
}

/// Entries that `ENVIRON` shows if the environment lacks them. Commands do not get them.
pub(crate) const PATHS: &[(&[u8], &[u8])] =
    &[(b"AWKPATH", b".:/usr/share/awk"), (b"AWKLIBPATH", b"/usr/lib/x86_64-linux-gnu/gawk")];
