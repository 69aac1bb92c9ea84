//! Applies a patch to one file.

use super::ed;
use super::header::Patch;
use super::hunk::{Hunk, Step};
use super::lines::Lines;
use super::locate::Place;
use super::options::{Options, ReadOnly, Verbosity};
use super::queue::{Content, Job, Queue};
use super::read::{self, Format};
use super::say::{Fatal, ask, quoted, say};
use super::{reject, target};
use crate::text::Text;
use sandshell_cli::bytes;
use sandshell_cli::out;
use sandshell_sys as sys;

/// The state that is kept from file to file.
pub(super) struct Session<'a> {
    options: &'a Options,
    failed: bool,
    // The collected output for `-o` and `-r`.
    output: Option<Vec<u8>>,
    rejects: Vec<u8>,
    // The reject files that this run has created.
    reject_files: Vec<Vec<u8>>,
    queue: Queue,
}

// The state while hunks are applied to a file.
struct Work<'a> {
    patch: &'a Patch,
    // The names of the file to read and the file to write.
    input: Option<Vec<u8>>,
    output: Option<Vec<u8>>,
    stat: Option<sys::Stat>,
    reverse: bool,
    skip: bool,
    // The name leads out of the directory: the patch is skipped without a message.
    invalid: bool,
    mismatch: bool,
    hunks: usize,
    failures: usize,
    result: Vec<u8>,
    rejects: Vec<u8>,
}

