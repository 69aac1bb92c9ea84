//! The shell's parser handles any bytes without a panic, a stack overflow or an endless loop.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| sandshell_syntax::parser::fuzz_parse(text));
