//! Results that wait to be put in place.

use super::options::Options;
use super::say::Fatal;
use super::target;
use sandshell_sys as sys;

/// The new content of a file.
pub(super) enum Content {
    /// A regular file with these bytes and this mode.
    File(Vec<u8>, Option<u32>),
    /// A symbolic link to this target.
    Link(Vec<u8>),
}

/// What to do with one file.
#[derive(Default)]
pub(super) struct Job {
    pub(super) output: Vec<u8>,
    /// The new content. Without it the file is removed.
    pub(super) content: Option<Content>,
    pub(super) backup: bool,
    pub(super) time: Option<(i64, u32)>,
    /// The file that had this content under another name. It is removed.
    pub(super) renamed: Option<Vec<u8>>,
}

/// The jobs, in order.
#[derive(Default)]
pub(super) struct Queue {
    jobs: Vec<Job>,
    // The files whose content before the first patch has been backed up.
    backed_up: Vec<Vec<u8>>,
}

impl Queue {
    pub(super) fn add(&mut self, job: Job) {
        self.jobs.push(job);
    }

    /// Whether a waiting job writes or removes one of these files.
    pub(super) fn knows(&self, names: &[Option<Vec<u8>>]) -> bool {
        let known = |name: &Vec<u8>| {
            self.jobs.iter().any(|j| j.output == *name || j.renamed.as_ref().is_some_and(|r| r == name))
        };
        names.iter().flatten().any(known)
    }

    /// Whether a waiting job removes the file.
    pub(super) fn leaves(&self, name: &[u8]) -> bool {
        let gone = |j: &Job| j.content.is_none() && j.output == name || j.renamed.as_deref() == Some(name);
        self.jobs.iter().any(gone) && !self.jobs.iter().any(|j| j.content.is_some() && j.output == name)
    }

    /// Runs one job ahead of those that wait.
    pub(super) fn do_now(&mut self, job: Job, options: &Options) -> Result<(), Fatal> {
        let waiting = std::mem::replace(&mut self.jobs, vec![job]);
        let done = self.flush(options);
        self.jobs = waiting;
        done
    }

    /// Runs the jobs. The old file of a rename is not removed if another job writes to that name.
    pub(super) fn flush(&mut self, options: &Options) -> Result<(), Fatal> {
        let jobs = std::mem::take(&mut self.jobs);
        let made: Vec<&[u8]> = jobs.iter().filter(|j| j.content.is_some()).map(|j| &*j.output).collect();
        for job in &jobs {
            self.back_up(&job.output, job.backup, options)?;
            match &job.content {
                Some(Content::File(data, mode)) => target::replace(&job.output, data, *mode)?,
                Some(Content::Link(to)) => target::replace_link(&job.output, to)?,
                None if made.contains(&&*job.output) => {}
                None => target::remove(&job.output)?,
            }
            if let Some((seconds, nanos)) = job.time {
                let time = sys::SetTime::At(seconds, nanos);
                let _ = sys::utimens(&job.output, time, time, true);
            }
        }
        for job in &jobs {
            if let Some(old) = job.renamed.as_ref().filter(|old| !made.contains(&old.as_slice())) {
                self.back_up(old, job.backup, options)?;
                target::remove(old)?;
            }
        }
        Ok(())
    }

    /// Backs up a file. This happens only once per file, as a later backup would contain changes of this run.
    pub(super) fn back_up(&mut self, name: &[u8], wanted: bool, options: &Options) -> Result<(), Fatal> {
        if wanted && !self.backed_up.iter().any(|n| n == name) {
            target::back_up(name, options)?;
        }
        self.backed_up.push(name.to_vec());
        Ok(())
    }
}
