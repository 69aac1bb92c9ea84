//! `sandshell serve`: the clouds' own protocols on localhost.

mod health;
#[cfg(feature = "object-store")]
mod records;
#[cfg(feature = "object-store")]
mod shared;
#[cfg(feature = "object-store")]
mod together;

use super::args::Serve;
use super::failure::{Failure, note, reason};
use super::interrupt::Signals;
use super::{engine, places};
use health::Health;
use sandshell::emulator::{Emulator, Options, Vendor};
use sandshell::{DataDir, LocalOptions, LocalProvider, pack};
use sandshell_server::Arrivals;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Notify;

pub(crate) async fn serve(args: Serve) -> Result<u8, Failure> {
    if let Some(vendor) = args.print_env {
        return print(&variables(&[vendor], &url(&args), &args)).map(|()| 0);
    }
    if !args.host.is_loopback() && !args.public {
        return Err(Failure::about(
            args.host,
            "not a loopback address: who can reach it can run commands; add --public",
        ));
    }
    if let Some(at) = args.health
        && !at.ip().is_loopback()
        && !args.public
    {
        return Err(Failure::about(
            at,
            "--health: not a loopback address: who can reach it can read the numbers; add --public",
        ));
    }
    if let Some(at) = args.join
        && !at.ip().is_loopback()
        && !args.public
    {
        return Err(Failure::about(
            at,
            "--join: not a loopback address: other machines can reach it; add --public",
        ));
    }
    let mut signals = Signals::catch()?;
    let data_dir = places::asked();
    let shares = data_dir.as_ref().is_some_and(|kept| kept.shared.is_some());
    if args.join.is_some() && !shares {
        return Err(Failure::new("--join: the servers need one object store: --data-dir s3://BUCKET/PREFIX"));
    }
    // Of several servers on one object store that do not know each other, only the one that serves listens.
    let listener = if shares && args.join.is_none() { None } else { Some(listen(&args).await?) };
    let packs = super::pack::chosen(&args.packs, args.no_packs)?;
    let engine = engine::with(&packs, |_| {})?;
    // Compile now, so that it does not count against a client's time limit.
    engine::prepare(&engine, &packs).await?;
    let kept = data_dir.clone();
    let local = LocalOptions {
        data_dir: kept.as_ref().map(|kept| kept.directory.clone()),
        shared: kept.and_then(|kept| kept.shared),
        ..LocalOptions::default()
    };
    let provider = LocalProvider::new(engine, pack::add(local, &packs))?;
    let mut options = Options::default();
    options.api_key.clone_from(&args.api_key);
    // We do not know the host names by which other machines reach this server.
    options.any_host = args.public;
    let health = Health::new(provider.clone());
    if let Some(at) = args.health {
        let address = health.clone().serve(at, args.public).await?;
        note(&format!("health and metrics: http://{address}"));
    }
    let server = Server { args, provider, options, health, told: AtomicBool::new(false) };
    let served = if shares {
        server.serve_shared(listener, &mut signals).await
    } else {
        server.serve_alone(listener, data_dir, &mut signals).await
    };
    // What processes in the background did is stored, too.
    let parked = server.provider.park_all().await;
    if let Some(store) = server.provider.store()? {
        store.leave();
    }
    parked?;
    served
}

/// What serves.
struct Server {
    args: Serve,
    provider: LocalProvider,
    options: Options,
    health: Arc<Health>,
    /// Whether the variables were told.
    told: AtomicBool,
}

impl Server {
    /// Serves sandboxes in memory or in a directory.
    async fn serve_alone(
        &self,
        listener: Option<TcpListener>,
        kept: Option<DataDir>,
        signals: &mut Signals,
    ) -> Result<u8, Failure> {
        let (shared, vendors) = (Arc::new(self.provider.clone()), self.args.emulate.clone());
        let emulator = match kept {
            None => Emulator::new(shared, vendors, &self.options),
            Some(kept) => {
                // It is made as the store needs it.
                self.provider.store()?;
                Emulator::open(shared, vendors, &self.options, &kept.directory.join("emulator")).await?
            }
        };
        let listener = match listener {
            Some(listener) => listener,
            None => listen(&self.args).await?,
        };
        let address =
            listener.local_addr().map_err(|error| Failure::about(url(&self.args), reason(&error)))?;
        self.answer(emulator, listener, address, &Notify::new(), signals).await
    }

    /// Answers what arrives until a signal comes or the services are `lost`. `address`: where clients connect.
    async fn answer(
        &self,
        emulator: Emulator,
        arrivals: impl Arrivals,
        address: SocketAddr,
        lost: &Notify,
        signals: &mut Signals,
    ) -> Result<u8, Failure> {
        let traffic = emulator.traffic();
        self.health.watch(traffic.clone());
        self.tell(address)?;
        self.health.set_waiting(None);
        let served = tokio::select! {
            served = emulator.serve(arrivals) => {
                served.map_err(|error| Failure::about(address, reason(&error))).map(|()| 0)
            }
            // Ctrl-C ends the server, as whoever manages it does.
            _ = signals.next() => Ok(0),
            () = lost.notified() => Err(Failure::new("another server has taken over what the services know")),
        };
        self.health.set_waiting(Some("it ends".to_owned()));
        if served.is_ok() {
            self.let_go_on(|| traffic.active(), signals).await;
        }
        served
    }

    /// Lets what is going on continue for a while, unless there is a second signal.
    async fn let_go_on(&self, active: impl Fn() -> usize, signals: &mut Signals) {
        let over = async {
            while active() > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            () = over => {}
            () = tokio::time::sleep(self.args.grace) => {}
            _ = signals.next() => {}
        }
    }

    /// Tells once what clients need.
    fn tell(&self, address: SocketAddr) -> Result<(), Failure> {
        if self.told.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let text = variables(&self.args.emulate, &format!("http://{address}"), &self.args);
        match &self.args.env_file {
            Some(file) => {
                std::fs::write(file, &text).map_err(|error| Failure::about(file.display(), reason(&error)))
            }
            None => print(&text),
        }
    }
}

async fn listen(args: &Serve) -> Result<TcpListener, Failure> {
    let bound = TcpListener::bind((args.host, args.port)).await;
    bound.map_err(|error| Failure::about(url(args), reason(&error)))
}

#[cfg(not(feature = "object-store"))]
impl Server {
    async fn serve_shared(&self, _: Option<TcpListener>, _: &mut Signals) -> Result<u8, Failure> {
        // Its error says that this program has no object stores.
        self.provider.store()?;
        Err(Failure::new("there is no store"))
    }
}

fn url(args: &Serve) -> String {
    format!("http://{}", std::net::SocketAddr::from((args.host, args.port)))
}

/// One `NAME=value` on each line, for `eval` and for `.env` files.
fn variables(vendors: &[Vendor], url: &str, args: &Serve) -> String {
    let mut text = String::new();
    for vendor in vendors {
        let key = args.api_key.as_deref().unwrap_or(vendor.example_key());
        for (name, value) in vendor.variables(url, key) {
            let export = if args.print_env.is_some() { "export " } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{export}{name}={}", sandshell::posix::quote(&value));
        }
    }
    text
}

fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::about("cannot write output", reason(&error)))
}
