//! What `--version` says.

use std::sync::LazyLock;

/// The version, the commit, the target and the guests' hash, each on a line.
pub(crate) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let commit = match env!("SANDSHELL_COMMIT") {
            "" => "a development build",
            commit => commit,
        };
        let target = sandshell::runtime::engine_config::TARGET;
        let (version, guests) = (env!("CARGO_PKG_VERSION"), sandshell::guests_hash());
        format!("{version}\ncommit: {commit}\ntarget: {target}\nguests: {guests}")
    });
    &TEXT
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_says_what_the_program_is_made_of() {
        let lines: Vec<&str> = super::long().lines().collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[0], env!("CARGO_PKG_VERSION"));
        assert!(lines[2].contains(std::env::consts::ARCH), "{lines:?}");
        let guests = lines[3].strip_prefix("guests: ").expect("the guests");
        assert!(guests.len() == 64 && guests.bytes().all(|byte| byte.is_ascii_hexdigit()), "{guests}");
    }
}
