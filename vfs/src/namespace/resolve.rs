//! From a path to a file, as Linux's `path_resolution(7)` has it.

use super::{Location, Namespace, permission};
use crate::{Context, Errno, FileKind, Follow, LinkTarget, Metadata, Node, Result};

/// Symbolic links followed in one resolution, as Linux's `MAXSYMLINKS`.
const MAX_LINKS: u32 = 40;
/// Names walked in one resolution: a path has at most 2048, and links can make it longer. Linux has no such limit;
/// without it forty links would make one call a walk of eighty thousand names.
const MAX_NAMES: usize = 4096;
/// The longest path that any call takes, in bytes: `PATH_MAX` without the NUL.
pub const MAX_PATH: usize = 4095;
/// Longest name, as `NAME_MAX`.
const MAX_NAME: usize = 255;

/// What a path led to.
pub(super) enum Target {
    Found {
        at: Location,
        /// Attributes that came with the last step, still fresh.
        metadata: Option<Metadata>,
    },
    /// A magic link to a descriptor, in the last place and to be followed.
    Descriptor { pid: u32, fd: u32, location: Option<Location>, link: Location },
}

impl Target {
    pub(super) fn location(self) -> Result<Location> {
        match self {
            Self::Found { at, .. } => Ok(at),
            Self::Descriptor { location, .. } => location.ok_or(Errno::NxIo),
        }
    }

    /// The file, or the magic link when what it stands for has no place.
    pub(super) fn location_or_link(self) -> Result<std::result::Result<Location, Location>> {
        Ok(match self {
            Self::Found { at, .. } => Ok(at),
            Self::Descriptor { location, link, .. } => location.ok_or(link),
        })
    }
}

/// The last component of a path and the directory that it is to be found in.
pub(super) struct Last<'p> {
    pub(super) directory: Location,
    pub(super) name: LastName<'p>,
    /// Slashes come after it.
    pub(super) trailing: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LastName<'p> {
    Normal(&'p [u8]),
    Dot,
    DotDot,
    Root,
}

/// One resolution: it counts the links.
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

    /// The directory and the last name of a path that ends in a plain name; `None` for others.
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

    /// The file of this name, not followed, with its directory's search permission checked; `None` when missing.
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

    /// Counts a link as followed.
    pub(super) fn count_link(&mut self) -> Result<()> {
        self.links += 1;
        if self.links > MAX_LINKS { Err(Errno::Loop) } else { Ok(()) }
    }

    fn walk(&mut self, base: &Location, path: &[u8], follow_last: bool) -> Result<Target> {
        let mut at = if path.first() == Some(&b'/') { self.namespace.root() } else { base.clone() };
        let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).collect();
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

    fn search(&self, directory: &Location) -> Result<()> {
        if self.cx.uid == 0 {
            return Ok(());
        }
        permission::permit(self.cx, &directory.metadata()?, 1)
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

/// The attributes of a single name, where a look into the directory is enough: not for a link that is to be followed,
/// nor for a place where something is mounted.
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
