//! The header of a page.

use crate::pr::Options;
use crate::pr::pen::{Pen, put_blanks};
use crate::pr::source::Source;
use sandshell_cli::bytes;
use sandshell_cli::out;
use sandshell_posix::characters;
use sandshell_sys as sys;
use sandshell_time::{
    Zone,
    strftime::{self, Moment},
};

/// The content of a header, except for the page number.
pub(super) struct Heading {
    date: Vec<u8>,
    title: Vec<u8>,
}

impl Heading {
    /// With the name of a file and its modification time. Without a file, with the current time.
    pub(super) fn new(o: &Options, file: Option<&Source>) -> Self {
        let file = file.filter(|f| f.name != b"-");
        let (seconds, nanos) = match file.and_then(|f| sys::fstat(f.fd()).ok()) {
            Some(stat) => (stat.mtime, stat.mtime_nsec),
            None => {
                let now = sys::realtime();
                ((now / 1_000_000_000) as i64, (now % 1_000_000_000) as u32)
            }
        };
        let local = Zone::system().local(seconds);
        let date = strftime::format(&o.date_format, &Moment { local: &local, seconds, nanos });
        let title = o.header.clone().or_else(|| file.map(|f| f.name.clone())).unwrap_or_default();
        Self { date, title }
    }

    /// Prints the five lines of a header, with the title in the middle of the line.
    pub(super) fn print(&self, o: &Options, page: u64, pen: &mut Pen) {
        let page = format!("Page {page}");
        let used = characters::columns(&self.date) + characters::columns(&self.title) + page.len();
        let room = (o.width - used as i64).max(0);
        pen.home();
        pen.go_to(o.margin);
        pen.release();
        out::put("\n\n");
        put_blanks(o.margin);
        out::put(&self.date);
        put_blanks((room / 2).max(1));
        out::put(&self.title);
        put_blanks((room - room / 2).max(1));
        out::put(bytes!(page, "\n\n\n"));
        pen.home();
    }
}
