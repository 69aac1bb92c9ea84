//! Info-ZIP's `zip` 3.0, `unzip` 6.0 and `zipinfo`.

mod arguments;
mod directory;
mod extract;
mod list;
mod pack;
mod record;
mod unzip;

pub use arguments::zip_main;
pub use unzip::unzip_main;
