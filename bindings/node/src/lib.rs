//! The native part of the JavaScript package. Values are translated here; names and defaults are JavaScript's affair.

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

/// Every promise is kept by a runtime with as many threads as sandboxes need, so that the event loop is never blocked.
#[napi_derive::module_init]
fn init() {
    // Without it the add-on has a runtime of its own making.
    if let Ok(runtime) = lasting_runtime() {
        napi::bindgen_prelude::create_custom_tokio_runtime(runtime);
    }
}
