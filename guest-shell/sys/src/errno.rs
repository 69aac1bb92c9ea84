//! Error numbers: WASI preview 1's, with the texts of glibc.

use std::fmt;

/// An error number in WASI preview 1's numbering. `Display` prints what glibc's `strerror` says.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub u16);

impl Errno {
    /// Argument list too long.
    pub const TOOBIG: Self = Self(1);
    /// Permission denied.
    pub const ACCES: Self = Self(2);
    /// Address already in use.
    pub const ADDRINUSE: Self = Self(3);
    /// Cannot assign requested address.
    pub const ADDRNOTAVAIL: Self = Self(4);
    /// Address family not supported by protocol.
    pub const AFNOSUPPORT: Self = Self(5);
    /// Resource temporarily unavailable.
    pub const AGAIN: Self = Self(6);
    /// Operation already in progress.
    pub const ALREADY: Self = Self(7);
    /// Bad file descriptor.
    pub const BADF: Self = Self(8);
    /// Bad message.
    pub const BADMSG: Self = Self(9);
    /// Device or resource busy.
    pub const BUSY: Self = Self(10);
    /// Operation canceled.
    pub const CANCELED: Self = Self(11);
    /// No child processes.
    pub const CHILD: Self = Self(12);
    /// Software caused connection abort.
    pub const CONNABORTED: Self = Self(13);
    /// Connection refused.
    pub const CONNREFUSED: Self = Self(14);
    /// Connection reset by peer.
    pub const CONNRESET: Self = Self(15);
    /// Resource deadlock avoided.
    pub const DEADLK: Self = Self(16);
    /// Destination address required.
    pub const DESTADDRREQ: Self = Self(17);
    /// Numerical argument out of domain.
    pub const DOM: Self = Self(18);
    /// Disk quota exceeded.
    pub const DQUOT: Self = Self(19);
    /// File exists.
    pub const EXIST: Self = Self(20);
    /// Bad address.
    pub const FAULT: Self = Self(21);
    /// File too large.
    pub const FBIG: Self = Self(22);
    /// No route to host.
    pub const HOSTUNREACH: Self = Self(23);
    /// Identifier removed.
    pub const IDRM: Self = Self(24);
    /// Invalid or incomplete multibyte or wide character.
    pub const ILSEQ: Self = Self(25);
    /// Operation now in progress.
    pub const INPROGRESS: Self = Self(26);
    /// Interrupted system call.
    pub const INTR: Self = Self(27);
    /// Invalid argument.
    pub const INVAL: Self = Self(28);
    /// Input/output error.
    pub const IO: Self = Self(29);
    /// Transport endpoint is already connected.
    pub const ISCONN: Self = Self(30);
    /// Is a directory.
    pub const ISDIR: Self = Self(31);
    /// Too many levels of symbolic links.
    pub const LOOP: Self = Self(32);
    /// Too many open files.
    pub const MFILE: Self = Self(33);
    /// Too many links.
    pub const MLINK: Self = Self(34);
    /// Message too long.
    pub const MSGSIZE: Self = Self(35);
    /// Multihop attempted.
    pub const MULTIHOP: Self = Self(36);
    /// File name too long.
    pub const NAMETOOLONG: Self = Self(37);
    /// Network is down.
    pub const NETDOWN: Self = Self(38);
    /// Network dropped connection on reset.
    pub const NETRESET: Self = Self(39);
    /// Network is unreachable.
    pub const NETUNREACH: Self = Self(40);
    /// Too many open files in system.
    pub const NFILE: Self = Self(41);
    /// No buffer space available.
    pub const NOBUFS: Self = Self(42);
    /// No such device.
    pub const NODEV: Self = Self(43);
    /// No such file or directory.
    pub const NOENT: Self = Self(44);
    /// Exec format error.
    pub const NOEXEC: Self = Self(45);
    /// No locks available.
    pub const NOLCK: Self = Self(46);
    /// Link has been severed.
    pub const NOLINK: Self = Self(47);
    /// Cannot allocate memory.
    pub const NOMEM: Self = Self(48);
    /// No message of desired type.
    pub const NOMSG: Self = Self(49);
    /// Protocol not available.
    pub const NOPROTOOPT: Self = Self(50);
    /// No space left on device.
    pub const NOSPC: Self = Self(51);
    /// Function not implemented.
    pub const NOSYS: Self = Self(52);
    /// Transport endpoint is not connected.
    pub const NOTCONN: Self = Self(53);
    /// Not a directory.
    pub const NOTDIR: Self = Self(54);
    /// Directory not empty.
    pub const NOTEMPTY: Self = Self(55);
    /// State not recoverable.
    pub const NOTRECOVERABLE: Self = Self(56);
    /// Socket operation on non-socket.
    pub const NOTSOCK: Self = Self(57);
    /// Operation not supported.
    pub const NOTSUP: Self = Self(58);
    /// Inappropriate ioctl for device.
    pub const NOTTY: Self = Self(59);
    /// No such device or address.
    pub const NXIO: Self = Self(60);
    /// Value too large for defined data type.
    pub const OVERFLOW: Self = Self(61);
    /// Owner died.
    pub const OWNERDEAD: Self = Self(62);
    /// Operation not permitted.
    pub const PERM: Self = Self(63);
    /// Broken pipe.
    pub const PIPE: Self = Self(64);
    /// Protocol error.
    pub const PROTO: Self = Self(65);
    /// Protocol not supported.
    pub const PROTONOSUPPORT: Self = Self(66);
    /// Protocol wrong type for socket.
    pub const PROTOTYPE: Self = Self(67);
    /// Numerical result out of range.
    pub const RANGE: Self = Self(68);
    /// Read-only file system.
    pub const ROFS: Self = Self(69);
    /// Illegal seek.
    pub const SPIPE: Self = Self(70);
    /// No such process.
    pub const SRCH: Self = Self(71);
    /// Stale file handle.
    pub const STALE: Self = Self(72);
    /// Connection timed out.
    pub const TIMEDOUT: Self = Self(73);
    /// Text file busy.
    pub const TXTBSY: Self = Self(74);
    /// Invalid cross-device link.
    pub const XDEV: Self = Self(75);
    /// Operation not permitted.
    pub const NOTCAPABLE: Self = Self(76);

