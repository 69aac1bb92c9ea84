//! Creating, linking, removing and renaming names.

use super::resolve::{Last, LastName, Resolver};
use super::{Location, Namespace, permission};
use crate::permit::permit;
use crate::{Context, Errno, FileKind, MAX_PATH, Metadata, NewBody, NewNode, Result};

/// `mkdir`, `mknod`, `symlink`: the name must not exist.
pub(super) fn create(
    namespace: &Namespace,
    cx: &Context,
    base: &Location,
    path: &[u8],
    body: NewBody<'_>,
    mode: u32,
) -> Result<()> {
    let mut resolver = Resolver::new(namespace, cx);
    let (directory, name) = vacant(&mut resolver, base, path, body == NewBody::Directory)?;
    create_in(cx, &directory, name, body, mode).map(drop)
}

pub(super) fn symlink(
    namespace: &Namespace,
    cx: &Context,
    target: &[u8],
    base: &Location,
    path: &[u8],
) -> Result<()> {
    match target {
        [] => Err(Errno::NoEnt),
        target if target.len() > MAX_PATH => Err(Errno::NameTooLong),
        target if target.contains(&0) => Err(Errno::Inval),
        target => create(namespace, cx, base, path, NewBody::Symlink(target), 0o777),
    }
}

/// Creates a missing name, with the owner and group of a new file.
pub(super) fn create_in(
    cx: &Context,
    directory: &Location,
    name: &[u8],
    body: NewBody<'_>,
    mode: u32,
) -> Result<Location> {
    if directory.read_only() {
        return Err(Errno::RoFs);
    }
    let parent = directory.metadata()?;
    permit(cx, &parent, 3)?;
    let mut mode = mode & 0o7777;
    let mut gid = cx.gid;
    // In a set-group-ID directory, new files inherit the group, and new directories also the bit.
    if parent.mode & 0o2000 != 0 {
        gid = parent.gid;
        if body == NewBody::Directory {
            mode |= 0o2000;
        }
    }
    let node = directory.fs().create(directory.node(), name, &NewNode { body, mode, uid: cx.uid, gid })?;
    Ok(directory.at(node))
}

pub(super) fn hard_link(
    namespace: &Namespace,
    cx: &Context,
    target: &Location,
    base: &Location,
    path: &[u8],
) -> Result<()> {
    let mut resolver = Resolver::new(namespace, cx);
    let (directory, name) = vacant(&mut resolver, base, path, false)?;
    if !directory.same_mount(target) {
        return Err(Errno::XDev);
    }
    change_allowed(cx, &directory)?;
    if target.kind() == FileKind::Directory {
        return Err(Errno::Perm);
    }
    directory.fs().link(target.node(), directory.node(), name)
}

pub(super) fn unlink(namespace: &Namespace, cx: &Context, base: &Location, path: &[u8]) -> Result<()> {
    let mut resolver = Resolver::new(namespace, cx);
    let last = resolver.parent(base, path)?;
    let LastName::Normal(name) = last.name else {
        return Err(Errno::IsDir);
    };
    let victim = present(&resolver, &last, name)?;
    if last.trailing {
        return Err(if victim.kind() == FileKind::Directory { Errno::IsDir } else { Errno::NotDir });
    }
    removal_allowed(cx, &last.directory, &victim)?;
    if victim.kind() == FileKind::Directory {
        return Err(Errno::IsDir);
    }
    last.directory.fs().unlink(last.directory.node(), name)
}

pub(super) fn remove_dir(namespace: &Namespace, cx: &Context, base: &Location, path: &[u8]) -> Result<()> {
    let mut resolver = Resolver::new(namespace, cx);
    let last = resolver.parent(base, path)?;
    let name = match last.name {
        LastName::Normal(name) => name,
        LastName::Dot => return Err(Errno::Inval),
        LastName::DotDot => return Err(Errno::NotEmpty),
        LastName::Root => return Err(Errno::Busy),
    };
    let victim = present(&resolver, &last, name)?;
    removal_allowed(cx, &last.directory, &victim)?;
    if victim.kind() != FileKind::Directory {
        return Err(Errno::NotDir);
    }
    not_mount_point(&victim)?;
    last.directory.fs().remove_dir(last.directory.node(), name)
}

