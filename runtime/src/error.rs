//! Errors of the host API, and the error numbers that guests see.

use sandshell_vfs as vfs;

/// Why a call of the host API failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// wasmtime could not be set up or a system program could not be loaded.
    #[error("the wasm engine failed: {0}")]
    Engine(String),
    /// The directory for compiled code cannot be used.
    #[error("the compilation cache {path} cannot be used: {reason}")]
    Cache {
        /// The directory.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The program could not be started. A shell reports this as status 126 or 127.
    #[error("{}: {errno}", String::from_utf8_lossy(.path))]
    Start {
        /// The program as it was given.
        path: Vec<u8>,
        /// The reason.
        errno: vfs::Errno,
    },
    /// The working directory of the command cannot be entered.
    #[error("{}: {errno}", String::from_utf8_lossy(.path))]
    WorkingDirectory {
        /// The directory as it was given.
        path: Vec<u8>,
        /// The reason.
        errno: vfs::Errno,
    },
    /// A limit does not allow another process.
    #[error(transparent)]
    Limit(#[from] crate::Limit),
    /// The kernel has been shut down.
    #[error("the sandbox has been shut down")]
    ShutDown,
    /// A kernel with running processes cannot be forked.
    #[error("the sandbox cannot be forked while {0} processes run")]
    Busy(usize),
    /// The virtual filesystem reported an error.
    #[error(transparent)]
    Filesystem(#[from] vfs::Errno),
}

/// An error number in the numbering of WASI preview 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) u16);

pub(crate) type Result<T> = std::result::Result<T, Errno>;

#[allow(dead_code, reason = "the table is complete; not every number has a use yet")]
impl Errno {
    pub(crate) const TOO_BIG: Errno = Errno(1);
    pub(crate) const ACCES: Errno = Errno(2);
    pub(crate) const ADDRINUSE: Errno = Errno(3);
    pub(crate) const ADDRNOTAVAIL: Errno = Errno(4);
    pub(crate) const AFNOSUPPORT: Errno = Errno(5);
    pub(crate) const AGAIN: Errno = Errno(6);
    pub(crate) const ALREADY: Errno = Errno(7);
    pub(crate) const BADF: Errno = Errno(8);
    pub(crate) const BUSY: Errno = Errno(10);
    pub(crate) const CHILD: Errno = Errno(12);
    pub(crate) const CONNREFUSED: Errno = Errno(14);
    pub(crate) const CONNRESET: Errno = Errno(15);
    pub(crate) const DEADLK: Errno = Errno(16);
    pub(crate) const DESTADDRREQ: Errno = Errno(17);
    pub(crate) const EXIST: Errno = Errno(20);
    pub(crate) const FAULT: Errno = Errno(21);
    pub(crate) const FBIG: Errno = Errno(22);
    pub(crate) const ILSEQ: Errno = Errno(25);
    pub(crate) const INPROGRESS: Errno = Errno(26);
    pub(crate) const INTR: Errno = Errno(27);
    pub(crate) const INVAL: Errno = Errno(28);
    pub(crate) const IO: Errno = Errno(29);
    pub(crate) const ISCONN: Errno = Errno(30);
    pub(crate) const ISDIR: Errno = Errno(31);
    pub(crate) const LOOP: Errno = Errno(32);
    pub(crate) const MFILE: Errno = Errno(33);
    pub(crate) const MSGSIZE: Errno = Errno(35);
    pub(crate) const NAMETOOLONG: Errno = Errno(37);
    pub(crate) const NETUNREACH: Errno = Errno(40);
    pub(crate) const NFILE: Errno = Errno(41);
    pub(crate) const NODEV: Errno = Errno(43);
    pub(crate) const NOENT: Errno = Errno(44);
    pub(crate) const NOEXEC: Errno = Errno(45);
    pub(crate) const NOLCK: Errno = Errno(46);
    pub(crate) const NOMEM: Errno = Errno(48);
    pub(crate) const NOPROTOOPT: Errno = Errno(50);
    pub(crate) const NOSPC: Errno = Errno(51);
    pub(crate) const NOSYS: Errno = Errno(52);
    pub(crate) const NOTCONN: Errno = Errno(53);
    pub(crate) const NOTDIR: Errno = Errno(54);
    pub(crate) const NOTEMPTY: Errno = Errno(55);
    pub(crate) const NOTSOCK: Errno = Errno(57);
    pub(crate) const NOTSUP: Errno = Errno(58);
    pub(crate) const NOTTY: Errno = Errno(59);
    pub(crate) const NXIO: Errno = Errno(60);
    pub(crate) const OVERFLOW: Errno = Errno(61);
    pub(crate) const PERM: Errno = Errno(63);
    pub(crate) const PIPE: Errno = Errno(64);
    pub(crate) const PROTONOSUPPORT: Errno = Errno(66);
    pub(crate) const PROTOTYPE: Errno = Errno(67);
    pub(crate) const RANGE: Errno = Errno(68);
    pub(crate) const ROFS: Errno = Errno(69);
    pub(crate) const SPIPE: Errno = Errno(70);
    pub(crate) const SRCH: Errno = Errno(71);
    pub(crate) const NOTCAPABLE: Errno = Errno(76);
}

/// (Linux, WASI) in the order of WASI's numbers.
const NUMBERS: &[(vfs::Errno, u16)] = {
    use vfs::Errno as E;
    &[
        (E::TooBig, 1),
        (E::Acces, 2),
        (E::AddrInUse, 3),
        (E::AddrNotAvail, 4),
        (E::AfNoSupport, 5),
        (E::Again, 6),
        (E::Already, 7),
        (E::BadF, 8),
        (E::BadMsg, 9),
        (E::Busy, 10),
        (E::Canceled, 11),
        (E::Child, 12),
        (E::ConnAborted, 13),
        (E::ConnRefused, 14),
        (E::ConnReset, 15),
        (E::DeadLk, 16),
        (E::DestAddrReq, 17),
        (E::Dom, 18),
        (E::DQuot, 19),
        (E::Exist, 20),
        (E::Fault, 21),
        (E::FBig, 22),
        (E::HostUnreach, 23),
        (E::IdRm, 24),
        (E::IlSeq, 25),
        (E::InProgress, 26),
        (E::Intr, 27),
        (E::Inval, 28),
        (E::Io, 29),
        (E::IsConn, 30),
        (E::IsDir, 31),
        (E::Loop, 32),
        (E::MFile, 33),
        (E::MLink, 34),
        (E::MsgSize, 35),
        (E::MultiHop, 36),
        (E::NameTooLong, 37),
        (E::NetDown, 38),
        (E::NetReset, 39),
        (E::NetUnreach, 40),
        (E::NFile, 41),
        (E::NoBufs, 42),
        (E::NoDev, 43),
        (E::NoEnt, 44),
        (E::NoExec, 45),
        (E::NoLck, 46),
        (E::NoLink, 47),
        (E::NoMem, 48),
        (E::NoMsg, 49),
        (E::NoProtoOpt, 50),
        (E::NoSpc, 51),
        (E::NoSys, 52),
        (E::NotConn, 53),
        (E::NotDir, 54),
        (E::NotEmpty, 55),
        (E::NotRecoverable, 56),
        (E::NotSock, 57),
        (E::NotSup, 58),
        (E::NoTty, 59),
        (E::NxIo, 60),
        (E::Overflow, 61),
        (E::OwnerDead, 62),
        (E::Perm, 63),
        (E::Pipe, 64),
        (E::Proto, 65),
        (E::ProtoNoSupport, 66),
        (E::Prototype, 67),
        (E::Range, 68),
        (E::RoFs, 69),
        (E::SPipe, 70),
        (E::Srch, 71),
        (E::Stale, 72),
        (E::TimedOut, 73),
        (E::TxtBsy, 74),
        (E::XDev, 75),
    ]
};

impl From<vfs::Errno> for Errno {
    fn from(errno: vfs::Errno) -> Errno {
        let found = NUMBERS.iter().find(|(linux, _)| *linux == errno);
        Errno(found.map_or(Errno::IO.0, |(_, wasi)| *wasi))
    }
}

impl From<Errno> for vfs::Errno {
    fn from(errno: Errno) -> vfs::Errno {
        let found = NUMBERS.iter().find(|(_, wasi)| *wasi == errno.0);
        found.map_or(vfs::Errno::Perm, |(linux, _)| *linux)
    }
}

/// What a host function returns to its guest.
pub(crate) fn code(result: Result<()>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(errno) => i32::from(errno.0),
    }
}
