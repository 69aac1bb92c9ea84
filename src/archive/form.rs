//! The forms of archives: tar, compressed tar, and a form of our own that also says what kind of sandbox it was.
//!
//! Our own is a line, [`LINE`], and then a gzip stream of the length of a description (4 bytes, little endian), the
//! description in JSON, and the tar archive.

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use sandshell_providers::local::Description;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

/// The beginning of our own form, whose last character before the end of the line is its version.
const LINE: &[u8] = b"sandshell sandbox 1\n";

/// What all versions of our own form begin with.
const ANY: &[u8] = b"sandshell sandbox ";

/// The most bytes of a description, and of what follows an archive.
const LONGEST: u64 = 16 << 20;

/// How a sandbox is written to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A tar archive of its files, which container tools read as a layer.
    #[default]
    Tar,
    /// The same, compressed by gzip.
    TarGz,
    /// The files, compressed, with labels, variables, working directory and limits.
    Sandbox,
}

impl Form {
    /// What the name of a file asks for: `.tar.gz` and `.tgz`, `.sandbox`, or anything else for a plain archive.
    pub fn of(file: &Path) -> Self {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if name.ends_with(".tar.gz") || name.ends_with(".tgz") {
            return Self::TarGz;
        }
        if name.ends_with(".sandbox") { Self::Sandbox } else { Self::Tar }
    }
}

/// Writes an archive in this form. `write` writes the tar archive.
pub(super) fn write<W: Write>(
    form: Form,
    description: &Description,
    mut to: W,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if form == Form::Tar {
        return write(&mut to);
    }
    if form == Form::Sandbox {
        to.write_all(LINE)?;
    }
    let mut packed = GzEncoder::new(to, Compression::default());
    if form == Form::Sandbox {
        let description = serde_json::to_vec(description).map_err(io::Error::other)?;
        let length = u32::try_from(description.len()).map_err(io::Error::other)?;
        packed.write_all(&length.to_le_bytes())?;
        packed.write_all(&description)?;
    }
    write(&mut packed)?;
    packed.finish()?.flush()
}

/// The tar archive in a file of any form, and the description if it has one. Nothing about the bytes is believed.
pub(super) fn read<R: BufRead + Send + 'static>(
    mut from: R,
) -> Result<(Option<Description>, Box<dyn Read + Send>), String> {
    let failed = |error: io::Error| error.to_string();
    let mut begin = Vec::new();
    from.by_ref().take(LINE.len() as u64).read_to_end(&mut begin).map_err(failed)?;
    if begin == LINE {
        let mut unpacked = MultiGzDecoder::new(from);
        let mut length = [0; 4];
        unpacked.read_exact(&mut length).map_err(failed)?;
        let length = u64::from(u32::from_le_bytes(length));
        if length > LONGEST {
            return Err(format!("its description has more than {LONGEST} bytes"));
        }
        let mut text = Vec::new();
        unpacked.by_ref().take(length).read_to_end(&mut text).map_err(failed)?;
        let description = serde_json::from_slice(&text);
        let description = description.map_err(|error| format!("its description is damaged: {error}"))?;
        return Ok((Some(description), Box::new(unpacked)));
    }
    if begin.starts_with(ANY) {
        return Err("it is of a newer version: use a newer sandshell".to_owned());
    }
    let packed = begin.starts_with(&[0x1f, 0x8b]);
    let whole = io::Cursor::new(begin).chain(from);
    Ok((None, if packed { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) }))
}

/// Reads what follows an archive, so that the checksum at the end of a compressed one is compared.
pub(super) fn finish(rest: &mut dyn Read) -> Result<(), String> {
    let padding = io::copy(&mut rest.take(LONGEST), &mut io::sink()).map_err(|error| error.to_string())?;
    match padding {
        LONGEST => Err(format!("{LONGEST} bytes and more follow the archive")),
        _ => Ok(()),
    }
}
