//! Parses the command line as Python's argparse does for yq. Its options have one or two values or all the rest, its
//! messages show all names of an option, and what it does not know is jq's: these are no `Spec` of `sandshell-cli`.

use std::collections::VecDeque;

/// The command line.
#[derive(Debug, Default)]
pub(crate) struct Args {
    pub(crate) format: Format,
    pub(crate) in_place: bool,
    pub(crate) width: Option<usize>,
    pub(crate) indentless: bool,
    pub(crate) grammar_1_2: bool,
    pub(crate) explicit_start: bool,
    pub(crate) explicit_end: bool,
    pub(crate) keep_aliases: bool,
    pub(crate) expansion: u64,
    pub(crate) filter: Option<String>,
    pub(crate) files: Vec<String>,
    /// The arguments for jq, except for its filter and `named`.
    pub(crate) others: Vec<String>,
    /// jq's options with values, by kind.
    pub(crate) named: Vec<(&'static str, Vec<String>)>,
}

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Json,
    Yaml,
    Annotated,
}

/// Why there is nothing to run.
pub(crate) enum Stop {
    Help,
    Version,
    /// `usage: …` and this error.
    Usage(String),
    /// An error on a line of its own, and the exit status.
    Error(String, i32),
}

/// jq's options that take values, and how many values. `None` means all the rest.
const JQ: &[(&str, Option<usize>)] = &[
    ("--indent", Some(1)),
    ("-f", Some(1)),
    ("--from-file", Some(1)),
    ("-L", Some(1)),
    ("--arg", Some(2)),
    ("--argjson", Some(2)),
    ("--slurpfile", Some(2)),
    ("--argfile", Some(2)),
    ("--rawfile", Some(2)),
    ("--args", None),
    ("--jsonargs", None),
];

/// yq's own options with all their names. The first name is the one used in the code.
const OWN: &[&[&str]] = &[
    &["-h", "--help"],
    &["--yaml-output", "--yml-output", "-y"],
    &["--yaml-roundtrip", "--yml-roundtrip", "-Y"],
    &["--indentless-lists", "--indentless"],
    &["--explicit-start"],
    &["--explicit-end"],
    &["--no-expand-aliases"],
    &["--in-place", "-i"],
    &["--version"],
    &["--xml-output", "-x"],
    &["--xml-dtd"],
    &["--toml-output", "-t"],
];

/// yq's own options that take a value.
const VALUED: &[&[&str]] = &[
    &["--width", "-w"],
    &["--yaml-output-grammar-version", "--yml-out-ver"],
    &["--max-expansion-factor"],
    &["--output-format"],
    &["--xml-root"],
    &["--xml-force-list"],
];

/// Parses the arguments (without the program's name).
pub(crate) fn parse(args: Vec<String>) -> Result<Args, Stop> {
    foreign(&args)?;
    let mut all = Args { expansion: 1024, ..Args::default() };
    let mut rest: VecDeque<String> = args.into();
    let mut only_operands = false;
    // The first run of operands contains the filter and files. Later operands go to jq.
    let mut taken = false;
    while let Some(arg) = rest.pop_front() {
        if !only_operands && arg == "--" {
            only_operands = true;
            continue;
        }
        if only_operands || !is_option(&arg) {
            let mut run = vec![arg];
            while rest.front().is_some_and(|a| only_operands || !is_option(a)) {
                run.extend(rest.pop_front());
            }
            if taken {
                all.others.append(&mut run);
            } else {
                taken = true;
                let mut run = run.into_iter();
                all.filter = run.next();
                all.files = run.collect();
            }
            continue;
        }
        option(&mut all, &arg, &mut rest)?;
    }
    Ok(all)
}

