//! `sandshell serve`: the clouds' own protocols on localhost.

mod health;
#[cfg(feature = "object-store")]
mod records;

use super::args::Serve;
use super::failure::{Failure, note, reason};
use super::interrupt::Signals;
use super::{places, session};
use health::Health;
#[cfg(feature = "object-store")]
use sandshell::ErrorKind;
use sandshell::emulator::{Emulator, Options, Vendor};
use sandshell::{LocalOptions, LocalProvider, pack};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
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
    let mut signals = Signals::catch()?;
    let data_dir = places::asked();
    // Of several servers on one object store, only the one that serves listens.
    let stands_by = data_dir.as_ref().is_some_and(|kept| kept.shared.is_some());
    let mut listener = if stands_by { None } else { Some(listen(&args).await?) };
    let packs = super::pack::chosen(&args.packs, args.no_packs)?;
    let engine = session::engine_with(&packs, |_| {})?;
    // Compile now, so that it does not count against a client's time limit.
    session::prepare(&engine, &packs).await?;
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
    let (shared, vendors) = (Arc::new(provider.clone()), args.emulate.clone());
    let lost = Arc::new(Notify::new());
    let emulator = match &data_dir {
        None => Emulator::new(shared, vendors, &options),
        Some(_) if stands_by => tokio::select! {
            served = stand_by(&provider, &args, &options, &health, &lost) => served?,
            _ = signals.next() => return Ok(0),
        },
        Some(kept) => {
            // It is made as the store needs it.
            provider.store()?;
            Emulator::open(shared, vendors, &options, &kept.directory.join("emulator")).await?
        }
    };
    let listener = match listener.take() {
        Some(listener) => listener,
        None => listen(&args).await?,
    };
    let address = listener.local_addr().map_err(|error| Failure::about(url(&args), reason(&error)))?;
    let traffic = emulator.traffic();
    health.watch(traffic.clone());
    let text = variables(&args.emulate, &format!("http://{address}"), &args);
    match &args.env_file {
        Some(file) => {
            std::fs::write(file, &text).map_err(|error| Failure::about(file.display(), reason(&error)))?;
        }
        None => print(&text)?,
    }
    health.set_waiting(None);
    let served = tokio::select! {
        served = emulator.serve(listener) => {
            served.map_err(|error| Failure::about(address, reason(&error))).map(|()| 0)
        }
        // Ctrl-C ends the server, as whoever manages it does.
        _ = signals.next() => Ok(0),
        () = lost.notified() => Err(Failure::new("another server has taken over what the services know")),
    };
    health.set_waiting(Some("it ends".to_owned()));
    if served.is_ok() {
        // What is being answered may go on for a while, unless there is a second signal.
        let answered = async {
            while traffic.active() > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            () = answered => {}
            () = tokio::time::sleep(args.grace) => {}
            _ = signals.next() => {}
        }
    }
    // What processes in the background did is stored, too.
    let parked = provider.park_all().await;
    if let Some(store) = provider.store()? {
        store.leave();
    }
    parked?;
    served
}

async fn listen(args: &Serve) -> Result<TcpListener, Failure> {
    let bound = TcpListener::bind((args.host, args.port)).await;
    bound.map_err(|error| Failure::about(url(args), reason(&error)))
}

/// The services over an object store, as soon as no other server has what they know.
#[cfg(feature = "object-store")]
async fn stand_by(
    provider: &LocalProvider,
    args: &Serve,
    options: &Options,
    health: &Health,
    lost: &Arc<Notify>,
) -> Result<Emulator, Failure> {
    /// How often it is tried.
    const PAUSE: Duration = Duration::from_secs(1);
    let mut notes = None;
    let mut said = false;
    loop {
        let claimed = match (&notes, provider.store()?) {
            (Some(notes), _) => Ok(Arc::clone(notes)),
            (None, Some(store)) => records::claim(store),
            (None, None) => return Err(Failure::new("there is no store")),
        };
        let made = match claimed {
            Err(error) => Err(error),
            Ok(claimed) => {
                notes = Some(claimed.clone());
                let records = |vendor| Ok(records::NotedRecords::of(&claimed, vendor, lost));
                let shared = Arc::new(provider.clone());
                Emulator::with_records(shared, args.emulate.clone(), options, records).await
            }
        };
        match made {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                health.set_waiting(Some(format!("standing by: {error}")));
                if !std::mem::replace(&mut said, true) {
                    note(&format!("{error}: standing by"));
                }
                tokio::time::sleep(PAUSE).await;
            }
            made => return Ok(made?),
        }
    }
}

#[cfg(not(feature = "object-store"))]
async fn stand_by(
    provider: &LocalProvider,
    _: &Serve,
    _: &Options,
    _: &Health,
    _: &Arc<Notify>,
) -> Result<Emulator, Failure> {
    // Its error says that this program has no object stores.
    provider.store()?;
    Err(Failure::new("there is no store"))
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
