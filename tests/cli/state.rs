//! `--state`.

use super::{check, home, run};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn files_stay_from_one_run_to_the_next() {
    let home = home();
    let make = "echo kept > note; mkdir -p /home/user/d; echo x > /home/user/d/x; chmod 750 note; ln -s note link; \
                ln note hard; rmdir /opt";
    check(&run(&home, ["exec", "--state", "box.tar", make]), 0, "");
    let look = "cat note link; stat -c '%a %h' note; cat /home/user/d/x; test -e /opt || echo no opt";
    check(&run(&home, ["exec", "--state", "box.tar", look]), 0, "kept\nkept\n750 2\nx\nno opt\n");
    check(&run(&home, ["exec", "--state", "box.tar", "echo more >> hard; rm link"]), 0, "");
    check(&run(&home, ["exec", "--state", "box.tar", "cat note; ls"]), 0, "kept\nmore\nhard\nnote\n");
    check(&run(&home, ["exec", "ls"]), 0, "");
}

#[test]
fn a_command_that_fails_keeps_its_files_too() {
    let home = home();
    check(&run(&home, ["exec", "--state", "box.tar", "echo 1 > a; exit 4"]), 4, "");
    let timeout = ["exec", "--state", "box.tar", "--timeout", "300ms", "echo 2 > b; sleep 100"];
    check(&run(&home, timeout), 124, "");
    check(&run(&home, ["exec", "--state", "box.tar", "cat a b"]), 0, "1\n2\n");
}

#[test]
fn files_below_a_mount_are_not_lost() {
    let home = home();
    fs::create_dir(home.path().join("host")).unwrap();
    check(&run(&home, ["exec", "--state", "box.tar", "echo below > covered"]), 0, "");
    check(&run(&home, ["exec", "--state", "box.tar", "--mount", "host:/workspace", "ls"]), 0, "");
    check(&run(&home, ["exec", "--state", "box.tar", "cat covered"]), 0, "below\n");
}

#[test]
fn the_archive_is_private_and_replaced_as_a_whole() {
    let home = home();
    let file = home.path().join("box.tar");
    check(&run(&home, ["exec", "--state", "box.tar", "true"]), 0, "");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    check(&run(&home, ["exec", "--state", "box.tar", "true"]), 0, "");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    let names: Vec<_> = fs::read_dir(home.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().contains("sandshell-state")), "{names:?}");
}
