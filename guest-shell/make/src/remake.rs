//! Bringing files up to date.

use crate::say::bytes;
use crate::state::{Dep, FileId, MISSING, Make, NEW, OLD, Result, State, Status, Time};
use crate::text::{Text, join};
use sandshell_sys as sys;
use std::rc::Rc;

impl Make {
    /// Brings goals up to date.
    pub(crate) fn update_goals(&mut self, goals: &[FileId]) -> Result<Status> {
        let mut left: Vec<(FileId, bool)> = goals.iter().map(|g| (*g, false)).collect();
        let mut status = Status::Success;
        while !left.is_empty() {
            let mut progress = false;
            let mut next = Vec::new();
            let mut stop = false;
            for (goal, mut changed) in std::mem::take(&mut left) {
                if stop {
                    break;
                }
                let started = self.commands_started;
                let result = self.update_file(goal, 0)?;
                changed |= self.commands_started > started;
                let running = self.all_of(goal).iter().any(|f| self.is_running(*f));
                if running {
                    next.push((goal, changed));
                    continue;
                }
                progress = true;
                let done = self
                    .all_of(goal)
                    .iter()
                    .map(|f| self.files[*f].status)
                    .max()
                    .unwrap_or_default()
                    .max(result);
                status = status.max(done);
                if done == Status::Failed && !self.o.keep_going
                    || done == Status::Question
                        && self.o.question
                        && !self.o.keep_going
                        && !self.remaking_makefiles
                {
                    stop = true;
                }
                let file = &self.files[goal];
                if done == Status::Success
                    && !changed
                    && !self.remaking_makefiles
                    && !self.o.silent
                    && !self.o.question
                {
                    let text = if file.phony || file.recipe.is_none() {
                        bytes!("Nothing to be done for '", file.name, "'.")
                    } else {
                        bytes!("'", file.name, "' is up to date.")
                    };
                    self.message(&text);
                }
            }
            if stop {
                break;
            }
            left = next;
            if !left.is_empty() && !progress {
                self.reap(true)?;
            }
        }
        while !self.jobs.is_empty() {
            self.reap(true)?;
        }
        Ok(status)
    }

    /// The file and the other `::` rules of its name.
    fn all_of(&self, id: FileId) -> Vec<FileId> {
        let mut all = vec![id];
        all.extend(&self.files[id].siblings);
        all
    }

    fn is_running(&self, id: FileId) -> bool {
        matches!(self.files[id].state, State::Running | State::DepsRunning)
    }

    fn any_running(&self, id: FileId) -> bool {
        self.all_of(id).iter().any(|f| self.is_running(*f))
    }

    fn any_updating(&self, id: FileId) -> bool {
        self.all_of(id).iter().any(|f| self.files[*f].updating)
    }

    fn update_file(&mut self, id: FileId, depth: usize) -> Result<Status> {
        let mut status = Status::Success;
        for one in self.all_of(id) {
            if one != id && self.files[one].parent.is_none() {
                self.files[one].parent = self.files[id].parent;
            }
            status = status.max(self.update_one(one, depth)?);
            if status == Status::Failed && !self.o.keep_going {
                break;
            }
        }
        Ok(status)
    }

