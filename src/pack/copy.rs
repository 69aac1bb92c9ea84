//! Copies of directories that somebody may be changing.

use sandshell_vfs::{
    Context, Errno, File, FileKind, Follow, HostAccess, HostDir, MountOptions, Namespace, OpenOptions,
    Opened, SetAttributes, Surveyed, Surveyor, quoted,
};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

const CX: &Context = &Context::ROOT;

/// How many bytes are copied at a time.
const PIECE: usize = 256 << 10;

/// Copies the files and directories below `from` to the directory `to`, with their permissions. Links are refused: they
/// would bring files from elsewhere. Nothing from outside of `from` is copied, even if somebody puts links there
/// meanwhile.
///
/// # Errors
/// Those of the host; `InvalidInput` if there is anything other than files and directories.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let (source, target) = (tree(from, HostAccess::ReadOnly)?, tree(to, HostAccess::ReadWrite)?);
    let mut list = List::default();
    source.survey(CX, &source.root(), &mut list);
    if let Some((path, errno)) = list.failed {
        return Err(failed(&path, errno));
    }
    for (path, kind) in list.found {
        match kind {
            FileKind::Directory => {
                target.create_dir(CX, &target.root(), &path, 0o755).map_err(|errno| failed(&path, errno))?;
            }
            FileKind::Regular => file(&source, &target, &path).map_err(|errno| failed(&path, errno))?,
            _ => {
                let message = format!("{} is neither a file nor a directory", quoted(&path));
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
        }
    }
    Ok(())
}

/// A directory of the host whose links lead nowhere else.
fn tree(path: &Path, access: HostAccess) -> io::Result<Namespace> {
    Ok(Namespace::new(Arc::new(HostDir::open(path, access)?), MountOptions::default()))
}

fn file(source: &Namespace, target: &Namespace, path: &[u8]) -> Result<(), Errno> {
    let mode = source.metadata(CX, &source.root(), path, Follow::No)?.mode & 0o777;
    let from = opened(source, path, &OpenOptions { nofollow: true, ..OpenOptions::READ })?;
    let how = OpenOptions { exclusive: true, mode: 0o600, ..OpenOptions::WRITE };
    let to = opened(target, path, &how)?;
    let (mut buffer, mut done) = (vec![0; PIECE], 0);
    loop {
        let count = from.read_at(&mut buffer, done)?;
        let mut rest = buffer.get(..count).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
        while !rest.is_empty() {
            let written = to.write_at(rest, done)?;
            if written == 0 {
                return Err(Errno::NoSpc);
            }
            done += written as u64;
            rest = rest.get(written..).unwrap_or_default();
        }
    }
    to.set_attributes(CX, &SetAttributes { mode: Some(mode), ..SetAttributes::default() })
}

fn opened(tree: &Namespace, path: &[u8], how: &OpenOptions) -> Result<Arc<dyn File>, Errno> {
    match tree.open(CX, &tree.root(), path, how)? {
        Opened::File { file, .. } => Ok(file),
        _ => Err(Errno::Io),
    }
}

fn failed(path: &[u8], errno: Errno) -> io::Error {
    io::Error::other(format!("{}: {errno}", quoted(path)))
}

/// Everything below a directory, directories before what is in them.
#[derive(Default)]
struct List {
    found: Vec<(Vec<u8>, FileKind)>,
    failed: Option<(Vec<u8>, Errno)>,
}

impl Surveyor for List {
    fn entry(&mut self, below: &[u8], entry: Surveyed<'_>) -> ControlFlow<()> {
        self.found.push((below.to_vec(), entry.kind()));
        ControlFlow::Continue(())
    }

    fn enter(&mut self, _below: &[u8]) -> bool {
        true
    }

    fn left_out(&mut self, below: &[u8], errno: Errno) {
        self.failed = Some((below.to_vec(), errno));
    }
}
