//! `multipart/form-data` bodies.

use bytes::Bytes;

use super::unique;

/// A form with files.
pub(crate) struct Multipart {
    boundary: String,
    body: Vec<u8>,
}

impl Multipart {
    pub(crate) fn new() -> Self {
        Self { boundary: format!("sandshell-{}", unique()), body: Vec::new() }
    }

    /// Adds a field that holds text.
    pub(crate) fn text(mut self, name: &str, value: &str) -> Self {
        self.part(&format!("Content-Disposition: form-data; name=\"{name}\""), value.as_bytes());
        self
    }

    /// Adds a field that holds a file. `file_name` is escaped as browsers do it.
    pub(crate) fn file(mut self, name: &str, file_name: &str, content: &[u8]) -> Self {
        let file_name = file_name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        let head = format!(
            "Content-Disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\nContent-Type: application/octet-stream"
        );
        self.part(&head, content);
        self
    }

    /// The `Content-Type` and the body.
    pub(crate) fn finish(mut self) -> (String, Bytes) {
        self.body.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        (format!("multipart/form-data; boundary={}", self.boundary), self.body.into())
    }

    fn part(&mut self, head: &str, content: &[u8]) {
        self.body.extend_from_slice(format!("--{}\r\n{head}\r\n\r\n", self.boundary).as_bytes());
        self.body.extend_from_slice(content);
        self.body.extend_from_slice(b"\r\n");
    }
}
