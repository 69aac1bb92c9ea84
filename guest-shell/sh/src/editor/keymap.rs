//! Which keys do what.

use super::functions::Function;
use super::sequence;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a sequence of keys does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Function(Function),
    /// These keys are typed.
    Macro(Rc<[u8]>),
    /// This command is run, with the line in `READLINE_LINE`.
    Command(Rc<[u8]>),
}

/// The keys of a mode.
#[derive(Debug, Default)]
pub(crate) struct Keymap {
    keys: BTreeMap<Vec<u8>, Bound>,
}

/// The modes: their places in [`Keymaps`].
pub(crate) const EMACS: usize = 0;
pub(crate) const VI_INSERT: usize = 1;
pub(crate) const VI_COMMAND: usize = 2;

/// A mode, or the part of one that follows a first key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) map: usize,
    pub(crate) after: &'static [u8],
    name: &'static str,
}

const PARTS: [(&str, Part); 8] = {
    const fn part(map: usize, after: &'static [u8], name: &'static str) -> Part {
        Part { map, after, name }
    }
    [
        ("emacs", part(EMACS, b"", "emacs")),
        ("emacs-standard", part(EMACS, b"", "emacs")),
        ("emacs-meta", part(EMACS, b"\x1b", "emacs-meta")),
        ("emacs-ctlx", part(EMACS, b"\x18", "emacs-ctlx")),
        ("vi", part(VI_COMMAND, b"", "vi")),
        ("vi-move", part(VI_COMMAND, b"", "vi")),
        ("vi-command", part(VI_COMMAND, b"", "vi")),
        ("vi-insert", part(VI_INSERT, b"", "vi-insert")),
    ]
};

impl Part {
    pub(crate) fn named(name: &[u8]) -> Option<Part> {
        PARTS.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name)).map(|(_, part)| *part)
    }

    /// Where keys are bound in a mode.
    pub(crate) fn of_mode(vi: bool) -> Part {
        if vi { PARTS[7].1 } else { PARTS[0].1 }
    }

    pub(crate) fn name(self) -> &'static str {
        self.name
    }
}

/// What begins with some keys.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) bound: Option<Bound>,
    /// Longer sequences begin so, too.
    pub(super) is_prefix: bool,
}

impl Keymap {
    pub(super) fn find(&self, keys: &[u8]) -> Found {
        Found { bound: self.keys.get(keys).cloned(), is_prefix: self.is_prefix(keys) }
    }

    fn is_prefix(&self, keys: &[u8]) -> bool {
        self.keys.range(keys.to_vec()..).find(|(k, _)| *k != keys).is_some_and(|(k, _)| k.starts_with(keys))
    }

    /// Changes what some keys do; `None` leaves them without a meaning.
    pub(crate) fn bind(&mut self, keys: Vec<u8>, bound: Option<Bound>) {
        if keys.is_empty() {
            return;
        }
        match bound {
            Some(bound) => self.keys.insert(keys, bound),
            None => self.keys.remove(&keys),
        };
    }

    /// Unbinds all keys of a function that begin with `after`.
    pub(crate) fn unbind(&mut self, after: &[u8], function: Function) {
        self.keys.retain(|keys, bound| !keys.starts_with(after) || *bound != Bound::Function(function));
    }

    /// The sequences after `after` with what they do, as they are shown: sorted, where a sequence with which others
    /// begin comes after those, and ends with a zero.
    pub(crate) fn listed(&self, after: &[u8]) -> Vec<(Vec<u8>, &Bound)> {
        let rest =
            |keys: &Vec<u8>| keys.strip_prefix(after).filter(|rest| !rest.is_empty()).map(<[u8]>::to_vec);
        let mut all: Vec<(Vec<u8>, bool, &Bound)> = self
            .keys
            .iter()
            .filter_map(|(keys, bound)| Some((rest(keys)?, self.is_prefix(keys), bound)))
            .collect();
        let order = |keys: &[u8], prefix: bool| -> Vec<u16> {
            keys.iter().map(|b| u16::from(*b)).chain(prefix.then_some(256)).collect()
        };
        all.sort_by_cached_key(|(keys, prefix, _)| order(keys, *prefix));
        let shown = |(keys, prefix, bound): (Vec<u8>, bool, _)| {
            let mut text = sequence::shown(&keys);
            if prefix {
                text.extend(b"\\000");
            }
            (text, bound)
        };
        all.into_iter().map(shown).collect()
    }

