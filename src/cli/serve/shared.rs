//! Servers on one object store: one has what the services know, the others stand by.

use super::records::{self, NotedRecords};
use super::together::Together;
use super::{Server, listen, url};
use crate::cli::failure::{Failure, note, reason};
use crate::cli::interrupt::Signals;
use sandshell::emulator::Emulator;
use sandshell::store::Notes;
use sandshell::{ErrorKind, SandboxProvider};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// How often it is tried to get what the services know.
const PAUSE: Duration = Duration::from_secs(1);

impl Server {
    /// Serves sandboxes in an object store: with `listener`, together with the other servers there; otherwise as soon
    /// as no other one does.
    pub(super) async fn serve_shared(
        &self,
        listener: Option<TcpListener>,
        signals: &mut Signals,
    ) -> Result<u8, Failure> {
        match (self.args.join, listener) {
            (Some(join), Some(listener)) => {
                let address = self.address(&listener)?;
                let together = Together::start(&self.provider, listener, join).await?;
                self.health.join(together.clone());
                let served = self.serve_together(&together, address, signals).await;
                together.end().await;
                served
            }
            _ => {
                let lost = Arc::new(Notify::new());
                let emulator = tokio::select! {
                    made = self.stand_by(Arc::new(self.provider.clone()), &lost, || Ok(false)) => made?,
                    _ = signals.next() => return Ok(0),
                };
                let listener = listen(&self.args).await?;
                let address = self.address(&listener)?;
                self.answer(emulator, listener, address, &lost, signals).await
            }
        }
    }

    async fn serve_together(
        &self,
        together: &Arc<Together>,
        address: SocketAddr,
        signals: &mut Signals,
    ) -> Result<u8, Failure> {
        let lost = Arc::new(Notify::new());
        let passes_on = || {
            let passes_on = together.stand_by();
            if passes_on {
                self.tell(address)?;
            }
            Ok(passes_on)
        };
        let emulator = tokio::select! {
            made = self.stand_by(together.provider(), &lost, passes_on) => made?,
            _ = signals.next() => {
                self.health.set_waiting(Some("it ends".to_owned()));
                together.withdraw();
                self.let_go_on(|| together.active(), signals).await;
                return Ok(0);
            }
        };
        let arrivals = together.serve().await;
        let served = self.answer(emulator, arrivals, address, &lost, signals).await;
        together.withdraw();
        served
    }

    /// The services, as soon as no other server has what they know. `passes_on` is asked until then whether this server
    /// is of use meanwhile.
    async fn stand_by(
        &self,
        provider: Arc<dyn SandboxProvider>,
        lost: &Arc<Notify>,
        passes_on: impl Fn() -> Result<bool, Failure>,
    ) -> Result<Emulator, Failure> {
        let mut notes: Option<Arc<Notes>> = None;
        let mut said = false;
        loop {
            let claimed = match (&notes, self.provider.store()?) {
                (Some(notes), _) => Ok(Arc::clone(notes)),
                (None, Some(store)) => records::claim(store),
                (None, None) => return Err(Failure::new("there is no store")),
            };
            let made = match claimed {
                Err(error) => Err(error),
                Ok(claimed) => {
                    notes = Some(claimed.clone());
                    let records = |vendor| Ok(NotedRecords::of(&claimed, vendor, lost));
                    let vendors = self.args.emulate.clone();
                    Emulator::with_records(provider.clone(), vendors, &self.options, records).await
                }
            };
            match made {
                Err(error) if error.kind() == ErrorKind::Conflict => {
                    let waiting = if passes_on()? { None } else { Some(format!("standing by: {error}")) };
                    self.health.set_waiting(waiting);
                    if !std::mem::replace(&mut said, true) {
                        note(&format!("{error}: standing by"));
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                made => return Ok(made?),
            }
        }
    }

    fn address(&self, listener: &TcpListener) -> Result<SocketAddr, Failure> {
        listener.local_addr().map_err(|error| Failure::about(url(&self.args), reason(&error)))
    }
}