    fn update_one(&mut self, id: FileId, depth: usize) -> Result<Status> {
        if self.files[id].updated {
            return Ok(self.files[id].status);
        }
        match self.files[id].state {
            State::NotStarted | State::DepsRunning => {}
            State::Running => return Ok(Status::Success),
            State::Finished => return Ok(self.files[id].status),
        }
        if !self.o.old_files.is_empty() && self.o.old_files.contains(&self.files[id].name) {
            // It is not remade, whatever it depends on.
            (self.files[id].state, self.files[id].updated) = (State::Finished, true);
            return Ok(Status::Success);
        }
        if depth > 1000 {
            return Err(self.fatal(None, b"prerequisites are nested too deep"));
        }
        self.files[id].updating = true;
        let this_time = self.mtime(id);
        let missing = this_time == MISSING;
        let mut must_make = missing;
        self.find_recipe(id)?;
        let mut status = Status::Success;
        let mut running = false;
        let mut i = 0;
        while let Some(dep) = self.files[id].deps.get(i).cloned() {
            if self.any_updating(dep.file) {
                self.drop_circular(id, i);
                continue;
            }
            if self.files[dep.file].parent.is_none() {
                self.files[dep.file].parent = Some(id);
            }
            let before = self.mtime(dep.file);
            let mut maybe = must_make;
            status = status.max(self.check_dep(dep.file, depth + 1, this_time, &mut maybe)?);
            if !dep.order_only {
                must_make = maybe;
            }
            running |= self.any_running(dep.file);
            if status == Status::Failed && !self.o.keep_going {
                break;
            }
            if !self.any_running(dep.file) {
                let changed = self.mtime(dep.file) != before || before == MISSING;
                if let Some(d) = self.files[id].deps.get_mut(i) {
                    d.changed |= changed;
                }
            }
            i += 1;
        }
        if (must_make || self.o.always) && status < Status::Failed {
            // Intermediate files are needed now.
            let list: Vec<Dep> = self.files[id].deps.clone();
            for (i, dep) in list.iter().enumerate() {
                if !self.files[dep.file].intermediate || self.any_updating(dep.file) {
                    continue;
                }
                let before = self.mtime(dep.file);
                status = status.max(self.update_file(dep.file, depth + 1)?);
                running |= self.any_running(dep.file);
                if status == Status::Failed && !self.o.keep_going {
                    break;
                }
                if !self.any_running(dep.file) {
                    let changed = self.files[dep.file].phony && self.files[dep.file].recipe.is_some()
                        || self.mtime(dep.file) != before;
                    if let Some(d) = self.files[id].deps.get_mut(i) {
                        d.changed |= changed;
                    }
                }
            }
        }
        self.files[id].updating = false;
        if running && (status != Status::Failed || self.o.keep_going) {
            self.files[id].state = State::DepsRunning;
            return Ok(Status::Success);
        }
        if status == Status::Failed || (status == Status::Question && self.o.question) {
            self.files[id].status = status;
            self.finished(id);
            if depth == 0
                && status == Status::Failed
                && self.o.keep_going
                && !self.o.just_print
                && !self.o.question
            {
                self.warn(None, &bytes!("Target '", self.files[id].name, "' not remade because of errors."));
            }
            return Ok(status);
        }
        let mut changed = false;
        for i in 0..self.files[id].deps.len() {
            let dep = self.files[id].deps[i].clone();
            let time = self.mtime(dep.file);
            if !dep.order_only {
                if time == MISSING && !self.files[dep.file].intermediate {
                    must_make = true;
                }
                changed |= dep.changed;
            }
            if let Some(d) = self.files[id].deps.get_mut(i) {
                d.changed |= missing || time > this_time || self.o.always;
            }
        }
        let file = &self.files[id];
        if file.double_colon && file.deps.is_empty() {
            must_make = true;
        } else if !missing && file.is_target && !changed && file.recipe.is_none() {
            must_make = false;
        } else if !must_make && file.recipe.is_some() && self.o.always {
            must_make = true;
        }
        if !must_make {
            self.finished(id);
            return Ok(Status::Success);
        }
        self.remake(id)?;
        if self.files[id].state != State::Finished {
            return Ok(Status::Success);
        }
        Ok(self.files[id].status)
    }

    // The recipe and prerequisites that an implicit rule or `.DEFAULT` gives.
    fn find_recipe(&mut self, id: FileId) -> Result<()> {
        self.expand_later(id)?;
        let file = &self.files[id];
        if !file.phony && file.recipe.is_none() && !file.tried_implicit {
            self.files[id].tried_implicit = true;
            self.try_implicit_rule(id);
        }
        if self.files[id].recipe.is_none()
            && !self.files[id].is_target
            && let Some(default) = self.lookup_file(b".DEFAULT")
            && let Some(recipe) = self.files[default].recipe.clone()
        {
            self.files[id].recipe = Some(Rc::clone(&recipe));
        }
        // An empty recipe is one that does nothing.
        Ok(())
    }

    fn drop_circular(&mut self, id: FileId, i: usize) {
        let dep = self.files[id].deps.remove(i);
        let text = bytes!(
            "Circular ",
            self.files[id].name,
            " <- ",
            self.files[dep.file].name,
            " dependency dropped."
        );
        self.warn(None, &text);
    }

