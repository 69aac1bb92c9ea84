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
mod secrets;
mod task;
mod tool;
mod wire;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use sandshell_modal::Empty;
use sandshell_modal::control::GenericResult;
use serde_json::{Value, json};

use self::grpc::Status;
use self::secrets::Secrets;
use crate::fields::Fields;
use crate::http::{HttpAnswer, strings};
use crate::ids::random_id;
use crate::options::Options;
use crate::records::{Kept, Record};
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
    state: Kept<Known>,
}

/// The service's state other than its sandboxes.
#[derive(Default)]
struct Known {
    /// The same as the service's.
    mark: String,
    /// Application ids by name.
    apps: BTreeMap<String, String>,
    /// How many bytes were added to these and to images by this process.
    bytes: usize,
    /// Images with the settings of their sandboxes.
    images: HashMap<String, image::Settings>,
    /// For images with layers: the image that has the files.
    files: HashMap<String, String>,
    /// The newest secrets.
    secrets: Secrets,
    /// Every sandbox that ever existed, and its result if it ended by itself.
    results: HashMap<String, Option<GenericResult>>,
    /// Commands by task and their own id.
    execs: HashMap<(String, String), exec::Exec>,
    /// At how many of them some are forgotten.
    most_execs: usize,
    /// Images by the ids that clients gave to snapshots.
    snapshots: HashMap<String, String>,
}

type ModalState = State<Arc<Modal>>;

/// How many bytes of names and settings of applications and images are kept.
const MOST_KNOWN: usize = 64 << 20;

/// What each of them counts beside its bytes.
const ENTRY: usize = 128;

impl Known {
    /// Whether there is room for a name or settings of this many bytes.
    fn room_for(&mut self, bytes: usize) -> grpc::Called<()> {
        let added = self.bytes.saturating_add(bytes).saturating_add(ENTRY);
        if added > MOST_KNOWN {
            let why = format!(
                "the names and settings of applications and images have more than {MOST_KNOWN} bytes"
            );
            return Err(Status(grpc::RESOURCE_EXHAUSTED, why));
        }
        self.bytes = added;
        Ok(())
    }

    /// The opposite of [`room_for`](Self::room_for).
    fn give_back(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes.saturating_add(ENTRY));
    }
}

/// A key in the form that the SDK requires.
pub(crate) const KEY: &str = "as-0000000000000000";

/// The variables that point the SDK here.
pub(crate) fn variables(url: &str, key: &str) -> Vec<(&'static str, String)> {
    vec![
        ("MODAL_SERVER_URL", url.to_owned()),
        ("MODAL_TOKEN_ID", "ak-0000000000000000".to_owned()),
        ("MODAL_TOKEN_SECRET", key.to_owned()),
    ]
}

pub(crate) fn router(world: Arc<World>, options: &Options) -> Router {
    let state = world.persistent::<Known>("known");
    let mark = {
        let mut known = state.lock();
        if known.mark.is_empty() {
            known.mark = random_id(32);
        }
        known.mark.clone()
    };
    let modal = Arc::new(Modal { key: options.api_key.clone(), mark, state, world });
    Router::new()
        .route("/modal.client.ModalClient/{method}", post(control::call))
        .route("/modal.task_command_router.TaskCommandRouter/{method}", post(router::call))
        .with_state(modal)
}

/// The router's refusals, in this service's form.
pub(crate) fn refusal(_: u16, message: &str) -> HttpAnswer {
    grpc::answer::<Empty>(Err(Status(grpc::UNIMPLEMENTED, message.to_owned())))
}

/// Secrets and commands are only of this process.
impl Record for Known {
    fn write(&self) -> Value {
        let image = |settings: &image::Settings| json!({"env": settings.env, "workdir": settings.workdir});
        let images: serde_json::Map<_, _> =
            self.images.iter().map(|(id, settings)| (id.clone(), image(settings))).collect();
        let result = |result: &GenericResult| json!([result.status, result.exception, result.exitcode]);
        let results: serde_json::Map<_, _> =
            self.results.iter().map(|(id, ended)| (id.clone(), json!(ended.as_ref().map(result)))).collect();
        json!({
            "mark": self.mark,
            "apps": self.apps,
            "images": images,
            "files": self.files,
            "results": results,
            "snapshots": self.snapshots,
        })
    }

    fn read(record: &Value) -> Self {
        let object = |name: &str| record[name].as_object().into_iter().flatten();
        let image = |known: &Value| image::Settings {
            env: serde_json::from_value(known["env"].clone()).unwrap_or_default(),
            workdir: known["workdir"].as_str().map(str::to_owned),
        };
        let number = |known: &Value| known.as_i64().and_then(|number| i32::try_from(number).ok());
        let result = |known: &Value| {
            Some(GenericResult {
                status: number(known.get(0)?)?,
                exception: known.get(1)?.as_str()?.to_owned(),
                exitcode: number(known.get(2)?)?,
            })
        };
        Self {
            mark: record["mark"].as_str().unwrap_or_default().to_owned(),
            apps: strings(&record["apps"]),
            images: object("images").map(|(id, known)| (id.clone(), image(known))).collect(),
            files: strings(&record["files"]).into_iter().collect(),
            results: object("results").map(|(id, known)| (id.clone(), result(known))).collect(),
            snapshots: strings(&record["snapshots"]).into_iter().collect(),
            ..Self::default()
        }
    }
}
