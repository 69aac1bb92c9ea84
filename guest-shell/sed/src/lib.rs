//! GNU sed 4.9 for sandshell's guests.
