//! `sandshell ui`: a page in the browser that shows the sandboxes that are kept on disk.
//!
//! The page reads the store, as agents in other processes change it. Only its terminal changes anything.

mod answer;
mod changes;
mod entrance;
mod files;
mod open;
mod page;
mod query;
mod sandboxes;
mod terminal;
mod timeline;
mod updates;

use super::args::Ui as UiArgs;
use super::failure::{Failure, note, reason};
use super::interrupt::Signals;
use super::on_disk;
use super::print::print;
use answer::{Answer, answer};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use entrance::Entrance;
use query::Query;
use sandshell::LocalProvider;
use sandshell::store::Store;
use sandshell_server::{Limits, own_hosts_only};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use terminal::Terminals;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use updates::Updates;

/// How many requests read the store at the same time; others wait.
const READERS: usize = 4;

/// How long storing what a terminal did may take at the end.
const PATIENCE: Duration = Duration::from_secs(10);

/// What requests work with.
struct Ui {
    provider: LocalProvider,
    store: Store,
    terminals: Terminals,
    updates: Updates,
    readers: Semaphore,
}

pub(crate) async fn ui(args: UiArgs) -> Result<u8, Failure> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let failed = |error: std::io::Error| Failure::about(address, reason(&error));
    let provider = on_disk::plain_provider()?;
    let store = provider.store()?.cloned().ok_or_else(|| Failure::new("sandboxes are not kept"))?;
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let entrance = Arc::new(Entrance::new(address.port())?);
    let ui = Arc::new(Ui {
        updates: Updates::new(store.clone()),
        terminals: Terminals::new(provider.clone()),
        readers: Semaphore::new(READERS),
        provider: provider.clone(),
        store,
    });
    let mut signals = Signals::catch()?;
    print(format!("{}\n", entrance.url()).as_bytes())?;
    note("whoever has this address can see the sandboxes and work in them; Ctrl-C ends it");
    if args.open {
        show(&entrance.url_for_once());
    }
    tokio::select! {
        () = sandshell_server::serve(listener, router(&ui, &entrance), Limits::default()) => {}
        () = ui.updates.watch() => {}
        () = ui.terminals.watch() => {}
        _ = signals.next() => {}
    }
    // What a terminal did is stored; another signal does not wait for that.
    tokio::select! {
        stored = provider.park_all() => stored?,
        _ = signals.next() => {}
        () = tokio::time::sleep(PATIENCE) => {}
    }
    Ok(0)
}

fn router(ui: &Arc<Ui>, entrance: &Arc<Entrance>) -> Router {
    let at = |path: &str| format!("{}{path}", entrance.path());
    let mut router = Router::new().route("/", get(entrance::enter).with_state(entrance.clone()));
    for file in page::FILES {
        router = router.route(&at(file.name), get(move || async { page::answer(file) }));
    }
    router
        .route(&at("api/sandboxes"), read(sandboxes::list))
        .route(&at("api/sandbox"), read(sandboxes::one))
        .route(&at("api/snapshots"), read(sandboxes::snapshots))
        .route(&at("api/timeline"), read(timeline::timeline))
        .route(&at("api/output"), read(timeline::output))
        .route(&at("api/files"), read(files::list))
        .route(&at("api/file"), read(files::show))
        .route(&at("api/changes"), read(changes::list))
        .route(&at("api/diff"), read(changes::diff))
        .route(&at("api/download"), get(files::download))
        .route(&at("api/updates"), get(updates::stream))
        .route(&at("api/terminal"), post(terminal::use_terminal).delete(terminal::end))
        .layer(DefaultBodyLimit::max(terminal::MOST_INPUT))
        .layer(from_fn_with_state(entrance.clone(), entrance::known_only))
        .layer(from_fn(entrance::own_pages_only))
        .layer(from_fn(own_hosts_only))
        .layer(from_fn(entrance::with_headers))
        .with_state(ui.clone())
}

/// A request that reads the store, away from the threads that serve connections.
fn read(work: fn(&Ui, &Query) -> Answer) -> MethodRouter<Arc<Ui>> {
    get(move |State(ui): State<Arc<Ui>>, request: Request| async move {
        reading(ui, Query::of(&request), work).await
    })
}

async fn reading(ui: Arc<Ui>, query: Query, work: fn(&Ui, &Query) -> Answer) -> Response {
    let _place = ui.readers.acquire().await;
    let reader = ui.clone();
    answer(
        tokio::task::spawn_blocking(move || work(&reader, &query))
            .await
            .unwrap_or_else(|lost| Err(lost.into())),
    )
}

/// Opens the user's browser.
fn show(url: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let silent = std::process::Stdio::null;
    let mut command = std::process::Command::new(program);
    command.args(arguments).arg(url).stdin(silent()).stdout(silent()).stderr(silent());
    match command.spawn() {
        // It is waited for, as it may be the browser itself.
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => note(&format!("no browser was opened: {program}: {}", reason(&error))),
    }
}
