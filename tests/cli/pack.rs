//! `sandshell pack`, and packs in sandboxes.

use super::{check, check_refused, home, run};
use std::fs;
use std::path::Path;

/// A pack whose program exits with status 7.
fn pack(at: &Path) {
    fs::create_dir_all(at.join("share/data")).unwrap();
    fs::write(at.join("share/data/file"), "from the pack\n").unwrap();
    let text = r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 1) (func (export "_start") (call $exit (i32.const 7))))"#;
    fs::write(at.join("seven.wasm"), wat::parse_str(text).unwrap()).unwrap();
    let manifest = "name = 'seven'\nversion = '1.2'\nsummary = 'Exits'\ncommands = ['seven', 'sieben']\n\
                    [program]\nfile = 'seven.wasm'\n[[tree]]\nfrom = 'share'\nat = '/usr/share/seven'\n";
    fs::write(at.join("pack.toml"), manifest).unwrap();
}

/// A program that exits with status 8.
const EIGHT: &str = r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1) (func (export "_start") (call $exit (i32.const 8))))"#;

#[test]
fn an_installed_pack_is_in_every_sandbox() {
    let home = home();
    pack(&home.path().join("made"));
    check(&run(&home, ["pack", "list"]), 0, "");
    check(&run(&home, ["pack", "install", "made"]), 0, "seven 1.2 is installed: seven, sieben\n");
    check(&run(&home, ["pack", "list"]), 0, "seven\t1.2\tExits\n");
    check(&run(&home, ["exec", "seven; echo $?; sieben"]), 7, "7\n");
    let files = "cat /usr/share/seven/data/file; echo x 2>/dev/null > /usr/share/seven/data/file; echo $?";
    check(&run(&home, ["exec", files]), 0, "from the pack\n1\n");
    check(&run(&home, ["exec", "cp /usr/bin/seven x; ./x"]), 7, "");
    check(&run(&home, ["exec", "--seed", "1", "seven"]), 7, "");
    check(&run(&home, ["exec", "--no-packs", "type seven 2> /dev/null; test -e /usr/share/seven"]), 1, "");
    check(&run(&home, ["exec", "--no-packs", "--pack", "seven", "seven"]), 7, "");
    check(&run(&home, ["pack", "remove", "seven"]), 0, "");
    check(&run(&home, ["exec", "seven 2> /dev/null"]), 127, "");
    check_refused(&run(&home, ["pack", "remove", "seven"]), &["seven", "no such pack"]);
}

#[test]
fn a_pack_that_came_with_the_program_has_a_name() {
    let home = home();
    pack(&home.path().join("made"));
    let prefix = home.path().join("prefix");
    let (bin, packs) = (prefix.join("bin"), prefix.join("share/sandshell/packs"));
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir_all(&packs).unwrap();
    let program = bin.join("sandshell");
    fs::copy(env!("CARGO_BIN_EXE_sandshell"), &program).unwrap();
    let archive = |path: &Path| {
        let mut archive = tar::Builder::new(fs::File::create(path).unwrap());
        archive.append_dir_all(".", home.path().join("made")).unwrap();
        archive.into_inner().unwrap();
    };
    let install = || {
        let mut command = std::process::Command::new(&program);
        command.env_clear().env("HOME", home.path()).current_dir(home.path());
        command.args(["pack", "install", "seven"]).output().unwrap()
    };
    // What lies in the current directory is not meant by a name.
    archive(&home.path().join("sandshell-pack-seven-1.2.tar"));
    archive(&packs.join("sandshell-pack-seven-more-1.2.tar"));
    check_refused(
        &install(),
        &["seven", "no such file or directory", "share/sandshell/packs", "pack build seven"],
    );
    archive(&packs.join("sandshell-pack-seven-1.2.tar"));
    check(&install(), 0, "seven 1.2 is installed: seven, sieben\n");
    archive(&bin.join("sandshell-pack-seven-1.3.tar"));
    check_refused(&install(), &["say which one", "seven-1.2.tar", "seven-1.3.tar"]);
}

