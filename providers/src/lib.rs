//! The sandbox traits, the local provider and the conformance suite.
