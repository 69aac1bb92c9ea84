//! The names of a terminal's settings, with Linux's numbers.

/// A flag of `c_iflag`.
pub mod input {
    pub const IGNBRK: u32 = 0o1;
    pub const BRKINT: u32 = 0o2;
    pub const IGNPAR: u32 = 0o4;
    pub const PARMRK: u32 = 0o10;
    pub const INPCK: u32 = 0o20;
    pub const ISTRIP: u32 = 0o40;
    pub const INLCR: u32 = 0o100;
    pub const IGNCR: u32 = 0o200;
    pub const ICRNL: u32 = 0o400;
    pub const IUCLC: u32 = 0o1000;
    pub const IXON: u32 = 0o2000;
    pub const IXANY: u32 = 0o4000;
    pub const IXOFF: u32 = 0o10000;
    pub const IMAXBEL: u32 = 0o20000;
    pub const IUTF8: u32 = 0o40000;
}

/// A flag of `c_oflag`.
pub mod output {
    pub const OPOST: u32 = 0o1;
    pub const OLCUC: u32 = 0o2;
    pub const ONLCR: u32 = 0o4;
    pub const OCRNL: u32 = 0o10;
    pub const ONOCR: u32 = 0o20;
    pub const ONLRET: u32 = 0o40;
    pub const OFILL: u32 = 0o100;
    pub const OFDEL: u32 = 0o200;
    pub const NLDLY: u32 = 0o400;
    pub const CRDLY: u32 = 0o3000;
    pub const TABDLY: u32 = 0o14000;
    pub const BSDLY: u32 = 0o20000;
    pub const VTDLY: u32 = 0o40000;
    pub const FFDLY: u32 = 0o100000;
}

/// A flag of `c_cflag`.
pub mod control {
    pub const CSIZE: u32 = 0o60;
    pub const CS8: u32 = 0o60;
    pub const CSTOPB: u32 = 0o100;
    pub const CREAD: u32 = 0o200;
    pub const PARENB: u32 = 0o400;
    pub const PARODD: u32 = 0o1000;
    pub const HUPCL: u32 = 0o2000;
    pub const CLOCAL: u32 = 0o4000;
    pub const CMSPAR: u32 = 0o10000000000;
    pub const CRTSCTS: u32 = 0o20000000000;
}

/// A flag of `c_lflag`.
pub mod local {
    pub const ISIG: u32 = 0o1;
    pub const ICANON: u32 = 0o2;
    pub const XCASE: u32 = 0o4;
    pub const ECHO: u32 = 0o10;
    pub const ECHOE: u32 = 0o20;
    pub const ECHOK: u32 = 0o40;
    pub const ECHONL: u32 = 0o100;
    pub const NOFLSH: u32 = 0o200;
    pub const TOSTOP: u32 = 0o400;
    pub const ECHOCTL: u32 = 0o1000;
    pub const ECHOPRT: u32 = 0o2000;
    pub const ECHOKE: u32 = 0o4000;
    pub const FLUSHO: u32 = 0o10000;
    pub const IEXTEN: u32 = 0o100000;
    pub const EXTPROC: u32 = 0o200000;
}

/// An index of `c_cc`.
pub mod special {
    pub const INTR: usize = 0;
    pub const QUIT: usize = 1;
    pub const ERASE: usize = 2;
    pub const KILL: usize = 3;
    pub const EOF: usize = 4;
    pub const TIME: usize = 5;
    pub const MIN: usize = 6;
    pub const SWTCH: usize = 7;
    pub const START: usize = 8;
    pub const STOP: usize = 9;
    pub const SUSP: usize = 10;
    pub const EOL: usize = 11;
    pub const RPRNT: usize = 12;
    pub const DISCARD: usize = 13;
    pub const WERASE: usize = 14;
    pub const LNEXT: usize = 15;
    pub const EOL2: usize = 16;
}
