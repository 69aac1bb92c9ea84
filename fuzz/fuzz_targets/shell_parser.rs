//! The shell's parser reads any bytes without a panic, an overflow of the stack or an endless loop.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| sandshell_syntax::parser::fuzz_parse(text));
