//! The devices of /dev.

use crate::error::{Errno, Result};
use crate::random::RandomStream;

/// A character device's driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    Null,
    Zero,
    Full,
    Random,
    Tty,
}

impl Device {
    /// The driver for a device number of Linux.
    pub(crate) fn from_number(rdev: u32) -> Option<Device> {
        let (major, minor) = (rdev >> 8, rdev & 0xff);
        Some(match (major, minor) {
            (1, 3) => Device::Null,
            (1, 5) => Device::Zero,
            (1, 7) => Device::Full,
            (1, 8 | 9) => Device::Random,
            (5, 0) => Device::Tty,
            _ => return None,
        })
    }

    /// Linux's device number.
    pub(crate) fn number(self) -> u32 {
        match self {
            Device::Null => 0x103,
            Device::Zero => 0x105,
            Device::Full => 0x107,
            Device::Random => 0x109,
            Device::Tty => 0x500,
        }
    }

    pub(crate) fn read(self, buf: &mut [u8], random: &mut RandomStream) -> Result<usize> {
        match self {
            Device::Null => Ok(0),
            Device::Zero | Device::Full => {
                buf.fill(0);
                Ok(buf.len())
            }
            Device::Random if random.fill(buf) => Ok(buf.len()),
            Device::Random => Err(Errno::IO),
            Device::Tty => Err(Errno::NXIO),
        }
    }

    pub(crate) fn write(self, buf: &[u8]) -> Result<usize> {
        match self {
            Device::Null | Device::Zero | Device::Random => Ok(buf.len()),
            Device::Full => Err(Errno::NOSPC),
            Device::Tty => Err(Errno::NXIO),
        }
    }
}
