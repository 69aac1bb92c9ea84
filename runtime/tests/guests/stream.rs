//! A program whose first argument selects what it does.

use std::io::{self, Write};

fn main() -> Result<(), String> {
    match std::env::args().nth(1).unwrap_or_default().as_str() {
        "copy" => {
            let copied = io::copy(&mut io::stdin(), &mut io::stdout().lock()).map_err(|e| e.to_string())?;
            io::stdout().flush().map_err(|e| e.to_string())?;
            assert!(copied > 0);
        }
        "spin" => {
            let mut n = 0u64;
            loop {
                n = std::hint::black_box(n.wrapping_add(1));
            }
        }
        "sleep" => std::thread::sleep(std::time::Duration::from_secs(3600)),
        "crash" => std::process::abort(),
        _ => return Err("failed as asked".to_owned()),
    }
    Ok(())
}
