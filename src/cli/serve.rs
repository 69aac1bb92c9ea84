//! `sandshell serve`: the clouds' own protocols on localhost.

use super::args::Serve;
use super::failure::{Failure, reason};
use super::interrupt::Signals;
use super::{places, session};
use sandshell::emulator::{Emulator, Options, Vendor};
use sandshell::{LocalOptions, LocalProvider, pack};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use tokio::net::TcpListener;

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
    let listener = TcpListener::bind((args.host, args.port))
        .await
        .map_err(|error| Failure::about(url(&args), reason(&error)))?;
    let address = listener.local_addr().map_err(|error| Failure::about(url(&args), reason(&error)))?;
    let packs = super::pack::chosen(&args.packs, args.no_packs)?;
    let engine = session::engine_with(&packs, |_| {})?;
    // Compile now, so that it does not count against a client's time limit.
    session::prepare(&engine, &packs).await?;
    let data_dir = places::asked();
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
    let (shared, vendors) = (Arc::new(provider.clone()), args.emulate.clone());
    let emulator = match &data_dir {
        None => Emulator::new(shared, vendors, &options),
        Some(kept) => {
            // It is made as the store needs it.
            provider.store()?;
            Emulator::open(shared, vendors, &options, &kept.directory.join("emulator")).await?
        }
    };
    let text = variables(&args.emulate, &format!("http://{address}"), &args);
    match &args.env_file {
        Some(file) => {
            std::fs::write(file, &text).map_err(|error| Failure::about(file.display(), reason(&error)))?;
        }
        None => print(&text)?,
    }
    let mut signals = Signals::catch()?;
    let served = tokio::select! {
        served = emulator.serve(listener) => {
            served.map_err(|error| Failure::about(address, reason(&error))).map(|()| 0)
        }
        // Ctrl-C ends the server, as whoever manages it does.
        _ = signals.next() => Ok(0),
    };
    // What processes in the background did is stored, too.
    provider.park_all().await?;
    served
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
