//! Error numbers: POSIX names, Linux numbers, glibc texts.

use std::io::ErrorKind;

macro_rules! errnos {
    ($($name:ident = $number:literal, $symbol:literal, $text:literal;)*) => {
        /// An error number of POSIX: the reason why an operation failed.
        ///
        /// [`Display`](std::fmt::Display) prints the text of glibc's `strerror` in the C locale, as programs in the
        /// sandbox do. The discriminant is Linux's number on x86-64 and aarch64.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
        #[non_exhaustive]
        #[repr(i32)]
        pub enum Errno {
            $(
                #[doc = concat!("`", $symbol, "`: ", $text, ".")]
                #[error($text)]
                $name = $number,
            )*
        }

        impl Errno {
            /// The name in C, such as `ENOENT`.
            pub const fn symbol(self) -> &'static str {
                match self {
                    $(Self::$name => $symbol,)*
                }
            }

            /// The error with this Linux number; [`Errno::Io`] for a number without a name here.
            pub const fn from_raw(number: i32) -> Self {
                match number {
                    $($number => Self::$name,)*
                    _ => Self::Io,
                }
            }
        }
    };
}

errnos! {
    Perm = 1, "EPERM", "Operation not permitted";
    NoEnt = 2, "ENOENT", "No such file or directory";
    Srch = 3, "ESRCH", "No such process";
    Intr = 4, "EINTR", "Interrupted system call";
    Io = 5, "EIO", "Input/output error";
    NxIo = 6, "ENXIO", "No such device or address";
    TooBig = 7, "E2BIG", "Argument list too long";
    NoExec = 8, "ENOEXEC", "Exec format error";
    BadF = 9, "EBADF", "Bad file descriptor";
    Child = 10, "ECHILD", "No child processes";
    Again = 11, "EAGAIN", "Resource temporarily unavailable";
    NoMem = 12, "ENOMEM", "Cannot allocate memory";
    Acces = 13, "EACCES", "Permission denied";
    Fault = 14, "EFAULT", "Bad address";
    NotBlk = 15, "ENOTBLK", "Block device required";
    Busy = 16, "EBUSY", "Device or resource busy";
    Exist = 17, "EEXIST", "File exists";
    XDev = 18, "EXDEV", "Invalid cross-device link";
    NoDev = 19, "ENODEV", "No such device";
    NotDir = 20, "ENOTDIR", "Not a directory";
    IsDir = 21, "EISDIR", "Is a directory";
    Inval = 22, "EINVAL", "Invalid argument";
    NFile = 23, "ENFILE", "Too many open files in system";
    MFile = 24, "EMFILE", "Too many open files";
    NoTty = 25, "ENOTTY", "Inappropriate ioctl for device";
    TxtBsy = 26, "ETXTBSY", "Text file busy";
    FBig = 27, "EFBIG", "File too large";
    NoSpc = 28, "ENOSPC", "No space left on device";
    SPipe = 29, "ESPIPE", "Illegal seek";
    RoFs = 30, "EROFS", "Read-only file system";
    MLink = 31, "EMLINK", "Too many links";
    Pipe = 32, "EPIPE", "Broken pipe";
    Dom = 33, "EDOM", "Numerical argument out of domain";
    Range = 34, "ERANGE", "Numerical result out of range";
    DeadLk = 35, "EDEADLK", "Resource deadlock avoided";
    NameTooLong = 36, "ENAMETOOLONG", "File name too long";
    NoLck = 37, "ENOLCK", "No locks available";
    NoSys = 38, "ENOSYS", "Function not implemented";
    NotEmpty = 39, "ENOTEMPTY", "Directory not empty";
    Loop = 40, "ELOOP", "Too many levels of symbolic links";
    NoMsg = 42, "ENOMSG", "No message of desired type";
    IdRm = 43, "EIDRM", "Identifier removed";
    NoStr = 60, "ENOSTR", "Device not a stream";
    NoData = 61, "ENODATA", "No data available";
    Time = 62, "ETIME", "Timer expired";
    NoSr = 63, "ENOSR", "Out of streams resources";
    NoLink = 67, "ENOLINK", "Link has been severed";
    Proto = 71, "EPROTO", "Protocol error";
    MultiHop = 72, "EMULTIHOP", "Multihop attempted";
    BadMsg = 74, "EBADMSG", "Bad message";
    Overflow = 75, "EOVERFLOW", "Value too large for defined data type";
    IlSeq = 84, "EILSEQ", "Invalid or incomplete multibyte or wide character";
    Restart = 85, "ERESTART", "Interrupted system call should be restarted";
    NotSock = 88, "ENOTSOCK", "Socket operation on non-socket";
    DestAddrReq = 89, "EDESTADDRREQ", "Destination address required";
    MsgSize = 90, "EMSGSIZE", "Message too long";
    Prototype = 91, "EPROTOTYPE", "Protocol wrong type for socket";
    NoProtoOpt = 92, "ENOPROTOOPT", "Protocol not available";
    ProtoNoSupport = 93, "EPROTONOSUPPORT", "Protocol not supported";
    NotSup = 95, "ENOTSUP", "Operation not supported";
    AfNoSupport = 97, "EAFNOSUPPORT", "Address family not supported by protocol";
    AddrInUse = 98, "EADDRINUSE", "Address already in use";
    AddrNotAvail = 99, "EADDRNOTAVAIL", "Cannot assign requested address";
    NetDown = 100, "ENETDOWN", "Network is down";
    NetUnreach = 101, "ENETUNREACH", "Network is unreachable";
    NetReset = 102, "ENETRESET", "Network dropped connection on reset";
    ConnAborted = 103, "ECONNABORTED", "Software caused connection abort";
    ConnReset = 104, "ECONNRESET", "Connection reset by peer";
    NoBufs = 105, "ENOBUFS", "No buffer space available";
    IsConn = 106, "EISCONN", "Transport endpoint is already connected";
    NotConn = 107, "ENOTCONN", "Transport endpoint is not connected";
    TimedOut = 110, "ETIMEDOUT", "Connection timed out";
    ConnRefused = 111, "ECONNREFUSED", "Connection refused";
    HostUnreach = 113, "EHOSTUNREACH", "No route to host";
    Already = 114, "EALREADY", "Operation already in progress";
    InProgress = 115, "EINPROGRESS", "Operation now in progress";
    Stale = 116, "ESTALE", "Stale file handle";
    DQuot = 122, "EDQUOT", "Disk quota exceeded";
    Canceled = 125, "ECANCELED", "Operation canceled";
    OwnerDead = 130, "EOWNERDEAD", "Owner died";
    NotRecoverable = 131, "ENOTRECOVERABLE", "State not recoverable";
}

