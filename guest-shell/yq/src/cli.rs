//! The main steps: reads, filters, writes.

use crate::args::{self, Args, Format, Stop};
use crate::construct::{Refused, Writer};
use crate::emit::{Emitter, Layout};
use crate::fault::Fault;
use crate::json;
use crate::resolve::Grammar;
use crate::tree::Documents;
use sandshell_sys as sys;

/// `yq`: runs with the arguments (the name first) and returns the exit status.
pub fn yq_main(args: Vec<Vec<u8>>) -> i32 {
    let args = args.into_iter().skip(1).map(|a| String::from_utf8_lossy(&a).into_owned()).collect();
    match args::parse(args) {
        Ok(args) => run(args),
        Err(stop) => stopped(stop),
    }
}

fn stopped(stop: Stop) -> i32 {
    match stop {
        Stop::Help => {
            let _ = sys::write_all(1, [USAGE, OPTIONS].concat().as_bytes());
            0
        }
        // Debian's package reports this version, because it does not know its own.
        Stop::Version => {
            let _ = sys::write_all(1, b"yq 0.0.0\n");
            0
        }
        Stop::Usage(text) => {
            say(&format!("{USAGE}yq: error: {text}"));
            2
        }
        Stop::Error(text, status) => {
            say(&text);
            status
        }
    }
}

fn run(mut args: Args) -> i32 {
    let (jq, _) = args::for_jq_call(&mut args);
    for file in args.files.iter().filter(|f| *f != "-") {
        if let Err(e) = check(file) {
            let text = format!("argument files: can't open '{file}': [Errno {}] {e}: '{file}'", number(e));
            return stopped(Stop::Usage(text));
        }
    }
    let mut jq: Vec<Vec<u8>> = jq.into_iter().map(String::into_bytes).collect();
    jq.insert(0, b"jq".to_vec());
    let mut files = std::mem::take(&mut args.files);
    if files.is_empty() {
        files.push("-".to_owned());
    }
    if !args.in_place {
        return pass(&args, &jq, &files, None);
    }
    if args.format == Format::Json {
        say("yq: -i/--in-place can only be used with -y/-Y");
        return 1;
    }
    if files.len() == 1 && files.first().is_some_and(|f| f == "-") {
        say("yq: -i/--in-place can only be used with filename arguments, not on standard input");
        return 1;
    }
    for file in &files {
        let status = pass(&args, &jq, std::slice::from_ref(file), Some(file));
        if status != 0 {
            return status;
        }
    }
    0
}

fn check(file: &str) -> sys::Result<()> {
    let fd = sys::open(file.as_bytes(), sys::open_flags::READ | sys::open_flags::CLOEXEC, 0)?;
    let is_dir = sys::fstat(fd).is_ok_and(|s| s.is_dir());
    let _ = sys::close(fd);
    if is_dir { Err(sys::Errno::ISDIR) } else { Ok(()) }
}

// Runs jq once on these files. `target` is the file to write instead of standard output.
fn pass(args: &Args, jq: &[Vec<u8>], files: &[String], target: Option<&str>) -> i32 {
    let mut input = String::new();
    let read = files.iter().try_for_each(|file| load(args, file, &mut input));
    if args.format == Format::Json {
        let status = sandshell_jq::jq_filter(jq.to_vec(), input.into_bytes(), None);
        return read.map_or_else(|refused| complain(&refused), |()| status);
    }
    if let Err(refused) = read {
        return complain(&refused);
    }
    let mut output = Vec::new();
    let status = sandshell_jq::jq_filter(jq.to_vec(), input.into_bytes(), Some(&mut output));
    let mut emitter = Emitter::new(Layout {
        annotated: args.format == Format::Annotated,
        indentless: args.indentless,
        grammar: if args.grammar_1_2 { Grammar::V1_2 } else { Grammar::V1_1 },
        // Smaller widths are ignored, as in PyYAML.
        width: args.width.filter(|w| *w > 4).unwrap_or(80),
        explicit_start: args.explicit_start,
        explicit_end: args.explicit_end,
    });
    let decoded = emit(&String::from_utf8_lossy(&output), &mut emitter);
    if let Err(e) = write(target, emitter.out.as_bytes()) {
        say(&format!("yq: Error running jq: OSError: [Errno {}] {e}.", number(e)));
        return 1;
    }
    decoded.map_or_else(|fault| complain(&Refused::Fault(fault)), |()| status)
}

fn emit(text: &str, emitter: &mut Emitter) -> Result<(), Fault> {
    let mut rest = text;
    while !rest.is_empty() {
        let (value, length) = json::decode(rest)?;
        emitter.document(&value);
        // Values are separated by one character.
        let tail = rest.get(length..).unwrap_or_default();
        let mut chars = tail.chars();
        chars.next();
        rest = chars.as_str();
    }
    emitter.finish();
    Ok(())
}

