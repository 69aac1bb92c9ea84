//! Uploads: compressed tar archives.

use bytes::{Buf as _, Bytes};
use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

use crate::http::{Unread, inflated};

/// The largest size of an unpacked upload: a file of 1 GiB with the archive around it.
const LARGEST: usize = (1 << 30) + (1 << 20);

/// The contents of an archive, in order.
#[derive(Default)]
pub(super) struct Upload {
    /// Paths, contents and modes of files.
    pub(super) files: Vec<(String, Bytes, u32)>,
    pub(super) directories: Vec<String>,
}

/// Unpacks an archive whose names are relative to `base`; the error says what is wrong with it.
pub(super) async fn unpack(body: Bytes, base: &str) -> Result<Upload, String> {
    let whole = inflated(GzDecoder::new(body.reader()), LARGEST).await.map_err(|why| match why {
        Unread::TooLong => format!("the archive has more than {LARGEST} bytes"),
        Unread::Broken => "the archive is damaged".to_owned(),
        Unread::Full(full) => full.to_string(),
    })?;
    let mut archive = Archive::new(&*whole);
    let mut upload = Upload::default();
    let wrong = |error: std::io::Error| format!("the archive is damaged: {error}");
    for entry in archive.entries().map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'));
        match entry.header().entry_type() {
            EntryType::Directory => upload.directories.push(path.trim_end_matches('/').to_owned()),
            EntryType::Regular | EntryType::Continuous => {
                let mode = entry.header().mode().map_err(wrong)? & 0o7777;
                let range = |from: u64, length: u64| {
                    let from = usize::try_from(from).ok()?;
                    let to = from.checked_add(usize::try_from(length).ok()?)?;
                    (to <= whole.len()).then(|| whole.slice(from..to))
                };
                let content = range(entry.raw_file_position(), entry.size())
                    .ok_or_else(|| format!("{path}: the archive ends within the file"))?;
                upload.files.push((path, content, mode));
            }
            kind => return Err(format!("{path}: entries of type {kind:?} are not emulated")),
        }
    }
    Ok(upload)
}
