//! Utilities that read text and write text.

pub mod cut;
mod follow;
pub mod head;
pub mod sort;
mod sort_key;
pub mod tail;
pub mod tr;
mod tr_sets;
pub mod uniq;
pub mod wc;