// Writes the output. A file is only opened if there is something to write.
fn write(target: Option<&str>, bytes: &[u8]) -> sys::Result<()> {
    use sys::open_flags as o;
    let Some(file) = target else { return sys::write_all(1, bytes) };
    if bytes.is_empty() {
        return Ok(());
    }
    let fd = sys::open(file.as_bytes(), o::WRITE | o::CREATE | o::TRUNC | o::CLOEXEC, 0o666)?;
    let written = sys::write_all(fd, bytes);
    written.and(sys::close(fd))
}

// Appends a file's documents as JSON, one on each line.
fn load(args: &Args, file: &str, out: &mut String) -> Result<(), Refused> {
    let is_stdin = file == "-";
    let name = if is_stdin { "<stdin>" } else { file };
    let bytes = match is_stdin {
        true => sys::read_to_end(0),
        false => read(file),
    }
    .map_err(|e| Fault::new("OSError", format!("[Errno {}] {e}", number(e))))?;
    let text = decode(bytes, is_stdin)?;
    let mut documents = Documents::new(&text, name, args.keep_aliases);
    let mut last = 0;
    while let Some(root) = documents.next()? {
        let length = root.end.index.saturating_sub(last);
        last = root.end.index;
        let limit = length.saturating_mul(args.expansion);
        let writer = Writer { name, annotated: args.format == Format::Annotated, limit };
        out.push_str(&writer.document(&root)?);
        out.push('\n');
    }
    Ok(())
}

fn read(file: &str) -> sys::Result<Vec<u8>> {
    sys::read_file(file.as_bytes())
}

// Decodes text as Python does: UTF-8, with all line ends converted to newlines.
fn decode(bytes: Vec<u8>, is_stdin: bool) -> Result<String, Fault> {
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let length = e.utf8_error().error_len();
        let bytes = e.as_bytes();
        let byte = bytes.get(at).copied().unwrap_or_default();
        if is_stdin {
            let before = bytes.get(..at).map_or(0, |b| String::from_utf8_lossy(b).chars().count());
            let text = format!(
                "'utf-8' codec can't encode character '\\udc{byte:02x}' in position {before}: surrogates not allowed"
            );
            return Fault::new("UnicodeEncodeError", text);
        }
        let reason = match length {
            None => "unexpected end of data",
            Some(_) if (0xC2..0xF5).contains(&byte) => "invalid continuation byte",
            Some(_) => "invalid start byte",
        };
        let text = format!("'utf-8' codec can't decode byte 0x{byte:02x} in position {at}: {reason}");
        Fault::new("UnicodeDecodeError", text)
    })?;
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}

fn complain(refused: &Refused) -> i32 {
    match refused {
        Refused::Fault(fault) => say(&format!("yq: Error running jq: {}.", fault.0)),
        Refused::TooLong => say("yq: Error: detected unsafe YAML entity expansion"),
    }
    1
}

// The number of an error on Linux.
fn number(e: sys::Errno) -> u16 {
    match e {
        sys::Errno::NOENT => 2,
        sys::Errno::IO => 5,
        sys::Errno::ACCES => 13,
        sys::Errno::NOTDIR => 20,
        sys::Errno::ISDIR => 21,
        sys::Errno::NOSPC => 28,
        sys::Errno::PIPE => 32,
        other => other.0,
    }
}

fn say(text: &str) {
    let _ = sys::write_all(2, format!("{text}\n").as_bytes());
}

const USAGE: &str = "\
usage: yq [-h] [--yaml-output] [--yaml-roundtrip]
          [--yaml-output-grammar-version {1.1,1.2}] [--width WIDTH]
          [--indentless-lists] [--in-place] [--version]
          [jq_filter] [files ...]
";

const OPTIONS: &str = "
Reads YAML, hands it to jq as JSON, and prints what jq answers as JSON or as YAML. It is the yq around jq, 3.1.

options:
  -h, --help            this text
  -y, --yaml-output, --yml-output
                        print YAML
  -Y, --yaml-roundtrip, --yml-roundtrip
                        print YAML with its tags and styles, which jq sees as entries of their own
  --output-format NAME  json, yaml as with -y, annotated_yaml as with -Y
  -i, --in-place        with -y or -Y: write to the files
  -w, --width WIDTH     with -y or -Y: where lines are folded
  --indentless-lists, --indentless
                        with -y or -Y: no indent for lists in mappings
  --yaml-output-grammar-version, --yml-out-ver {1.1,1.2}
                        with -y or -Y: which strings need quotes
  --explicit-start, --explicit-end
                        with -y or -Y: `---` before, `...` after each document
  --no-expand-aliases   aliases stay aliases
  --max-expansion-factor N
                        aliases may make a document N (1024) times larger
  --version             the version

All other options are jq's; see jq --help. XML and TOML are refused.
";
