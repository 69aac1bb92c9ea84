//! The files of a sandbox: the standard tree and its mounts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sandshell_runtime::{ClockSource, command_file};
use sandshell_vfs::{
    Context, Errno, FileSystem, Follow, HostAccess, HostBudget, HostDir, Limits, MemoryFs, Metadata,
    MountOptions, Namespace, OpenError, Overlay, SetAttributes, Snapshot, StandardTree, Withheld,
    device_tree, standard_tree,
};

use super::options::{LocalOptions, Mount, MountSource};
use super::places::Places;
use crate::{Error, ErrorKind, Result, names};

/// The initial files of every sandbox of a provider.
pub(super) struct Template {
    standard: MemoryFs,
    devices: MemoryFs,
    /// What the standard tree depends on.
    key: String,
    /// Where directories of the host are.
    places: Arc<Places>,
}

impl Template {
    pub(super) fn new(commands: &[(&str, &str)], options: &LocalOptions) -> Result<Self> {
        let commands: Vec<_> = commands
            .iter()
            .map(|(applet, module)| ((*applet).to_owned(), command_file(module, applet)))
            .chain(options.commands.iter().cloned())
            .collect();
        let what = StandardTree { commands: &commands, hostname: &options.hostname };
        let clock = ClockSource::new(options.clock);
        let standard = standard_tree(&what, Arc::new(clock.clone())).map_err(unexpected)?;
        let devices = device_tree(Arc::new(clock)).map_err(unexpected)?;
        let mut parts = vec![env!("CARGO_PKG_VERSION").as_bytes(), options.hostname.as_bytes()];
        parts.extend(commands.iter().flat_map(|(name, contents)| [name.as_bytes(), contents]));
        let key = sandshell_store::fingerprint(&parts);
        Ok(Self { standard, devices, key, places: Arc::new(Places::of(options)) })
    }

    /// What the standard tree depends on: trees with the same key have the same files.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// The standard tree.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.standard.snapshot()
    }
}

/// A sandbox's filesystems with their concrete types, so that each can be forked and overlays can list their
/// changes.
#[derive(Clone)]
pub(super) struct Tree {
    root: Arc<MemoryFs>,
    devices: Arc<MemoryFs>,
    mounts: Vec<(String, Mounted)>,
    host: HostAccessTerms,
}

/// How directories of the host are opened.
#[derive(Clone)]
struct HostAccessTerms {
    withheld: Arc<Withheld>,
    places: Arc<Places>,
    /// The budget of all directories together. A fork uses the same open directories, so it shares the budget.
    budget: HostBudget,
}

/// An overlay over a directory of the host.
#[derive(Clone, Debug)]
pub struct HostOverlay {
    /// Its path in the sandbox.
    pub at: String,
    /// The directory of the host.
    pub host: PathBuf,
    /// The overlay with its changes.
    pub overlay: Arc<Overlay>,
    /// The absolute path of the directory without links, when the sandbox was made. It is what [`target`](Self::target)
    /// opens.
    pub real: PathBuf,
    withheld: Arc<Withheld>,
}

impl HostOverlay {
    /// Opens the host's directory for writing, to apply the changes to it.
    ///
    /// # Errors
    /// Those of the host, also if there are links on the way to [`real`](Self::real) now: a guest that may write above
    /// it could have put them there. [`OpenError::GivesAway`] for a directory that a sandbox must not change.
    pub fn target(&self) -> std::result::Result<HostDir, OpenError> {
        let (access, budget) = (HostAccess::ReadWrite, HostBudget::default());
        HostDir::open_real(&self.real, access, &self.withheld, budget)
    }
}

#[derive(Clone)]
enum Mounted {
    Memory(Arc<MemoryFs>),
    Overlay { host: PathBuf, real: PathBuf, overlay: Arc<Overlay> },
    Shared { fs: Arc<dyn FileSystem>, read_only: bool },
}

impl Tree {
    /// A copy of `template` with the mounts of the options.
    pub(super) fn new(template: &Template, options: &LocalOptions, withheld: &Arc<Withheld>) -> Result<Self> {
        Self::with_root(template.standard.fork(), template, options, withheld)
    }

