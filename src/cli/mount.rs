//! `--mount HOST:GUEST[:ro|rw|overlay]`.

use std::path::PathBuf;
use std::str::FromStr;

/// How the sandbox may use a host directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MountMode {
    ReadOnly,
    ReadWrite,
    Overlay,
}

/// A host directory and its place in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MountSpec {
    pub(crate) host: PathBuf,
    pub(crate) guest: String,
    pub(crate) mode: MountMode,
}

impl FromStr for MountSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (rest, mode) = match text.rsplit_once(':') {
            Some((rest, "ro")) => (rest, MountMode::ReadOnly),
            Some((rest, "rw")) => (rest, MountMode::ReadWrite),
            Some((rest, "overlay")) => (rest, MountMode::Overlay),
            _ => (text, MountMode::ReadOnly),
        };
        // The guest path is absolute, so the last ":/" separates the two paths even if the host path contains a
        // colon.
        match rest.rsplit_once(":/") {
            Some((host, guest)) if !host.is_empty() => {
                Ok(Self { host: host.into(), guest: format!("/{guest}"), mode })
            }
            _ => Err("expected HOST:GUEST[:ro|rw|overlay] with an absolute GUEST path".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_and_colons() {
        let m = |t: &str| t.parse::<MountSpec>();
        assert_eq!(
            m(".:/workspace:overlay"),
            Ok(MountSpec { host: ".".into(), guest: "/workspace".into(), mode: MountMode::Overlay })
        );
        assert_eq!(
            m("/a:b:/c"),
            Ok(MountSpec { host: "/a:b".into(), guest: "/c".into(), mode: MountMode::ReadOnly })
        );
        for bad in ["", "x", "x:y", ":/y", "x:y:rw"] {
            assert!(m(bad).is_err(), "{bad}");
        }
    }
}
