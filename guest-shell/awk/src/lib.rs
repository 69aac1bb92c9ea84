//! awk, as gawk 5.2 answers, for sandshell's guests.
