//! The names of settings and what they do.

use sandshell_sys::Termios;
use sandshell_terminal::modes::{control, input, local, output, special};

/// The group of a flag, in the order in which groups are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Control,
    Input,
    Output,
    Local,
}

pub(super) const GROUPS: [Group; 4] = [Group::Control, Group::Input, Group::Output, Group::Local];

impl Group {
    pub(super) fn of(self, modes: &mut Termios) -> &mut u32 {
        match self {
            Group::Control => &mut modes.cflag,
            Group::Input => &mut modes.iflag,
            Group::Output => &mut modes.oflag,
            Group::Local => &mut modes.lflag,
        }
    }

    pub(super) fn value(self, modes: &Termios) -> u32 {
        match self {
            Group::Control => modes.cflag,
            Group::Input => modes.iflag,
            Group::Output => modes.oflag,
            Group::Local => modes.lflag,
        }
    }
}

/// What `sane` makes of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sane {
    On,
    Off,
    Any,
}

/// A flag, or one of several values of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) group: Group,
    pub(super) bits: u32,
    /// The field that the bits are a value of; 0 for a flag of its own.
    pub(super) field: u32,
    pub(super) sane: Sane,
    /// Another name, which is not shown.
    pub(super) hidden: bool,
}

const fn flag(name: &'static str, group: Group, bits: u32, sane: Sane) -> Flag {
    Flag { name, group, bits, field: 0, sane, hidden: false }
}

const fn also(name: &'static str, group: Group, bits: u32) -> Flag {
    Flag { name, group, bits, field: 0, sane: Sane::Any, hidden: true }
}

const fn value(name: &'static str, group: Group, bits: u32, field: u32, sane: Sane) -> Flag {
    Flag { name, group, bits, field, sane, hidden: false }
}