#[test]
fn a_pack_replaces_another_one() {
    let home = home();
    pack(&home.path().join("made"));
    check(&run(&home, ["pack", "install", "made"]), 0, "seven 1.2 is installed: seven, sieben\n");
    let path = home.path().join("made/pack.toml");
    let text = fs::read_to_string(&path).unwrap();
    let other = home.path().join("made/eight.wasm");
    fs::write(other, wat::parse_str(EIGHT).unwrap()).unwrap();
    let larger =
        text.replace("'seven'\nv", "'eight'\nreplaces = ['seven']\nv").replace("seven.wasm", "eight.wasm");
    fs::write(&path, &larger).unwrap();
    check(&run(&home, ["pack", "install", "made"]), 0, "eight 1.2 is installed: seven, sieben\n");
    // Both have the same commands and the same tree.
    check(&run(&home, ["exec", "cat /usr/share/seven/data/file; seven"]), 8, "from the pack\n");
    check(&run(&home, ["pack", "remove", "eight"]), 0, "");
    check(&run(&home, ["exec", "seven"]), 7, "");
    // Without that word, the commands are those of the pack that comes later.
    fs::write(&path, larger.replace("replaces = ['seven']\n", "").replace("'eight'", "'zeit'")).unwrap();
    check(&run(&home, ["pack", "install", "made"]), 0, "zeit 1.2 is installed: seven, sieben\n");
    check(&run(&home, ["exec", "sieben"]), 8, "");
}

#[test]
fn a_pack_can_be_used_without_being_installed() {
    let home = home();
    pack(&home.path().join("made"));
    check_refused(&run(&home, ["exec", "--pack", "./made", "seven"]), &["not a built pack"]);
    check(&run(&home, ["pack", "install", "made"]), 0, "seven 1.2 is installed: seven, sieben\n");
    let installed = home.path().join(".local/share/sandshell/packs/seven");
    fs::rename(&installed, home.path().join("built")).unwrap();
    check(&run(&home, ["exec", "--pack", "./built", "seven"]), 7, "");
    check_refused(&run(&home, ["exec", "--pack", "seven", "seven"]), &["seven", "no such pack is installed"]);
    // What a tree leads to would be in the sandbox, whoever made the pack.
    let tree = home.path().join("built/share");
    fs::remove_dir_all(&tree).unwrap();
    std::os::unix::fs::symlink("/etc", &tree).unwrap();
    let stolen = run(&home, ["exec", "--pack", "./built", "cat /usr/share/seven/passwd"]);
    check_refused(&stolen, &["\"share\" is not a directory of the pack"]);
}

#[test]
fn what_a_user_mounts_is_not_hidden_by_a_pack() {
    let home = home();
    pack(&home.path().join("made"));
    check(&run(&home, ["pack", "install", "made"]), 0, "seven 1.2 is installed: seven, sieben\n");
    let mine = home.path().join("mine");
    fs::create_dir_all(mine.join("seven")).unwrap();
    fs::write(mine.join("file"), "from the user\n").unwrap();
    let with = |at: &str, script: &str| run(&home, ["exec", "--mount", &format!("mine:{at}"), script]);
    check(&with("/usr/share/seven/data", "cat /usr/share/seven/data/file; seven"), 7, "from the user\n");
    check(
        &with("/usr/share/seven/", "cat /usr/share/seven/file; ls /usr/share/seven/data"),
        2,
        "from the user\n",
    );
    let above = "cat /usr/share/file /usr/share/seven/data/file";
    check(&with("/usr//share", above), 0, "from the user\nfrom the pack\n");
    check_refused(&with("/usr/share/seven/none", "true"), &["/usr/share/seven/none", "no such directory"]);
    fs::remove_dir(mine.join("seven")).unwrap();
    check_refused(&with("/usr/share", "true"), &["/usr/share/seven", "no such directory"]);
}