    /// The error's text in glibc.
    pub fn text(self) -> &'static str {
        TEXTS.get(usize::from(self.0)).copied().unwrap_or("Unknown error")
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Errno({}, {})", self.0, self.text())
    }
}

impl std::error::Error for Errno {}

impl From<Errno> for std::io::Error {
    fn from(e: Errno) -> Self {
        Self::from_raw_os_error(e.raw_os())
    }
}

impl From<&std::io::Error> for Errno {
    fn from(e: &std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        if let Some(n) = e.raw_os_error() {
            return Self::from_raw_os(n);
        }
        match e.kind() {
            K::NotFound => Self::NOENT,
            K::PermissionDenied => Self::ACCES,
            K::AlreadyExists => Self::EXIST,
            K::InvalidInput => Self::INVAL,
            K::BrokenPipe => Self::PIPE,
            K::Interrupted => Self::INTR,
            K::Unsupported => Self::NOSYS,
            _ => Self::IO,
        }
    }
}

#[cfg(target_os = "wasi")]
impl Errno {
    fn raw_os(self) -> i32 {
        i32::from(self.0)
    }
    /// Converts the operating system's number.
    pub fn from_raw_os(n: i32) -> Self {
        Self(u16::try_from(n).unwrap_or(Self::IO.0))
    }
}

#[cfg(unix)]
impl Errno {
    fn raw_os(self) -> i32 {
        UNIX.iter().find(|p| p.1 == self).map_or(libc::EIO, |p| p.0)
    }
    /// Converts the operating system's number.
    pub fn from_raw_os(n: i32) -> Self {
        UNIX.iter().find(|p| p.0 == n).map_or(Self::IO, |p| p.1)
    }
}

const TEXTS: &[&str] = &[
    "Success",
    "Argument list too long",
    "Permission denied",
    "Address already in use",
    "Cannot assign requested address",
    "Address family not supported by protocol",
    "Resource temporarily unavailable",
    "Operation already in progress",
    "Bad file descriptor",
    "Bad message",
    "Device or resource busy",
    "Operation canceled",
    "No child processes",
    "Software caused connection abort",
    "Connection refused",
    "Connection reset by peer",
    "Resource deadlock avoided",
    "Destination address required",
    "Numerical argument out of domain",
    "Disk quota exceeded",
    "File exists",
    "Bad address",
    "File too large",
    "No route to host",
    "Identifier removed",
    "Invalid or incomplete multibyte or wide character",
    "Operation now in progress",
    "Interrupted system call",
    "Invalid argument",
    "Input/output error",
    "Transport endpoint is already connected",
    "Is a directory",
    "Too many levels of symbolic links",
    "Too many open files",
    "Too many links",
    "Message too long",
    "Multihop attempted",
    "File name too long",
    "Network is down",
    "Network dropped connection on reset",
    "Network is unreachable",
    "Too many open files in system",
    "No buffer space available",
    "No such device",
    "No such file or directory",
    "Exec format error",
    "No locks available",
    "Link has been severed",
    "Cannot allocate memory",
    "No message of desired type",
    "Protocol not available",
    "No space left on device",
    "Function not implemented",
    "Transport endpoint is not connected",
    "Not a directory",
    "Directory not empty",
    "State not recoverable",
    "Socket operation on non-socket",
    "Operation not supported",
    "Inappropriate ioctl for device",
    "No such device or address",
    "Value too large for defined data type",
    "Owner died",
    "Operation not permitted",
    "Broken pipe",
    "Protocol error",
    "Protocol not supported",
    "Protocol wrong type for socket",
    "Numerical result out of range",
    "Read-only file system",
    "Illegal seek",
    "No such process",
    "Stale file handle",
    "Connection timed out",
    "Text file busy",
    "Invalid cross-device link",
    "Operation not permitted",
];

