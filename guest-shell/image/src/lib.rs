//! The guest programs, precompiled and embedded.
