sandshell_sys::applets!("bash", "sh");

fn main() {
    sandshell_sys::init();
}