/// The result of the operations of this crate.
pub type Result<T> = std::result::Result<T, Errno>;

impl Errno {
    /// Linux's number.
    pub const fn raw(self) -> i32 {
        self as i32
    }
}

impl From<Errno> for std::io::Error {
    /// On Linux the system's own error. Elsewhere numbers differ, and the error carries this one.
    fn from(errno: Errno) -> Self {
        if cfg!(target_os = "linux") {
            return Self::from_raw_os_error(errno.raw());
        }
        let kind = KINDS.iter().find(|(_, known)| *known == errno).map(|(kind, _)| *kind);
        Self::new(kind.unwrap_or(ErrorKind::Other), errno)
    }
}

/// What the kinds of errors of the host mean.
const KINDS: [(ErrorKind, Errno); 23] = [
    (ErrorKind::NotFound, Errno::NoEnt),
    (ErrorKind::PermissionDenied, Errno::Acces),
    (ErrorKind::AlreadyExists, Errno::Exist),
    (ErrorKind::InvalidInput, Errno::Inval),
    (ErrorKind::InvalidFilename, Errno::NameTooLong),
    (ErrorKind::NotADirectory, Errno::NotDir),
    (ErrorKind::IsADirectory, Errno::IsDir),
    (ErrorKind::DirectoryNotEmpty, Errno::NotEmpty),
    (ErrorKind::ReadOnlyFilesystem, Errno::RoFs),
    (ErrorKind::StorageFull, Errno::NoSpc),
    (ErrorKind::QuotaExceeded, Errno::DQuot),
    (ErrorKind::FileTooLarge, Errno::FBig),
    (ErrorKind::ResourceBusy, Errno::Busy),
    (ErrorKind::ExecutableFileBusy, Errno::TxtBsy),
    (ErrorKind::CrossesDevices, Errno::XDev),
    (ErrorKind::TooManyLinks, Errno::MLink),
    (ErrorKind::NotSeekable, Errno::SPipe),
    (ErrorKind::BrokenPipe, Errno::Pipe),
    (ErrorKind::WouldBlock, Errno::Again),
    (ErrorKind::TimedOut, Errno::TimedOut),
    (ErrorKind::OutOfMemory, Errno::NoMem),
    (ErrorKind::StaleNetworkFileHandle, Errno::Stale),
    (ErrorKind::Unsupported, Errno::NotSup),
];