/// In the order in which they are shown.
pub(super) const FLAGS: &[Flag] = &[
    flag("parenb", Group::Control, control::PARENB, Sane::Any),
    flag("parodd", Group::Control, control::PARODD, Sane::Any),
    flag("cmspar", Group::Control, control::CMSPAR, Sane::Any),
    value("cs5", Group::Control, 0, control::CSIZE, Sane::Any),
    value("cs6", Group::Control, 0o20, control::CSIZE, Sane::Any),
    value("cs7", Group::Control, 0o40, control::CSIZE, Sane::Any),
    value("cs8", Group::Control, control::CS8, control::CSIZE, Sane::Any),
    flag("hupcl", Group::Control, control::HUPCL, Sane::Any),
    also("hup", Group::Control, control::HUPCL),
    flag("cstopb", Group::Control, control::CSTOPB, Sane::Any),
    flag("cread", Group::Control, control::CREAD, Sane::On),
    flag("clocal", Group::Control, control::CLOCAL, Sane::Any),
    flag("crtscts", Group::Control, control::CRTSCTS, Sane::Any),
    flag("ignbrk", Group::Input, input::IGNBRK, Sane::Off),
    flag("brkint", Group::Input, input::BRKINT, Sane::On),
    flag("ignpar", Group::Input, input::IGNPAR, Sane::Any),
    flag("parmrk", Group::Input, input::PARMRK, Sane::Any),
    flag("inpck", Group::Input, input::INPCK, Sane::Any),
    flag("istrip", Group::Input, input::ISTRIP, Sane::Any),
    flag("inlcr", Group::Input, input::INLCR, Sane::Off),
    flag("igncr", Group::Input, input::IGNCR, Sane::Off),
    flag("icrnl", Group::Input, input::ICRNL, Sane::On),
    flag("ixon", Group::Input, input::IXON, Sane::Any),
    flag("ixoff", Group::Input, input::IXOFF, Sane::Off),
    also("tandem", Group::Input, input::IXOFF),
    flag("iuclc", Group::Input, input::IUCLC, Sane::Off),
    flag("ixany", Group::Input, input::IXANY, Sane::Off),
    also("decctlq", Group::Input, input::IXANY),
    flag("imaxbel", Group::Input, input::IMAXBEL, Sane::On),
    flag("iutf8", Group::Input, input::IUTF8, Sane::Off),
    flag("opost", Group::Output, output::OPOST, Sane::On),
    flag("olcuc", Group::Output, output::OLCUC, Sane::Off),
    flag("ocrnl", Group::Output, output::OCRNL, Sane::Off),
    flag("onlcr", Group::Output, output::ONLCR, Sane::On),
    flag("onocr", Group::Output, output::ONOCR, Sane::Off),
    flag("onlret", Group::Output, output::ONLRET, Sane::Off),
    flag("ofill", Group::Output, output::OFILL, Sane::Off),
    flag("ofdel", Group::Output, output::OFDEL, Sane::Off),
    value("nl1", Group::Output, output::NLDLY, output::NLDLY, Sane::Any),
    value("nl0", Group::Output, 0, output::NLDLY, Sane::On),
    value("cr3", Group::Output, 0o3000, output::CRDLY, Sane::Any),
    value("cr2", Group::Output, 0o2000, output::CRDLY, Sane::Any),
    value("cr1", Group::Output, 0o1000, output::CRDLY, Sane::Any),
    value("cr0", Group::Output, 0, output::CRDLY, Sane::On),
    value("tab3", Group::Output, 0o14000, output::TABDLY, Sane::Any),
    value("tab2", Group::Output, 0o10000, output::TABDLY, Sane::Any),
    value("tab1", Group::Output, 0o4000, output::TABDLY, Sane::Any),
    value("tab0", Group::Output, 0, output::TABDLY, Sane::On),
    value("bs1", Group::Output, output::BSDLY, output::BSDLY, Sane::Any),
    value("bs0", Group::Output, 0, output::BSDLY, Sane::On),
    value("vt1", Group::Output, output::VTDLY, output::VTDLY, Sane::Any),
    value("vt0", Group::Output, 0, output::VTDLY, Sane::On),
    value("ff1", Group::Output, output::FFDLY, output::FFDLY, Sane::Any),
    value("ff0", Group::Output, 0, output::FFDLY, Sane::On),
    flag("isig", Group::Local, local::ISIG, Sane::On),
    flag("icanon", Group::Local, local::ICANON, Sane::On),
    flag("iexten", Group::Local, local::IEXTEN, Sane::On),
    flag("echo", Group::Local, local::ECHO, Sane::On),
    flag("echoe", Group::Local, local::ECHOE, Sane::On),
    also("crterase", Group::Local, local::ECHOE),
    flag("echok", Group::Local, local::ECHOK, Sane::On),
    flag("echonl", Group::Local, local::ECHONL, Sane::Off),
    flag("noflsh", Group::Local, local::NOFLSH, Sane::Off),
    flag("xcase", Group::Local, local::XCASE, Sane::Off),
    flag("tostop", Group::Local, local::TOSTOP, Sane::Off),
    flag("echoprt", Group::Local, local::ECHOPRT, Sane::Off),
    also("prterase", Group::Local, local::ECHOPRT),
    flag("echoctl", Group::Local, local::ECHOCTL, Sane::On),
    also("ctlecho", Group::Local, local::ECHOCTL),
    flag("echoke", Group::Local, local::ECHOKE, Sane::On),
    also("crtkill", Group::Local, local::ECHOKE),
    flag("flusho", Group::Local, local::FLUSHO, Sane::Off),
    flag("extproc", Group::Local, local::EXTPROC, Sane::Off),
];

/// Special characters: names, indexes and what `sane` makes of them. In the order in which they are shown.
pub(super) const CHARACTERS: &[(&str, usize, u8)] = &[
    ("intr", special::INTR, 3),
    ("quit", special::QUIT, 0o34),
    ("erase", special::ERASE, 0o177),
    ("kill", special::KILL, 0o25),
    ("eof", special::EOF, 4),
    ("eol", special::EOL, 0),
    ("eol2", special::EOL2, 0),
    ("swtch", special::SWTCH, 0),
    ("start", special::START, 0o21),
    ("stop", special::STOP, 0o23),
    ("susp", special::SUSP, 0o32),
    ("rprnt", special::RPRNT, 0o22),
    ("werase", special::WERASE, 0o27),
    ("lnext", special::LNEXT, 0o26),
    ("discard", special::DISCARD, 0o17),
];

/// The codes of speeds in `c_cflag`.
const SPEEDS: &[(u32, u32)] = &[
    (0, 0),
    (50, 1),
    (75, 2),
    (110, 3),
    (134, 4),
    (150, 5),
    (200, 6),
    (300, 7),
    (600, 8),
    (1200, 9),
    (1800, 10),
    (2400, 11),
    (4800, 12),
    (9600, 13),
    (19200, 14),
    (38400, 15),
    (57600, 0o10001),
    (115_200, 0o10002),
    (230_400, 0o10003),
    (460_800, 0o10004),
    (500_000, 0o10005),
    (576_000, 0o10006),
    (921_600, 0o10007),
    (1_000_000, 0o10010),
    (1_152_000, 0o10011),
    (1_500_000, 0o10012),
    (2_000_000, 0o10013),
    (2_500_000, 0o10014),
    (3_000_000, 0o10015),
    (3_500_000, 0o10016),
    (4_000_000, 0o10017),
];
const CBAUD: u32 = 0o10017;

