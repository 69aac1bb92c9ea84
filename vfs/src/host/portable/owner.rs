//! How the host's files are shown.

use super::super::budget::HostBudget;
use super::super::number::Numbers;
use super::system;
use crate::Metadata;
use std::sync::Arc;

/// The user who runs this program corresponds to the sandbox's user. Also holds the sandbox's budget.
#[derive(Clone)]
pub(super) struct Owner {
    user: system::User,
    /// Whether the kernel checks no permissions of this user.
    pub(super) superuser: bool,
    numbers: Arc<Numbers>,
    pub(super) budget: HostBudget,
}

impl Owner {
    pub(super) fn current(root: &cap_std::fs::Metadata, budget: HostBudget) -> Self {
        let (user, id) = (system::User::current(), system::identity(root));
        let numbers = Arc::new(Numbers::new(id.0, id.1, system::born(root)));
        Self { superuser: user.is_superuser(), user, numbers, budget }
    }

    pub(super) fn metadata(&self, found: &cap_std::fs::Metadata) -> Metadata {
        let (ino, dev) = system::identity(found);
        Metadata { ino: self.numbers.of(ino, dev), ..system::attributes(found, &self.user) }
    }

    /// The shown inode number of a file of the host.
    pub(super) fn number(&self, (ino, dev): (u64, u64)) -> u64 {
        self.numbers.of(ino, dev)
    }
}