    fn check_dep(
        &mut self,
        id: FileId,
        depth: usize,
        this_time: Time,
        must_make: &mut bool,
    ) -> Result<Status> {
        if self.files[id].phony || !self.files[id].intermediate {
            let status = self.update_file(id, depth)?;
            let time = self.mtime(id);
            if time == MISSING || time > this_time {
                *must_make = true;
            }
            return Ok(status);
        }
        self.files[id].updating = true;
        self.find_recipe(id)?;
        self.files[id].updating = false;
        let time = self.mtime(id);
        if time != MISSING && time > this_time {
            *must_make = true;
            return Ok(Status::Success);
        }
        if self.files[id].state == State::DepsRunning {
            self.files[id].state = State::NotStarted;
        }
        if matches!(self.files[id].state, State::Running | State::Finished) {
            return Ok(self.files[id].status);
        }
        self.files[id].updating = true;
        let mut status = Status::Success;
        let mut running = false;
        let mut i = 0;
        while let Some(dep) = self.files[id].deps.get(i).cloned() {
            if self.any_updating(dep.file) {
                self.drop_circular(id, i);
                continue;
            }
            if self.files[dep.file].parent.is_none() {
                self.files[dep.file].parent = Some(id);
            }
            let mut maybe = *must_make;
            status = status.max(self.check_dep(dep.file, depth + 1, this_time, &mut maybe)?);
            if !dep.order_only {
                *must_make = maybe;
            }
            running |= self.any_running(dep.file);
            if status == Status::Failed && !self.o.keep_going {
                break;
            }
            i += 1;
        }
        self.files[id].updating = false;
        if running {
            self.files[id].state = State::DepsRunning;
        }
        Ok(status)
    }

    // Expands prerequisites the second time.
    fn expand_later(&mut self, id: FileId) -> Result<()> {
        for later in std::mem::take(&mut self.files[id].later) {
            let mut scopes = self.scopes_of(id);
            scopes.push(self.automatic_scope(id, later.stem.as_deref()));
            let saved = std::mem::replace(&mut self.scopes, scopes);
            let loc = std::mem::replace(&mut self.loc, later.loc.clone());
            let text = match &later.stem {
                Some(stem) => join(crate::text::reference_words(&later.text).into_iter().map(|w| {
                    if w.contains(&b'%') { crate::text::Pattern::new(w).fill(stem) } else { w.to_vec() }
                })),
                None => later.text.clone(),
            };
            let expanded = self.expand(&text);
            self.scopes = saved;
            self.loc = loc;
            let list = self.parse_deps(&expanded?, None);
            self.merge_deps(id, list, later.first);
        }
        Ok(())
    }

    fn remake(&mut self, id: FileId) -> Result<()> {
        if self.files[id].recipe.is_none() {
            let file = &self.files[id];
            if file.phony || file.is_target {
                self.files[id].status = Status::Success;
            } else {
                self.complain(id)?;
                self.files[id].status = Status::Failed;
            }
            self.finished(id);
            return Ok(());
        }
        self.files[id].before = Some(self.mtime(id));
        self.start_recipe(id)
    }

    // There is no rule for a file.
    fn complain(&mut self, id: FileId) -> Result<()> {
        let file = &self.files[id];
        if file.dont_care && self.remaking_makefiles {
            return Ok(());
        }
        let mut text = bytes!("No rule to make target '", file.name, "'");
        if let Some(parent) = file.parent {
            text = bytes!(text, ", needed by '", self.files[parent].name, "'");
        }
        self.tell_missing_include();
        if self.o.keep_going {
            self.warn(None, &bytes!("*** ", text, "."));
            return Ok(());
        }
        let waiting = !self.jobs.is_empty();
        let fatal = self.fatal(None, &text);
        if waiting {
            self.wait_for_unfinished()?;
        }
        Err(fatal)
    }

    /// Notes that a file is done with.
    pub(crate) fn finished(&mut self, id: FileId) {
        let ran = self.files[id].state == State::Running;
        self.files[id].state = State::Finished;
        self.files[id].updated = true;
        if self.o.touch && self.files[id].status == Status::Success && ran {
            self.touch(id);
        }
        if ran && !self.files[id].phony {
            // With -n the recipe would have made it new.
            let pretend = self.o.just_print || self.o.question;
            if pretend || self.files[id].recipe.as_ref().is_some_and(|r| r.is_empty()) {
                self.files[id].mtime = Some(NEW);
            } else {
                self.files[id].mtime = None;
                // A recipe that does not make its target: whoever needs it is remade all the same.
                if self.mtime(id) == MISSING && self.files[id].status == Status::Success {
                    self.files[id].mtime = Some(NEW);
                }
            }
        } else if self.files[id].is_target && self.files[id].recipe.is_none() && self.mtime(id) == MISSING {
            self.files[id].mtime = Some(NEW);
        }
        if ran || self.files[id].phony {
            if self.files[id].phony {
                self.files[id].mtime = Some(NEW);
            }
            let status = self.files[id].status;
            for other in self.files[id].also_make.clone() {
                self.files[other].state = State::Finished;
                self.files[other].updated = true;
                self.files[other].status = status;
                if ran && !self.files[other].phony {
                    self.files[other].mtime = None;
                    let time = self.mtime(other);
                    if time == MISSING && (self.o.just_print || self.o.question) {
                        self.files[other].mtime = Some(NEW);
                    }
                }
            }
        }
    }

