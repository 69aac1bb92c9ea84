//! Utilities that read text and write text.

mod base_n;
pub mod basenc;
pub mod checksum;
pub mod comm;
pub mod cut;
mod digest;
pub mod echo;
pub mod expr;
mod follow;
pub mod head;
pub mod names;
pub mod paste;
pub mod printf;
pub mod seq;
pub mod shuf;
pub mod small;
pub mod sort;
mod sort_key;
pub mod tail;
pub mod tee;
pub mod test;
pub mod tr;
mod tr_sets;
pub mod truncate;
pub mod tsort;
pub mod uniq;
pub mod wc;
