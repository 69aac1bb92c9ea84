//! Tells the host which commands a guest program contains.

/// Records the program's commands in its wasm file, in the custom section `sandshell.applets`, one on each line. In
/// native builds it does nothing.
///
/// ```
/// sandshell_sys::applets!("bash", "sh");
/// ```
#[macro_export]
macro_rules! applets {
    ($($name:literal),* $(,)?) => {
        #[cfg(target_os = "wasi")]
        const _: () = {
            const TEXT: &[u8] = concat!($($name, "\n"),*).as_bytes();
            #[used]
            #[unsafe(link_section = "sandshell.applets")]
            static SECTION: [u8; TEXT.len()] = *match TEXT.first_chunk() {
                Some(bytes) => bytes,
                None => panic!("the chunk is as long as the text"),
            };
        };
    };
}
