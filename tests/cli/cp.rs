//! `sandshell cp`, and with it the files that `--state` keeps: neither needs a guest.

use super::{check, check_refused, home, run};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

#[test]
fn a_tree_comes_back_as_it_went_in() {
    let home = home();
    let at = |name: &str| home.path().join(name);
    fs::create_dir_all(at("tree/empty")).unwrap();
    fs::create_dir_all(at("tree/deep/er")).unwrap();
    let big: Vec<u8> = (0..3_000_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
    fs::write(at("tree/deep/er/big"), &big).unwrap();
    fs::write(at("tree/script"), "#!/bin/sh\n").unwrap();
    fs::write(at("tree").join("n".repeat(200)), "long name").unwrap();
    fs::set_permissions(at("tree/script"), fs::Permissions::from_mode(0o751)).unwrap();
    fs::set_permissions(at("tree/empty"), fs::Permissions::from_mode(0o500)).unwrap();
    symlink("../tree/script", at("tree/link")).unwrap();
    symlink("/nowhere", at("tree/dangling")).unwrap();

    check(&run(&home, ["cp", "--state", "box.tar", "tree", ":/workspace/"]), 0, "");
    // Reads and writes the archive a second time.
    check(&run(&home, ["cp", "--state", "box.tar", "tree/script", ":/home/user/other"]), 0, "");
    check(&run(&home, ["cp", "--state", "box.tar", ":/workspace/tree", "back"]), 0, "");
    check(&run(&home, ["cp", "--state", "box.tar", ":/home/user/other", "."]), 0, "");

    assert_eq!(fs::read(at("back/deep/er/big")).unwrap(), big);
    assert_eq!(fs::read(at("back").join("n".repeat(200))).unwrap(), b"long name");
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("back/script"), mode("back/empty"), mode("other")), (0o751, 0o500, 0o751));
    assert_eq!(fs::read_link(at("back/link")).unwrap().as_os_str(), "../tree/script");
    assert_eq!(fs::read_link(at("back/dangling")).unwrap().as_os_str(), "/nowhere");
    assert_eq!(
        fs::metadata(at("back/script")).unwrap().uid(),
        fs::metadata(at("tree/script")).unwrap().uid()
    );
    // Makes the directory removable by an ordinary user.
    fs::set_permissions(at("back/empty"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn several_sources_need_a_directory() {
    let home = home();
    for name in ["a", "b"] {
        fs::write(home.path().join(name), name).unwrap();
    }
    check(&run(&home, ["cp", "--state", "box.tar", "a", "b", ":/workspace/new"]), 0, "");
    fs::create_dir(home.path().join("out")).unwrap();
    let sources = [":/workspace/new/a", ":/workspace/new/b"];
    check(&run(&home, ["cp", "--state", "box.tar", sources[0], sources[1], "out"]), 0, "");
    assert_eq!(fs::read(home.path().join("out/b")).unwrap(), b"b");
    check_refused(&run(&home, ["cp", "--state", "box.tar", sources[0], sources[1], "nowhere"]), &["nowhere"]);
}

#[test]
fn nothing_is_kept_of_a_copy_that_failed() {
    let home = home();
    fs::write(home.path().join("a"), "a").unwrap();
    check(&run(&home, ["cp", "--state", "box.tar", "a", ":/workspace/a"]), 0, "");
    let before = fs::read(home.path().join("box.tar")).unwrap();
    fs::write(home.path().join("a"), "changed").unwrap();
    check_refused(&run(&home, ["cp", "--state", "box.tar", "a", "missing", ":/workspace"]), &["missing"]);
    check_refused(&run(&home, ["cp", "--state", "box.tar", "a", ":/etc/passwd"]), &["Permission denied"]);
    assert_eq!(fs::read(home.path().join("box.tar")).unwrap(), before);
}

#[test]
fn a_link_from_the_sandbox_leads_nothing_astray() {
    let home = home();
    let at = |name: &str| home.path().join(name);
    fs::create_dir_all(at("tree/d")).unwrap();
    fs::write(at("tree/d/file"), "from the sandbox").unwrap();
    fs::create_dir(at("target")).unwrap();
    check(&run(&home, ["cp", "--state", "box.tar", "tree", ":/workspace"]), 0, "");
    // An earlier copy may have created a link of this name.
    fs::create_dir(at("out")).unwrap();
    symlink(at("target"), at("out/d")).unwrap();
    check_refused(
        &run(&home, ["cp", "--state", "box.tar", ":/workspace/tree/d", "out"]),
        &["out/d", "in the way"],
    );
    assert!(!at("target/file").exists());
}
