//! The settings of a terminal, with Linux's numbers.

/// Flags of `c_iflag`.
pub(super) mod input {
    pub(in super::super) const ISTRIP: u32 = 0o40;
    pub(in super::super) const INLCR: u32 = 0o100;
    pub(in super::super) const IGNCR: u32 = 0o200;
    pub(in super::super) const ICRNL: u32 = 0o400;
    pub(in super::super) const IXON: u32 = 0o2000;
    pub(in super::super) const IXANY: u32 = 0o4000;
    pub(in super::super) const IMAXBEL: u32 = 0o20000;
    pub(in super::super) const IUTF8: u32 = 0o40000;
    /// Those that mean something here. Others concern serial lines: they are kept, and do nothing on Linux's
    /// pseudo-terminals either. `IUCLC` is not kept.
    pub(super) const KNOWN: u32 = 0o77777 & !0o1000;
}

/// Flags of `c_oflag`.
pub(super) mod output {
    pub(in super::super) const OPOST: u32 = 0o1;
    pub(in super::super) const ONLCR: u32 = 0o4;
    pub(in super::super) const OCRNL: u32 = 0o10;
    pub(in super::super) const ONOCR: u32 = 0o20;
    pub(in super::super) const ONLRET: u32 = 0o40;
    pub(in super::super) const TABDLY: u32 = 0o14000;
    pub(in super::super) const XTABS: u32 = 0o14000;
    /// Those that are kept: all but `OLCUC`.
    pub(super) const KNOWN: u32 = 0o177777 & !0o2;
}

/// Flags of `c_lflag`.
pub(super) mod local {
    pub(in super::super) const ISIG: u32 = 0o1;
    pub(in super::super) const ICANON: u32 = 0o2;
    pub(in super::super) const ECHO: u32 = 0o10;
    pub(in super::super) const ECHOE: u32 = 0o20;
    pub(in super::super) const ECHOK: u32 = 0o40;
    pub(in super::super) const ECHONL: u32 = 0o100;
    pub(in super::super) const NOFLSH: u32 = 0o200;
    pub(in super::super) const TOSTOP: u32 = 0o400;
    pub(in super::super) const ECHOCTL: u32 = 0o1000;
    pub(in super::super) const ECHOKE: u32 = 0o4000;
    pub(in super::super) const IEXTEN: u32 = 0o100000;
    /// Those that are kept. `XCASE`, `ECHOPRT`, `FLUSHO`, `PENDIN` and `EXTPROC` cannot be set.
    pub(super) const KNOWN: u32 =
        ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHONL | NOFLSH | TOSTOP | ECHOCTL | ECHOKE | IEXTEN;
}

/// Indexes of `c_cc`. A character that is 0 is switched off.
pub(super) mod special {
    pub(in super::super) const INTR: usize = 0;
    pub(in super::super) const QUIT: usize = 1;
    pub(in super::super) const ERASE: usize = 2;
    pub(in super::super) const KILL: usize = 3;
    pub(in super::super) const EOF: usize = 4;
    pub(in super::super) const TIME: usize = 5;
    pub(in super::super) const MIN: usize = 6;
    pub(in super::super) const START: usize = 8;
    pub(in super::super) const STOP: usize = 9;
    pub(in super::super) const SUSP: usize = 10;
    pub(in super::super) const EOL: usize = 11;
    pub(in super::super) const REPRINT: usize = 12;
    pub(in super::super) const WERASE: usize = 14;
    pub(in super::super) const LNEXT: usize = 15;
    pub(in super::super) const EOL2: usize = 16;
}

/// `struct termios` of Linux's kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Termios {
    pub(super) iflag: u32,
    pub(super) oflag: u32,
    pub(super) cflag: u32,
    pub(super) lflag: u32,
    pub(super) line: u8,
    pub(super) cc: [u8; 19],
}

impl Default for Termios {
    /// What a new pseudo-terminal has, for UTF-8.
    fn default() -> Termios {
        use local::{ECHO, ECHOCTL, ECHOE, ECHOK, ECHOKE, ICANON, IEXTEN, ISIG};
        let mut cc = [0; 19];
        let characters = [3, 0o34, 0o177, 0o25, 4, 0, 1, 0, 0o21, 0o23, 0o32, 0, 0o22, 0o17, 0o27, 0o26, 0];
        cc[..characters.len()].copy_from_slice(&characters);
        Termios {
            iflag: input::ICRNL | input::IXON | input::IUTF8,
            oflag: output::OPOST | output::ONLCR,
            // 38400 baud, 8 bits, receiver on.
            cflag: 0o17 | 0o60 | 0o200,
            lflag: ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN,
            line: 0,
            cc,
        }
    }
}

impl Termios {
    /// The size of [`to_bytes`](Self::to_bytes).
    pub(crate) const SIZE: usize = 36;

    pub(crate) fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        let words = [self.iflag, self.oflag, self.cflag, self.lflag];
        for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes[16] = self.line;
        bytes[17..].copy_from_slice(&self.cc);
        bytes
    }

    /// Flags that cannot be had stay off, as `tcsetattr` may do.
    pub(crate) fn from_bytes(bytes: &[u8; Self::SIZE]) -> Termios {
        let mut words = [0; 4];
        for (word, from) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes(from.try_into().unwrap_or_default());
        }
        let mut cc = [0; 19];
        cc.copy_from_slice(&bytes[17..]);
        Termios {
            iflag: words[0] & input::KNOWN,
            oflag: words[1] & output::KNOWN,
            cflag: words[2],
            lflag: words[3] & local::KNOWN,
            line: bytes[16],
            cc,
        }
    }

    /// The same terminal with line editing, echo and signal keys switched off or on.
    pub(crate) fn with_raw(&self, raw: bool) -> Termios {
        use local::{ECHO, ICANON, IEXTEN, ISIG};
        let mut modes = self.clone();
        let line = ICANON | ECHO | ISIG | IEXTEN;
        if raw {
            modes.lflag &= !line;
            (modes.cc[special::MIN], modes.cc[special::TIME]) = (1, 0);
        } else {
            modes.lflag |= line;
        }
        modes
    }

    pub(super) fn input(&self, flag: u32) -> bool {
        self.iflag & flag != 0
    }

    pub(super) fn output(&self, flag: u32) -> bool {
        self.oflag & flag != 0
    }

    pub(super) fn local(&self, flag: u32) -> bool {
        self.lflag & flag != 0
    }

    /// Whether `byte` is the special character of this index.
    pub(super) fn is(&self, byte: u8, index: usize) -> bool {
        byte != 0 && self.cc[index] == byte
    }
}