#[cfg(unix)]
const UNIX: &[(i32, Errno)] = &[
    (libc::E2BIG, Errno::TOOBIG),
    (libc::EACCES, Errno::ACCES),
    (libc::EADDRINUSE, Errno::ADDRINUSE),
    (libc::EADDRNOTAVAIL, Errno::ADDRNOTAVAIL),
    (libc::EAFNOSUPPORT, Errno::AFNOSUPPORT),
    (libc::EAGAIN, Errno::AGAIN),
    (libc::EALREADY, Errno::ALREADY),
    (libc::EBADF, Errno::BADF),
    (libc::EBADMSG, Errno::BADMSG),
    (libc::EBUSY, Errno::BUSY),
    (libc::ECANCELED, Errno::CANCELED),
    (libc::ECHILD, Errno::CHILD),
    (libc::ECONNABORTED, Errno::CONNABORTED),
    (libc::ECONNREFUSED, Errno::CONNREFUSED),
    (libc::ECONNRESET, Errno::CONNRESET),
    (libc::EDEADLK, Errno::DEADLK),
    (libc::EDESTADDRREQ, Errno::DESTADDRREQ),
    (libc::EDOM, Errno::DOM),
    (libc::EDQUOT, Errno::DQUOT),
    (libc::EEXIST, Errno::EXIST),
    (libc::EFAULT, Errno::FAULT),
    (libc::EFBIG, Errno::FBIG),
    (libc::EHOSTUNREACH, Errno::HOSTUNREACH),
    (libc::EIDRM, Errno::IDRM),
    (libc::EILSEQ, Errno::ILSEQ),
    (libc::EINPROGRESS, Errno::INPROGRESS),
    (libc::EINTR, Errno::INTR),
    (libc::EINVAL, Errno::INVAL),
    (libc::EIO, Errno::IO),
    (libc::EISCONN, Errno::ISCONN),
    (libc::EISDIR, Errno::ISDIR),
    (libc::ELOOP, Errno::LOOP),
    (libc::EMFILE, Errno::MFILE),
    (libc::EMLINK, Errno::MLINK),
    (libc::EMSGSIZE, Errno::MSGSIZE),
    (libc::EMULTIHOP, Errno::MULTIHOP),
    (libc::ENAMETOOLONG, Errno::NAMETOOLONG),
    (libc::ENETDOWN, Errno::NETDOWN),
    (libc::ENETRESET, Errno::NETRESET),
    (libc::ENETUNREACH, Errno::NETUNREACH),
    (libc::ENFILE, Errno::NFILE),
    (libc::ENOBUFS, Errno::NOBUFS),
    (libc::ENODEV, Errno::NODEV),
    (libc::ENOENT, Errno::NOENT),
    (libc::ENOEXEC, Errno::NOEXEC),
    (libc::ENOLCK, Errno::NOLCK),
    (libc::ENOLINK, Errno::NOLINK),
    (libc::ENOMEM, Errno::NOMEM),
    (libc::ENOMSG, Errno::NOMSG),
    (libc::ENOPROTOOPT, Errno::NOPROTOOPT),
    (libc::ENOSPC, Errno::NOSPC),
    (libc::ENOSYS, Errno::NOSYS),
    (libc::ENOTCONN, Errno::NOTCONN),
    (libc::ENOTDIR, Errno::NOTDIR),
    (libc::ENOTEMPTY, Errno::NOTEMPTY),
    (libc::ENOTRECOVERABLE, Errno::NOTRECOVERABLE),
    (libc::ENOTSOCK, Errno::NOTSOCK),
    (libc::ENOTSUP, Errno::NOTSUP),
    (libc::ENOTTY, Errno::NOTTY),
    (libc::ENXIO, Errno::NXIO),
    (libc::EOVERFLOW, Errno::OVERFLOW),
    (libc::EOWNERDEAD, Errno::OWNERDEAD),
    (libc::EPERM, Errno::PERM),
    (libc::EPIPE, Errno::PIPE),
    (libc::EPROTO, Errno::PROTO),
    (libc::EPROTONOSUPPORT, Errno::PROTONOSUPPORT),
    (libc::EPROTOTYPE, Errno::PROTOTYPE),
    (libc::ERANGE, Errno::RANGE),
    (libc::EROFS, Errno::ROFS),
    (libc::ESPIPE, Errno::SPIPE),
    (libc::ESRCH, Errno::SRCH),
    (libc::ESTALE, Errno::STALE),
    (libc::ETIMEDOUT, Errno::TIMEDOUT),
    (libc::ETXTBSY, Errno::TXTBSY),
    (libc::EXDEV, Errno::XDEV),
];
