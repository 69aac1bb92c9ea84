//! The editor's functions by name.

macro_rules! functions {
    ($($name:literal $function:ident)*) => {
        /// What a key can do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Function {
            $($function,)*
            /// Completion with vi's keys, which has no name, as in bash.
            ViShellComplete,
        }

        const NAMES: &[(&str, Function)] = &[$(($name, Function::$function)),*];
    };
}

/// Further names of some functions.
const ALIASES: &[(&str, Function)] = &[
    ("insert-last-argument", Function::YankLastArg),
    ("vi-bWord", Function::ViBackwardBigword),
    ("vi-bword", Function::ViBackwardBigword),
    ("vi-eWord", Function::ViEndBigword),
    ("vi-eword", Function::ViEndBigword),
    ("vi-fWord", Function::ViForwardBigword),
    ("vi-fword", Function::ViForwardBigword),
];

impl Function {
    /// The function of that name, in which capital letters count as small ones.
    pub(crate) fn named(name: &[u8]) -> Option<Function> {
        let all = || NAMES.iter().chain(ALIASES);
        let found = all().find(|(known, _)| known.as_bytes() == name);
        let found = found.or_else(|| all().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name)));
        found.map(|(_, function)| *function)
    }
}

/// All names, sorted.
pub(crate) fn names() -> Vec<(&'static str, Function)> {
    let mut all: Vec<_> = NAMES.iter().chain(ALIASES).copied().collect();
    all.sort_unstable_by_key(|(name, _)| *name);
    all
}

