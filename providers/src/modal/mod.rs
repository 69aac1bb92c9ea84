//! [Modal](https://modal.com): two gRPC services, one for sandboxes and one for the commands of each.
//!
//! * Variables: `MODAL_TOKEN_ID` and `MODAL_TOKEN_SECRET`; `MODAL_ENVIRONMENT`; `MODAL_SERVER_URL` for another address.
//! * Sandboxes are made of the second generation. Those of the first, told apart by their ids (22 letters and digits),
//!   can be reattached.
//! * Every call has an id of its own, so that it happens once however often it is sent.
//! * A snapshot is an image, and is named by its id; other names are images of a registry.
//! * The service ends a command when its time, in whole seconds, is up. It has no call to kill one before: a command
//!   whose future is dropped runs on until then.
//! * Files are moved by the service's own tool in the sandbox.

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