impl Work<'_> {
    // Whether the existing file is of the kind that the patch is about.
    fn has_right_kind(&self) -> bool {
        let kind = |s: &sys::Stat| if self.patch.is_link() { s.is_symlink() } else { s.is_file() };
        self.stat.as_ref().is_some_and(kind)
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(options: &'a Options) -> Self {
        Self {
            options,
            failed: false,
            output: None,
            rejects: Vec::new(),
            reject_files: Vec::new(),
            queue: Queue::default(),
        }
    }

    /// Applies a patch, whose hunks are read from the current place in the input. `first` tells whether it is the first
    /// one.
    pub(super) fn apply(&mut self, patch: &Patch, lines: &mut Lines, first: bool) -> Result<(), Fatal> {
        let o = self.options;
        let mut work = Work {
            patch,
            input: None,
            output: None,
            stat: None,
            reverse: o.reverse,
            skip: false,
            invalid: false,
            mismatch: false,
            hunks: 0,
            failures: 0,
            result: Vec::new(),
            rejects: Vec::new(),
        };
        if o.verbosity == Verbosity::Verbose {
            let what = match patch.format {
                Format::Unified => "a unified diff",
                Format::Context { modern: true } => "a new-style context diff",
                Format::Context { modern: false } => "a context diff",
                Format::Normal => "a normal diff",
                Format::Ed => "an ed script",
            };
            let start = if first { "  L" } else { "  The next patch l" };
            say(format!("{start}ooks like {what} to me...\n"));
        }
        if patch.strip_cr && o.verbosity != Verbosity::Silent {
            say("(Stripping trailing CRs from patch; use --binary to disable.)\n");
        }
        if !patch.git || !(patch.rename || patch.copy) && self.queue.knows(&patch.names) {
            self.queue.flush(o)?;
        }
        self.choose_file(&mut work);
        if o.verbosity == Verbosity::Verbose && work.input.is_some() {
            show_leading(patch);
        }
        if patch.binary {
            self.failed = true;
            if let Some(name) = &work.output {
                say(bytes!("File ", quoted(name), ": git binary diffs are not supported.\n"));
            }
            return Ok(());
        }
        self.check_kind(&mut work);
        if patch.format == Format::Ed {
            return self.apply_ed(&mut work, lines);
        }
        let text = self.read_input(&mut work)?;
        self.apply_hunks(&mut work, &text, lines)?;
        if !work.skip {
            self.put(&mut work)?;
        }
        self.report(&mut work)
    }

    // Prints nothing, whatever the script changes.
    fn apply_ed(&mut self, work: &mut Work<'_>, lines: &mut Lines) -> Result<(), Fatal> {
        let (false, Some(input)) = (work.skip, &work.input) else {
            ed::run(lines, None)?;
            self.failed = true;
            return Ok(());
        };
        let data = match work.stat {
            Some(_) => target::read(input).map_err(|e| Fatal::file("Can't open file", input, e))?,
            None => Vec::new(),
        };
        work.result = ed::run(lines, Some(&data))?;
        work.hunks = 1;
        self.put(work)
    }

    /// Writes what was collected and returns the exit status.
    pub(super) fn finish(mut self) -> Result<i32, Fatal> {
        self.queue.flush(self.options)?;
        if let (Some(name), Some(data)) = (&self.options.output, &self.output) {
            if name == b"-" {
                out::put(data);
            } else if !self.options.dry_run {
                target::replace(name, data, None)?;
            }
        }
        if let Some(name) = self.options.reject.as_ref().filter(|n| *n != b"-")
            && !self.rejects.is_empty()
            && !self.options.dry_run
        {
            target::replace(name, &self.rejects, None)?;
        }
        Ok(i32::from(self.failed))
    }

    /// Puts the waiting results in place when an error ends the program.
    pub(super) fn put_waiting(&mut self) -> Result<(), Fatal> {
        self.queue.flush(self.options)
    }

    fn choose_file(&self, work: &mut Work<'_>) {
        let o = self.options;
        let patch = work.patch;
        let moved = patch.rename || patch.copy;
        let name = match &o.file {
            Some(name) => Some(name.clone()),
            None => target::choose(patch, |name| self.queue.leaves(name)),
        };
        let both = || patch.names[..2].iter().all(|n| n.as_deref().is_some_and(target::is_safe));
        if moved && o.file.is_none() && (name.is_none() || !both()) {
            let verb = if patch.rename { "rename" } else { "copy" };
            say(format!("Cannot {verb} file without two valid file names\n"));
            work.skip = true;
            return;
        }
        let Some(name) = name else {
            work.skip = true;
            ask_for_file(o, patch);
            return;
        };
        work.stat = sys::stat(&name, o.follow_links).ok();
        let is_empty = work.stat.as_ref().is_none_or(|s| s.is_file() && s.size == 0);
        if work.stat.is_none() || work.has_right_kind() {
            self.look_for_reversal(work, &name, is_empty);
        }
        if work.skip {
            return;
        }
        let other = patch.names[usize::from(!work.reverse)].clone();
        work.output = match (&o.output, other) {
            (Some(out), _) => Some(out.clone()),
            (None, Some(other)) if moved && o.file.is_none() => Some(other),
            _ => Some(name.clone()),
        };
        if o.file.is_none()
            && let Some(output) = work.output.take_if(|n| target::is_outside(&name) || target::is_outside(n))
        {
            say(bytes!("Invalid file name ", quoted(&output), " -- skipping patch\n"));
            work.skip = true;
            work.invalid = true;
            return;
        }
        work.input = Some(name);
    }

    // Asks if a patch creates a file that already exists, or removes one that does not.
    fn look_for_reversal(&self, work: &mut Work<'_>, name: &[u8], is_empty: bool) {
        let missing = work.stat.is_none();
        let says = |reverse: bool| work.patch.nonexistent[usize::from(reverse)];
        let reversed = u8::from(!is_empty) < says(work.reverse ^ is_empty);
        let known_empty = is_empty && says(work.reverse ^ missing) == 1 && says(!work.reverse ^ missing) == 2;
        if !reversed || known_empty {
            return;
        }
        let (verb, state) = match (missing, is_empty) {
            (true, _) => ("delete", "does not exist"),
            (false, true) => ("empty out", "is already empty"),
            (false, false) => ("create", "already exists"),
        };
        let when = if work.reverse { ", when reversed," } else { "" };
        let text = bytes!(
            "The next patch",
            when,
            " would ",
            verb,
            " the file ",
            quoted(name),
            ",\nwhich ",
            state,
            "!"
        );
        if self.ok_to_reverse(work, &text) {
            work.reverse = !work.reverse;
        }
    }

    // Says that a patch looks reversed. Returns whether to apply it in reverse.
    fn ok_to_reverse(&self, work: &mut Work<'_>, text: &[u8]) -> bool {
        let o = self.options;
        if o.forward || !(o.force && o.verbosity == Verbosity::Silent) {
            say(text);
        }
        if o.forward {
            say("  Skipping patch.\n");
            work.skip = true;
            return false;
        }
        if o.force {
            if o.verbosity != Verbosity::Silent {
                say("  Applying it anyway.\n");
            }
            return false;
        }
        if o.batch {
            say(if work.reverse { "  Ignoring -R.\n" } else { "  Assuming -R.\n" });
            return true;
        }
        ask(if work.reverse { "  Ignore -R? [n] " } else { "  Assume -R? [n] " });
        ask("Apply anyway? [n] ");
        if o.verbosity != Verbosity::Silent {
            say("Skipping patch.\n");
        }
        work.skip = true;
        false
    }

    fn check_kind(&self, work: &mut Work<'_>) {
        let (Some(input), Some(_)) = (&work.input, &work.stat) else { return };
        let link = work.patch.is_link();
        if !work.has_right_kind() {
            let name = quoted(work.output.as_ref().unwrap_or(input));
            let kind = if link { "symbolic link" } else { "regular file" };
            say(bytes!("File ", name, " is not a ", kind, " -- refusing to patch\n"));
            work.skip = true;
            return;
        }
        if link {
            return;
        }
        let o = self.options;
        if o.read_only != ReadOnly::Ignore && o.output.is_none() && sys::access(input, 2).is_err() {
            let what =
                if o.read_only == ReadOnly::Warn { "trying to patch anyway" } else { "refusing to patch" };
            say(bytes!("File ", quoted(input), " is read-only; ", what, "\n"));
            work.skip = o.read_only == ReadOnly::Fail;
        }
    }

    fn read_input(&self, work: &mut Work<'_>) -> Result<Text, Fatal> {
        let (false, Some(input), Some(output)) = (work.skip, &work.input, &work.output) else {
            return Ok(Text::new(Vec::new()));
        };
        let data = if work.stat.is_some() {
            let read = if work.patch.is_link() { target::read_link(input) } else { target::read(input) };
            read.map_err(|e| Fatal::file("Can't open file", input, e))?
        } else {
            Vec::new()
        };
        let o = self.options;
        if o.verbosity != Verbosity::Silent {
            let verb = if o.dry_run { "checking" } else { "patching" };
            let kind = if work.patch.is_link() { " symbolic link " } else { " file " };
            let mut text = bytes!(verb, kind, quoted(output));
            if input != output {
                let how = if work.patch.rename {
                    "renamed"
                } else if work.patch.copy {
                    "copied"
                } else {
                    "read"
                };
                text.extend(bytes!(" (", how, " from ", quoted(input), ")"));
            } else if work.patch.rename
                && o.file.is_none()
                && let Some(old) = &work.patch.names[usize::from(work.reverse)]
            {
                text.extend(bytes!(" (already renamed from ", quoted(old), ")"));
            }
            text.push(b'\n');
            say(text);
            if o.verbosity == Verbosity::Verbose {
                say("Using Plan A...\n");
            }
        }
        Ok(Text::new(data))
    }

    fn apply_hunks(&self, work: &mut Work<'_>, text: &Text, lines: &mut Lines) -> Result<(), Fatal> {
        let o = self.options;
        let mut place = Place { text, frozen: 0, offset: 0, ignore_space: o.ignore_space };
        let mut moved = 0isize;
        let mut anyway = false;
        while let Some(read) = read::hunk(lines, work.patch.format, work.patch.strip_cr)? {
            work.hunks += 1;
            let mut hunk = if work.reverse { read.reversed() } else { read };
            let mut found = None;
            let mut fuzz = 0;
            if !work.skip {
                let most = o.fuzz.min(hunk.context());
                loop {
                    found = place.locate(&hunk, fuzz);
                    if found.is_none() || fuzz > 0 || place.offset != 0 {
                        work.mismatch = true;
                    }
                    if work.hunks == 1 && found.is_none() && !(o.force || anyway) && work.reverse == o.reverse
                    {
                        let swapped = hunk.clone().reversed();
                        let offset = place.offset;
                        if place.locate(&swapped, fuzz).is_some() {
                            let kind =
                                if work.reverse { "Unreversed" } else { "Reversed (or previously applied)" };
                            if self.ok_to_reverse(work, &bytes!(kind, " patch detected!")) {
                                work.reverse = !work.reverse;
                                place.offset = offset;
                                hunk = swapped;
                                found = place.locate(&hunk, fuzz);
                            } else {
                                // Try it as given after all, with the same fuzz.
                                anyway = true;
                                place.offset = offset;
                                if work.skip {
                                    break;
                                }
                                continue;
                            }
                        }
                    }
                    if found.is_some() || fuzz >= most {
                        break;
                    }
                    fuzz += 1;
                }
            }
            let says_new = work.patch.nonexistent[usize::from(work.reverse)] == 2;
            let has_content = text.len() > 0;
            let usable = found.filter(|at| !(work.skip || *at == 1 && says_new && has_content));
            match usable.filter(|at| apply(&hunk, *at, &mut place, &mut work.result, o.define.as_deref())) {
                Some(at) => {
                    if o.verbosity == Verbosity::Verbose
                        || o.verbosity == Verbosity::Normal && (fuzz > 0 || place.offset != 0)
                    {
                        tell_success(work.hunks, at as isize + moved, fuzz, place.offset);
                    }
                    moved += hunk.new.lines.len() as isize - hunk.old.lines.len() as isize;
                }
                None => {
                    work.failures += 1;
                    let at = found.unwrap_or(hunk.old.first) as isize + moved;
                    self.reject(work, &hunk, moved);
                    if o.verbosity == Verbosity::Verbose || !work.skip && o.verbosity == Verbosity::Normal {
                        let what = if work.skip { "ignored" } else { "FAILED" };
                        let endings = if !work.skip && other_line_endings(&hunk, text) {
                            " (different line endings)"
                        } else {
                            ""
                        };
                        say(format!("Hunk #{} {what} at {at}{endings}.\n", work.hunks));
                    }
                }
            }
        }
        put(&mut work.result, text.lines(place.frozen..text.len()));
        Ok(())
    }

    fn reject(&self, work: &mut Work<'_>, hunk: &Hunk, moved: isize) {
        let unified = self.options.reject_unified.unwrap_or(work.patch.format == Format::Unified);
        if work.rejects.is_empty() {
            work.rejects = reject::header(work.patch, unified, work.reverse, self.options.file.is_some());
        }
        work.rejects.extend(if unified {
            reject::unified(hunk, moved)
        } else {
            reject::context(hunk, moved, work.patch.format)
        });
    }

    // Puts the result in place.
    fn put(&mut self, work: &mut Work<'_>) -> Result<(), Fatal> {
        let o = self.options;
        let (Some(input), Some(output)) = (work.input.clone(), work.output.clone()) else { return Ok(()) };
        if o.output.is_some() {
            self.output.get_or_insert_default().append(&mut work.result);
            return Ok(());
        }
        let backup = o.backup || o.backup_if_mismatch && (work.mismatch || work.failures > 0);
        let patch = work.patch;
        let says_gone = patch.nonexistent[usize::from(!work.reverse)] == 2;
        let mut job = Job { output: output.clone(), backup, ..Job::default() };
        if work.result.is_empty() && (o.remove_empty || says_gone && !o.posix) {
            if !o.dry_run && work.stat.is_some() {
                return self.do_job(work, job);
            }
            return Ok(());
        }
        if !work.result.is_empty() && says_gone && (o.remove_empty || !o.posix) {
            work.mismatch = true;
            self.failed = true;
            if o.verbosity != Verbosity::Silent {
                say(bytes!("Not deleting file ", quoted(&output), " as content differs from patch\n"));
            }
        }
        if o.dry_run {
            return Ok(());
        }
        let (old_mode, new_mode) =
            (patch.modes[usize::from(work.reverse)], patch.modes[usize::from(!work.reverse)]);
        let set_mode = new_mode != 0 && old_mode != new_mode;
        if work.failures < work.hunks || set_mode || patch.rename || patch.copy {
            let kept = work.stat.as_ref().map(|s| s.mode);
            let mode = if set_mode { Some(masked(new_mode)) } else { kept };
            let data = std::mem::take(&mut work.result);
            job.content = Some(if patch.is_link() { Content::Link(data) } else { Content::File(data, mode) });
            job.time = self.time(work, &output);
            job.renamed = (patch.rename && input != output).then_some(input);
            return self.do_job(work, job);
        }
        self.queue.back_up(&output, backup, o)?;
        if work.stat.is_none() {
            return Err(Fatal::file("Can't reopen file", &output, sys::Errno::NOENT));
        }
        Ok(())
    }

    // All git patches refer to the files as they were before the run, so their results wait. New files do not.
    fn do_job(&mut self, work: &Work<'_>, job: Job) -> Result<(), Fatal> {
        let creates = work.patch.nonexistent[usize::from(work.reverse)] == 2 && job.content.is_some();
        if work.patch.git && creates {
            return self.queue.do_now(job, self.options);
        }
        self.queue.add(job);
        if work.patch.git { Ok(()) } else { self.queue.flush(self.options) }
    }

    // The modification time for the result: that of the patch, but only if the old file was what the patch expects.
    fn time(&self, work: &Work<'_>, output: &[u8]) -> Option<(i64, u32)> {
        let o = self.options;
        let time = work.patch.times[usize::from(!work.reverse)].filter(|_| o.set_time)?;
        let old = work.patch.times[usize::from(work.reverse)];
        let says_new = work.patch.nonexistent[usize::from(work.reverse)] != 0;
        let differs = work.stat.is_some_and(|s| old.is_some_and(|t| t != (s.mtime, s.mtime_nsec)));
        let why = if !o.force && !says_new && differs {
            "time"
        } else if !o.force && (work.mismatch || work.failures > 0) {
            "contents"
        } else {
            return Some(time);
        };
        say(bytes!("Not setting time of file ", quoted(output), " (", why, " mismatch)\n"));
        None
    }

    fn report(&mut self, work: &mut Work<'_>) -> Result<(), Fatal> {
        self.failed |= work.failures > 0 || work.invalid;
        if work.failures == 0 || work.invalid {
            return Ok(());
        }
        let o = self.options;
        let plural = if work.hunks == 1 { "" } else { "s" };
        let what = if work.skip { "ignored" } else { "FAILED" };
        say(format!("{} out of {} hunk{plural} {what}", work.failures, work.hunks));
        match (&work.output, &o.reject) {
            (Some(output), reject) if reject.as_deref() != Some(b"-") => {
                let name = reject.clone().unwrap_or_else(|| target::reject_name(output));
                if o.dry_run {
                    say("\n");
                    return Ok(());
                }
                say(bytes!(" -- saving rejects to file ", quoted(&name), "\n"));
                if reject.is_some() {
                    self.rejects.append(&mut work.rejects);
                    return Ok(());
                }
                // Appended to the rejects of earlier patches for this file.
                let mut rejects = Vec::new();
                if self.reject_files.contains(&name) {
                    rejects = target::read(&name).unwrap_or_default();
                } else {
                    self.reject_files.push(name.clone());
                }
                rejects.append(&mut work.rejects);
                target::replace(&name, &rejects, None)
            }
            _ => {
                say("\n");
                Ok(())
            }
        }
    }
}

