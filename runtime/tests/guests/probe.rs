//! A program that uses WASI through the standard library and prints the results.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::{Duration, Instant, SystemTime};

fn main() -> io::Result<()> {
    println!("args {:?}", std::env::args().skip(1).collect::<Vec<_>>());
    println!("env {:?}", std::env::vars().collect::<Vec<_>>());
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    println!("stdin {input:?}");

    fs::create_dir("/tmp/probe")?;
    fs::write("/tmp/probe/a", "first\n")?;
    OpenOptions::new().append(true).open("/tmp/probe/a")?.write_all(b"second\n")?;
    println!("read {:?}", fs::read_to_string("/tmp/probe/a")?);
    let mut file = OpenOptions::new().read(true).write(true).open("/tmp/probe/a")?;
    file.seek(SeekFrom::Start(2))?;
    file.write_all(b"XX")?;
    file.set_len(8)?;
    file.seek(SeekFrom::Start(0))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    println!("edited {text:?} {}", file.metadata()?.len());
    fs::rename("/tmp/probe/a", "/tmp/probe/b")?;
    fs::hard_link("/tmp/probe/b", "/tmp/probe/c")?;
    let mut names: Vec<_> = fs::read_dir("/tmp/probe")?.map(|e| Ok(e?.file_name())).collect::<io::Result<_>>()?;
    names.sort();
    println!("names {names:?}");
    fs::remove_file("/tmp/probe/b")?;
    println!("missing {:?}", fs::metadata("/tmp/probe/b").map_err(|e| e.kind()).err());
    println!("directory {:?}", fs::remove_dir("/tmp/probe").map_err(|e| e.raw_os_error()).err());
    fs::remove_file("/tmp/probe/c")?;
    fs::remove_dir("/tmp/probe")?;
    println!("relative {:?}", fs::read_to_string("here")?);
    println!("escape {}", fs::read_to_string("../../../../etc/passwd").is_err());

    println!("clock {}", SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() > 0);
    let start = Instant::now();
    std::thread::sleep(Duration::from_millis(20));
    println!("slept {}", start.elapsed() >= Duration::from_millis(20));
    // Hash maps get their keys from the random source.
    println!("random {}", std::collections::HashMap::from([(1, 2)])[&1] == 2);
    eprintln!("to stderr");
    io::stdout().flush()?;
    std::process::exit(7);
}
