//! `multipart/form-data` bodies.

use bytes::Bytes;

use super::{Pieces, unique};
use crate::FileSource;

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

    /// Adds a field that holds a file. `file_name` is escaped as browsers do.
    pub(crate) fn file(mut self, name: &str, file_name: &str, content: &[u8]) -> Self {
        self.part(&file_head(name, file_name), content);
        self
    }

    /// Adds a file as the last field and ends the form. Returns the `Content-Type` and the body.
    pub(crate) fn finish_with(
        mut self,
        name: &str,
        file_name: &str,
        content: FileSource,
    ) -> (String, Pieces) {
        let head = format!("--{}\r\n{}\r\n\r\n", self.boundary, file_head(name, file_name));
        self.body.extend_from_slice(head.as_bytes());
        let after = format!("\r\n--{}--\r\n", self.boundary);
        let pieces = Pieces::within(self.body.into(), content, after.into());
        (format!("multipart/form-data; boundary={}", self.boundary), pieces)
    }

    /// Ends the form. Returns the `Content-Type` and the body.
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

fn file_head(name: &str, file_name: &str) -> String {
    let file_name = file_name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
    format!(
        "Content-Disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\nContent-Type: application/octet-stream"
    )
}