#[test]
fn a_configuration_chooses_packs() {
    let home = home();
    pack(&home.path().join("made"));
    check(&run(&home, ["pack", "install", "made"]), 0, "seven 1.2 is installed: seven, sieben\n");
    let config = home.path().join(".config/sandshell");
    fs::create_dir_all(&config).unwrap();
    let configure = |text: &str| fs::write(config.join("config.toml"), text).unwrap();
    configure("[packs]\ninstalled = false\n");
    check(&run(&home, ["exec", "seven 2> /dev/null"]), 127, "");
    configure("[packs]\ninstalled = false\nuse = ['seven']\n");
    check(&run(&home, ["exec", "seven"]), 7, "");
    fs::rename(home.path().join(".local/share/sandshell/packs/seven"), config.join("built")).unwrap();
    configure("[packs]\nuse = ['./built']\n");
    check(&run(&home, ["exec", "seven"]), 7, "");
    check(&run(&home, ["exec", "--no-packs", "seven 2> /dev/null"]), 127, "");
    configure("[packs]\nuse = 'built'\n");
    check_refused(&run(&home, ["exec", "true"]), &["config.toml", "invalid type"]);
    check(&run(&home, ["exec", "--no-packs", "true"]), 0, "");
}

#[test]
fn what_was_changed_is_not_installed() {
    let home = home();
    pack(&home.path().join("made"));
    check(&run(&home, ["pack", "install", "made"]), 0, "seven 1.2 is installed: seven, sieben\n");
    let built = home.path().join("built");
    fs::rename(home.path().join(".local/share/sandshell/packs/seven"), &built).unwrap();
    fs::write(built.join("share/data/file"), "other\n").unwrap();
    check_refused(&run(&home, ["pack", "install", "built"]), &["share", "manifest"]);
    check_refused(&run(&home, ["pack", "install", "nowhere"]), &["nowhere"]);
    fs::create_dir(home.path().join("empty")).unwrap();
    check_refused(&run(&home, ["pack", "install", "empty"]), &["pack.toml"]);
}

#[test]
fn a_program_that_cannot_be_run_says_why() {
    let home = home();
    pack(&home.path().join("made"));
    let text = EIGHT.replace("proc_exit", "no_such\\1b[31m_call");
    for (program, why) in
        [(wat::parse_str(text).unwrap(), "no_such\\u{1b}[31m_call"), (b"\0asm".to_vec(), "unexpected end")]
    {
        fs::write(home.path().join("made/seven.wasm"), program).unwrap();
        check_refused(&run(&home, ["pack", "install", "made"]), &["seven.wasm", why]);
        check(&run(&home, ["pack", "list"]), 0, "");
    }
}

#[test]
fn a_missing_pack_says_how_to_get_it() {
    let home = home();
    let output = run(&home, ["exec", "python3 -c 1; echo $?; env -i pip install x"]);
    check(&output, 127, "127\n");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("python3: ") && said.contains("sandshell pack build python"), "{said}");
}

/// Needs the host's Python with venv and pip, and the Python package index.
#[test]
fn the_documented_example_works() {
    let home = home();
    let text = include_str!("../../packs/README.md");
    let block = |language: &str, start: &str| {
        let (_, rest) = text.split_once(&format!("```{language}\n{start}")).unwrap();
        format!("{start}{}", rest.split_once("```").unwrap().0)
    };
    let recipe = home.path().join("recipe");
    fs::create_dir(&recipe).unwrap();
    fs::write(recipe.join("pack.toml"), block("toml", "name = \"boolector\"")).unwrap();
    fs::write(recipe.join("build.py"), block("python", "import importlib")).unwrap();
    let mut build = super::sandshell(home.path());
    // Only this build uses the host's own settings, because those of pip name the package index.
    build.envs(std::env::vars_os()).env("HOME", home.path()).current_dir(&recipe);
    build.env_remove("XDG_DATA_HOME").env_remove("XDG_CACHE_HOME");
    let built = build.args(["pack", "build", "./"]).output().unwrap();
    check(&built, 0, "boolector 3.2.3 is installed: boolector\n");
    let script = block("sh", "sandshell pack build");
    let (_, script) = script.split_once("exec '").unwrap();
    let output = run(&home, ["exec", script.split_once('\'').unwrap().0]);
    check(&output, 10, "sat\n(\n  (define-fun x () (_ BitVec 8) #b00000101)\n)\n");
}
