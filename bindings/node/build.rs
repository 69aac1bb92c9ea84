//! What the linker has to know about a Node add-on.

fn main() {
    napi_build::setup();
}