    /// A keymap of lines, each the name of a function and its keys. Keys that are printed insert themselves.
    fn new(inserts: bool, lines: &[&str]) -> Keymap {
        let mut map = Keymap::default();
        if inserts {
            for byte in (0x20..0x7f).chain(0x80..=0xff) {
                map.keys.insert(vec![byte], Bound::Function(Function::SelfInsert));
            }
        }
        for line in lines.iter().flat_map(|text| text.lines()) {
            let mut words = line.split_ascii_whitespace();
            let Some(function) = words.next().and_then(|name| Function::named(name.as_bytes())) else {
                continue;
            };
            for keys in words {
                map.keys.insert(sequence::parse(keys.as_bytes()), Bound::Function(function));
            }
        }
        map
    }
}

/// The three keymaps.
pub(super) fn standard(kind: &[u8]) -> [Keymap; 3] {
    // Terminals without these keys have no names for them.
    let more =
        if kind.starts_with(b"vt100") || kind.starts_with(b"dumb") || kind.is_empty() { "" } else { FURTHER };
    let mut emacs = Keymap::new(true, &[ANY, EMACS_KEYS, more]);
    for letter in b'A'..=b'Z' {
        let lower = |keys: &[u8]| (keys.to_vec(), Bound::Function(Function::DoLowercaseVersion));
        // Here begin the sequences of some keys.
        if letter != b'O' {
            emacs.keys.extend([lower(&[0x1b, letter])]);
        }
        emacs.keys.extend([lower(&[0x18, letter])]);
    }
    let mut insert = Keymap::new(true, &[ANY, VI_INSERT_KEYS, more]);
    for byte in [1, 2, 3, 5, 6, 7, 11, 12, 15, 17, 24, 26, 28, 29, 30] {
        insert.keys.insert(vec![byte], Bound::Function(Function::SelfInsert));
    }
    let mut command = Keymap::new(false, &[ANY, VI_COMMAND_KEYS, more]);
    for key in *b"*=\\" {
        command.keys.insert(vec![key], Bound::Function(Function::ViShellComplete));
    }
    [emacs, insert, command]
}