// Refuses calls that are meant for the other program of this name.
fn foreign(args: &[String]) -> Result<(), Stop> {
    let command = args.first().map(String::as_str).unwrap_or_default();
    let is_command = matches!(command, "eval" | "e" | "eval-all" | "ea") && args.len() > 1;
    let long = |a: &str| {
        ["--prettyPrint", "--null-input=", "--inplace", "--output-format=", "--input-format", "--no-doc"]
            .iter()
            .any(|o| a.starts_with(o))
    };
    let short = |a: &str| {
        a == "-P" || a == "-o" || a.starts_with("-o=") || a.starts_with("-p=") || a == "-oj" || a == "-oy"
    };
    let end = args.iter().position(|a| a == "--" || a == "--args" || a == "--jsonargs").unwrap_or(args.len());
    let option = args.iter().take(end).find(|a| long(a) || short(a));
    let what = match (is_command, option) {
        (true, _) => format!("command '{command}'"),
        (_, Some(option)) => format!("option '{option}'"),
        _ => return Ok(()),
    };
    let text = format!(
        "yq: {what} belongs to another yq (mikefarah's, in Go); this is the jq wrapper yq 3.1: \
         yq [jq options] [-y | -Y] [-i] FILTER [FILE...]\n\
         yq: it prints JSON; with -y YAML, with -r strings without quotes, with -yi FILTER FILE it edits files in place"
    );
    Err(Stop::Error(text, 2))
}

fn is_option(arg: &str) -> bool {
    if arg.len() < 2 || !arg.starts_with('-') {
        return false;
    }
    let known = |name: &str| own(name).is_some() || valued(name).is_some() || jq(name).is_some();
    if known(arg) || arg.split_once('=').is_some_and(|(name, _)| known(name)) {
        return true;
    }
    let negative = arg
        .get(1..)
        .is_some_and(|n| n.parse::<f64>().is_ok() && n.starts_with(|c: char| c.is_ascii_digit() || c == '.'));
    if negative {
        return false;
    }
    // An argument with a space is an operand, unless it begins with a known letter.
    !arg.contains(' ') || arg.get(..2).is_some_and(|s| !arg.starts_with("--") && known(s))
}

fn own(name: &str) -> Option<&'static [&'static str]> {
    OWN.iter().find(|o| o.contains(&name)).copied()
}

fn valued(name: &str) -> Option<&'static [&'static str]> {
    VALUED.iter().find(|o| o.contains(&name)).copied()
}

fn jq(name: &str) -> Option<(&'static str, Option<usize>)> {
    JQ.iter().find(|o| o.0 == name).copied()
}

fn option(all: &mut Args, arg: &str, rest: &mut VecDeque<String>) -> Result<(), Stop> {
    let (name, explicit) = match arg.split_once('=') {
        Some((name, value)) if own(arg).is_none() => (name, Some(value.to_owned())),
        _ => (arg, None),
    };
    if let Some(names) = own(name) {
        return match explicit {
            Some(value) => Err(ignored(names, &value)),
            None => flag(all, names),
        };
    }
    if let Some(names) = valued(name) {
        return with_value(all, names, explicit, rest);
    }
    if let Some((name, count)) = jq(name) {
        return for_jq(all, name, count, explicit, rest);
    }
    // A letter directly followed by text.
    if !arg.starts_with("--")
        && let Some((short, tail)) = arg.split_at_checked(2).filter(|s| !s.1.is_empty())
    {
        if let Some(names) = own(short) {
            flag(all, names)?;
            let first = tail.chars().next().unwrap_or_default();
            let next = format!("-{first}");
            if own(&next).is_none() && valued(&next).is_none() && jq(&next).is_none() {
                return Err(ignored(names, tail));
            }
            return option(all, &format!("-{tail}"), rest);
        }
        if let Some(names) = valued(short) {
            return with_value(all, names, Some(tail.to_owned()), rest);
        }
        if let Some((name, count)) = jq(short) {
            return for_jq(all, name, count, Some(tail.to_owned()), rest);
        }
    }
    all.others.push(arg.to_owned());
    Ok(())
}

fn ignored(names: &[&str], value: &str) -> Stop {
    Stop::Usage(format!("argument {}: ignored explicit argument '{value}'", names.join("/")))
}

fn flag(all: &mut Args, names: &'static [&'static str]) -> Result<(), Stop> {
    match names.first().copied().unwrap_or_default() {
        "-h" => return Err(Stop::Help),
        "--version" => return Err(Stop::Version),
        "--yaml-output" => all.format = Format::Yaml,
        "--yaml-roundtrip" => all.format = Format::Annotated,
        "--indentless-lists" => all.indentless = true,
        "--explicit-start" => all.explicit_start = true,
        "--explicit-end" => all.explicit_end = true,
        "--no-expand-aliases" => all.keep_aliases = true,
        "--in-place" => all.in_place = true,
        "--toml-output" => return Err(Stop::Error("yq: TOML output is not supported".to_owned(), 1)),
        _ => return Err(Stop::Error("yq: XML output is not supported".to_owned(), 1)),
    }
    Ok(())
}

