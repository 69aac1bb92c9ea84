//! `locale` of glibc, with only C and C.UTF-8.

use crate::base::options::{Spec, listed};
use crate::base::say;
use sandshell_cli::out;

const CATEGORIES: [&str; 12] = [
    "LC_CTYPE",
    "LC_NUMERIC",
    "LC_TIME",
    "LC_COLLATE",
    "LC_MONETARY",
    "LC_MESSAGES",
    "LC_PAPER",
    "LC_NAME",
    "LC_ADDRESS",
    "LC_TELEPHONE",
    "LC_MEASUREMENT",
    "LC_IDENTIFICATION",
];

const SPEC: Spec = Spec { name: "locale", options: &[listed(HELP)], ..Spec::DEFAULT };

/// Runs `locale` on its arguments (its own name first) and returns the exit status.
pub fn locale_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("locale", code, 1)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let (mut category, mut keyword) = (false, false);
    for g in &parsed.options {
        let text = match g.id {
            "a" => "C\nC.utf8\nPOSIX\n",
            "m" => "ANSI_X3.4-1968\nUTF-8\n",
            "V" => {
                "locale (Debian GLIBC 2.36) 2.36\nThis is sandshell's own program with the behaviour of that version.\n"
            }
            "help" => HELP,
            "?" => {
                let hint = b"\nTry `locale --help' or `locale --usage' for more information.\n";
                say::raw([say::full_name(args), b": ", g.text(), hint].concat());
                return Err(64);
            }
            id => {
                category |= id == "c";
                keyword |= id == "k";
                continue;
            }
        };
        out::put(text);
        return Ok(0);
    }
    if parsed.operands.is_empty() {
        settings();
        return Ok(0);
    }
    let mut code = 0;
    for name in &parsed.operands {
        let name = String::from_utf8_lossy(name).into_owned();
        let entries: Vec<&(&str, &str, &str)> =
            KEYWORDS.iter().filter(|k| k.0 == name || k.1 == name).collect();
        if entries.is_empty() && !CATEGORIES.contains(&name.as_str()) {
            say::raw([say::full_name(args), b": unknown name \"", name.as_bytes(), b"\"\n"].concat());
            code = 1;
            continue;
        }
        if category && let Some(first) = entries.first() {
            out::put(format!("{}\n", first.0));
        }
        for entry in entries {
            let number = entry.2.parse::<i64>().is_ok();
            out::put(match (keyword, number) {
                (true, true) => format!("{}={}\n", entry.1, entry.2),
                (true, false) => format!("{}=\"{}\"\n", entry.1, entry.2),
                (false, _) => format!("{}\n", entry.2),
            });
        }
    }
    Ok(code)
}

fn settings() {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let (lang, all) = (variable("LANG"), variable("LC_ALL"));
    out::put(format!("LANG={lang}\nLANGUAGE={}\n", variable("LANGUAGE")));
    for category in CATEGORIES {
        let own = variable(category);
        // A value that is not set by the category's own variable is quoted.
        out::put(if !all.is_empty() {
            format!("{category}=\"{all}\"\n")
        } else if !own.is_empty() {
            format!("{category}={own}\n")
        } else {
            format!("{category}=\"{}\"\n", if lang.is_empty() { "POSIX" } else { &lang })
        });
    }
    out::put(format!("LC_ALL={all}\n"));
}

/// The category, the keyword, and its value in C.UTF-8.
#[rustfmt::skip]
const KEYWORDS: &[(&str, &str, &str)] = &[
    ("LC_CTYPE", "charmap", "UTF-8"),
    ("LC_NUMERIC", "decimal_point", "."),
    ("LC_NUMERIC", "thousands_sep", ""),
    ("LC_NUMERIC", "grouping", "-1"),
    ("LC_NUMERIC", "numeric-decimal-point-wc", "46"),
    ("LC_NUMERIC", "numeric-thousands-sep-wc", "0"),
    ("LC_NUMERIC", "numeric-codeset", "UTF-8"),
    ("LC_TIME", "abday", "Sun;Mon;Tue;Wed;Thu;Fri;Sat"),
    ("LC_TIME", "day", "Sunday;Monday;Tuesday;Wednesday;Thursday;Friday;Saturday"),
    ("LC_TIME", "abmon", "Jan;Feb;Mar;Apr;May;Jun;Jul;Aug;Sep;Oct;Nov;Dec"),
    ("LC_TIME", "mon", "January;February;March;April;May;June;July;August;September;October;November;December"),
    ("LC_TIME", "am_pm", "AM;PM"),
    ("LC_TIME", "d_t_fmt", "%a %b %e %H:%M:%S %Y"),
    ("LC_TIME", "d_fmt", "%m/%d/%y"),
    ("LC_TIME", "t_fmt", "%H:%M:%S"),
    ("LC_TIME", "t_fmt_ampm", "%I:%M:%S %p"),
    ("LC_MESSAGES", "yesexpr", "^[yY]"),
    ("LC_MESSAGES", "noexpr", "^[nN]"),
];

const HELP: &str = "\
Usage: locale [OPTION...] NAME
  or:  locale [OPTION...] [-a|-m]
Shows what the variables say about language, or the values that NAMEs have: categories or single keywords.

  -a, --all-locales    which locales there are
  -m, --charmaps       which character sets there are
  -c, --category-name  the category above the values
  -k, --keyword-name   the keyword before each value
  -v, --verbose        no effect
      --help           this text
  -V, --version        the version
";
