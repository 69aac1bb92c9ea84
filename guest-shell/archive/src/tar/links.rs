//! Removes unsafe prefixes from names. Each prefix is reported once.

use super::header::Entry;
use super::log;
use super::members::changed;
use super::names::unsafe_prefix;
use super::options::Options;
use super::transform::Of;

#[derive(Default)]
pub(crate) struct Prefixes {
    told: Vec<(Vec<u8>, bool)>,
}

impl Prefixes {
    /// The name without a prefix that leads out of the directory; unchanged with `-P`.
    pub(crate) fn safe(&mut self, options: &Options, name: &[u8], link_target: bool) -> Vec<u8> {
        if options.absolute {
            return name.to_vec();
        }
        let (prefix, mut rest) = name.split_at(unsafe_prefix(name).min(name.len()));
        if !prefix.is_empty() && !self.told.iter().any(|(p, l)| p == prefix && *l == link_target) {
            self.told.push((prefix.to_vec(), link_target));
            let what: &[u8] = if link_target { b"hard link targets" } else { b"member names" };
            log::warn([b"Removing leading `", prefix, b"' from ", what].concat());
        }
        if rest.is_empty() {
            let empty = (b"empty".to_vec(), link_target);
            if !self.told.contains(&empty) {
                self.told.push(empty);
                let what = if link_target { "hard link target" } else { "member name" };
                log::warn(format!("Substituting `.' for empty {what}"));
            }
            rest = b".";
        }
        rest.to_vec()
    }

    /// The same for the member's target, if the member is a hard link.
    pub(crate) fn safe_target(&mut self, options: &Options, entry: &Entry) -> Option<Vec<u8>> {
        if entry.kind != b'1' {
            return None;
        }
        let target = changed(options, &entry.link, Of::Hardlink)?;
        Some(self.safe(options, &target, true))
    }
}
