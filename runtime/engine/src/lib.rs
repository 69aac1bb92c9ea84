//! The engine configuration that the runtime and the ahead-of-time build share.
