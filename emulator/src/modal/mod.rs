//! Modal: two gRPC services on the common port, over HTTP/2 without TLS.
//!
//! Both generations of sandboxes exist; their ids tell them apart, as in the SDKs. File operations are commands of
//! Modal's own tool, which is emulated. Images that are not snapshots mean the provider's default sandbox, with the
//! variables and the working directory of their layers. Layers that require building something are refused.
//!
//! `fields.txt` lists what else is not emulated.

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

/// The requests and fields that the SDKs can send.
pub(crate) static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::parse(include_str!("fields.txt")));

/// The default working directory.
const HOME: &str = "/root";

/// The service.
pub(crate) struct Modal {
    world: Arc<World>,
    key: Option<String>,
    /// The ending of every token from this service, by which it recognises them.
    mark: String,
    state: Mutex<Known>,
}

/// The service's state other than its sandboxes.
#[derive(Default)]
struct Known {
    /// Application ids by name.
    apps: BTreeMap<String, String>,
    /// Images with the settings of their sandboxes.
    images: HashMap<String, image::Settings>,
    /// For images with layers: the image that has the files.
    files: HashMap<String, String>,
    secrets: HashMap<String, HashMap<String, String>>,
    /// Every sandbox that ever existed, and its result if it ended by itself.
    results: HashMap<String, Option<GenericResult>>,
    /// Commands by task and their own id.
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

/// The router's refusals, in this service's form.
pub(crate) fn refusal(_: u16, message: &str) -> HttpAnswer {
    grpc::answer::<Empty>(Err(Status(grpc::UNIMPLEMENTED, message.to_owned())))
}
