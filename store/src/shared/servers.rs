//! Servers on one store that work together: each says where the others reach it, and knows the secret of the store.

use super::host::lasts;
use super::notes;
use super::record::{HOSTS, HostObject, host_name, read};
use super::sealed;
use super::{Shared, TRIES};
use crate::error::{Result, StoreError};
use crate::store::Store;
use crate::time::now;
use object_store::PutMode;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The object with the secret.
const SECRET: &str = "secret";

/// The servers that use a store which several machines share.
#[derive(Clone)]
pub struct Servers {
    shared: Arc<Shared>,
}

/// A server that was heard of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Server {
    /// Of one process: another one at the same address has another.
    pub session: String,
    /// For people: the machine and the process.
    pub name: String,
    /// Where other servers reach it, as it said.
    pub address: String,
    /// Whether it takes no more work.
    pub leaves: bool,
}

/// The secret of a store.
#[derive(Clone)]
pub struct Secret([u8; 32]);

#[derive(Serialize, Deserialize)]
struct SecretObject {
    secret: [u8; 32],
}

impl Store {
    /// The servers on this store. `None`: the store is not in an object store.
    pub fn servers(&self) -> Option<Servers> {
        self.in_objects().map(|shared| Servers { shared: shared.clone() })
    }
}

impl Servers {
    /// The session of this process.
    pub fn session(&self) -> &str {
        self.shared.host.session()
    }

    /// Says to the others that this process is a server which they reach there, until it [leaves](Store::leave) the
    /// store or is not heard of any more; and whether it takes no more work.
    ///
    /// # Errors
    /// Those of writing.
    pub fn announce(&self, address: String, leaves: bool) -> Result<()> {
        let (objects, host) = (self.shared.objects.clone(), self.shared.host.clone());
        self.shared.objects.wait(async move {
            host.set_address(address, leaves);
            host.renew(&objects).await?;
            host.keep(&objects).await
        })
    }

    /// All others, sorted.
    ///
    /// # Errors
    /// Those of reading.
    pub fn others(&self) -> Result<Vec<Server>> {
        let (objects, host) = (self.shared.objects.clone(), self.shared.host.clone());
        self.shared.objects.wait(async move {
            let listed = objects.list(HOSTS).await?;
            let sessions: Vec<String> = listed.into_iter().map(|listed| listed.name).collect();
            let names: Vec<String> = sessions.iter().map(|session| host_name(session)).collect();
            let mut servers = Vec::new();
            for (session, (name, found)) in
                sessions.into_iter().zip(names.iter().zip(objects.get_all(names.clone()).await?))
            {
                let Some((bytes, _)) = found else { continue };
                let (found, _): (HostObject, _) = sealed::open(&objects, name, &bytes)?;
                if session != host.session() && found.until > now() {
                    servers.extend(server(session, found));
                }
            }
            servers.sort();
            Ok(servers)
        })
    }

    /// Which server has the [notes](Store::notes) of this name; `None` if none has them, or one that others do not
    /// reach.
    ///
    /// # Errors
    /// Those of reading.
    pub fn with_notes(&self, name: &str) -> Result<Option<Server>> {
        let (objects, name) = (self.shared.objects.clone(), name.to_owned());
        self.shared.objects.wait(async move {
            let Some(holder) = notes::holder(&objects, &name).await? else { return Ok(None) };
            if lasts(&objects, &holder).await?.is_none() {
                return Ok(None);
            }
            let found = read::<HostObject>(&objects, &host_name(&holder.session)).await?;
            Ok(found.and_then(|(found, _)| server(holder.session, found)))
        })
    }

    /// What only those know who can read the store: made at its first use.
    ///
    /// # Errors
    /// Those of reading and writing.
    pub fn secret(&self) -> Result<Secret> {
        let objects = self.shared.objects.clone();
        self.shared.objects.wait(async move {
            for _ in 0..TRIES {
                if let Some((found, _)) = read::<SecretObject>(&objects, SECRET).await? {
                    return Ok(Secret(found.secret));
                }
                let mut secret = [0; 32];
                getrandom::fill(&mut secret).map_err(|error| StoreError::Io {
                    at: objects.at(),
                    source: std::io::Error::other(error),
                })?;
                // Another server may make one at the same moment: the first one is everybody's.
                objects.put(SECRET, sealed::seal(&SecretObject { secret }, &[])?, PutMode::Create).await?;
            }
            Err(StoreError::Busy(objects.at()))
        })
    }
}

impl Secret {
    /// What only who knows the secret can say about a message.
    pub fn proof(&self, message: &[u8]) -> [u8; 32] {
        *blake3::keyed_hash(&self.0, message).as_bytes()
    }

    /// Whether it is what [`proof`](Self::proof) says. How long that takes tells nothing.
    pub fn is_proof(&self, message: &[u8], proof: [u8; 32]) -> bool {
        blake3::keyed_hash(&self.0, message) == blake3::Hash::from_bytes(proof)
    }
}

fn server(session: String, found: HostObject) -> Option<Server> {
    Some(Server { session, name: found.name, address: found.address?, leaves: found.leaves })
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Servers").finish_non_exhaustive()
    }
}
