//! GNU `dc` 1.4.1.

/// Runs `dc`.
pub fn dc_main(_args: Vec<Vec<u8>>) -> i32 {
    1
}
