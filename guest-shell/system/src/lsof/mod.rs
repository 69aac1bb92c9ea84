//! `lsof` (its version 4.95): the files that processes have open, as `/proc` shows them.

mod files;
mod network;
mod options;
mod report;
mod selection;
mod sockets;

use crate::base::say;
use files::{Place, files};
use options::{Ended, Request};
use report::Report;
use sandshell_cli::out;
use sandshell_posix::users::number;
use sandshell_sys as sys;
use selection::Selection;

/// Runs `lsof` on its arguments (its own name first) and returns the exit status: 1 if something that was asked for was
/// not found.
pub fn lsof_main(args: Vec<Vec<u8>>) -> i32 {
    let code = match Request::read(args.get(1..).unwrap_or_default()) {
        Ok(request) => run(&request),
        Err(Ended::Shown(text)) => {
            out::put(text);
            0
        }
        Err(Ended::Wrong(why)) => {
            say::raw([b"lsof: ", why.as_slice(), b"\nTry 'lsof -h' for more information.\n"].concat());
            1
        }
    };
    out::finish("lsof", code, 1)
}

fn run(request: &Request) -> i32 {
    let mut code = 0;
    // What the caller has open is not ours.
    for fd in sys::read_dir(b"/proc/self/fd").unwrap_or_default() {
        if let Some(fd) = number(&fd.name).and_then(|fd| i32::try_from(fd).ok()).filter(|fd| *fd > 2) {
            let _ = sys::close(fd);
        }
    }
    let mut selection = Selection::new(request);
    for (name, why) in &selection.without_status {
        say::raw(
            [b"lsof: status error on ", name.as_slice(), b": ", why.to_string().as_bytes(), b"\n"].concat(),
        );
        code = 1;
    }
    if selection.has_nothing_left() {
        return code;
    }
    let mut report = Report::new(request);
    let sockets = sockets::sockets();
    let hosts = if request.addresses { Vec::new() } else { sockets::hosts() };
    for process in crate::procps::processes() {
        let Some(chosen) = selection.process(&process) else { continue };
        let mut shown = Vec::new();
        for mut file in files(process.pid, &sockets) {
            if let Some(socket) = &file.socket {
                file.name = socket.name(&hosts);
            }
            let hidden = request.quiet && matches!(file.place, Place::Unknown(_));
            if !hidden && selection.file(&chosen, &mut file) {
                shown.push(file);
            }
        }
        if !shown.is_empty() {
            report.add(process, shown);
        }
    }
    report.print();
    for what in selection.missing() {
        code = if request.may_miss { code } else { 1 };
        if request.verbose {
            out::put([b"lsof: ", what.as_slice(), b"\n"].concat());
        }
    }
    code
}