// Applies a hunk: copies the file up to each change and makes the change. The context after the last change is not
// copied yet, as the next hunk may overlap with it. Returns whether the hunk could be applied.
fn apply(hunk: &Hunk, at: usize, place: &mut Place<'_>, result: &mut Vec<u8>, define: Option<&[u8]>) -> bool {
    let mut line = at - 1;
    let mut choice = Choice { name: define, state: Branch::Outside };
    for step in hunk.steps() {
        if !matches!(step, Step::Keep(_)) {
            if line < place.frozen {
                say("misordered hunks! output would be garbled\n");
                return false;
            }
            put(result, place.text.lines(place.frozen..line));
            place.frozen = line;
        }
        match step {
            Step::Keep(_) => {
                choice.end(result);
                line += 1;
            }
            Step::Delete(_) => {
                choice.delete(result);
                line += 1;
                if define.is_some() {
                    put(result, place.text.lines(place.frozen..line));
                }
                place.frozen = line;
            }
            Step::Insert(l) => {
                choice.insert(result);
                put(result, &l.text);
            }
        }
    }
    choice.end(result);
    true
}

/// The branch of the preprocessor conditional of `-D` that lines go to.
#[derive(Clone, Copy, PartialEq)]
enum Branch {
    Outside,
    Old,
    New,
    /// The second of two branches, for the lines that are inserted.
    Else,
}

