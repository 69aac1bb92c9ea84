//! Options of `less`, on the command line, in `LESS` and while it runs.

use sandshell_cli::out;
use sandshell_sys as sys;

/// What changes how text is shown.
#[derive(Clone, Debug)]
pub(super) struct Options {
    /// `-N`
    pub(super) numbers: bool,
    /// `-S`
    pub(super) chop: bool,
    /// `-s`
    pub(super) squeeze: bool,
    /// `-R`: colours are shown.
    pub(super) colours: bool,
    /// `-r`, `-U`: control characters are shown as such.
    pub(super) raw: bool,
    /// `-i` ignores case unless the pattern has capitals (false), `-I` always (true).
    pub(super) ignore_case: Option<bool>,
    /// `-F`
    pub(super) quit_if_one_screen: bool,
    /// `-E`
    pub(super) quit_at_end: bool,
    /// `-e`
    pub(super) quit_at_second_end: bool,
    /// `-X`
    pub(super) keep_screen: bool,
    /// `-m`, `-M`
    pub(super) medium_prompt: bool,
    pub(super) long_prompt: bool,
    /// Not `-G`.
    pub(super) highlight: bool,
    /// `-x`
    pub(super) tab: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            numbers: false,
            chop: false,
            squeeze: false,
            colours: false,
            raw: false,
            ignore_case: None,
            quit_if_one_screen: false,
            quit_at_end: false,
            quit_at_second_end: false,
            keep_screen: false,
            medium_prompt: false,
            long_prompt: false,
            highlight: true,
            tab: 8,
        }
    }
}

/// Where to begin.
#[derive(Clone, Debug)]
pub(super) enum Start {
    Line(usize),
    End,
    Follow,
    Pattern(Vec<u8>),
}

/// What the command line asks for.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) options: Options,
    pub(super) files: Vec<Vec<u8>>,
    pub(super) start: Option<Start>,
}

/// Reads `LESS` and the arguments. These are no [`Spec`](sandshell_cli::options::Spec): the same letters are typed
/// while text is shown, `+` begins commands, and any letter is accepted; the help is about keys. `Err` is the exit
/// status.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Wanted, i32> {
    let mut wanted = Wanted::default();
    if let Some(default) = std::env::var_os("LESS") {
        let words = default.into_encoded_bytes();
        let words: Vec<Vec<u8>> = words
            .split(|b| matches!(b, b' ' | b'$'))
            .filter(|word| !word.is_empty())
            // Letters may come without a dash.
            .map(|word| if word.starts_with(b"-") { word.to_vec() } else { [b"-", word].concat() })
            .collect();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            wanted.argument(word, &mut rest)?;
        }
        wanted.files.clear();
    }
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == b"--" {
            wanted.files.extend(rest.cloned());
            break;
        }
        wanted.argument(arg, &mut rest)?;
    }
    Ok(wanted)
}

/// Letters whose value is in the same word or the next, and their long names.
const VALUES: &[(u8, &str)] = &[
    (b'b', "buffers"),
    (b'h', "max-back-scroll"),
    (b'j', "jump-target"),
    (b'k', "lesskey-file"),
    (b'o', "log-file"),
    (b'O', "LOG-FILE"),
    (b'p', "pattern"),
    (b'P', "prompt"),
    (b't', "tag"),
    (b'T', "tag-file"),
    (b'x', "tabs"),
    (b'y', "max-forw-scroll"),
    (b'z', "window"),
    (b'D', "color"),
    (b'"', "quotes"),
    (b'#', "shift"),
];

