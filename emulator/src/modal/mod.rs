//! Modal: two gRPC services on the port of all others, in clear HTTP/2.
//!
//! Both generations of sandboxes are there, told apart by their ids as the SDKs do. Files are commands of Modal's own
//! tool, which is emulated. Images are names: they are the provider's own sandbox, unless they are snapshots, with the
//! variables and the working directory of their layers. A layer for which something would have to be built is refused.
//!
//! What else is not emulated is in `fields.txt`.

mod access;
mod control;
mod exec;
mod grpc;
mod image;
mod router;
mod sandboxes;
mod tool;
mod wire;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use parking_lot::Mutex;
use sandshell_modal::Empty;
use sandshell_modal::control::GenericResult;
use sandshell_providers::SandboxProvider;

use self::grpc::Status;
use crate::Options;
use crate::fields::Fields;
use crate::http::HttpAnswer;
use crate::ids::random_id;
use crate::world::World;

/// What the SDKs can send.
pub(crate) static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::parse(include_str!("fields.txt")));

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
    /// With what their sandboxes begin with.
    images: HashMap<String, image::Settings>,
    /// Of images that are layers: that which has the files.
    files: HashMap<String, String>,
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
        mark: random_id(32),
        state: Mutex::default(),
    });
    Router::new()
        .route("/modal.client.ModalClient/{method}", post(control::call))
        .route("/modal.task_command_router.TaskCommandRouter/{method}", post(router::call))
        .with_state(modal)
}

/// What the router refuses, as this service would.
pub(crate) fn refusal(_: u16, message: &str) -> HttpAnswer {
    grpc::answer::<Empty>(Err(Status(grpc::UNIMPLEMENTED, message.to_owned())))
}
