//! Speaks the clouds' protocols.
