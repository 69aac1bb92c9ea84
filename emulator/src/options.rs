//! The options of an emulator.

/// The options of an emulator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The only key that is accepted. `None`: any key is accepted, but there must be one.
    pub api_key: Option<String>,
    /// Accepts requests for any host name, which is needed if other machines use it. If false (the default), only
    /// requests for `localhost` and the loopback addresses are accepted, so that no web page can reach it with a
    /// host name that resolves to this machine.
    pub any_host: bool,
}

impl Options {
    /// Accepts only this key.
    #[must_use]
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Accepts requests for any host name.
    #[must_use]
    pub fn any_host(mut self) -> Self {
        self.any_host = true;
        self
    }
}