pub(super) fn rename(
    namespace: &Namespace,
    cx: &Context,
    (old_base, old): (&Location, &[u8]),
    (new_base, new): (&Location, &[u8]),
) -> Result<()> {
    let mut resolver = Resolver::new(namespace, cx);
    let from = resolver.parent(old_base, old)?;
    let to = Resolver::new(namespace, cx).parent(new_base, new)?;
    if !from.directory.same_mount(&to.directory) {
        return Err(Errno::XDev);
    }
    let (LastName::Normal(old_name), LastName::Normal(new_name)) = (from.name, to.name) else {
        return Err(Errno::Busy);
    };
    let source = present(&resolver, &from, old_name)?;
    let victim = resolver.child(&to.directory, new_name)?.map(|(node, _)| to.directory.at(node));
    let directory = source.kind() == FileKind::Directory;
    if !directory && (from.trailing || to.trailing) {
        return Err(Errno::NotDir);
    }
    if directory && is_inside(&to.directory, &source)? {
        return Err(Errno::Inval);
    }
    if let Some(victim) = &victim {
        if victim.kind() == FileKind::Directory && is_inside(&from.directory, victim)? {
            return Err(Errno::NotEmpty);
        }
        if victim.node.ino() == source.node.ino() {
            return Ok(());
        }
    }
    removal_allowed(cx, &from.directory, &source)?;
    match &victim {
        None => drop(change_allowed(cx, &to.directory)?),
        Some(victim) => {
            removal_allowed(cx, &to.directory, victim)?;
            match (directory, victim.kind() == FileKind::Directory) {
                (true, false) => return Err(Errno::NotDir),
                (false, true) => return Err(Errno::IsDir),
                _ => not_mount_point(victim)?,
            }
        }
    }
    // Moving a directory to another one changes its "..", which needs write permission.
    if directory && from.directory.node.ino() != to.directory.node.ino() {
        permit(cx, &source.metadata()?, 2)?;
    }
    not_mount_point(&source)?;
    from.directory.fs().rename((from.directory.node(), old_name), (to.directory.node(), new_name))
}

/// The directory and the name for a file that is to be created. `EEXIST` if the name exists.
fn vacant<'p>(
    resolver: &mut Resolver<'_>,
    base: &Location,
    path: &'p [u8],
    directory: bool,
) -> Result<(Location, &'p [u8])> {
    let last = resolver.parent(base, path)?;
    let LastName::Normal(name) = last.name else {
        return Err(Errno::Exist);
    };
    if resolver.child(&last.directory, name)?.is_some() {
        return Err(Errno::Exist);
    }
    if last.trailing && !directory {
        return Err(Errno::NoEnt);
    }
    if last.directory.read_only() {
        return Err(Errno::RoFs);
    }
    Ok((last.directory, name))
}

/// The file that is to be removed or renamed.
fn present(resolver: &Resolver<'_>, last: &Last<'_>, name: &[u8]) -> Result<Location> {
    if last.directory.read_only() {
        return Err(Errno::RoFs);
    }
    let (node, _) = resolver.child(&last.directory, name)?.ok_or(Errno::NoEnt)?;
    Ok(last.directory.at(node))
}

fn change_allowed(cx: &Context, directory: &Location) -> Result<Metadata> {
    let metadata = directory.metadata()?;
    permit(cx, &metadata, 3)?;
    Ok(metadata)
}

fn removal_allowed(cx: &Context, directory: &Location, victim: &Location) -> Result<()> {
    let metadata = change_allowed(cx, directory)?;
    if metadata.mode & 0o1000 == 0 {
        return Ok(());
    }
    permission::sticky(cx, &metadata, &victim.metadata()?)
}

fn not_mount_point(victim: &Location) -> Result<()> {
    if victim.mount.children().covers(victim.node.ino()) { Err(Errno::Busy) } else { Ok(()) }
}

/// Whether `inner` is the directory `outer` or lies below it. Both are on one mount.
fn is_inside(inner: &Location, outer: &Location) -> Result<bool> {
    inner.fs().is_inside(inner.node(), outer.node())
}
