//! Names of hosts, and connections to programs in the same sandbox. There is no network: the kernel joins sockets over
//! loopback, and every other address is unreachable.

mod stream;

pub(crate) use sandshell_posix::hosts as name;
pub(crate) use stream::{Deadline, Stream};
