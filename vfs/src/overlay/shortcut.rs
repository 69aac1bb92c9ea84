//! Shortcuts for a name in a directory that is shown unchanged: they call the shortcuts of the lower filesystem.

use super::file::{LowerFile, OverlayDirectory};
use super::layers::{Extra, Layers, Place, join, lower_node};
use crate::{Context, File, FileKind, Metadata, Node, Result};
use std::sync::Arc;

/// The result of a shortcut; `None` if it cannot be used.
type Shortcut<T> = Option<Result<T>>;

impl Layers {
    pub(super) fn lookup_metadata(&self, cx: &Context, directory: &Place, name: &[u8]) -> Shortcut<Metadata> {
        let extra = self.extra();
        let (_, below) = self.shown_below(&extra, directory, name)?;
        let metadata = match self.lower.lookup_metadata(cx, &below, name)? {
            Ok(metadata) => metadata,
            Err(errno) => return Some(Err(errno)),
        };
        // The file may have been copied up under another name.
        let several = metadata.nlink > 1 && metadata.kind != FileKind::Directory;
        (!several || !extra.has_links).then_some(Ok(metadata))
    }

    pub(super) fn open_regular(
        self: &Arc<Self>,
        cx: &Context,
        directory: &Place,
        name: &[u8],
    ) -> Shortcut<(Node, Arc<dyn File>)> {
        let extra = self.extra();
        let (path, below) = self.shown_below(&extra, directory, name)?;
        let (node, file) = match self.lower.open_regular(cx, &below, name)? {
            Ok(opened) => opened,
            Err(errno) => return Some(Err(errno)),
        };
        let path = join(&path, name);
        if extra.has_links && self.copied(&extra, &path, &node).is_some() {
            return None;
        }
        let place = Place::Lower { path: path.clone(), node: node.clone() };
        let file = LowerFile::new(Arc::clone(self), place, file);
        Some(Ok((lower_node(path, node), Arc::new(file))))
    }

    pub(super) fn open_directory(
        self: &Arc<Self>,
        cx: &Context,
        directory: &Place,
        name: &[u8],
    ) -> Shortcut<(Node, Arc<dyn File>)> {
        let extra = self.extra();
        let (path, below) = self.shown_below(&extra, directory, name)?;
        let (node, file) = match self.lower.open_directory(cx, &below, name)? {
            Ok(opened) => opened,
            Err(errno) => return Some(Err(errno)),
        };
        let path = join(&path, name);
        let place = Place::Lower { path: path.clone(), node: node.clone() };
        let file = OverlayDirectory::opened(Arc::clone(self), place, file);
        Some(Ok((lower_node(path, node), Arc::new(file))))
    }

    /// The lower directory in which `name` of `directory` is to be looked up, with its path. `None` if the upper layer
    /// knows the name, created the directory, or changed its permissions. Also `None` in case of an error, which the
    /// normal lookup will report.
    fn shown_below(&self, extra: &Extra, directory: &Place, name: &[u8]) -> Option<(Arc<[u8]>, Node)> {
        let ino = match (self.upper_inode(extra, directory), directory) {
            (Some(ino), _) => ino,
            (None, Place::Lower { path, node }) => return Some((path.clone(), node.clone())),
            (None, Place::Upper(_)) => return None,
        };
        let origin = {
            let store = self.live.read();
            let inode = store.get(ino).ok()?;
            let origin = inode.origin.as_ref()?;
            let Metadata { mode, uid, gid, .. } = origin.metadata;
            if inode.names().ok()?.get(name).is_some()
                || (mode, uid, gid) != (inode.mode, inode.uid, inode.gid)
            {
                return None;
            }
            Arc::clone(origin)
        };
        let node = self.lower_at(&origin.path).ok()?;
        Some((Arc::from(&*origin.path), node))
    }
}
