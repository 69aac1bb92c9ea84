//! Resolves paths as Linux's `path_resolution(7)` describes.

use super::{Location, Namespace};
use crate::permit::permit;
use crate::{Context, Errno, FileKind, Follow, LinkTarget, MAX_PATH, Metadata, Node, Result};

/// The most symbolic links in one resolution, as Linux's `MAXSYMLINKS`.
const MAX_LINKS: u32 = 40;
/// The most names in one resolution. A path has at most 2048, and links can make it longer. Linux has no such limit,
/// but without it forty links could make one call walk eighty thousand names.
const MAX_NAMES: usize = 4096;
/// The longest name in bytes, as `NAME_MAX`.
const MAX_NAME: usize = 255;

/// The result of resolving a path.
pub(super) enum Target {
    Found {
        at: Location,
        /// Attributes, if the last step returned them.
        metadata: Option<Metadata>,
    },
    /// A magic link to a descriptor, as the last component, which is to be followed.
    Descriptor { pid: u32, fd: u32, location: Option<Location>, link: Location },
}

impl Target {
    pub(super) fn location(self) -> Result<Location> {
        match self {
            Self::Found { at, .. } => Ok(at),
            Self::Descriptor { location, .. } => location.ok_or(Errno::NxIo),
        }
    }

    /// The file, or the magic link itself if its target has no location.
    pub(super) fn location_or_link(self) -> Result<std::result::Result<Location, Location>> {
        Ok(match self {
            Self::Found { at, .. } => Ok(at),
            Self::Descriptor { location, link, .. } => location.ok_or(link),
        })
    }
}

/// The last component of a path, and its directory.
pub(super) struct Last<'p> {
    pub(super) directory: Location,
    pub(super) name: LastName<'p>,
    /// Whether slashes follow it.
    pub(super) trailing: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LastName<'p> {
    Normal(&'p [u8]),
    Dot,
    DotDot,
    Root,
}

