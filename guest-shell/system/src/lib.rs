//! Tools for the system around a script, with the behaviour of those in Debian 12: processes, file types, transfers
//! (within the sandbox), calendars, option parsing for scripts.
//!
//! Each `…_main` takes the whole argument list, beginning with the name it was called by. It reads and writes
//! descriptors 0 to 2 and returns the exit status. It does not call `exit` and may be called once per process.

mod base;
mod cal;
mod curl;
mod envsubst;
mod fallocate;
mod file;
mod getconf;
mod getopt;
mod http;
mod iconv;
mod lsof;
mod manual;
mod nc;
mod net;
mod procps;
mod refused;
mod run;
mod tables;
mod terminfo;
mod uuidgen;
mod wget;

pub use cal::{cal_main, ncal_main};
pub use curl::curl_main;
pub use envsubst::envsubst_main;
pub use fallocate::fallocate_main;
pub use file::file_main;
pub use getconf::getconf_main;
pub use getopt::getopt_main;
pub use iconv::iconv_main;
pub use lsof::lsof_main;
pub use manual::man_main;
pub use nc::nc_main;
pub use procps::{
    free_main, killall_main, pgrep_main, pidof_main, pkill_main, ps_main, top_main, uptime_main, watch_main,
};
pub use refused::{cc_main, passwd_main, ssh_main, timedatectl_main};
pub use run::{flock_main, ionice_main, renice_main, setsid_main, taskset_main, time_main};
pub use tables::{
    findmnt_main, getent_main, gettext_main, locale_main, mount_main, mountpoint_main, ngettext_main,
    whereis_main,
};
pub use terminfo::{clear_main, tput_main};
pub use uuidgen::uuidgen_main;
pub use wget::wget_main;
