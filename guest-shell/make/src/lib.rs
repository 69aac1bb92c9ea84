//! GNU `make` 4.3.

/// Runs `make`.
pub fn make_main(_args: Vec<Vec<u8>>) -> i32 {
    2
}