functions! {
    "abort" Abort
    "accept-line" AcceptLine
    "alias-expand-line" AliasExpandLine
    "arrow-key-prefix" ArrowKeyPrefix
    "backward-byte" BackwardByte
    "backward-char" BackwardChar
    "backward-delete-char" BackwardDeleteChar
    "backward-kill-line" BackwardKillLine
    "backward-kill-word" BackwardKillWord
    "backward-word" BackwardWord
    "beginning-of-history" BeginningOfHistory
    "beginning-of-line" BeginningOfLine
    "bracketed-paste-begin" BracketedPasteBegin
    "call-last-kbd-macro" CallLastKbdMacro
    "capitalize-word" CapitalizeWord
    "character-search" CharacterSearch
    "character-search-backward" CharacterSearchBackward
    "clear-display" ClearDisplay
    "clear-screen" ClearScreen
    "complete" Complete
    "complete-command" CompleteCommand
    "complete-filename" CompleteFilename
    "complete-hostname" CompleteHostname
    "complete-into-braces" CompleteIntoBraces
    "complete-username" CompleteUsername
    "complete-variable" CompleteVariable
    "copy-backward-word" CopyBackwardWord
    "copy-forward-word" CopyForwardWord
    "copy-region-as-kill" CopyRegionAsKill
    "dabbrev-expand" DabbrevExpand
    "delete-char" DeleteChar
    "delete-char-or-list" DeleteCharOrList
    "delete-horizontal-space" DeleteHorizontalSpace
    "digit-argument" DigitArgument
    "display-shell-version" DisplayShellVersion
    "do-lowercase-version" DoLowercaseVersion
    "downcase-word" DowncaseWord
    "dump-functions" DumpFunctions
    "dump-macros" DumpMacros
    "dump-variables" DumpVariables
    "dynamic-complete-history" DynamicCompleteHistory
    "edit-and-execute-command" EditAndExecuteCommand
    "emacs-editing-mode" EmacsEditingMode
    "end-kbd-macro" EndKbdMacro
    "end-of-history" EndOfHistory
    "end-of-line" EndOfLine
    "exchange-point-and-mark" ExchangePointAndMark
    "fetch-history" FetchHistory
    "forward-backward-delete-char" ForwardBackwardDeleteChar
    "forward-byte" ForwardByte
    "forward-char" ForwardChar
    "forward-search-history" ForwardSearchHistory
    "forward-word" ForwardWord
    "glob-complete-word" GlobCompleteWord
    "glob-expand-word" GlobExpandWord
    "glob-list-expansions" GlobListExpansions
    "history-and-alias-expand-line" HistoryAndAliasExpandLine
    "history-expand-line" HistoryExpandLine
    "history-search-backward" HistorySearchBackward
    "history-search-forward" HistorySearchForward
    "history-substring-search-backward" HistorySubstringSearchBackward
    "history-substring-search-forward" HistorySubstringSearchForward
    "insert-comment" InsertComment
    "insert-completions" InsertCompletions
    "kill-line" KillLine
    "kill-region" KillRegion
    "kill-whole-line" KillWholeLine
    "kill-word" KillWord
    "magic-space" MagicSpace
    "menu-complete" MenuComplete
    "menu-complete-backward" MenuCompleteBackward
    "next-history" NextHistory
    "next-screen-line" NextScreenLine
    "non-incremental-forward-search-history" NonIncrementalForwardSearchHistory
    "non-incremental-forward-search-history-again" NonIncrementalForwardSearchHistoryAgain
    "non-incremental-reverse-search-history" NonIncrementalReverseSearchHistory
    "non-incremental-reverse-search-history-again" NonIncrementalReverseSearchHistoryAgain
    "old-menu-complete" OldMenuComplete
    "operate-and-get-next" OperateAndGetNext
    "overwrite-mode" OverwriteMode
    "possible-command-completions" PossibleCommandCompletions
    "possible-completions" PossibleCompletions
    "possible-filename-completions" PossibleFilenameCompletions
    "possible-hostname-completions" PossibleHostnameCompletions
    "possible-username-completions" PossibleUsernameCompletions
    "possible-variable-completions" PossibleVariableCompletions
    "previous-history" PreviousHistory
    "previous-screen-line" PreviousScreenLine
    "print-last-kbd-macro" PrintLastKbdMacro
    "quoted-insert" QuotedInsert
    "re-read-init-file" ReReadInitFile
    "redraw-current-line" RedrawCurrentLine
    "reverse-search-history" ReverseSearchHistory
    "revert-line" RevertLine
    "self-insert" SelfInsert
    "set-mark" SetMark
    "shell-backward-kill-word" ShellBackwardKillWord
    "shell-backward-word" ShellBackwardWord
    "shell-expand-line" ShellExpandLine
    "shell-forward-word" ShellForwardWord
    "shell-kill-word" ShellKillWord
    "shell-transpose-words" ShellTransposeWords
    "skip-csi-sequence" SkipCsiSequence
    "spell-correct-word" SpellCorrectWord
    "start-kbd-macro" StartKbdMacro
    "tab-insert" TabInsert
    "tilde-expand" TildeExpand
    "transpose-chars" TransposeChars
    "transpose-words" TransposeWords
    "tty-status" TtyStatus
    "undo" Undo
    "universal-argument" UniversalArgument
    "unix-filename-rubout" UnixFilenameRubout
    "unix-line-discard" UnixLineDiscard
    "unix-word-rubout" UnixWordRubout
    "upcase-word" UpcaseWord
    "vi-append-eol" ViAppendEol
    "vi-append-mode" ViAppendMode
    "vi-arg-digit" ViArgDigit
    "vi-back-to-indent" ViBackToIndent
    "vi-backward-bigword" ViBackwardBigword
    "vi-backward-word" ViBackwardWord
    "vi-change-case" ViChangeCase
    "vi-change-char" ViChangeChar
    "vi-change-to" ViChangeTo
    "vi-char-search" ViCharSearch
    "vi-column" ViColumn
    "vi-complete" ViComplete
    "vi-delete" ViDelete
    "vi-delete-to" ViDeleteTo
    "vi-edit-and-execute-command" ViEditAndExecuteCommand
    "vi-editing-mode" ViEditingMode
    "vi-end-bigword" ViEndBigword
    "vi-end-word" ViEndWord
    "vi-eof-maybe" ViEofMaybe
    "vi-fetch-history" ViFetchHistory
    "vi-first-print" ViFirstPrint
    "vi-forward-bigword" ViForwardBigword
    "vi-forward-word" ViForwardWord
    "vi-goto-mark" ViGotoMark
    "vi-insert-beg" ViInsertBeg
    "vi-insertion-mode" ViInsertionMode
    "vi-match" ViMatch
    "vi-movement-mode" ViMovementMode
    "vi-next-word" ViNextWord
    "vi-overstrike" ViOverstrike
    "vi-overstrike-delete" ViOverstrikeDelete
    "vi-prev-word" ViPrevWord
    "vi-put" ViPut
    "vi-redo" ViRedo
    "vi-replace" ViReplace
    "vi-rubout" ViRubout
    "vi-search" ViSearch
    "vi-search-again" ViSearchAgain
    "vi-set-mark" ViSetMark
    "vi-subst" ViSubst
    "vi-tilde-expand" ViTildeExpand
    "vi-undo" ViUndo
    "vi-unix-word-rubout" ViUnixWordRubout
    "vi-yank-arg" ViYankArg
    "vi-yank-pop" ViYankPop
    "vi-yank-to" ViYankTo
    "yank" Yank
    "yank-last-arg" YankLastArg
    "yank-nth-arg" YankNthArg
    "yank-pop" YankPop
}
