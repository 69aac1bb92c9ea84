//! The guest programs, built from source, precompiled and embedded.
//!
//! The build script builds the workspace around this crate for `wasm32-wasip1` and compiles the modules ahead of time.
//! So nothing is compiled when a program that uses sandshell starts: the code is executed in place in the program's own
//! file.

use sandshell_codegen::Aligned;
use sandshell_runtime::{Code, SystemImage, SystemProgram};

/// The shell and the utilities, in the form that the kernel takes.
pub fn image() -> SystemImage {
    SystemImage {
        programs: PROGRAMS
            .iter()
            .map(|p| SystemProgram {
                name: p.name,
                code: Code::Embedded { plain: &p.plain.0, metered: &p.metered.0 },
            })
            .collect(),
        commands: PROGRAMS.iter().flat_map(|p| p.applets.iter().map(|a| (*a, p.name))).collect(),
        ..SystemImage::default()
    }
}

struct Embedded {
    name: &'static str,
    applets: &'static [&'static str],
    plain: &'static Aligned<[u8]>,
    metered: &'static Aligned<[u8]>,
}

include!(concat!(env!("OUT_DIR"), "/programs.rs"));
