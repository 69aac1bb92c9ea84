//! All tools in one program, for development: `system cal ARGS…`, or through links with the tools' names.

type Main = fn(Vec<Vec<u8>>) -> i32;

const TOOLS: &[(&str, Main)] = &[
    ("cal", sandshell_system::cal_main),
    ("ncal", sandshell_system::ncal_main),
    ("curl", sandshell_system::curl_main),
    ("envsubst", sandshell_system::envsubst_main),
    ("fallocate", sandshell_system::fallocate_main),
    ("man", sandshell_system::man_main),
    ("nc", sandshell_system::nc_main),
    ("passwd", sandshell_system::passwd_main),
    ("taskset", sandshell_system::taskset_main),
    ("timedatectl", sandshell_system::timedatectl_main),
    ("file", sandshell_system::file_main),
    ("getopt", sandshell_system::getopt_main),
    ("free", sandshell_system::free_main),
    ("killall", sandshell_system::killall_main),
    ("pgrep", sandshell_system::pgrep_main),
    ("pidof", sandshell_system::pidof_main),
    ("pkill", sandshell_system::pkill_main),
    ("ps", sandshell_system::ps_main),
    ("top", sandshell_system::top_main),
    ("uptime", sandshell_system::uptime_main),
    ("wget", sandshell_system::wget_main),
    ("watch", sandshell_system::watch_main),
    ("flock", sandshell_system::flock_main),
    ("ionice", sandshell_system::ionice_main),
    ("renice", sandshell_system::renice_main),
    ("setsid", sandshell_system::setsid_main),
    ("time", sandshell_system::time_main),
    ("findmnt", sandshell_system::findmnt_main),
    ("getent", sandshell_system::getent_main),
    ("gettext", sandshell_system::gettext_main),
    ("locale", sandshell_system::locale_main),
    ("mount", sandshell_system::mount_main),
    ("mountpoint", sandshell_system::mountpoint_main),
    ("ngettext", sandshell_system::ngettext_main),
    ("whereis", sandshell_system::whereis_main),
];

fn main() {
    sandshell_sys::init();
    let mut args: Vec<Vec<u8>> = std::env::args_os().map(std::ffi::OsString::into_encoded_bytes).collect();
    let base = |a: &[u8]| a.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    if args.first().is_some_and(|a| base(a) == b"system") {
        args.remove(0);
    }
    let name = args.first().map(|a| base(a)).unwrap_or_default();
    if args.first().is_some_and(|a| a == b"--list") {
        let names: Vec<&str> = TOOLS.iter().map(|t| t.0).collect();
        let _ = sandshell_sys::write_all(1, (names.join("\n") + "\n").as_bytes());
        return;
    }
    let tool = TOOLS.iter().find(|t| t.0.as_bytes() == name);
    sandshell_sys::exit(tool.map_or(127, |t| (t.1)(args)) as u8);
}
