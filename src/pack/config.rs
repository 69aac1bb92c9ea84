//! The part of a configuration file that is about packs.
//!
//! ```toml
//! [packs]
//! installed = false             # leaves out those that are installed
//! use = ["python", "./mine"]    # installed ones by name, others by directory, which starts at the file
//! ```

use serde::Deserialize;

/// Which packs sandboxes have by default.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PackConfig {
    /// Whether sandboxes have all installed packs. Default: true.
    pub installed: bool,
    /// Further packs: names of installed ones, or directories. A path contains a `/`.
    #[serde(rename = "use")]
    pub used: Vec<String>,
}

impl Default for PackConfig {
    fn default() -> PackConfig {
        PackConfig { installed: true, used: Vec::new() }
    }
}

impl PackConfig {
    /// Reads the table `packs` of a file's text; the defaults if there is none.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn parse(text: &str) -> Result<PackConfig, String> {
        #[derive(Deserialize)]
        struct File {
            #[serde(default)]
            packs: PackConfig,
        }
        let file: Result<File, _> = toml::from_str(text);
        file.map(|file| file.packs).map_err(|error| error.message().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::PackConfig;

    #[test]
    fn a_table_is_read_and_all_else_is_left_to_others() {
        assert_eq!(PackConfig::parse(""), Ok(PackConfig::default()));
        assert_eq!(PackConfig::parse("[sandboxes]\ndefault = 'a'"), Ok(PackConfig::default()));
        let used = PackConfig { installed: false, used: vec!["./a".to_owned()] };
        assert_eq!(PackConfig::parse("[packs]\ninstalled = false\nuse = ['./a']"), Ok(used));
        for bad in ["[packs]\nother = 1", "[packs]\nuse = 'a'", "packs = 1", "[packs"] {
            assert!(PackConfig::parse(bad).is_err(), "{bad}");
        }
    }
}
