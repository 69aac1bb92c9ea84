//! The shell of SQLite: `commands.expected` is what Debian's prints.

use super::{differences, exec};
use std::fs;
use std::path::Path;

#[test]
fn answers_are_those_of_debians() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/sqlite");
    let script = "mkdir /tmp/case; cd /tmp/case; bash /tests/commands.sh";
    let got = exec(["--mount", &format!("{}:/tests:ro", folder.display())], script);
    let differs = differences(&fs::read(folder.join("commands.expected")).unwrap(), &got.stdout);
    assert!(differs.is_empty(), "{differs}\n{}", String::from_utf8_lossy(&got.stderr));
}

/// Processes do not share memory, so that there is no write-ahead log but for one that has the database alone.
#[test]
fn a_write_ahead_log_is_refused_or_exclusive() {
    let script = r#"cd /tmp
        sqlite3 a.db 'pragma journal_mode=wal; create table t(a)'
        sqlite3 b.db 'pragma locking_mode=exclusive; pragma journal_mode=wal; create table t(a); insert into t values(1)'
        sqlite3 b.db 'select * from t' 2>&1
        sqlite3 b.db 'pragma locking_mode=exclusive; select * from t; pragma journal_mode=delete'
        sqlite3 b.db 'select * from t'; ls b.db*"#;
    let got = exec::<&str>([], script);
    let text = String::from_utf8_lossy(&got.stdout).into_owned();
    let expected = "delete\nexclusive\nwal\nError: in prepare, unable to open database file (14)\n\
                    exclusive\n1\ndelete\n1\nb.db\n";
    assert_eq!(text, expected, "{}", String::from_utf8_lossy(&got.stderr));
}
