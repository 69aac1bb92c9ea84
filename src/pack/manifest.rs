//! `pack.toml`.

use crate::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A pack's description. A recipe has a [`Build`]; building it adds the hashes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Lower-case letters, digits and `-`.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// A summary of one line.
    #[serde(default)]
    pub summary: String,
    /// Names in `/usr/bin` that start the program. The program gets the name in its first argument.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Names of packs that this one has everything of: a sandbox that has this pack does not get them, too.
    #[serde(default)]
    pub replaces: Vec<String>,
    /// The program.
    pub program: Option<Program>,
    /// Trees of files that belong to the program.
    #[serde(default, rename = "tree")]
    pub trees: Vec<Tree>,
    /// The published parts that it is made of.
    #[serde(default, rename = "component")]
    pub components: Vec<Component>,
    /// How it is built.
    pub build: Option<Build>,
}

/// A pack's program.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its file, below the pack's directory.
    pub file: String,
    /// The file's SHA-256 in hexadecimal; added by the build.
    pub sha256: Option<String>,
}

/// A directory of a pack and its place in sandboxes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// Below the pack's directory.
    pub from: String,
    /// Absolute path in the sandbox.
    pub at: String,
    /// The tree's hash ([`tree_hash`](super::tree_hash)); added by the build.
    pub sha256: Option<String>,
}

/// A part of a pack that somebody published.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its licence, as an SPDX expression.
    pub licence: String,
    /// Where it comes from.
    pub source: String,
}

/// How a pack is built: a Python script of the recipe, run by the host's Python in an environment of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The script, run as `SCRIPT RECIPE OUT`: it puts the program and the trees into the directory OUT.
    pub script: String,
    /// What `pip` installs for it from the Python package index, each with its exact version.
    #[serde(default)]
    pub requirements: Vec<String>,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// `InvalidRequest`.
    pub fn read(path: &Path) -> Result<Manifest> {
        let invalid =
            |why: String| Error::new(ErrorKind::InvalidRequest, format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| invalid(error.to_string()))?;
        let manifest: Manifest = toml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        manifest.check().map_err(invalid)?;
        Ok(manifest)
    }

    /// The manifest's text.
    ///
    /// # Errors
    /// `Unexpected`.
    pub fn text(&self) -> Result<String> {
        toml::to_string(self).map_err(|error| Error::new(ErrorKind::Unexpected, error.to_string()))
    }

    /// Checks names and paths: paths of the pack must stay in its directory, and paths in the sandbox must be
    /// absolute.
    fn check(&self) -> std::result::Result<(), String> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if self.name.is_empty() || !self.name.bytes().all(plain) {
            return Err(format!("{:?} is not a pack's name: lower-case letters, digits and -", self.name));
        }
        if let Some(command) = self.commands.iter().find(|name| is_no_command(name)) {
            return Err(format!("{command:?} is not a command's name"));
        }
        let below = |path: &str| {
            let parts = Path::new(path).components();
            !path.is_empty() && parts.into_iter().all(|part| matches!(part, std::path::Component::Normal(_)))
        };
        let files = self.program.iter().map(|program| &program.file);
        let mut inside = files.chain(self.trees.iter().map(|tree| &tree.from));
        if let Some(path) = inside.find(|path| !below(path)) {
            return Err(format!("{path:?} is not a path below the pack"));
        }
        match self.trees.iter().find(|tree| !tree.at.starts_with('/')) {
            Some(tree) => Err(format!("{:?} is not an absolute path", tree.at)),
            None => Ok(()),
        }
    }
}

/// A file of this name could not be made, and no sandbox could be made with it.
fn is_no_command(name: &str) -> bool {
    matches!(name, "" | "." | "..") || name.len() > 255 || name.contains(['/', '\0'])
}

#[cfg(test)]
mod tests {
    use super::Manifest;

    #[test]
    fn names_and_paths_are_checked() {
        let check =
            |text: &str| toml::from_str::<Manifest>(text).map_err(|e| e.to_string()).and_then(|m| m.check());
        let start = "name = 'a-1'\nversion = '1'\n";
        assert_eq!(check(start), Ok(()));
        for bad in [
            "name = '../a'\nversion = '1'\n",
            "name = 'a'\nversion = '1'\ncommands = ['x/y']\n",
            "name = 'a'\nversion = '1'\ncommands = ['..']\n",
            "name = 'a'\nversion = '1'\n[program]\nfile = '/etc/passwd'\n",
            "name = 'a'\nversion = '1'\n[[tree]]\nfrom = '../x'\nat = '/x'\n",
            "name = 'a'\nversion = '1'\n[[tree]]\nfrom = 'x'\nat = 'x'\n",
            "name = 'a'\nversion = '1'\nother = 1\n",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
