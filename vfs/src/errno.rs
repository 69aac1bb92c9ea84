//! Error numbers: POSIX names, Linux numbers, glibc texts.

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
    fn from(errno: Errno) -> Self {
        Self::from_raw_os_error(errno.raw())
    }
}

impl From<&std::io::Error> for Errno {
    /// The error's own number if it has one, otherwise the closest errno for its kind.
    fn from(error: &std::io::Error) -> Self {
        use std::io::ErrorKind as Kind;
        if let Some(number) = error.raw_os_error() {
            return Self::from_raw(number);
        }
        match error.kind() {
            Kind::NotFound => Self::NoEnt,
            Kind::PermissionDenied => Self::Acces,
            Kind::AlreadyExists => Self::Exist,
            Kind::InvalidInput => Self::Inval,
            Kind::NotADirectory => Self::NotDir,
            Kind::IsADirectory => Self::IsDir,
            Kind::DirectoryNotEmpty => Self::NotEmpty,
            Kind::ReadOnlyFilesystem => Self::RoFs,
            Kind::StorageFull => Self::NoSpc,
            Kind::Unsupported => Self::NotSup,
            _ => Self::Io,
        }
    }
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
