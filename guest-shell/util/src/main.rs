//! All utilities in one program. The name it is called by selects the applet.

mod applets;
mod missing;

use std::ffi::OsString;
use std::io::Write;

fn main() {
    sandshell_sys::init();
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let mut name = sandshell_sys::applet();
    if let Some(code) = missing::pack(&name, &args) {
        sandshell_sys::exit(code);
    }
    if applets::find(&name).is_none() && args.len() > 1 {
        // For development: `util NAME ARGS…`.
        args.remove(0);
        name = args[0].as_encoded_bytes().rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    }
    let code = match applets::find(&name) {
        Some(applet) => (applet.run)(args),
        None => {
            let mut err = std::io::stderr();
            let _ = writeln!(err, "{}: applet not found; there are:", String::from_utf8_lossy(&name));
            for applet in applets::APPLETS {
                let _ = writeln!(err, "  {:<12} {}", applet.name, applet.about);
            }
            127
        }
    };
    let _ = std::io::stdout().flush();
    sandshell_sys::exit((code & 0xff) as u8);
}