impl From<&std::io::Error> for Errno {
    /// The error's own number if it has one, otherwise the closest errno for its kind.
    fn from(error: &std::io::Error) -> Self {
        if let Some(own) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return *own;
        }
        match error.raw_os_error() {
            Some(number) if cfg!(target_os = "linux") => return Self::from_raw(number),
            Some(number) => {
                if let Some(known) = system_error(number) {
                    return known;
                }
            }
            None => {}
        }
        let kind = error.kind();
        KINDS.iter().find(|(known, _)| *known == kind).map_or(Self::Io, |(_, errno)| *errno)
    }
}

/// A number of the host whose kind of error says too little.
#[cfg(all(unix, not(target_os = "linux")))]
fn system_error(number: i32) -> Option<Errno> {
    use rustix::io::Errno as Host;
    Some(match Host::from_raw_os_error(number) {
        Host::PERM => Errno::Perm,
        Host::LOOP => Errno::Loop,
        Host::NAMETOOLONG => Errno::NameTooLong,
        Host::NXIO => Errno::NxIo,
        Host::MFILE => Errno::MFile,
        Host::NFILE => Errno::NFile,
        // An encoding that the filesystem does not hold.
        Host::ILSEQ => Errno::Inval,
        _ => return None,
    })
}

/// A number of the host whose kind of error says too little.
#[cfg(windows)]
fn system_error(number: i32) -> Option<Errno> {
    Some(match number {
        // ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION, ERROR_USER_MAPPED_FILE.
        32 | 33 | 1224 => Errno::Busy,
        // ERROR_TOO_MANY_OPEN_FILES.
        4 => Errno::MFile,
        // ERROR_INVALID_NAME.
        123 => Errno::Inval,
        // ERROR_PRIVILEGE_NOT_HELD.
        1314 => Errno::Perm,
        // ERROR_CANT_RESOLVE_FILENAME, ERROR_STOPPED_ON_SYMLINK.
        1921 | 681 => Errno::Loop,
        _ => return None,
    })
}

#[cfg(not(any(windows, all(unix, not(target_os = "linux")))))]
fn system_error(_number: i32) -> Option<Errno> {
    None
}

impl From<std::io::Error> for Errno {
    fn from(error: std::io::Error) -> Self {
        Self::from(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::Errno;

    #[test]
    fn errors_of_the_host_and_back() {
        for errno in [Errno::NoEnt, Errno::Acces, Errno::Loop, Errno::DQuot, Errno::Perm] {
            assert_eq!(Errno::from(std::io::Error::from(errno)), errno);
            let carried = std::io::Error::other(errno);
            assert_eq!(Errno::from(carried), errno);
        }
        assert_eq!(Errno::from(std::io::Error::from(super::ErrorKind::DirectoryNotEmpty)), Errno::NotEmpty);
        assert_eq!(Errno::from(std::io::Error::other("x")), Errno::Io);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn texts_are_those_of_the_c_library() {
        for number in 1..=133 {
            let errno = Errno::from_raw(number);
            if errno.raw() != number {
                continue;
            }
            let expected = std::io::Error::from_raw_os_error(number).to_string();
            assert_eq!(format!("{errno} (os error {number})"), expected, "{}", errno.symbol());
        }
        assert_eq!(Errno::NoEnt.to_string(), "No such file or directory");
    }
}
