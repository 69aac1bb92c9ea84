// The expressions in `RULES` that look for programming languages are those of file's database, under this notice:
//
// Copyright (c) Ian F. Darwin 1986, 1987, 1989, 1990, 1991, 1992, 1994, 1995.
// Software written by Ian F. Darwin and others;
// maintained 1994- Christos Zoulas.
//
// This software is not subject to any export provision of the United States
// Department of Commerce, and may be exported to any country or planet.
//
// Redistribution and use in source and binary forms, with or without
// modification, are permitted provided that the following conditions
// are met:
// 1. Redistributions of source code must retain the above copyright
//    notice immediately at the beginning of the file, without modification,
//    this list of conditions, and the following disclaimer.
// 2. Redistributions in binary form must reproduce the above copyright
//    notice, this list of conditions and the following disclaimer in the
//    documentation and/or other materials provided with the distribution.
//
// THIS SOFTWARE IS PROVIDED BY THE AUTHOR AND CONTRIBUTORS ``AS IS'' AND
// ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
// IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE
// ARE DISCLAIMED. IN NO EVENT SHALL THE AUTHOR OR CONTRIBUTORS BE LIABLE FOR
// ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
// DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS
// OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
// HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
// LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY
// OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF
// SUCH DAMAGE.

//! Recognises markup, program sources and mail by strings that are typical of them.

use super::{Description, script};
use sandshell_regex::{Flags, Regex, Syntax};

/// Describes `text` (in UTF-8); `None` if it is just text. A description that ends in ` text` or ` text executable`
/// gets the encoding's name in front of these words.
pub(super) fn describe(text: &[u8]) -> Option<Description> {
    let early = || RULES.iter().filter(|r| r.0 >= SCRIPTS).find_map(|rule| apply(rule, text));
    let late = || RULES.iter().filter(|r| r.0 < SCRIPTS).find_map(|rule| apply(rule, text));
    early()
        .or_else(|| script::describe(text).filter(|a| !a.text.starts_with(b"a")))
        .or_else(late)
        .or_else(|| script::describe(text))
}

/// The same strength as that of the rules for scripts.
const SCRIPTS: u32 = 130;

/// The part of the text in which lines are matched.
const REGEX_REACH: usize = 8192;

