//! Modal: two gRPC services on the port of all others, in clear HTTP/2.
//!
//! Both generations of sandboxes are there, told apart by their ids as the SDKs do. Files are commands of Modal's own
//! tool, which is emulated. Images are names: whatever their Dockerfile says, they are the provider's own sandbox,
//! unless they are snapshots.
//!
//! Not emulated: functions, classes and queues; terminals, GPUs, tunnels, volumes and mounts; snapshots of memory or of
//! single directories; watching files; readiness probes, sidecars and sandboxes that persist; the streams of the own
//! command of a sandbox of the first generation. `ALLOWLIST` is accepted: nothing can be reached anyway.

mod access;
mod control;
mod exec;
mod grpc;
mod router;
mod sandboxes;
mod tool;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use parking_lot::Mutex;
use sandshell_modal::Empty;
use sandshell_modal::control::GenericResult;
use sandshell_providers::SandboxProvider;

use self::grpc::Status;
use crate::Options;
use crate::http::Answer;
use crate::mint::mint;
use crate::world::World;

/// Where sandboxes work if nothing else is asked for.
const HOME: &str = "/root";

/// The service.
pub(crate) struct Modal {
    world: Arc<World>,
    key: Option<String>,
    /// Ends every token that this service gives out.
    mark: String,
    state: Mutex<Known>,
}

/// What the service knows beside its sandboxes.
#[derive(Default)]
struct Known {
    /// Ids by name.
    apps: BTreeMap<String, String>,
    images: HashSet<String>,
    secrets: HashMap<String, HashMap<String, String>>,
    /// Every sandbox that there ever was, and how it ended if it did so itself.
    results: HashMap<String, Option<GenericResult>>,
    /// By task and their own id.
    execs: HashMap<(String, String), exec::Exec>,
    /// Images by the ids that clients gave to snapshots.
    snapshots: HashMap<String, String>,
}

type ModalState = State<Arc<Modal>>;

pub(crate) fn router(provider: Arc<dyn SandboxProvider>, options: &Options) -> Router {
    let modal = Arc::new(Modal {
        world: World::new(provider),
        key: options.api_key.clone(),
        mark: mint(32),
        state: Mutex::default(),
    });
    Router::new()
        .route("/modal.client.ModalClient/{method}", post(control::call))
        .route("/modal.task_command_router.TaskCommandRouter/{method}", post(router::call))
        .with_state(modal)
}

/// What the router refuses, as this service would.
pub(crate) fn refusal(_: u16, message: &str) -> Answer {
    grpc::answer::<Empty>(Err(Status(grpc::UNIMPLEMENTED, message.to_owned())))
}
