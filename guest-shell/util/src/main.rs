fn main() {
    sandshell_sys::init();
}
