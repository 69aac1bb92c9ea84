//! perl: `commands.expected` is what Debian's prints.

use super::{differences, exec};
use std::fs;
use std::path::Path;

#[test]
fn answers_are_those_of_debians() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/perl");
    let script = "mkdir /tmp/case; cd /tmp/case; bash /tests/commands.sh";
    let got = exec(["--mount", &format!("{}:/tests:ro", folder.display())], script);
    let differs = differences(&fs::read(folder.join("commands.expected")).unwrap(), &got.stdout);
    assert!(differs.is_empty(), "{differs}\n{}", String::from_utf8_lossy(&got.stderr));
}

/// Where a C function is to come back to, there is no copy to go on in.
#[test]
fn fork_within_a_callback_says_why_not() {
    let script =
        r#"perl -e 'my @l = sort { defined fork or print "no: $!\n"; $a <=> $b } 2, 1; print "@l\n"'"#;
    let got = exec::<&str>([], script);
    assert_eq!(String::from_utf8_lossy(&got.stdout), "no: Function not implemented\n1 2\n");
}

/// Programs that mean harm: each ends, and the sandbox goes on.
#[test]
fn hostile_programs_end() {
    for (program, ends) in [
        ("my $s = q{x} x 1e6; $s .= $s for 1 .. 20; exit 7", "without 7"),
        ("my @a; push @a, [1 .. 1000] while 1; exit 7", "without 7"),
        ("(q{a} x 40) =~ /^(?:a?){40}a{40}$/; exit 7", "124"),
        ("1 while 1", "124"),
        ("my $r = q{(} x 100000 . q{)} x 100000; eval { qr/$r/ }; exit 4", "4"),
        ("eval q{1+} x 100000; exit 5", "5"),
        ("my $d; $d = [$d] for 1 .. 1000000; undef $d; exit 6", "6"),
    ] {
        let script =
            format!("ulimit -v 600000; timeout 20 perl -e '{program}' >/dev/null 2>&1; echo $?; echo on");
        let got = exec::<&str>([], &script);
        let text = String::from_utf8_lossy(&got.stdout).into_owned();
        let status = text.strip_suffix("\non\n").unwrap_or_else(|| panic!("{program}: {text}"));
        assert!(
            status == ends || (ends == "without 7" && !["0", "7", "124"].contains(&status)),
            "{program}: {status}"
        );
    }
}