    /// As [`new`](Self::new), with these files.
    pub(super) fn with_root(
        root: MemoryFs,
        template: &Template,
        options: &LocalOptions,
        withheld: &Arc<Withheld>,
    ) -> Result<Self> {
        root.set_limits(options.disk);
        let (withheld, budget) = (withheld.clone(), HostBudget::new(options.host_disk));
        let host = HostAccessTerms { withheld, budget, places: template.places.clone() };
        let mounts = options
            .mounts
            .iter()
            .map(|mount| Ok((mount.at.clone(), open(mount, options.disk, &host)?)))
            .collect::<Result<_>>()?;
        let devices = Arc::new(template.devices.fork());
        Ok(Self { root: Arc::new(root), devices, mounts, host })
    }

    /// A copy of the files. Later changes are separate, except those in directories of the host.
    pub(super) fn fork(&self) -> Self {
        let fork = |mounted: &Mounted| match mounted {
            Mounted::Memory(fs) => Mounted::Memory(Arc::new(fs.fork())),
            Mounted::Overlay { host, real, overlay } => {
                let (host, real, overlay) = (host.clone(), real.clone(), Arc::new(overlay.fork()));
                Mounted::Overlay { host, real, overlay }
            }
            shared @ Mounted::Shared { .. } => shared.clone(),
        };
        Self {
            root: Arc::new(self.root.fork()),
            devices: Arc::new(self.devices.fork()),
            mounts: self.mounts.iter().map(|(at, mounted)| (at.clone(), fork(mounted))).collect(),
            host: self.host.clone(),
        }
    }

    /// The same mounts over other files.
    pub(super) fn replanted(&self, root: MemoryFs, limits: Limits) -> Self {
        root.set_limits(limits);
        Self { root: Arc::new(root), ..self.clone() }
    }

    /// The files that are not mounted ones.
    pub(super) fn root(&self) -> &Arc<MemoryFs> {
        &self.root
    }

    /// A namespace with everything mounted, and with the working directory.
    pub(super) fn namespace(&self, workdir: &str) -> Result<Namespace> {
        let namespace = Namespace::new(self.root.clone(), MountOptions::default());
        Mounted::Memory(self.devices.clone()).attach(&namespace, "/dev")?;
        for (at, mounted) in &self.mounts {
            mounted.attach(&namespace, at)?;
        }
        create_directory(&namespace, workdir)?;
        Ok(namespace)
    }

    /// Adds a mount to this tree and to a namespace that was made from it.
    pub(super) fn mount(&mut self, namespace: &Namespace, mount: &Mount, disk: Limits) -> Result<()> {
        let mounted = open(mount, disk, &self.host)?;
        mounted.attach(namespace, &mount.at)?;
        self.mounts.push((mount.at.clone(), mounted));
        Ok(())
    }

    /// Whether writes to some mount go beyond memory.
    pub(super) fn writes_through(&self) -> bool {
        self.mounts.iter().any(|(_, mounted)| matches!(mounted, Mounted::Shared { read_only: false, .. }))
    }

    /// The overlays over the host's directories.
    pub(super) fn overlays(&self) -> Vec<HostOverlay> {
        let overlay = |(at, mounted): &(String, Mounted)| match mounted {
            Mounted::Overlay { host, real, overlay } => Some(HostOverlay {
                at: at.clone(),
                host: host.clone(),
                real: real.clone(),
                overlay: overlay.clone(),
                withheld: self.host.withheld.clone(),
            }),
            _ => None,
        };
        self.mounts.iter().filter_map(overlay).collect()
    }
}

impl Mounted {
    fn attach(&self, namespace: &Namespace, at: &str) -> Result<()> {
        let (fs, read_only): (Arc<dyn FileSystem>, bool) = match self {
            Self::Memory(fs) => (fs.clone(), false),
            Self::Overlay { overlay, .. } => (overlay.clone(), false),
            Self::Shared { fs, read_only } => (fs.clone(), *read_only),
        };
        namespace.mount(&names::bytes(at), fs, MountOptions { read_only }).map_err(|errno| {
            let why = match errno {
                // Missing directories are created only in filesystems in memory.
                Errno::NoEnt => "what is mounted above has no such directory".to_owned(),
                errno => errno.to_string(),
            };
            Error::invalid_request(format!("nothing can be mounted at {at}: {why}"))
        })
    }
}

