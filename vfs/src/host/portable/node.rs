//! Handles on host files.

use super::super::LARGE;
use super::super::budget::DescriptorPermit;
use super::directory::{Directory, Entry};
use super::exact::Id;
use super::owner::Owner;
use super::system::{self, PRIVILEGES};
use crate::{Access, Errno, Metadata, Node, Result, SetAttributes, time_budget};

use std::fs::File;
use std::sync::Arc;

/// A host file that was found.
#[derive(Clone)]
pub(super) struct HostNode {
    body: Body,
    /// The attributes when it was found.
    first: Metadata,
}

#[derive(Clone)]
enum Body {
    Directory(Arc<Directory>),
    Entry(Entry),
    /// A symbolic link, with its text.
    Link(Entry, Arc<[u8]>),
    /// A new file, open for reading and writing whatever its mode is.
    Created(Entry, Arc<(File, DescriptorPermit)>),
}

impl HostNode {
    pub(super) fn directory(directory: Arc<Directory>, first: Metadata) -> Self {
        Self { body: Body::Directory(directory), first }
    }

    pub(super) fn entry(entry: Entry, first: Metadata) -> Self {
        Self { body: Body::Entry(entry), first }
    }

    pub(super) fn link(entry: Entry, text: Arc<[u8]>, first: Metadata) -> Self {
        Self { body: Body::Link(entry, text), first }
    }

    /// A new regular file, open for reading and writing.
    pub(super) fn created(
        file: File,
        held: DescriptorPermit,
        owner: &Owner,
        (parent, name): (Arc<Directory>, &[u8]),
    ) -> Result<Self> {
        let metadata = cap_std::fs::Metadata::from_file(&file)?;
        let entry = Entry { parent, name: name.into(), id: system::identity(&metadata) };
        Ok(Self { body: Body::Created(entry, Arc::new((file, held))), first: owner.metadata(&metadata) })
    }

    pub(super) fn into_node(self) -> Node {
        Node::new(self.first.ino, self.first.kind, self)
    }

    /// The attributes that it was found with.
    pub(super) fn first_metadata(&self) -> Metadata {
        self.first
    }

    pub(super) fn metadata(&self, owner: &Owner) -> Result<Metadata> {
        Ok(owner.metadata(&match &self.body {
            Body::Directory(directory) => directory.attributes(owner)?,
            Body::Entry(entry) | Body::Link(entry, _) => entry.attributes(owner)?,
            Body::Created(_, open) => cap_std::fs::Metadata::from_file(&open.0)?,
        }))
    }

    pub(super) fn identity(&self) -> Id {
        match &self.body {
            Body::Directory(directory) => directory.identity(),
            Body::Entry(entry) | Body::Link(entry, _) | Body::Created(entry, _) => entry.id,
        }
    }

    pub(super) fn as_directory(&self) -> Result<&Arc<Directory>> {
        match &self.body {
            Body::Directory(directory) => Ok(directory),
            _ => Err(Errno::NotDir),
        }
    }

    pub(super) fn as_entry(&self) -> Result<&Entry> {
        match &self.body {
            Body::Entry(entry) | Body::Link(entry, _) | Body::Created(entry, _) => Ok(entry),
            Body::Directory(_) => Err(Errno::IsDir),
        }
    }

    /// The text of a symbolic link; `EINVAL` for another kind.
    pub(super) fn link_text(&self) -> Result<&[u8]> {
        match &self.body {
            Body::Link(_, text) => Ok(text),
            _ => Err(Errno::Inval),
        }
    }

    /// The path by which it was found.
    pub(super) fn path(&self) -> Result<Vec<u8>> {
        match &self.body {
            Body::Directory(directory) => Ok(directory.path()),
            Body::Entry(entry) | Body::Link(entry, _) | Body::Created(entry, _) => Ok(entry.path()),
        }
    }

    /// Opens a regular file.
    pub(super) fn open_file(&self, owner: &Owner, access: Access) -> Result<File> {
        match &self.body {
            Body::Created(_, open) => Ok(open.0.try_clone()?),
            _ => self.as_entry()?.open(owner, access),
        }
    }

    pub(super) fn set_mode(&self, owner: &Owner, mode: u32) -> Result<()> {
        let entry = match &self.body {
            Body::Created(_, open) => return system::set_file_mode(&open.0, mode),
            Body::Entry(entry) | Body::Link(entry, _) => entry.clone(),
            Body::Directory(directory) => match directory.unopened() {
                Some(entry) => entry,
                None => return system::set_directory_mode(&*directory.open(owner)?, mode),
            },
        };
        entry.attributes(owner)?;
        let dir = entry.parent.open(owner)?;
        let name = system::host_name(&entry.name)?;
        // Where the host changes a link itself, the file need not be opened.
        if system::set_mode_of_name(&dir, name, mode)? {
            return Ok(());
        }
        let file = match entry.open(owner, Access { read: true, write: false }) {
            Err(Errno::Acces) => entry.open(owner, Access { read: false, write: true })?,
            opened => opened?,
        };
        system::set_file_mode(&file, mode)
    }

    /// Applies checked attributes.
    pub(super) fn set_attributes(&self, owner: &Owner, wanted: &SetAttributes) -> Result<()> {
        let current = self.metadata(owner)?;
        allowed(&current, wanted)?;
        if let Some(size) = wanted.size {
            if current.size > LARGE && size < current.size {
                time_budget::spend(u64::MAX)?;
            }
            let file = self.open_file(owner, Access { read: false, write: true })?;
            system::clear_privileges(&file)?;
            system::set_length(&file, size)?;
        }
        if let Some(mode) = wanted.mode {
            let mode = mode & 0o7777;
            if mode != current.mode {
                self.set_mode(owner, mode)?;
            }
        }
        if wanted.atime.is_none() && wanted.mtime.is_none() {
            return Ok(());
        }
        match &self.body {
            Body::Directory(directory) if directory.opened().is_some() => {
                system::set_times(&*directory.open(owner)?, None, wanted)
            }
            Body::Directory(directory) => {
                let entry = directory.unopened().ok_or(Errno::Stale)?;
                let dir = entry.parent.open(owner)?;
                system::set_times(&dir, Some(system::host_name(&entry.name)?), wanted)
            }
            Body::Created(_, open) => system::set_file_times(&open.0, wanted),
            Body::Entry(entry) | Body::Link(entry, _) => {
                entry.attributes(owner)?;
                let dir = entry.parent.open(owner)?;
                system::set_times(&dir, Some(system::host_name(&entry.name)?), wanted)
            }
        }
    }
}

/// Whether these attributes may be changed so: no owner, and no set-id bits, as what a sandbox wrote must not run with
/// other rights.
pub(super) fn allowed(current: &Metadata, wanted: &SetAttributes) -> Result<()> {
    if wanted.uid.is_some_and(|uid| uid != current.uid)
        || wanted.gid.is_some_and(|gid| gid != current.gid)
        || wanted.mode.is_some_and(|mode| mode & PRIVILEGES & !current.mode != 0)
    {
        return Err(Errno::Perm);
    }
    Ok(())
}
