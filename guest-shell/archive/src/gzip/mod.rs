pub(crate) mod member;
pub(crate) mod writer;