fn open(mount: &Mount, disk: Limits, terms: &HostAccessTerms) -> Result<Mounted> {
    let host = |path: &Path, access| {
        let opened = || -> std::result::Result<_, OpenError> {
            let real = terms.places.of_path(path)?;
            let opened = HostDir::open_real(&real, access, &terms.withheld, terms.budget.clone())?;
            Ok((Arc::new(opened), real))
        };
        opened().map_err(|error| {
            Error::invalid_request(format!("{}: {error}", path.display())).with_source(error)
        })
    };
    Ok(match &mount.source {
        MountSource::Memory => {
            let fs = MemoryFs::new();
            fs.set_limits(disk);
            Mounted::Memory(Arc::new(fs))
        }
        MountSource::HostReadOnly(path) => {
            Mounted::Shared { fs: host(path, HostAccess::ReadOnly)?.0, read_only: true }
        }
        MountSource::HostReadWrite(path) => {
            Mounted::Shared { fs: host(path, HostAccess::ReadWrite)?.0, read_only: false }
        }
        MountSource::Overlay(path) => {
            let (lower, real) = host(path, HostAccess::ReadOnly)?;
            let overlay = Overlay::new(lower).map_err(unexpected)?;
            overlay.set_limits(disk);
            Mounted::Overlay { host: path.clone(), real, overlay: Arc::new(overlay) }
        }
        MountSource::FileSystem(fs) => Mounted::Shared { fs: fs.clone(), read_only: false },
    })
}

/// Creates the working directory and its missing parents, owned by the sandbox's user.
fn create_directory(namespace: &Namespace, path: &str) -> Result<()> {
    if !path.starts_with('/') {
        return Err(Error::invalid_request(format!("the working directory {path} is relative")));
    }
    let failed = |errno: Errno| Error::invalid_request(format!("the working directory {path}: {errno}"));
    let root = namespace.root();
    let bytes = &*names::bytes(path);
    let ends = memchr::memchr_iter(b'/', bytes).skip(1).chain([bytes.len()]);
    for end in ends {
        let above = bytes.get(..end).unwrap_or(bytes);
        match namespace.metadata(&Context::USER, &root, above, Follow::Yes) {
            // For example `/root`: the user cannot enter it, so it must be given to the user.
            Ok(found) if end == bytes.len() && is_closed(namespace, &found).map_err(failed)? => {
                give_to_user(namespace, above).map_err(failed)?;
            }
            Ok(_) => {}
            Err(Errno::NoEnt) => match namespace.create_dir(&Context::USER, &root, above, 0o755) {
                // For example `/home/other`: the system creates it and gives it to the user.
                Err(Errno::Acces) => create_for_user(namespace, above).map_err(failed)?,
                made => made.map_err(failed)?,
            },
            Err(errno) => return Err(failed(errno)),
        }
    }
    Ok(())
}

fn create_for_user(namespace: &Namespace, path: &[u8]) -> sandshell_vfs::Result<()> {
    namespace.create_dir(&Context::ROOT, &namespace.root(), path, 0o755)?;
    give_to_user(namespace, path)
}

/// Whether only the system can enter this directory. It must be in the sandbox's own tree, not in a mount.
fn is_closed(namespace: &Namespace, found: &Metadata) -> sandshell_vfs::Result<bool> {
    let top = namespace.metadata(&Context::USER, &namespace.root(), b"/", Follow::Yes)?;
    Ok(found.dev == top.dev && found.uid == Context::ROOT.uid && found.mode & 0o077 == 0)
}

fn give_to_user(namespace: &Namespace, path: &[u8]) -> sandshell_vfs::Result<()> {
    let (root, user) = (namespace.root(), Context::USER);
    let owner = SetAttributes { uid: Some(user.uid), gid: Some(user.gid), ..SetAttributes::default() };
    namespace.set_attributes(&Context::ROOT, &root, path, Follow::No, &owner)
}

fn unexpected(errno: Errno) -> Error {
    Error::new(ErrorKind::Unexpected, format!("the sandbox's files could not be made: {errno}"))
        .with_source(errno)
}
