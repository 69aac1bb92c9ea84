//! The options of `set` and `shopt`.

/// Options of `set`, as bit flags.
pub(crate) mod flag {
    pub(crate) const ALLEXPORT: u32 = 1;
    pub(crate) const BRACEEXPAND: u32 = 1 << 1;
    pub(crate) const EMACS: u32 = 1 << 2;
    pub(crate) const ERREXIT: u32 = 1 << 3;
    pub(crate) const ERRTRACE: u32 = 1 << 4;
    pub(crate) const FUNCTRACE: u32 = 1 << 5;
    pub(crate) const HASHALL: u32 = 1 << 6;
    pub(crate) const HISTEXPAND: u32 = 1 << 7;
    pub(crate) const HISTORY: u32 = 1 << 8;
    pub(crate) const IGNOREEOF: u32 = 1 << 9;
    pub(crate) const KEYWORD: u32 = 1 << 10;
    pub(crate) const MONITOR: u32 = 1 << 11;
    pub(crate) const NOCLOBBER: u32 = 1 << 12;
    pub(crate) const NOEXEC: u32 = 1 << 13;
    pub(crate) const NOGLOB: u32 = 1 << 14;
    pub(crate) const NOLOG: u32 = 1 << 15;
    pub(crate) const NOTIFY: u32 = 1 << 16;
    pub(crate) const NOUNSET: u32 = 1 << 17;
    pub(crate) const ONECMD: u32 = 1 << 18;
    pub(crate) const PHYSICAL: u32 = 1 << 19;
    pub(crate) const PIPEFAIL: u32 = 1 << 20;
    pub(crate) const POSIX: u32 = 1 << 21;
    pub(crate) const PRIVILEGED: u32 = 1 << 22;
    pub(crate) const VERBOSE: u32 = 1 << 23;
    pub(crate) const VI: u32 = 1 << 24;
    pub(crate) const XTRACE: u32 = 1 << 25;
    /// `interactive-comments` is stored as the `shopt` option of that name.
    pub(crate) const INTERACTIVE_COMMENTS: u32 = 1 << 26;
}

/// `(long name, letter or 0, flag)` in the order of `set -o`.
pub(crate) const SET_OPTIONS: &[(&str, u8, u32)] = &[
    ("allexport", b'a', flag::ALLEXPORT),
    ("braceexpand", b'B', flag::BRACEEXPAND),
    ("emacs", 0, flag::EMACS),
    ("errexit", b'e', flag::ERREXIT),
    ("errtrace", b'E', flag::ERRTRACE),
    ("functrace", b'T', flag::FUNCTRACE),
    ("hashall", b'h', flag::HASHALL),
    ("histexpand", b'H', flag::HISTEXPAND),
    ("history", 0, flag::HISTORY),
    ("ignoreeof", 0, flag::IGNOREEOF),
    ("interactive-comments", 0, flag::INTERACTIVE_COMMENTS),
    ("keyword", b'k', flag::KEYWORD),
    ("monitor", b'm', flag::MONITOR),
    ("noclobber", b'C', flag::NOCLOBBER),
    ("noexec", b'n', flag::NOEXEC),
    ("noglob", b'f', flag::NOGLOB),
    ("nolog", 0, flag::NOLOG),
    ("notify", b'b', flag::NOTIFY),
    ("nounset", b'u', flag::NOUNSET),
    ("onecmd", b't', flag::ONECMD),
    ("physical", b'P', flag::PHYSICAL),
    ("pipefail", 0, flag::PIPEFAIL),
    ("posix", 0, flag::POSIX),
    ("privileged", b'p', flag::PRIVILEGED),
    ("verbose", b'v', flag::VERBOSE),
    ("vi", 0, flag::VI),
    ("xtrace", b'x', flag::XTRACE),
];

/// The order of the letters in `$-`.
const DASH_ORDER: &[u8] = b"abefhkmnptuvxBCEHPT";

macro_rules! shopts {
    ($($name:ident $text:literal $default:literal;)*) => {
        /// An option of `shopt`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(non_camel_case_types, reason = "the names are bash's")]
        #[allow(dead_code, reason = "all of bash's options are listed; some change nothing here")]
        pub(crate) enum Shopt { $($name),* }

        /// `(option, name)` in the order of `shopt`.
        pub(crate) const SHOPTS: &[(Shopt, &str)] = &[$((Shopt::$name, $text)),*];
        const DEFAULTS: u64 = 0 $(| (($default as u64) << Shopt::$name as u64))*;
    };
}