/// The speed in baud.
pub(super) fn speed(modes: &Termios) -> u32 {
    let code = modes.cflag & CBAUD;
    SPEEDS.iter().find(|speed| speed.1 == code).map_or(0, |speed| speed.0)
}

/// Sets the speed. False if there is none of that name.
pub(super) fn set_speed(modes: &mut Termios, name: &str) -> bool {
    let name = if name == "134.5" { "134" } else { name };
    let Some((_, code)) = SPEEDS.iter().find(|speed| speed.0.to_string() == name) else { return false };
    modes.cflag = modes.cflag & !CBAUD | code;
    true
}

/// Sets or clears the flag of this name. False if there is none.
pub(super) fn set_flag(modes: &mut Termios, name: &str, on: bool) -> bool {
    let Some(flag) = FLAGS.iter().find(|flag| flag.name == name) else { return false };
    if flag.field != 0 && !on {
        return false;
    }
    let word = flag.group.of(modes);
    *word &= !(flag.field | flag.bits);
    if on {
        *word |= flag.bits;
    }
    true
}

/// Applies a setting that stands for several. False if there is none of that name.
pub(super) fn set_combination(modes: &mut Termios, name: &str, on: bool) -> bool {
    let settings = match (name, on) {
        ("evenp" | "parity", true) => "parenb -parodd cs7",
        ("oddp", true) => "parenb parodd cs7",
        ("evenp" | "parity" | "oddp", false) => "-parenb cs8",
        ("nl", true) => "-icrnl -onlcr",
        ("nl", false) => "icrnl -inlcr -igncr onlcr -ocrnl -onlret",
        ("ek", true) => {
            default_characters(modes, &[special::ERASE, special::KILL]);
            ""
        }
        ("sane", true) => {
            sane(modes);
            ""
        }
        ("cbreak", true) => "-icanon",
        ("cbreak", false) => "icanon",
        ("pass8", true) => "-parenb -istrip cs8",
        ("pass8", false) => "parenb istrip cs7",
        ("litout", true) => "-parenb -istrip -opost cs8",
        ("litout", false) => "parenb istrip opost cs7",
        ("raw", true) | ("cooked", false) => {
            (modes.cc[special::MIN], modes.cc[special::TIME]) = (1, 0);
            "-ignbrk -brkint -ignpar -parmrk -inpck -istrip -inlcr -igncr -icrnl -ixon -ixoff -icanon -opost \
             -isig -iuclc -ixany -imaxbel -xcase"
        }
        ("cooked", true) | ("raw", false) => {
            default_characters(modes, &[special::EOF, special::EOL]);
            "brkint ignpar istrip icrnl ixon opost isig icanon"
        }
        ("decctlq", _) => return set_flag(modes, "ixany", !on),
        ("tabs", true) => "tab0",
        ("tabs", false) => "tab3",
        ("lcase" | "LCASE", true) => "xcase iuclc olcuc",
        ("lcase" | "LCASE", false) => "-xcase -iuclc -olcuc",
        ("crt", true) => "echoe echoctl echoke",
        ("dec", true) => {
            default_characters(modes, &[special::INTR, special::ERASE, special::KILL]);
            "echoe echoctl echoke -ixany"
        }
        _ => return false,
    };
    for setting in settings.split_whitespace() {
        let (name, on) = setting.strip_prefix('-').map_or((setting, true), |name| (name, false));
        set_flag(modes, name, on);
    }
    true
}

fn default_characters(modes: &mut Termios, wanted: &[usize]) {
    for (_, index, default) in CHARACTERS {
        if wanted.contains(index) {
            modes.cc[*index] = *default;
        }
    }
}

/// `sane`: what an ordinary terminal has.
fn sane(modes: &mut Termios) {
    for flag in FLAGS {
        match flag.sane {
            Sane::Any => {}
            wanted => {
                let word = flag.group.of(modes);
                *word &= !(flag.field | flag.bits);
                if wanted == Sane::On {
                    *word |= flag.bits;
                }
            }
        }
    }
    for (_, index, default) in CHARACTERS {
        modes.cc[*index] = *default;
    }
}
