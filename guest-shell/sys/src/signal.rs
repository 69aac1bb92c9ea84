//! Signal numbers and names, as on Linux.

/// `(number, name without SIG)` of the standard signals, in order of number.
pub const SIGNALS: &[(u8, &str)] = &[
    (1, "HUP"),
    (2, "INT"),
    (3, "QUIT"),
    (4, "ILL"),
    (5, "TRAP"),
    (6, "ABRT"),
    (7, "BUS"),
    (8, "FPE"),
    (9, "KILL"),
    (10, "USR1"),
    (11, "SEGV"),
    (12, "USR2"),
    (13, "PIPE"),
    (14, "ALRM"),
    (15, "TERM"),
    (16, "STKFLT"),
    (17, "CHLD"),
    (18, "CONT"),
    (19, "STOP"),
    (20, "TSTP"),
    (21, "TTIN"),
    (22, "TTOU"),
    (23, "URG"),
    (24, "XCPU"),
    (25, "XFSZ"),
    (26, "VTALRM"),
    (27, "PROF"),
    (28, "WINCH"),
    (29, "IO"),
    (30, "PWR"),
    (31, "SYS"),
];

/// Hang-up.
pub const SIGHUP: u8 = 1;
/// Interrupt.
pub const SIGINT: u8 = 2;
/// Quit.
pub const SIGQUIT: u8 = 3;
/// Kill; cannot be caught.
pub const SIGKILL: u8 = 9;
/// Write to a pipe without a reader.
pub const SIGPIPE: u8 = 13;
/// Alarm clock.
pub const SIGALRM: u8 = 14;
/// Termination.
pub const SIGTERM: u8 = 15;
/// A child changed its state.
pub const SIGCHLD: u8 = 17;
/// Continue.
pub const SIGCONT: u8 = 18;
/// Stop; cannot be caught.
pub const SIGSTOP: u8 = 19;
/// A stop from the terminal.
pub const SIGTSTP: u8 = 20;
/// A background process reads the terminal.
pub const SIGTTIN: u8 = 21;
/// A background process changes the terminal.
pub const SIGTTOU: u8 = 22;
/// The size of the terminal has changed.
pub const SIGWINCH: u8 = 28;

/// Names of the real-time signals, from [`RTMIN`].
const REAL_TIME: [&str; 31] = [
    "RTMIN", "RTMIN+1", "RTMIN+2", "RTMIN+3", "RTMIN+4", "RTMIN+5", "RTMIN+6", "RTMIN+7", "RTMIN+8",
    "RTMIN+9", "RTMIN+10", "RTMIN+11", "RTMIN+12", "RTMIN+13", "RTMIN+14", "RTMIN+15", "RTMAX-14",
    "RTMAX-13", "RTMAX-12", "RTMAX-11", "RTMAX-10", "RTMAX-9", "RTMAX-8", "RTMAX-7", "RTMAX-6", "RTMAX-5",
    "RTMAX-4", "RTMAX-3", "RTMAX-2", "RTMAX-1", "RTMAX",
];
/// The first real-time signal.
pub const RTMIN: u8 = 34;
/// The last signal.
pub const RTMAX: u8 = 64;

/// The name without `SIG`.
pub fn name(number: u8) -> Option<&'static str> {
    let standard = SIGNALS.iter().find(|s| s.0 == number).map(|s| s.1);
    standard.or_else(|| REAL_TIME.get(usize::from(number.checked_sub(RTMIN)?)).copied())
}

/// The number of a name, with or without `SIG`, in any case. The older names of three signals are known too.
pub fn number(name: &str) -> Option<u8> {
    let upper = name.to_ascii_uppercase();
    let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
    match bare {
        "IOT" => return Some(6),
        "CLD" => return Some(SIGCHLD),
        "POLL" => return Some(29),
        "RTMIN" => return Some(RTMIN),
        "RTMAX" => return Some(RTMAX),
        _ => {}
    }
    let distance = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u8>().ok())?;
    let real_time = match (bare.strip_prefix("RTMIN+"), bare.strip_prefix("RTMAX-")) {
        (Some(text), _) => RTMIN.checked_add(distance(text)?),
        (_, Some(text)) => RTMAX.checked_sub(distance(text)?),
        _ => return SIGNALS.iter().find(|s| s.1 == bare).map(|s| s.0),
    };
    real_time.filter(|n| (RTMIN..=RTMAX).contains(n))
}