/// Keys of all modes.
const ANY: &str = r"
accept-line \C-j \C-m
backward-char \eOD \e[D
backward-word \e[1;3D \e[1;5D
beginning-of-line \eOH \e[H
end-of-line \eOF \e[F
forward-char \eOC \e[C
forward-search-history \C-s
forward-word \e[1;3C \e[1;5C
kill-word \e[3;5~
next-history \C-n \eOB \e[B
previous-history \C-p \eOA \e[A
quoted-insert \C-v
reverse-search-history \C-r
transpose-chars \C-t
unix-line-discard \C-u
yank \C-y";

/// Keys that not every terminal has.
const FURTHER: &str = r"
delete-char \e[3~
history-search-backward \e[5~
history-search-forward \e[6~
overwrite-mode \e[2~";

const EMACS_KEYS: &str = r"
abort \C-g \C-x\C-g \e\C-g
backward-char \C-b
backward-delete-char \C-h \C-?
backward-kill-line \C-x\C-?
backward-kill-word \e\C-h \e\C-?
backward-word \eb
beginning-of-history \e<
beginning-of-line \C-a
bracketed-paste-begin \e[200~
call-last-kbd-macro \C-xe
capitalize-word \ec
character-search \C-]
character-search-backward \e\C-]
clear-display \e\C-l
clear-screen \C-l
complete \C-i \e\e
complete-command \e!
complete-filename \e/
complete-hostname \e@
complete-into-braces \e{
complete-username \e~
complete-variable \e$
delete-char \C-d
delete-horizontal-space \e\\
digit-argument \e- \e0 \e1 \e2 \e3 \e4 \e5 \e6 \e7 \e8 \e9
display-shell-version \C-x\C-v
downcase-word \el
dynamic-complete-history \e\C-i
edit-and-execute-command \C-x\C-e
end-kbd-macro \C-x)
end-of-history \e>
end-of-line \C-e
exchange-point-and-mark \C-x\C-x
forward-char \C-f
forward-word \ef
glob-complete-word \eg
glob-expand-word \C-x*
glob-list-expansions \C-xg
history-expand-line \e^
insert-comment \e#
insert-completions \e*
kill-line \C-k
kill-word \ed
non-incremental-forward-search-history \en
non-incremental-reverse-search-history \ep
operate-and-get-next \C-o
possible-command-completions \C-x!
possible-completions \e= \e?
possible-filename-completions \C-x/
possible-hostname-completions \C-x@
possible-username-completions \C-x~
possible-variable-completions \C-x$
quoted-insert \C-q
re-read-init-file \C-x\C-r
revert-line \e\C-r \er
set-mark \C-@ \e\040
shell-backward-word \e\C-b
shell-expand-line \e\C-e
shell-forward-word \e\C-f
shell-kill-word \e\C-d
shell-transpose-words \e\C-t
spell-correct-word \C-xs
start-kbd-macro \C-x(
tilde-expand \e&
transpose-words \et
undo \C-x\C-u \C-_
unix-word-rubout \C-w
upcase-word \eu
yank-last-arg \e. \e_
yank-nth-arg \e\C-y
yank-pop \ey";

const VI_INSERT_KEYS: &str = r"
backward-delete-char \C-h \C-?
bracketed-paste-begin \e[200~
complete \C-i
menu-complete \C-n
menu-complete-backward \C-p
vi-eof-maybe \C-d
vi-movement-mode \e
vi-undo \C-_
vi-unix-word-rubout \C-w";

const VI_COMMAND_KEYS: &str = r"
abort \C-g
backward-char \C-h h
beginning-of-line 0
clear-screen \C-l
end-of-line $
forward-char \040 l
insert-comment #
kill-line \C-k
next-history + j
previous-history - k
quoted-insert \C-q
revert-line U
vi-append-eol A
vi-append-mode a
vi-arg-digit 1 2 3 4 5 6 7 8 9
vi-change-case ~
vi-change-char r
vi-change-to C c
vi-char-search , ; F T f t
vi-column |
vi-delete x
vi-delete-to D d
vi-edit-and-execute-command v
vi-end-word E e
vi-eof-maybe \C-d
vi-fetch-history G
vi-first-print ^
vi-goto-mark `
vi-insert-beg I
vi-insertion-mode i
vi-match %
vi-next-word W w
vi-prev-word B b
vi-put P p
vi-redo .
vi-replace R
vi-rubout X
vi-search / ?
vi-search-again N n
vi-set-mark m
vi-subst S s
vi-tilde-expand &
vi-undo \C-_ u
vi-unix-word-rubout \C-w
vi-yank-arg _
vi-yank-to Y y";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_standard_keys_have_functions() {
        for line in [ANY, FURTHER, EMACS_KEYS, VI_INSERT_KEYS, VI_COMMAND_KEYS].iter().flat_map(|t| t.lines())
        {
            let Some(name) = line.split(' ').next().filter(|name| !name.is_empty()) else { continue };
            assert!(Function::named(name.as_bytes()).is_some(), "{name}");
        }
    }

    #[test]
    fn vi_completes_with_keys_that_are_not_listed() {
        let [.., command] = standard(b"xterm");
        assert_eq!(command.find(b"*").bound, Some(Bound::Function(Function::ViShellComplete)));
        assert!(super::super::functions::names().iter().all(|(_, f)| *f != Function::ViShellComplete));
    }

    #[test]
    fn sequences_and_their_starts_are_found() {
        let [emacs, insert, _] = standard(b"xterm");
        assert!(emacs.find(b"\x18").is_prefix);
        assert!(!emacs.find(b"\x18\x15").is_prefix);
        assert_eq!(insert.find(b"\x1b").bound, Some(Bound::Function(Function::ViMovementMode)));
        let listed = insert.listed(b"");
        assert!(listed.iter().any(|(keys, _)| keys == b"\\e\\000"));
    }
}