type Rule = (u32, &'static [Test], &'static str, &'static str);

enum Test {
    /// The text begins with this.
    Start(&'static str),
    /// The text begins with this, ignoring case. A blank stands for one or more.
    StartAnyCase(&'static str),
    /// The first so many bytes contain this.
    Within(usize, &'static str),
    /// The first so many bytes contain this, ignoring case, with blanks as above.
    WithinAnyCase(usize, &'static str),
    /// A line matches.
    Regex(&'static str),
    /// Any other test.
    Function(fn(&[u8]) -> bool),
}

fn apply(rule: &Rule, text: &[u8]) -> Option<Description> {
    if !rule.1.iter().all(|test| test.holds(text)) {
        return None;
    }
    if rule.2 == "XML" {
        let version = text.get(15..18).unwrap_or_default();
        return Some(Description::bytes([b"XML ", version, b" document text"].concat(), rule.3));
    }
    if rule.2 == "uuencoded" {
        let name = text.get(10..).unwrap_or_default().split(|b| *b == b'\n').next().unwrap_or_default();
        return Some(Description::bytes(
            [b"uuencoded or xxencoded text, file name \"", name, b"\""].concat(),
            rule.3,
        ));
    }
    Some(Description::new(rule.2, rule.3))
}

impl Test {
    fn holds(&self, text: &[u8]) -> bool {
        let head = |n: usize| text.get(..n).unwrap_or(text);
        match self {
            Test::Start(s) => text.starts_with(s.as_bytes()),
            Test::StartAnyCase(s) => begins_any_case(text, s.as_bytes()),
            // The string must begin in this part.
            Test::Within(n, s) => {
                memchr::memmem::find(head(n.saturating_add(s.len())), s.as_bytes()).is_some()
            }
            Test::WithinAnyCase(n, s) => {
                let first = s.as_bytes().first().copied().unwrap_or_default();
                memchr::memchr_iter(first, head(*n))
                    .any(|i| text.get(i..).is_some_and(|t| begins_any_case(t, s.as_bytes())))
            }
            Test::Regex(pattern) => find(pattern, head(REGEX_REACH)).is_some(),
            Test::Function(f) => f(text),
        }
    }
}

fn find(pattern: &str, text: &[u8]) -> Option<(usize, usize)> {
    let flags = Flags { newline: true, ..Flags::default() };
    Regex::new(pattern.as_bytes(), Syntax::POSIX_EXTENDED, flags).ok()?.find_at(text, 0, false)
}

fn begins_any_case(text: &[u8], pattern: &[u8]) -> bool {
    let mut rest = text;
    for p in pattern {
        if *p == b' ' {
            let trimmed = rest.trim_ascii_start();
            if trimmed.len() == rest.len() {
                return false;
            }
            rest = trimmed;
            continue;
        }
        match rest.split_first() {
            Some((b, after)) if b.eq_ignore_ascii_case(p) => rest = after,
            _ => return false,
        }
    }
    true
}

use Test::{Function, Regex as Line, Start, StartAnyCase, Within, WithinAnyCase};

const HTML: &str = "HTML document text";
const HTML_MIME: &str = "text/html";
const MAIL: &str = "message/rfc822";
const JS: &str = "JavaScript source";
const JS_MIME: &str = "application/javascript";
const CPP: &str = "C++ source text";
const CPP_MIME: &str = "text/x-c++";
const C: &str = "C source text";
const C_MIME: &str = "text/x-c";
const RUBY: &str = "Ruby script text";
const RUBY_MIME: &str = "text/x-ruby";
const PYTHON: &str = "Python script text executable";
const PYTHON_MIME: &str = "text/x-script.python";
const PLAIN: &str = "text/plain";
const TEX_MIME: &str = "text/x-tex";
const DIFF_MIME: &str = "text/x-diff";
const TROFF: &str = "troff or preprocessor input text";
const POD: &str = "Perl POD document text";
const LISP: &str = "Lisp/Scheme program text";
const LISP_MIME: &str = "text/x-lisp";
/// The part of a program text that is searched for keywords.
const FAR: usize = 8192;
const NEAR: usize = 4096;

/// In order of strength. The first matching rule wins.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    (195, &[Function(is_xml)], "XML", "text/xml"),
    (170, &[StartAnyCase("<!doctype html")], HTML, HTML_MIME),
    (170, &[Start("Relay-Version: ")], "old news text", MAIL),
    (160, &[Start("Delivered-To:")], "SMTP mail text", MAIL),
    (160, &[Start("MIME-Version:")], "MIME entity text", PLAIN),
    (150, &[Start("Return-Path:")], "SMTP mail text", MAIL),
    (130, &[Start("Forward to ")], "mail forwarding text", MAIL),
    (129, &[Function(is_unified_diff)], "unified diff output text", DIFF_MIME),
    (120, &[Start("Received:")], "RFC 822 mail text", MAIL),
    (112, &[Line("^export (function|class|default|const|var|let|async) ")], JS, JS_MIME),
    (100, &[Start("Pipe to ")], "mail piping text", MAIL),
    (100, &[Start("Article ")], "saved news text", "message/news"),
    (90, &[StartAnyCase("<html>")], HTML, HTML_MIME),
    (84, &[Line("^(const|var|let).*=.*require\\(")], JS, JS_MIME),
    (81, &[Line("^(import|export).* from ")], JS, JS_MIME),
    (80, &[Line("module(\\.|\\[[\"'])exports.*=")], JS, JS_MIME),
    (80, &[Start("Path:")], "news text", "message/news"),
    (80, &[Start("Xref:")], "news text", "message/news"),
    (80, &[Start("From:")], "news or mail text", MAIL),
    (80, &[Start("Date:")], "news or mail text", MAIL),
    (80, &[Line("^[[:space:]]*(class|module)[[:space:]][A-Z]"), Line("(modul|includ)e [A-Z]|def [a-z]"), Line("^[[:space:]]*end([[:space:]]+[;#].*)?$")], RUBY, RUBY_MIME),
    (79, &[Line("^(import|export) [\"']\\./")], JS, JS_MIME),
    (78, &[Line("\\((async )?function[( ]")], JS, JS_MIME),
    (78, &[Start("package"), Line("^package[ \t]+[0-9A-Za-z_:]+ *;")], "Perl5 module source text", PLAIN),
    (76, &[Function(|t| t.first() != Some(&b'p')), Line("^package[ \t]+[0-9A-Za-z_:]+ *;"), Line("^1 *;|^(use|sub|my) .*[(;{=]")], "Perl5 module source text", PLAIN),
    (72, &[Within(FAR, "\"use strict\"")], JS, JS_MIME),
    (72, &[Within(FAR, "'use strict'")], JS, JS_MIME),
    (71, &[Within(FAR, "using"), Line("^using[[:space:]]+(namespace )?std(::)?[[:alpha:]]*[[:space:]]*;")], CPP, CPP_MIME),
    (71, &[Function(is_commented_html)], HTML, HTML_MIME),
    (70, &[Within(FAR, "namespace"), Line("^namespace[[:space:]]+[_[:alpha:]]{1,20}[[:space:]]*\\{")], CPP, CPP_MIME),
    (70, &[Within(FAR, "protected"), Line("^[[:space:]]*protected:")], CPP, CPP_MIME),
    (70, &[StartAnyCase("<?php")], "PHP script text", "text/x-php"),
    (69, &[Within(FAR, "template"), Line("^[[:space:]]*template[[:space:]]*<.*>[[:space:]]*$")], CPP, CPP_MIME),
    (69, &[Line("^require\\([\"']")], JS, JS_MIME),
    (69, &[Line("typeof.*[!=]==")], JS, JS_MIME),
    (68, &[Within(FAR, "virtual"), Line("^[[:space:]]*virtual[[:space:]]+.*[};][[:space:]]*$")], CPP, CPP_MIME),
    (68, &[Within(FAR, "private"), Line("^[[:space:]]*private:")], CPP, CPP_MIME),
    (68, &[Line("^[[:space:]]*require[[:space:]]'[A-Za-z_/]+'")], RUBY, RUBY_MIME),
    (67, &[Within(FAR, "public"), Line("^[[:space:]]*public:")], CPP, CPP_MIME),
    (63, &[Within(FAR, "#import"), Line("^#import[[:space:]]+[\"<]")], "Objective-C source text", "text/x-objective-c"),
    (62, &[Within(NEAR, "\\documentstyle")], "LaTeX document text", TEX_MIME),
    (60, &[Line("^[[:space:]]*(class|module)[[:space:]][A-Z]"), Line("^[[:space:]]*end([[:space:]]+[;#].*)?$")], RUBY, RUBY_MIME),
    (60, &[Start("\"\"\"")], PYTHON, PLAIN),
    (59, &[Within(NEAR, "\\documentclass")], "LaTeX 2e document text", TEX_MIME),
    (58, &[Within(FAR, "import"), Line("^from[ \t]+([A-Za-z0-9_]|\\.)+[ \t]+import.*$")], PYTHON, PYTHON_MIME),
    (58, &[Within(NEAR, "\\contentsline")], "LaTeX table of contents", TEX_MIME),
    (57, &[Function(|t| followed(t, NEAR, b"def __init__", 64, b"self"))], PYTHON, PYTHON_MIME),
    (57, &[Start("# Netscape HTTP Cookie File")], "Netscape cookie text", PLAIN),
    (56, &[Within(FAR, "class"), Line("^class [_[:alpha:]]+(\\(.*\\))?( )*:([ \t]+pass)?$")], PYTHON, PYTHON_MIME),
    (56, &[Within(NEAR, "\\chapter")], "LaTeX document text", TEX_MIME),
    (56, &[Within(NEAR, "\\section")], "LaTeX document text", TEX_MIME),
    (55, &[WithinAnyCase(1, "<?xml")], "XML document text", "text/xml"),
    (55, &[Within(NEAR, "\\setlength")], "LaTeX document text", TEX_MIME),
    (54, &[Within(FAR, "class"), Line("^[[:space:]]*class[[:space:]]+[[:digit:][:alpha:]:_]+[[:space:]]*\\{(.*[\n]*)*\\}(;)?$")], CPP, CPP_MIME),
    (54, &[Function(is_python_try)], PYTHON, PYTHON_MIME),
    (54, &[Function(is_python_function)], PYTHON, PYTHON_MIME),
    (54, &[Function(|t| t.starts_with(b"dnl ") || memchr::memmem::find(t.get(..NEAR).unwrap_or(t), b"\ndnl ").is_some())], "M4 macro processor script text", "text/x-m4"),
    (53, &[Start("Common subdirectories: ")], "diff output text", DIFF_MIME),
    (53, &[WithinAnyCase(NEAR, "<script>")], HTML, HTML_MIME),
    (53, &[WithinAnyCase(NEAR, "<script ")], HTML, HTML_MIME),
    (53, &[WithinAnyCase(NEAR, "<a href=")], HTML, HTML_MIME),
    (52, &[Within(FAR, "#include"), Line("^#include")], C, C_MIME),
    (52, &[Line("^(CFLAGS|VPATH|LDFLAGS|all:|\\.PRECIOUS)")], "makefile script text", "text/x-makefile"),
    (52, &[Line("^import [_[:alpha:]]+ as [[:alpha:]][[:space:]]*$")], PYTHON, PYTHON_MIME),
    (52, &[WithinAnyCase(NEAR, "<title>")], HTML, HTML_MIME),
    (52, &[WithinAnyCase(NEAR, "<title ")], HTML, HTML_MIME),
    (52, &[WithinAnyCase(NEAR, "<style>")], HTML, HTML_MIME),
    (52, &[WithinAnyCase(NEAR, "<style ")], HTML, HTML_MIME),
    (52, &[WithinAnyCase(NEAR, "<table>")], HTML, HTML_MIME),
    (52, &[WithinAnyCase(NEAR, "<table ")], HTML, HTML_MIME),
    (51, &[WithinAnyCase(NEAR, "<head>")], HTML, HTML_MIME),
    (51, &[WithinAnyCase(NEAR, "<head ")], HTML, HTML_MIME),
    (51, &[WithinAnyCase(NEAR, "<html>")], HTML, HTML_MIME),
    (51, &[WithinAnyCase(NEAR, "<html ")], HTML, HTML_MIME),
    (51, &[Within(NEAR, "\\input")], "TeX document text", TEX_MIME),
    (51, &[Within(NEAR, "\\begin")], "LaTeX document text", TEX_MIME),
    (51, &[Within(NEAR, "\\relax")], "LaTeX auxiliary file", TEX_MIME),
    (49, &[WithinAnyCase(NEAR, "<!doctype html")], HTML, HTML_MIME),
    (48, &[Start("# HTTP Cookie File")], "Web browser cookie text", PLAIN),
    (46, &[Start("[InternetShortcut]")], "MS Windows 95 Internet shortcut text", "application/x-mswinurl"),
    (44, &[Line("^[0-9]+\r?\n?$"), Line("^[0-9]{2}:[0-9]{2}:[0-9]{2},[0-9]{3} --> [0-9]{2}:[0-9]{2}:[0-9]{2},[0-9]{3}"), Function(|t| t.first().is_some_and(u8::is_ascii_digit))], "SubRip", "application/x-subrip"),
    (43, &[Within(NEAR, "% -*-latex-*-")], "LaTeX document text", TEX_MIME),
    (42, &[Line("^\\.(BEGIN|endif|else|error|export|for|if|ifdef|ifmake|ifndef|include|info|undef|unexport|warning)")], "BSD makefile script text", "text/x-makefile"),
    (41, &[Within(FAR, "endif"), Line("^#[[:space:]]*(if|ifn)def"), Line("^#[[:space:]]*endif$")], C, C_MIME),
    (41, &[Within(FAR, "union"), Line("^union[[:space:]]+")], C, C_MIME),
    (41, &[Function(is_java_main)], "Java source text", "text/x-java"),
    (41, &[Function(|t| t.starts_with(b"@") && begins_any_case(t.get(1..).unwrap_or_default().trim_ascii_start(), b"echo off"))], "DOS batch file text", "text/x-msdos-batch"),
    (40, &[Start("diff ")], "diff output text", DIFF_MIME),
    (40, &[Start("=encoding ")], POD, PLAIN),
    (40, &[Start(".\\\"")], TROFF, "text/troff"),
    (40, &[Line("^\\(defun ")], LISP, LISP_MIME),
    (40, &[Line("^\\((autoload|custom-set-variables|setq|defparam|defvar|if|defmacro|require|load|let) ")], LISP, LISP_MIME),
    (39, &[Within(FAR, "pragma"), Line("^#[[:space:]]*pragma")], C, C_MIME),
    (39, &[Within(FAR, "extern"), Line("^[[:space:]]*extern[[:space:]]+")], C, C_MIME),
    (39, &[Start("<?\n")], "PHP script text", "text/x-php"),
    (39, &[Start("<?\r")], "PHP script text", "text/x-php"),
    (39, &[Function(|t| t.starts_with(b"*** ") && followed(t, 1, b"*** ", 1024, b"\n--- "))], "context diff output text", DIFF_MIME),
    (39, &[WithinAnyCase(NEAR, "<!doctype")], "exported SGML document text", PLAIN),
    (39, &[Start("'\\\"")], TROFF, "text/troff"),
    (39, &[Function(is_uuencoded)], "uuencoded", PLAIN),
    (38, &[Line("^[[:space:]]*BEGIN[[:space:]]*\\{")], "awk or perl script text", PLAIN),
    (38, &[Start("Only in ")], "diff output text", DIFF_MIME),
    (38, &[Start("=head1 ")], POD, PLAIN),
    (38, &[Start("=head2 ")], POD, PLAIN),
    (38, &[Start("=pod\n")], POD, PLAIN),
    (38, &[Line("^\\.(S[HS]|TH|TP|PP|LP|B|I|BR) ?|^\\.TH$"), Function(|t| t.starts_with(b"."))], TROFF, "text/troff"),
    (38, &[Start("\\\"")], TROFF, "text/troff"),
    (38, &[Within(FAR, "struct"), Line("^struct[[:space:]]+")], C, C_MIME),
    (37, &[Line("^[[:space:]]*char( \\*|\\*)(.+)(=.*)?;[[:space:]]*$")], C, C_MIME),
    (37, &[Line("^[[:space:]]*double( \\*|\\*)(.+)(=.*)?;[[:space:]]*$")], C, C_MIME),
    (37, &[Line("^[[:space:]]*float( \\*|\\*)(.+)(=.*)?;[[:space:]]*$")], C, C_MIME),
    (37, &[Function(is_c_main)], C, C_MIME),
    (37, &[Start("#EXTM3U")], "M3U playlist text", "audio/x-mpegurl"),
    (37, &[Line("^import.*;$")], "Java source", "text/x-java"),
    (37, &[Function(is_python_main)], PYTHON, PYTHON_MIME),
    (36, &[Start("Index:")], "RCS/CVS diff output text", DIFF_MIME),
    (36, &[Function(is_bibtex)], "BibTeX text file", PLAIN),
    (28, &[WithinAnyCase(NEAR, "<!--")], "exported SGML document text", PLAIN),
];

fn is_xml(text: &[u8]) -> bool {
    [b"<?xml version=\"".as_slice(), b"<?xml version='", b"<?xml version \""]
        .iter()
        .any(|s| text.starts_with(s))
}

fn is_commented_html(text: &[u8]) -> bool {
    text.starts_with(b"<!--")
        && [WithinAnyCase(NEAR, "<!doctype html"), WithinAnyCase(NEAR, "<html>")]
            .iter()
            .any(|t| t.holds(text))
}

/// Whether `second` begins at most `distance` bytes after the first occurrence of `first`.
fn followed(text: &[u8], reach: usize, first: &[u8], distance: usize, second: &[u8]) -> bool {
    let head = text.get(..reach.saturating_add(first.len())).unwrap_or(text);
    let Some(at) = memchr::memmem::find(head, first) else { return false };
    let rest = text.get(at + first.len()..).unwrap_or_default();
    let rest = rest.get(..distance.saturating_add(second.len())).unwrap_or(rest);
    memchr::memmem::find(rest, second).is_some()
}

fn is_unified_diff(text: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(text.get(..NEAR).unwrap_or(text), b"--- ") else { return false };
    let mut lines = text.get(at..).unwrap_or_default().split(|b| *b == b'\n').skip(1);
    lines.next().is_some_and(|l| l.starts_with(b"+++ ")) && lines.next().is_some_and(|l| l.starts_with(b"@@"))
}

fn is_python_try(text: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(text.get(..NEAR).unwrap_or(text), b"try:") else { return false };
    let rest = text.get(at + 4..).unwrap_or_default();
    let rest = rest.get(..REGEX_REACH).unwrap_or(rest);
    find("^[[:space:]]*except.*:$", rest).is_some() || memchr::memmem::find(rest, b"finally:").is_some()
}

fn is_python_function(text: &[u8]) -> bool {
    let head = text.get(..REGEX_REACH).unwrap_or(text);
    let Some((_, end)) = find("^[[:space:]]{0,50}def {1,50}[_a-zA-Z]{1,100}", head) else { return false };
    let rest = head.get(end..).unwrap_or_default();
    find("\\(([[:alpha:]*_, ]){0,255}\\):$", rest).is_some()
}

fn is_python_main(text: &[u8]) -> bool {
    [b"'__main__'".as_slice(), b"\"__main__\""].iter().any(|m| followed(text, NEAR, b"if __name__", 64, m))
}

fn is_java_main(text: &[u8]) -> bool {
    followed(text, FAR, b"main(", 64, b"String")
}

fn is_c_main(text: &[u8]) -> bool {
    let head = text.get(..FAR).unwrap_or(text);
    let Some(at) = memchr::memmem::find(head, b"main(") else { return false };
    find("\\)[[:space:]]*\\{", head.get(at + 5..).unwrap_or_default()).is_some()
}

fn is_uuencoded(text: &[u8]) -> bool {
    let line = text.split(|b| *b == b'\n').next().unwrap_or_default();
    line.len() > 10
        && line.starts_with(b"begin ")
        && line.get(6..9).is_some_and(|m| m.iter().all(u8::is_ascii_digit))
        && line.get(9) == Some(&b' ')
}

fn is_bibtex(text: &[u8]) -> bool {
    let kinds = [
        "@article{",
        "@book{",
        "@inbook{",
        "@incollection{",
        "@inproceedings{",
        "@manual{",
        "@misc{",
        "@preamble{",
        "@phdthesis{",
        "@techreport{",
        "@unpublished{",
    ];
    kinds.iter().any(|k| begins_any_case(text, k.as_bytes()))
}
