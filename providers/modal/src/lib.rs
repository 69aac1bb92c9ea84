//! Messages of Modal's sandbox protocol, as far as its client and its emulator need them.
//!
//! Names and numbers are those of the official SDK's descriptors (modal 1.6.4); fields that neither side reads are
//! left out, which Protocol Buffers allow.

#![allow(missing_docs, reason = "names are the protocol's own")]

pub mod control;
pub mod router;

/// A message without fields.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Empty {}