/// One resolution, which counts links and names.
pub(super) struct Resolver<'a> {
    namespace: &'a Namespace,
    cx: &'a Context,
    links: u32,
    names: usize,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(namespace: &'a Namespace, cx: &'a Context) -> Self {
        Self { namespace, cx, links: 0, names: 0 }
    }

    pub(super) fn resolve(&mut self, base: &Location, path: &[u8], follow: Follow) -> Result<Target> {
        check(path)?;
        self.walk(base, path, follow == Follow::Yes)
    }

    /// The directory and the last name of a path that ends with a plain name; `None` for others.
    pub(super) fn split<'p>(
        &mut self,
        base: &Location,
        path: &'p [u8],
    ) -> Result<Option<(Location, &'p [u8])>> {
        check(path)?;
        let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |index| index + 1);
        let (prefix, name) = path.split_at(start);
        if name.is_empty() || !is_plain(name) {
            return Ok(None);
        }
        let directory =
            if prefix.is_empty() { base.clone() } else { self.walk(base, prefix, true)?.location()? };
        if directory.kind() != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        Ok(Some((directory, name)))
    }

    /// Resolves the name that [`split`](Self::split) found.
    pub(super) fn finish(&mut self, directory: &Location, name: &[u8], follow: Follow) -> Result<Target> {
        self.walk(directory, name, follow == Follow::Yes)
    }

    /// Resolves all but the last component.
    pub(super) fn parent<'p>(&mut self, base: &Location, path: &'p [u8]) -> Result<Last<'p>> {
        check(path)?;
        let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |index| index + 1);
        let trailing = end < path.len();
        let path = path.get(..end).unwrap_or_default();
        let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |index| index + 1);
        let (prefix, name) = path.split_at(start);
        let name = match name {
            b"" => {
                return Ok(Last { directory: self.namespace.root(), name: LastName::Root, trailing });
            }
            b"." => LastName::Dot,
            b".." => LastName::DotDot,
            name => LastName::Normal(name),
        };
        let directory =
            if prefix.is_empty() { base.clone() } else { self.walk(base, prefix, true)?.location()? };
        if directory.kind() != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        Ok(Last { directory, name, trailing })
    }

    /// The file of this name, without following a link. Checks the directory's search permission. `None` if it does not
    /// exist.
    pub(super) fn child(
        &self,
        directory: &Location,
        name: &[u8],
    ) -> Result<Option<(Node, Option<Metadata>)>> {
        if name.len() > MAX_NAME {
            self.search(directory)?;
            return Err(Errno::NameTooLong);
        }
        match directory.fs().walk(self.cx, directory.node(), &[name], &[]) {
            Ok(walk) => Ok(Some((walk.node, walk.metadata))),
            Err(Errno::NoEnt) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// Counts a link that is followed. `ELOOP` if there are too many.
    pub(super) fn count_link(&mut self) -> Result<()> {
        self.links += 1;
        if self.links > MAX_LINKS { Err(Errno::Loop) } else { Ok(()) }
    }

    fn walk(&mut self, base: &Location, path: &[u8], follow_last: bool) -> Result<Target> {
        if let Some(at) = self.known(base, path) {
            return Ok(Target::Found { at, metadata: None });
        }
        let mut at = if path.first() == Some(&b'/') { self.namespace.root() } else { base.clone() };
        let mut names = Vec::with_capacity(path.iter().filter(|byte| **byte == b'/').count() + 1);
        names.extend(path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()));
        let trailing = !names.is_empty() && path.last() == Some(&b'/');
        let follow_last = follow_last || trailing;
        self.names += names.len();
        if self.names > MAX_NAMES {
            return Err(Errno::Loop);
        }
        let mut rest = names.as_slice();
        let mut metadata = None;
        while let Some((first, others)) = rest.split_first() {
            if at.kind() != FileKind::Directory {
                return Err(Errno::NotDir);
            }
            if !is_plain(first) {
                self.search(&at)?;
                match *first {
                    b"." => {}
                    b".." => at = self.dot_dot(at)?,
                    _ => return Err(Errno::NameTooLong),
                }
                metadata = None;
                rest = others;
                continue;
            }
            let run = rest.iter().take_while(|name| is_plain(name)).count();
            let children = at.mount.children();
            // The one name between a mount point, or a link, and the last name: walks of several use what is known.
            if trailing
                && rest.len() == 1
                && let Some(node) = at.fs().known_directory(self.cx, at.node(), first, &children.inos)
            {
                return Ok(Target::Found { at: at.at(node), metadata: None });
            }
            let step =
                at.fs().walk(self.cx, at.node(), rest.get(..run).unwrap_or_default(), &children.inos)?;
            rest = rest.get(step.consumed.max(1)..).unwrap_or_default();
            metadata = step.metadata;
            let last = rest.is_empty();
            if step.node.kind() == FileKind::Symlink && (!last || follow_last) {
                self.count_link()?;
                let directory = at.at(step.directory.ok_or(Errno::Io)?);
                let link = at.at(step.node);
                let target = match link.fs().follow_link(self.cx, link.node())? {
                    LinkTarget::Path(text) if text.is_empty() => return Err(Errno::NoEnt),
                    LinkTarget::Path(text) => self.walk(&directory, &text, true)?,
                    LinkTarget::Location(at) => Target::Found { at, metadata: None },
                    LinkTarget::Descriptor { pid, fd, location } => {
                        Target::Descriptor { pid, fd, location, link }
                    }
                };
                match target {
                    Target::Found { at: next, metadata: its } => (at, metadata) = (next, its),
                    Target::Descriptor { .. } if last && !trailing => return Ok(target),
                    Target::Descriptor { location, .. } => {
                        (at, metadata) = (location.ok_or(Errno::NotDir)?, None)
                    }
                }
            } else if children.covers(step.node.ino()) {
                at = at.at(step.node).covered();
                metadata = None;
            } else {
                at = at.at(step.node);
            }
        }
        if trailing && at.kind() != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        Ok(Target::Found { at, metadata })
    }

    /// The directory at a relative path, if its filesystem knows it without a walk. A name alone is not asked for: it
    /// is mostly a file's.
    fn known(&self, base: &Location, path: &[u8]) -> Option<Location> {
        if path.starts_with(b"/") || !path.contains(&b'/') {
            return None;
        }
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let children = base.mount.children();
        let node = base.fs().known_directory(self.cx, base.node(), path, &children.inos)?;
        Some(base.at(node))
    }

    fn search(&self, directory: &Location) -> Result<()> {
        if self.cx.uid == 0 {
            return Ok(());
        }
        permit(self.cx, &directory.metadata()?, 1)
    }

    fn dot_dot(&self, at: Location) -> Result<Location> {
        let mut at = at;
        loop {
            if at.node.ino() != at.mount.root.ino() {
                let parent = at.fs().parent(at.node())?;
                return Ok(at.at(parent).covered());
            }
            let above = at.mount.above.clone();
            match above {
                Some(above) => at = above,
                None => return Ok(at),
            }
        }
    }
}

/// The attributes of a name through the filesystem's shortcut. `None` if there is none, if the name is a link that is
/// to be followed, or if something is mounted there.
pub(super) fn lookup_metadata(
    cx: &Context,
    directory: &Location,
    name: &[u8],
    follow: Follow,
) -> Result<Option<Metadata>> {
    let Some(metadata) = directory.fs().lookup_metadata(cx, directory.node(), name) else {
        return Ok(None);
    };
    let metadata = metadata?;
    let link = metadata.kind == FileKind::Symlink && follow == Follow::Yes;
    if link || directory.mount.children().covers(metadata.ino) {
        return Ok(None);
    }
    Ok(Some(directory.with_device(metadata)))
}

fn is_plain(name: &[u8]) -> bool {
    name != b"." && name != b".." && name.len() <= MAX_NAME
}

fn check(path: &[u8]) -> Result<()> {
    match path {
        [] => Err(Errno::NoEnt),
        path if path.len() > MAX_PATH => Err(Errno::NameTooLong),
        path if path.contains(&0) => Err(Errno::Inval),
        _ => Ok(()),
    }
}
