//! Questions to the user.

use sandshell_sys as sys;

/// Reads a line of standard input. Returns whether it means yes.
pub fn yes() -> bool {
    let mut line = Vec::new();
    let mut one = [0];
    while let Ok(1) = sys::read(0, &mut one) {
        if one[0] == b'\n' {
            break;
        }
        line.push(one[0]);
    }
    matches!(line.first(), Some(b'y' | b'Y'))
}