shopts! {
    autocd "autocd" 0;
    assoc_expand_once "assoc_expand_once" 0;
    cdable_vars "cdable_vars" 0;
    cdspell "cdspell" 0;
    checkhash "checkhash" 0;
    checkjobs "checkjobs" 0;
    checkwinsize "checkwinsize" 1;
    cmdhist "cmdhist" 1;
    compat31 "compat31" 0;
    compat32 "compat32" 0;
    compat40 "compat40" 0;
    compat41 "compat41" 0;
    compat42 "compat42" 0;
    compat43 "compat43" 0;
    compat44 "compat44" 0;
    complete_fullquote "complete_fullquote" 1;
    direxpand "direxpand" 0;
    dirspell "dirspell" 0;
    dotglob "dotglob" 0;
    execfail "execfail" 0;
    expand_aliases "expand_aliases" 0;
    extdebug "extdebug" 0;
    extglob "extglob" 0;
    extquote "extquote" 1;
    failglob "failglob" 0;
    force_fignore "force_fignore" 1;
    globasciiranges "globasciiranges" 1;
    globskipdots "globskipdots" 1;
    globstar "globstar" 0;
    gnu_errfmt "gnu_errfmt" 0;
    histappend "histappend" 0;
    histreedit "histreedit" 0;
    histverify "histverify" 0;
    hostcomplete "hostcomplete" 1;
    huponexit "huponexit" 0;
    inherit_errexit "inherit_errexit" 0;
    interactive_comments "interactive_comments" 1;
    lastpipe "lastpipe" 0;
    lithist "lithist" 0;
    localvar_inherit "localvar_inherit" 0;
    localvar_unset "localvar_unset" 0;
    login_shell "login_shell" 0;
    mailwarn "mailwarn" 0;
    no_empty_cmd_completion "no_empty_cmd_completion" 0;
    nocaseglob "nocaseglob" 0;
    nocasematch "nocasematch" 0;
    noexpand_translation "noexpand_translation" 0;
    nullglob "nullglob" 0;
    patsub_replacement "patsub_replacement" 1;
    progcomp "progcomp" 1;
    progcomp_alias "progcomp_alias" 0;
    promptvars "promptvars" 1;
    restricted_shell "restricted_shell" 0;
    shift_verbose "shift_verbose" 0;
    sourcepath "sourcepath" 1;
    varredir_close "varredir_close" 0;
    xpg_echo "xpg_echo" 0;
}

/// The current options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) flags: u32,
    shopts: u64,
    pub(crate) interactive: bool,
    /// The host gives the commands of this shell.
    pub(crate) session: bool,
    /// `-c`
    pub(crate) command_string: bool,
    /// `-s`, also implied when commands are read from standard input.
    pub(crate) read_stdin: bool,
    /// `-r`
    pub(crate) restricted: bool,
    /// Job control was on in this child's parent. `set -o` still shows it as on.
    monitor_inherited: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            flags: flag::BRACEEXPAND | flag::HASHALL,
            shopts: DEFAULTS,
            interactive: false,
            session: false,
            command_string: false,
            read_stdin: false,
            restricted: false,
            monitor_inherited: false,
        }
    }
}

impl Options {
    #[inline]
    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    #[inline]
    pub(crate) fn shopt(&self, option: Shopt) -> bool {
        self.shopts & 1 << option as u64 != 0
    }

    pub(crate) fn set_shopt(&mut self, option: Shopt, on: bool) {
        let bit = 1 << option as u64;
        self.shopts = if on { self.shopts | bit } else { self.shopts & !bit };
    }

    /// Sets the option of one compatibility level and clears the others.
    pub(crate) fn set_compatibility(&mut self, level: u8) {
        let levels = [
            (31, Shopt::compat31),
            (32, Shopt::compat32),
            (40, Shopt::compat40),
            (41, Shopt::compat41),
            (42, Shopt::compat42),
            (43, Shopt::compat43),
            (44, Shopt::compat44),
        ];
        for (number, option) in levels {
            self.set_shopt(option, number == level);
        }
    }

    pub(crate) fn set(&mut self, flag: u32, on: bool) {
        if flag == flag::INTERACTIVE_COMMENTS {
            self.set_shopt(Shopt::interactive_comments, on);
            return;
        }
        if on && flag == flag::EMACS {
            self.flags &= !flag::VI;
        }
        if on && flag == flag::VI {
            self.flags &= !flag::EMACS;
        }
        if flag == flag::MONITOR {
            self.monitor_inherited = false;
        }
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }

    /// Turns job control off in a child. `set -o` still shows it as on.
    pub(crate) fn drop_job_control(&mut self) {
        self.monitor_inherited |= self.has(flag::MONITOR);
        self.flags &= !flag::MONITOR;
    }

    /// Whether an option is on, as `set -o` shows it.
    pub(crate) fn is_on(&self, flag: u32) -> bool {
        if flag == flag::INTERACTIVE_COMMENTS {
            self.shopt(Shopt::interactive_comments)
        } else {
            self.has(flag) || flag == flag::MONITOR && self.monitor_inherited
        }
    }

    /// `$-`
    pub(crate) fn dash(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for letter in DASH_ORDER {
            if let Some(o) = SET_OPTIONS.iter().find(|o| o.1 == *letter)
                && self.is_on(o.2)
            {
                out.push(*letter);
            }
            if *letter == b'h' && self.interactive {
                out.push(b'i');
            }
            if *letter == b'p' && self.restricted {
                out.push(b'r');
            }
        }
        if self.command_string {
            out.push(b'c');
        }
        if self.read_stdin {
            out.push(b's');
        }
        out
    }

    /// `$SHELLOPTS`
    pub(crate) fn shellopts(&self) -> Vec<u8> {
        let on: Vec<&str> = SET_OPTIONS.iter().filter(|o| self.is_on(o.2)).map(|o| o.0).collect();
        on.join(":").into_bytes()
    }

    /// `$BASHOPTS`
    pub(crate) fn bashopts(&self) -> Vec<u8> {
        let on: Vec<&str> = SHOPTS.iter().filter(|o| self.shopt(o.0)).map(|o| o.1).collect();
        on.join(":").into_bytes()
    }
}

/// The flag for a long option name.
pub(crate) fn set_option(name: &[u8]) -> Option<u32> {
    SET_OPTIONS.iter().find(|o| o.0.as_bytes() == name).map(|o| o.2)
}

/// The `shopt` option of a name.
pub(crate) fn shopt_option(name: &[u8]) -> Option<Shopt> {
    SHOPTS.iter().find(|o| o.1.as_bytes() == name).map(|o| o.0)
}