    fn touch(&mut self, id: FileId) {
        if self.files[id].phony {
            return;
        }
        self.commands_started += 1;
        let name = self.files[id].name.clone();
        if !self.is_silent(id) {
            self.plain(&bytes!("touch ", name));
        }
        if self.o.just_print || self.o.question {
            return;
        }
        use sys::open_flags as o;
        if let Ok(fd) = sys::open(&name, o::WRITE | o::CREATE | o::CLOEXEC, 0o666) {
            let _ = sys::close(fd);
            let _ = sys::utimens(&name, sys::SetTime::Now, sys::SetTime::Now, true);
        }
    }

    pub(crate) fn is_silent(&self, id: FileId) -> bool {
        self.o.silent || self.flags.silent || self.silent_targets.contains(&self.files[id].name)
    }

    /// The time of a file's last change, looked for along `VPATH`.
    pub(crate) fn mtime(&mut self, id: FileId) -> Time {
        if let Some(time) = self.files[id].mtime {
            return time;
        }
        let name = self.files[id].name.clone();
        let time = if self.files[id].phony {
            MISSING
        } else if self.o.old_files.contains(&name) {
            OLD
        } else if self.o.new_files.contains(&name) {
            NEW
        } else {
            let time = self.disk_time(id, &name);
            self.tell_future(id, &name, time);
            time
        };
        self.files[id].mtime = Some(time);
        time
    }

    // Warns, once, of a file that is newer than anything made now.
    fn tell_future(&mut self, id: FileId, name: &[u8], time: Time) {
        let ahead = time - i128::from(sys::realtime());
        if self.clock_skew || self.files[id].updated || matches!(time, MISSING | OLD | NEW) || ahead <= 0 {
            return;
        }
        self.clock_skew = true;
        let seconds = ahead as f64 / 1e9;
        let shown = if seconds >= 99.0 {
            (ahead / 1_000_000_000).to_string()
        } else {
            // Two digits that count.
            let decimals = (1.0 - seconds.log10().floor()).max(0.0) as usize;
            let fixed = format!("{seconds:.decimals$}");
            if decimals == 0 { fixed } else { fixed.trim_end_matches('0').trim_end_matches('.').to_owned() }
        };
        let text = bytes!("Warning: File '", name, "' has modification time ", shown, " s in the future");
        self.warn(None, &text);
    }

    fn disk_time(&mut self, id: FileId, name: &[u8]) -> Time {
        let of = |name: &[u8]| {
            sys::stat(name, true).ok().map(|s| i128::from(s.mtime) * 1_000_000_000 + i128::from(s.mtime_nsec))
        };
        if let Some(time) = of(name) {
            // It has been made here.
            self.files[id].found = None;
            return time.max(OLD + 1);
        }
        if let Some(path) = self.vpath_search(name) {
            let time =
                match self.lookup_file(&path).filter(|other| *other != id && self.files[*other].is_target) {
                    Some(other) => self.mtime(other),
                    None => of(&path).unwrap_or(MISSING),
                };
            self.files[id].found = Some(path);
            return time;
        }
        MISSING
    }

    /// Removes the intermediate files that were made.
    pub(crate) fn remove_intermediates(&mut self) {
        if self.o.question || self.o.touch || self.flags.all_secondary {
            return;
        }
        let mut names: Vec<Text> = Vec::new();
        for id in 0..self.files.len() {
            let file = &self.files[id];
            let made = file.intermediate
                && !file.precious
                && !file.secondary
                && !file.phony
                && file.updated
                && file.state == State::Finished
                && file.before == Some(MISSING);
            if !made {
                continue;
            }
            if self.o.just_print || sys::unlink(&file.name).is_ok() {
                names.push(file.name.clone());
            }
        }
        if !names.is_empty() && !self.o.silent {
            self.plain(&bytes!("rm ", join(&names)));
        }
    }
}
