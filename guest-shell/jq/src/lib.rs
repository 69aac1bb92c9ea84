//! The command line of jq 1.7 over the jaq interpreter, for sandshell's guests.