/// The preprocessor conditional around a change.
struct Choice<'a> {
    /// The macro that the conditional tests. Without it no directives are written.
    name: Option<&'a [u8]>,
    state: Branch,
}

impl Choice<'_> {
    fn delete(&mut self, result: &mut Vec<u8>) {
        self.step(Branch::Old, b"#ifndef ", Branch::New, result);
    }

    fn insert(&mut self, result: &mut Vec<u8>) {
        self.step(Branch::New, b"#ifdef ", Branch::Old, result);
    }

    fn step(&mut self, to: Branch, begin: &[u8], other: Branch, result: &mut Vec<u8>) {
        let Some(name) = self.name else { return };
        if self.state == Branch::Outside {
            put(result, &[begin, name, b"\n"].concat());
            self.state = to;
        } else if self.state == other {
            put(result, b"#else\n");
            self.state = Branch::Else;
        }
    }

    fn end(&mut self, result: &mut Vec<u8>) {
        if self.state != Branch::Outside {
            put(result, b"#endif\n");
            self.state = Branch::Outside;
        }
    }
}

// Appends lines. If the last line so far has no newline, the new ones still begin on a line of their own.
fn put(result: &mut Vec<u8>, lines: &[u8]) {
    if !lines.is_empty() && result.last().is_some_and(|b| *b != b'\n') {
        result.push(b'\n');
    }
    result.extend_from_slice(lines);
}