fn with_value(
    all: &mut Args,
    names: &'static [&'static str],
    explicit: Option<String>,
    rest: &mut VecDeque<String>,
) -> Result<(), Stop> {
    let shown = names.join("/");
    let value = match explicit {
        Some(value) => value,
        None if rest.front().is_some_and(|a| !is_option(a)) => rest.pop_front().unwrap_or_default(),
        None => return Err(Stop::Usage(format!("argument {shown}: expected one argument"))),
    };
    let int = |value: &str| {
        let number = value.trim().replace('_', "").parse::<i64>();
        number.map_err(|_| Stop::Usage(format!("argument {shown}: invalid int value: '{value}'")))
    };
    match names.first().copied().unwrap_or_default() {
        "--width" => all.width = Some(usize::try_from(int(&value)?).unwrap_or(0)),
        "--max-expansion-factor" => all.expansion = u64::try_from(int(&value)?).unwrap_or(0),
        "--yaml-output-grammar-version" => match value.as_str() {
            "1.1" => all.grammar_1_2 = false,
            "1.2" => all.grammar_1_2 = true,
            _ => {
                let text = format!("argument {shown}: invalid choice: '{value}' (choose from '1.1', '1.2')");
                return Err(Stop::Usage(text));
            }
        },
        "--output-format" => match value.as_str() {
            "json" => all.format = Format::Json,
            "yaml" => all.format = Format::Yaml,
            "annotated_yaml" => all.format = Format::Annotated,
            other => return Err(Stop::Error(format!("yq: output format '{other}' is not supported"), 1)),
        },
        _ => return Err(Stop::Error("yq: XML is not supported".to_owned(), 1)),
    }
    Ok(())
}

fn for_jq(
    all: &mut Args,
    name: &'static str,
    count: Option<usize>,
    explicit: Option<String>,
    rest: &mut VecDeque<String>,
) -> Result<(), Stop> {
    let mut values = Vec::new();
    match count {
        None => values.extend(std::mem::take(rest)),
        Some(count) => {
            values.extend(explicit);
            while values.len() < count && rest.front().is_some_and(|a| !is_option(a)) {
                values.extend(rest.pop_front());
            }
            if values.len() < count {
                let number = if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") };
                return Err(Stop::Usage(format!("argument {name}: expected {number}")));
            }
        }
    }
    all.named.push((name, values));
    Ok(())
}

/// The arguments for jq: yq's letters are removed from clusters, and the filter is inserted. Also returns whether jq
/// reads no input (`-n`).
pub(crate) fn for_jq_call(all: &mut Args) -> (Vec<String>, bool) {
    let mut null_input = false;
    let mut out = Vec::new();
    for arg in std::mem::take(&mut all.others) {
        if !arg.starts_with('-') || arg.starts_with("--") {
            out.push(arg);
            continue;
        }
        null_input |= arg.contains('n');
        all.in_place |= arg.contains('i');
        if arg.contains('y') {
            all.format = Format::Yaml;
        } else if arg.contains('Y') {
            all.format = Format::Annotated;
        }
        let mut kept = arg.replace(['i', 'x', 'y', 'Y'], "");
        if all.format != Format::Json {
            kept = kept.replace('C', "");
            if kept == "-" {
                continue;
            }
        }
        out.push(kept);
    }
    for (name, _) in JQ {
        for (_, values) in all.named.iter().filter(|n| n.0 == *name) {
            out.push((*name).to_owned());
            out.extend(values.iter().cloned());
        }
    }
    if let Some(filter) = all.filter.take() {
        if out.iter().any(|a| a == "--from-file" || a == "-f") {
            all.files.insert(0, filter);
        } else {
            let at = ["--args", "--jsonargs"].iter().find_map(|o| out.iter().position(|a| a == o));
            out.insert(at.map_or(out.len(), |i| i + 1), filter);
            if null_input {
                all.files.insert(0, "/dev/null".to_owned());
            }
        }
    }
    (out, null_input)
}
