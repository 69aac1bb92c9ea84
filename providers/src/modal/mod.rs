//! [Modal](https://modal.com): two gRPC services, one for sandboxes and one for the commands of each.
//!
//! * Variables: `MODAL_TOKEN_ID` and `MODAL_TOKEN_SECRET`; `MODAL_ENVIRONMENT`; `MODAL_SERVER_URL` for another address.
//! * New sandboxes are of the second generation. Those of the first, which have ids of 22 letters and digits, can
//!   be reattached.
//! * Every call has an id of its own, so that it has its effect only once even if it is sent again.
//! * A snapshot is an image and is named by its id. Other names are images of a registry.
//! * The service ends a command when its timeout, in whole seconds, has passed. No call can kill it earlier: a
//!   command whose future is dropped runs on until then.
//! * The service's own tool in the sandbox transfers files.

mod api;
mod channel;
mod execute;
mod files;
mod options;
mod provider;
mod sandbox;

pub use options::ModalOptions;
pub use provider::ModalProvider;
pub use sandbox::ModalSandbox;
