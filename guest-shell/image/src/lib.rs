//! The guest programs, built from source, precompiled and embedded.
//!
//! The build script builds the workspace around this crate for `wasm32-wasip1`, or takes the modules that the packaged
//! crate carries, and compiles them ahead of time for the target. So nothing is compiled when a program that uses
//! sandshell starts: the code is executed in place in the program's own file.

use sandshell_codegen::Aligned;
use sandshell_runtime::{Code, PackedCode, SystemImage, SystemProgram};

/// The shell and the utilities, in the form that the kernel takes.
pub fn image() -> SystemImage {
    SystemImage {
        programs: PROGRAMS
            .iter()
            .map(|p| SystemProgram {
                name: p.name,
                code: Code::Embedded { plain: &p.plain.0, metered: p.metered },
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
    metered: PackedCode,
}

/// The SHA-256 of all guests' modules together, in hexadecimal: it says which guests a program carries.
pub const HASH: &str = GUESTS_HASH;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));