impl Wanted {
    fn argument<'a>(&mut self, arg: &[u8], rest: &mut impl Iterator<Item = &'a Vec<u8>>) -> Result<(), i32> {
        match arg {
            b"-" => self.files.push(arg.to_vec()),
            [b'+', command @ ..] => self.command(command),
            [b'-', b'-', name @ ..] => self.long(&String::from_utf8_lossy(name), rest)?,
            [b'-', letters @ ..] => self.letters(letters, rest)?,
            _ => self.files.push(arg.to_vec()),
        }
        Ok(())
    }

    /// `+COMMAND`: what is done first.
    fn command(&mut self, command: &[u8]) {
        let command = command.strip_prefix(b"+").unwrap_or(command);
        self.start = match command {
            b"G" | b">" => Some(Start::End),
            b"F" => Some(Start::Follow),
            [b'/', pattern @ ..] => Some(Start::Pattern(pattern.to_vec())),
            number => {
                let number = std::str::from_utf8(number).unwrap_or_default();
                number.trim_end_matches(['g', 'G']).parse().ok().map(Start::Line)
            }
        };
    }

    fn letters<'a>(
        &mut self,
        letters: &[u8],
        rest: &mut impl Iterator<Item = &'a Vec<u8>>,
    ) -> Result<(), i32> {
        for (at, letter) in letters.iter().enumerate() {
            if let Some((_, name)) = VALUES.iter().find(|value| value.0 == *letter) {
                let here = letters.get(at + 1..).filter(|text| !text.is_empty());
                let Some(value) = here.or_else(|| rest.next().map(Vec::as_slice)) else {
                    say(&format!("Value is required after -{} (--{name})\n", char::from(*letter)));
                    return Ok(());
                };
                self.value(*letter, value);
                return Ok(());
            }
            match letter {
                b'V' => {
                    out::put("less 590 (GNU regular expressions)\n");
                    return Err(0);
                }
                b'?' => {
                    out::put(HELP);
                    return Err(0);
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'~' | b'+' | b'$' | b'0'..=b'9' => {
                    self.options.set(*letter, true);
                }
                _ => {
                    say(&format!("There is no -{} option (\"less --help\" for help)\n", char::from(*letter)));
                    return Err(1);
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, letter: u8, value: &[u8]) {
        let number = || std::str::from_utf8(value).ok().and_then(|text| text.trim().parse::<usize>().ok());
        match letter {
            b'p' => self.start = Some(Start::Pattern(value.to_vec())),
            b'x' => self.options.tab = number().filter(|n| (1..=256).contains(n)).unwrap_or(8),
            _ => {}
        }
    }

    fn long<'a>(&mut self, text: &str, rest: &mut impl Iterator<Item = &'a Vec<u8>>) -> Result<(), i32> {
        let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
        match name {
            "version" => {
                out::put(
                    "less 590 (GNU regular expressions)\nThis is sandshell's own program with the behaviour of that version.\n",
                );
                return Err(0);
            }
            "help" => {
                out::put(HELP);
                return Err(0);
            }
            _ => {}
        }
        let lower = name.to_ascii_lowercase();
        let begins = |l: &&(&str, bool, u8)| l.0.starts_with(&lower);
        let found = LONG.iter().find(|l| l.0 == lower).or_else(|| LONG.iter().find(begins));
        match found.filter(|_| !lower.is_empty()) {
            None => say(&format!("There is no {text} option (\"less --help\" for help)\n")),
            Some((_, true, letter)) => {
                let value = value.map(|v| v.as_bytes().to_vec()).or_else(|| rest.next().cloned());
                self.value(*letter, &value.unwrap_or_default());
            }
            Some((_, false, letter)) => {
                // A name in capitals is the stronger form, as the letter is.
                let capitals = name.bytes().any(|b| b.is_ascii_uppercase());
                let letter = if capitals { letter.to_ascii_uppercase() } else { *letter };
                self.options.set(letter, true);
            }
        }
        Ok(())
    }
}

impl Options {
    /// Switches an option. Those that do not matter here are accepted.
    fn set(&mut self, letter: u8, on: bool) {
        match letter {
            b'N' => self.numbers = on,
            b'n' => self.numbers = false,
            b'S' => self.chop = on,
            b's' => self.squeeze = on,
            b'R' => self.colours = on,
            b'r' | b'U' => self.raw = on,
            b'i' => self.ignore_case = on.then_some(false),
            b'I' => self.ignore_case = on.then_some(true),
            b'F' => self.quit_if_one_screen = on,
            b'E' => self.quit_at_end = on,
            b'e' => self.quit_at_second_end = on,
            b'X' => self.keep_screen = on,
            b'm' => self.medium_prompt = on,
            b'M' => self.long_prompt = on,
            b'G' | b'g' => self.highlight = !on || letter == b'g',
            _ => {}
        }
    }

    /// Switches an option while the text is shown. Returns what is said about it.
    pub(super) fn toggle(&mut self, letter: &[u8]) -> String {
        let (text, value) = match letter {
            b"N" => ("Line numbers", self.numbers),
            b"S" => ("Chop long lines", self.chop),
            b"s" => ("Squeeze multiple blank lines", self.squeeze),
            b"R" => ("Display ANSI sequences", self.colours),
            b"i" => ("Ignore case in searches", self.ignore_case == Some(false)),
            b"I" => ("Ignore case in searches and in patterns", self.ignore_case == Some(true)),
            b"M" => ("Long prompt", self.long_prompt),
            b"m" => ("Medium prompt", self.medium_prompt),
            b"E" => ("Quit at end-of-file", self.quit_at_end),
            b"e" => ("Quit at second end-of-file", self.quit_at_second_end),
            b"G" => ("Don't highlight search matches", !self.highlight),
            _ => return "There is no such option to change here".to_owned(),
        };
        if let Some(letter) = letter.first() {
            self.set(*letter, !value);
        }
        format!("{text}: {}", if value { "off" } else { "on" })
    }
}

fn say(text: &str) {
    let _ = sys::write_all(2, text.as_bytes());
}

/// Long options: the name, whether it takes a value, and the letter.
#[rustfmt::skip]
const LONG: &[(&str, bool, u8)] = &[
    ("search-skip-screen", false, b'a'), ("buffers", true, b'b'), ("auto-buffers", false, b'B'),
    ("clear-screen", false, b'c'), ("color", true, b'D'), ("quit-at-eof", false, b'e'), ("force", false, b'f'),
    ("quit-if-one-screen", false, b'F'), ("hilite-search", false, b'g'), ("hilite-unread", false, b'w'),
    ("ignore-case", false, b'i'), ("incsearch", false, 0), ("jump-target", true, b'j'), ("lesskey-file", true, b'k'),
    ("lesskey-src", true, 0), ("line-num-width", true, 0), ("line-numbers", false, b'n'), ("log-file", true, b'o'),
    ("long-prompt", false, b'm'), ("max-back-scroll", true, b'h'), ("max-forw-scroll", true, b'y'),
    ("mouse", false, 0), ("no-histdups", false, 0), ("no-init", false, b'X'), ("no-keypad", false, 0),
    ("no-lessopen", false, b'L'), ("pattern", true, b'p'), ("prompt", true, b'P'), ("quiet", false, b'q'),
    ("silent", false, b'q'), ("quit-on-intr", false, b'K'), ("quotes", true, b'"'), ("raw-control-chars", false, b'r'),
    ("redraw-on-quit", false, 0), ("rscroll", true, 0), ("save-marks", false, 0), ("shift", true, b'#'),
    ("squeeze-blank-lines", false, b's'), ("status-column", false, b'J'), ("status-col-width", true, 0),
    ("tabs", true, b'x'), ("tag", true, b't'), ("tilde", false, b'~'),
    ("underline-special", false, b'u'), ("use-backslash", false, 0), ("use-color", false, 0), ("wheel-lines", true, 0),
    ("window", true, b'z'), ("wordwrap", false, 0), ("chop-long-lines", false, b'S'), ("dumb", false, b'd'),
    ("follow-name", false, 0), ("header", true, 0), ("file-size", false, 0), ("form-feed", false, 0),
];

pub(super) const HELP: &str = "\
  Keys of less, with N for a number that may be typed before a key.

  q  :q  ZZ              quit
  h                      this text

  MOVING
  e  j  Enter  Down      N lines forward
  y  k  Up               N lines back
  f  Space  PageDown     a page forward
  b  PageUp              a page back
  d  u                   half a page forward, back; N is kept
  g  <  Home             to line N, at first the first one
  G  >  End              to line N, at first the last one
  p  %                   to N percent
  Left  Right            half a screen to the side
  m LETTER  ' LETTER     mark a place; go to it. '' goes back, '^ to the start, '$ to the end
  F                      to the end, and wait for more; Ctrl-C stops

  SEARCHING
  /PATTERN  ?PATTERN     forward, back, for an extended regular expression; with ! for lines without it
  n  N                   the same again, or in the other direction

  FILES
  :n  :p  :x             the next, the previous, the first file
  :e NAME                another file
  =  Ctrl-G  :f          where this is
  v                      the file in an editor

  OPTIONS, on the command line, in $LESS, or typed after - while text is shown
  -N  line numbers       -S  cut long lines        -s  one blank line for several
  -i  -I  ignore case    -R  colours               -M  -m  longer prompts
  -F  no paging of less than a screen              -X  leave the text on the screen
  -e  -E  quit at the end                          -G  no marks at what was found
  -xN  tabs of N columns   -pPATTERN  +/PATTERN  +N  +G  +F   where to begin
";
