//! The virtual filesystem of sandshell.