fn tell_success(number: usize, at: isize, fuzz: usize, offset: isize) {
    let mut text = format!("Hunk #{number} succeeded at {at}");
    if fuzz > 0 {
        text += &format!(" with fuzz {fuzz}");
    }
    if offset != 0 {
        let plural = if offset == 1 { "" } else { "s" };
        text += &format!(" (offset {offset} line{plural})");
    }
    say(text + ".\n");
}

fn other_line_endings(hunk: &Hunk, text: &Text) -> bool {
    let crlf = |line: &[u8]| line.ends_with(b"\r\n");
    match (hunk.old.lines.first(), text.len()) {
        (Some(line), 1..) => crlf(&line.text) != crlf(text.line(0)),
        _ => false,
    }
}

fn masked(mode: u32) -> u32 {
    let mask = sys::umask(0);
    sys::umask(mask);
    mode & 0o777 & !mask
}

fn ask_for_file(options: &Options, patch: &Patch) {
    if options.verbosity != Verbosity::Silent {
        say(format!("can't find file to patch at input line {}\n", patch.line));
        if !matches!(patch.format, Format::Normal | Format::Ed) {
            say(if options.strip.is_some() {
                "Perhaps you used the wrong -p or --strip option?\n"
            } else {
                "Perhaps you should have used the -p or --strip option?\n"
            });
        }
    }
    show_leading(patch);
    if options.force || options.batch {
        say("No file to patch.  Skipping patch.\n");
        return;
    }
    ask("File to patch: ");
    ask("Skip this patch? [y] ");
    if options.verbosity != Verbosity::Silent {
        say("Skipping patch.\n");
    }
}

fn show_leading(patch: &Patch) {
    if patch.leading.is_empty() {
        return;
    }
    say("The text leading up to this was:\n--------------------------\n");
    for line in patch.leading.split_inclusive(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        say(bytes!("|", line, "\n"));
    }
    say("--------------------------\n");
}
