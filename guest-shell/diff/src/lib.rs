//! cmp, diff, diff3 and patch for sandshell's guests.
