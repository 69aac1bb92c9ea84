//! The native part of the JavaScript package. It only translates values; names and defaults are in the TypeScript
//! part.

#![allow(
    missing_docs,
    unreachable_pub,
    reason = "JavaScript sees what is `pub`; `native/index.d.ts` describes it"
)]

mod answers;
mod errors;
mod provider;
mod sandbox;

use sandshell_bindings::lasting_runtime;

/// All promises run on a runtime with as many threads as sandboxes need, so that the event loop is never blocked.
#[napi_derive::module_init]
fn init() {
    // If this fails, napi creates a runtime itself.
    if let Ok(runtime) = lasting_runtime() {
        napi::bindgen_prelude::create_custom_tokio_runtime(runtime);
    }
}
