//! How old files are.

use crate::node::NodeId;
use crate::say::bytes;
use crate::session::Make;
use sandshell_sys as sys;

/// Nanoseconds since the epoch; a file that does not exist is older than everything.
pub(crate) type Time = i128;
pub(crate) const MISSING: Time = -1;
/// Of a file that is taken to be older than all that exist.
pub(crate) const OLD: Time = 0;
/// Of a file that has just been made, or is taken to be.
pub(crate) const NEW: Time = Time::MAX;

impl Make {
    /// When a file was changed last, here or where `vpath` finds it.
    pub(crate) fn time(&mut self, id: NodeId) -> Time {
        let node = &self.graph[id];
        if let Some(time) = node.time {
            return time;
        }
        let time = if node.phony {
            MISSING
        } else if self.o.assume_new.contains(&node.name) {
            NEW
        } else if self.o.assume_old.contains(&node.name) {
            OLD
        } else {
            let time = self.look_up_time(id);
            self.tell_future(id, time);
            time
        };
        self.graph[id].time = Some(time);
        time
    }

    fn look_up_time(&mut self, id: NodeId) -> Time {
        if let Some(time) = disk_time(&self.graph[id].name) {
            self.graph[id].located = None;
            return time;
        }
        let Some(path) = self.locate(&self.graph[id].name) else { return MISSING };
        let time = match self.graph.find(&path).filter(|other| *other != id && self.graph[*other].has_rule) {
            Some(other) => self.time(other),
            None => disk_time(&path).unwrap_or(MISSING),
        };
        self.graph[id].located = Some(path);
        time
    }

    // Warns, once, of a file that is newer than anything made now.
    fn tell_future(&mut self, id: NodeId, time: Time) {
        let ahead = time - i128::from(sys::realtime());
        if self.told_future || time == NEW || ahead <= 0 || self.graph[id].time_before.is_some() {
            return;
        }
        self.told_future = true;
        let seconds = ahead as f64 / 1e9;
        let shown = if seconds >= 99.0 {
            (ahead / 1_000_000_000).to_string()
        } else {
            // Two digits that count.
            let decimals = (1.0 - seconds.log10().floor()).max(0.0) as usize;
            let fixed = format!("{seconds:.decimals$}");
            if decimals == 0 { fixed } else { fixed.trim_end_matches('0').trim_end_matches('.').to_owned() }
        };
        let name = &self.graph[id].name;
        let text = bytes!("Warning: File '", name, "' has modification time ", shown, " s in the future");
        self.warn(None, &text);
    }
}

fn disk_time(name: &[u8]) -> Option<Time> {
    let stat = sys::stat(name, true).ok()?;
    let time = i128::from(stat.mtime) * 1_000_000_000 + i128::from(stat.mtime_nsec);
    Some(time.max(OLD + 1))
}
