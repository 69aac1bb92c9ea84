//! The names of the built-in functions, and how many arguments they take.

macro_rules! builtins {
    ($($id:ident $name:literal $min:literal $max:expr, $own:literal;)*) => {
        /// A built-in function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Builtin { $($id),* }

        // Name, minimum and maximum number of arguments, and whether it is a gawk extension.
        const TABLE: &[(Builtin, &str, usize, usize, bool)] = &[$((Builtin::$id, $name, $min, $max, $own)),*];
    };
}

const ANY: usize = usize::MAX;

builtins! {
    And "and" 0 ANY, true;
    Asort "asort" 1 3, true;
    Asorti "asorti" 1 3, true;
    Atan2 "atan2" 2 2, false;
    Bindtextdomain "bindtextdomain" 1 2, true;
    Close "close" 1 2, false;
    Compl "compl" 1 1, true;
    Cos "cos" 1 1, false;
    Dcgettext "dcgettext" 1 3, true;
    Dcngettext "dcngettext" 1 5, true;
    Exp "exp" 1 1, false;
    Fflush "fflush" 0 1, false;
    Gensub "gensub" 3 4, true;
    Gsub "gsub" 2 3, false;
    Index "index" 2 2, false;
    Int "int" 1 1, false;
    Isarray "isarray" 1 1, true;
    Length "length" 0 1, false;
    Log "log" 1 1, false;
    Lshift "lshift" 2 2, true;
    Match "match" 2 3, false;
    Mkbool "mkbool" 1 1, true;
    Mktime "mktime" 1 2, true;
    Or "or" 0 ANY, true;
    Patsplit "patsplit" 2 4, true;
    Rand "rand" 0 0, false;
    Rshift "rshift" 2 2, true;
    Sin "sin" 1 1, false;
    Split "split" 2 4, false;
    Sprintf "sprintf" 0 ANY, false;
    Sqrt "sqrt" 1 1, false;
    Srand "srand" 0 1, false;
    Strftime "strftime" 0 3, true;
    Strtonum "strtonum" 1 1, true;
    Sub "sub" 2 3, false;
    Substr "substr" 2 3, false;
    System "system" 1 1, false;
    Systime "systime" 0 0, true;
    Tolower "tolower" 1 1, false;
    Toupper "toupper" 1 1, false;
    Typeof "typeof" 1 2, true;
    Xor "xor" 0 ANY, true;
}

/// The names of all built-in functions.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|b| b.1)
}

impl Builtin {
    /// The function with this name. `plain` excludes gawk extensions.
    pub(crate) fn find(name: &str, plain: bool) -> Option<Self> {
        TABLE.iter().find(|b| b.1 == name && !(plain && b.4)).map(|b| b.0)
    }

    pub(crate) fn name(self) -> &'static str {
        TABLE.iter().find(|b| b.0 == self).map_or("", |b| b.1)
    }

    /// Whether it is a gawk extension.
    pub(crate) fn is_extension(self) -> bool {
        TABLE.iter().any(|b| b.0 == self && b.4)
    }

    /// Whether it accepts this number of arguments.
    pub(crate) fn takes(self, count: usize) -> bool {
        TABLE.iter().any(|b| b.0 == self && (b.2..=b.3).contains(&count))
    }
}
