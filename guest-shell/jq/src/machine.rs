//! Runs programs by backtracking.
//!
//! The machine has a current value, frames of functions, and forks, which are the places to which it can backtrack. A
//! generator leaves a fork for each of its results. All of this is on the machine's own stacks.
//!
//! Backtracking does not restore slots. This is correct, because an instruction can run twice in a frame only after
//! backtracking to a fork before it. What the continuation of a fork reads was therefore written before the fork was
//! made. `reduce` and similar operations rely on slots keeping their state.

mod access;
mod operations;
mod paths;
mod update;

use crate::builtins::{format, operators};
use crate::code::{Closure, Code, Function, Op, Pc, Results, Slot};
use crate::dump::Style;
use crate::input::Input;
use crate::modules::Loader;
use crate::object::Object;
use crate::text::Text;
use crate::value::{List, Val};
use paths::Track;
use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

/// The result of running to the next event.
pub(crate) enum Event {
    Output(Val),
    End,
    Error(Val),
    Halt(i32, Option<Val>),
}

/// The interpreter.
pub(crate) struct Machine {
    code: Code,
    function: Rc<Function>,
    pc: usize,
    cur: Val,
    frame: usize,
    frames: Vec<Frame>,
    slots: Vec<Val>,
    closures: Vec<Bound>,
    forks: Vec<Fork>,
    track: Track,
    labels: u64,
    resume: bool,
    input: Rc<RefCell<Input>>,
    style: Style,
    loader: Loader,
}

#[derive(Clone)]
struct Frame {
    function: u32,
    /// The range of its slots.
    base: usize,
    end: usize,
    /// The range of its closures.
    closures: usize,
    closures_end: usize,
    /// The frame of the function that encloses its definition.
    parent: usize,
    return_frame: usize,
    return_pc: usize,
}

/// A closure: a function, and the frame in which it was created.
#[derive(Clone, Copy)]
struct Bound {
    function: u32,
    frame: usize,
}

struct Fork {
    kind: Kind,
    cur: Val,
    frame: u32,
    frames: u32,
    track: Track,
}

/// What to do after backtracking to a fork.
enum Kind {
    /// Continue at this instruction.
    Jump(Pc),
    /// Continue with the next element.
    Array {
        pc: Pc,
        list: Rc<List>,
        next: usize,
    },
    Object {
        pc: Pc,
        object: Rc<Object>,
        next: usize,
    },
    Range {
        pc: Pc,
        next: f64,
        end: f64,
    },
    /// Continue with the next result of a generator.
    Results {
        pc: Pc,
        results: Results,
    },
    /// Visit the remaining values, the next one last.
    Recurse {
        pc: Pc,
        pending: Vec<(Val, Track)>,
    },
    /// Backtrack further. An error is passed to the handler.
    Try(Pc),
    /// Backtrack into the body of a `try`. Errors after the body are not passed to its handler.
    TryEnd,
    /// Backtrack further. After an error, execution continues there.
    Alternative(Pc),
    Label(u64),
}

/// The result of an instruction.
enum Step {
    Next,
    Backtrack,
    Raise(Val),
    Event(Event),
}

impl Machine {
    pub(crate) fn new(code: Code, input: Rc<RefCell<Input>>, style: Style, loader: Loader) -> Self {
        let function = code.functions.first().cloned().unwrap_or_default();
        Self {
            code,
            function,
            pc: 0,
            cur: Val::Null,
            frame: 0,
            frames: Vec::new(),
            slots: Vec::new(),
            closures: Vec::new(),
            forks: Vec::new(),
            track: Track::default(),
            labels: 0,
            resume: false,
            input,
            style,
            loader,
        }
    }

    /// Starts a run.
    pub(crate) fn start(&mut self, input: Val) {
        self.forks.clear();
        self.frames.clear();
        self.slots.clear();
        self.closures.clear();
        self.track = Track::default();
        self.cur = input;
        self.pc = 0;
        self.frame = 0;
        self.function = self.code.functions.first().cloned().unwrap_or_default();
        self.slots.resize(self.function.slots, Val::Null);
        self.frames.push(Frame {
            function: 0,
            base: 0,
            end: self.function.slots,
            closures: 0,
            closures_end: 0,
            parent: 0,
            return_frame: 0,
            return_pc: 0,
        });
        self.resume = false;
    }

    /// Continues to the next result.
    pub(crate) fn next(&mut self) -> Event {
        let mut step = if std::mem::take(&mut self.resume) { Step::Backtrack } else { Step::Next };
        loop {
            step = match step {
                Step::Next => self.run(),
                Step::Backtrack => {
                    if !self.backtrack() {
                        return Event::End;
                    }
                    Step::Next
                }
                Step::Raise(error) => match self.raise(error) {
                    Ok(()) => Step::Next,
                    Err(error) => return Event::Error(error),
                },
                Step::Event(event) => {
                    self.resume = matches!(event, Event::Output(_));
                    return event;
                }
            }
        }
    }

    /// Runs instructions until one does not simply lead to the next.
    fn run(&mut self) -> Step {
        let Err(step) = self.instructions();
        step
    }

    fn instructions(&mut self) -> Result<Infallible, Step> {
        let mut function = Rc::clone(&self.function);
        loop {
            let op = function.ops.get(self.pc).ok_or(Step::Event(Event::End))?;
            self.pc += 1;
            match op {
                Op::Constant(v) => self.cur = v.clone(),
                Op::Save(slot) => self.set(*slot, self.cur.clone()),
                Op::Store(slot) => self.store(*slot),
                Op::Load(slot) => self.cur = self.get(*slot).clone(),
                Op::Take(slot) => self.cur = self.take(*slot),
                Op::Set(slot, b) => self.set(*slot, Val::Bool(*b)),
                Op::Clear(slot) => self.set(*slot, Val::Null),
                Op::Variable { up, slot } => self.cur = self.outer_value(*up, *slot),
                Op::SubBegin => self.track.nest += 1,
                Op::SubEnd => self.track.nest -= 1,
                Op::Field { key, optional } => self.index(key, *optional)?,
                Op::Index { key, optional } => self.index(&self.get(*key).clone(), *optional)?,
                Op::Bounds { from, to } => self.cur = self.bounds(*from, *to),
                Op::Each { optional } => self.each(*optional)?,
                Op::Recurse => self.recurse(),
                Op::GetPath(slot) => self.get_path(self.get(*slot).clone()).map_err(Step::Raise)?,
                Op::Binary { op, right, take: true } => {
                    let right = self.take(*right);
                    self.binary(*op, right)?;
                }
                Op::Binary { op, right, take: false } => self.binary(*op, self.get(*right).clone())?,
                Op::BinaryConstant { op, right } => self.binary(*op, right.clone())?,
                Op::Negate => self.change(operators::negate)?,
                Op::Not => self.cur = Val::Bool(!self.cur.truthy()),
                Op::Truth => self.cur = Val::Bool(self.cur.truthy()),
                Op::Jump(pc) => self.pc = *pc as usize,
                Op::JumpIfFalsy(pc) if self.cur.truthy() => {}
                Op::JumpIfFalsy(pc) => self.pc = *pc as usize,
                Op::JumpIfSet(slot, pc) if self.get(*slot).truthy() => self.pc = *pc as usize,
                Op::JumpIfSet(..) => {}
                Op::JumpUnless(holds, _) if holds(&self.cur) => {}
                Op::JumpUnless(_, pc) => self.pc = *pc as usize,
                Op::Fork(pc) => self.fork(Kind::Jump(*pc), self.cur.clone()),
                Op::Backtrack => return Err(Step::Backtrack),
                Op::BeginArray(slot) => self.set(*slot, Val::arr(Vec::new())),
                Op::Append(slot) => self.append(*slot),
                Op::BeginObject(slot) => self.set(*slot, Val::obj(Object::new())),
                Op::Insert { from, to, key } => self.insert_computed(*from, *to, *key)?,
                Op::InsertConstant { from, to, key } => self.insert(*from, *to, key.clone()),
                Op::Interpolate(pieces) => self.cur = self.interpolate(pieces),
                Op::Format(name) => self.change(|v| format::format(name.str(), v))?,
                Op::TryBegin(handler) => self.fork(Kind::Try(*handler), Val::Null),
                Op::TryEnd => self.end_try(),
                Op::Alternative(pc) => self.fork(Kind::Alternative(*pc), self.cur.clone()),
                Op::Label(slot) => self.label(*slot),
                Op::Break { up, slot } => {
                    return Err(Step::Raise(Val::object([("__jq", self.outer_value(*up, *slot))])));
                }
                Op::Mark(slot) => self.set(*slot, Val::Num(self.forks.len() as f64)),
                Op::Cut(slot) => self.cut(*slot),
                Op::LimitBegin { count, mark } => self.begin_limit(*count, *mark)?,
                Op::LimitEnd { count, mark } => self.end_limit(*count, *mark),
                Op::PathBegin => self.path_begin(),
                Op::PathEnd => self.path_end().map_err(Step::Raise)?,
                Op::Range { from, to } => self.range(*from, *to)?,
                Op::UpdateNext { state, end } => {
                    if !self.update_next(*state).map_err(Step::Raise)? {
                        self.pc = *end as usize;
                    }
                }
                Op::UpdateSet { state } => self.update_set(*state).map_err(Step::Raise)?,
                Op::UpdateDelete { state } => self.update_delete(*state),
                Op::AssignAll { root, value } => self.assign_all(*root, *value).map_err(Step::Raise)?,
                Op::Native { function, first, count, keep } => {
                    self.native(*function, *first, *count, *keep)?
                }
                Op::Generate { function, first, count } => self.generate(*function, *first, *count)?,
                Op::Keep(holds) if holds(&self.cur) => {}
                Op::Keep(_) => return Err(Step::Backtrack),
                Op::BelowRoot if self.track.is_at_root() => return Err(Step::Backtrack),
                Op::BelowRoot => {}
                Op::Skip(slot) => self.skip(*slot)?,
                Op::FromStream(slot) => self.absorb(*slot)?,
                Op::Simple(function) => self.change(*function)?,
                Op::Special(special) => self.special(*special)?,
                Op::Call { function: callee, up, closures, tail } => {
                    let parent = self.outer(*up);
                    self.call(*callee, parent, closures, *tail);
                    function = Rc::clone(&self.function);
                }
                Op::CallParameter { up, index, tail } => {
                    let bound = self.parameter(*up, *index);
                    self.call(bound.function, bound.frame, &[], *tail);
                    function = Rc::clone(&self.function);
                }
                Op::Return => {
                    self.leave();
                    function = Rc::clone(&self.function);
                }
                Op::Output => return Err(Step::Event(Event::Output(std::mem::take(&mut self.cur)))),
                Op::Error(v) => return Err(Step::Raise(v.clone())),
            }
        }
    }

    /// Returns to the last fork. Returns false if there is none.
    fn backtrack(&mut self) -> bool {
        while let Some(mut fork) = self.forks.pop() {
            let pc = match &mut fork.kind {
                Kind::Jump(pc) => {
                    let pc = *pc;
                    self.restore(&mut fork);
                    self.cur = std::mem::take(&mut fork.cur);
                    pc
                }
                Kind::Array { pc, list, next } => {
                    let (pc, at) = (*pc, *next);
                    *next += 1;
                    let Some(v) = list.0.get(at).cloned() else { continue };
                    let more = *next < list.0.len();
                    self.step_into(fork, more, |_| Val::Num(at as f64), v);
                    pc
                }
                Kind::Object { pc, object, next } => {
                    let (pc, at) = (*pc, *next);
                    *next += 1;
                    let Some((k, v)) = object.entries().get(at).cloned() else { continue };
                    let more = *next < object.len();
                    self.step_into(fork, more, |_| Val::Str(k), v);
                    pc
                }
                Kind::Range { pc, next, end } => {
                    let (pc, n) = (*pc, *next);
                    *next += 1.0;
                    let more = *next < *end;
                    self.restore_keeping(fork, more);
                    self.cur = Val::Num(n);
                    pc
                }
                Kind::Results { pc, results } => {
                    let pc = *pc;
                    let Some(v) = results.next() else { continue };
                    self.restore_keeping(fork, true);
                    self.cur = v;
                    pc
                }
                Kind::Recurse { pc, pending } => {
                    let pc = *pc;
                    let Some((v, track)) = pending.pop() else { continue };
                    self.push_children(pending, &v, &track);
                    let more = !pending.is_empty();
                    self.restore_keeping(fork, more);
                    self.track = track;
                    self.cur = v;
                    pc
                }
                Kind::Try(_) | Kind::TryEnd | Kind::Alternative(_) | Kind::Label(_) => continue,
            };
            self.pc = pc as usize;
            return true;
        }
        false
    }

    /// Passes an error to its handler. Returns the error if there is none.
    fn raise(&mut self, error: Val) -> Result<(), Val> {
        // How many `try` forks to skip, because their bodies ended before the error.
        let mut done = 0usize;
        while let Some(mut fork) = self.forks.pop() {
            let pc = match fork.kind {
                Kind::TryEnd => {
                    done += 1;
                    continue;
                }
                Kind::Try(_) if done > 0 => {
                    done -= 1;
                    continue;
                }
                Kind::Try(pc) => {
                    self.restore(&mut fork);
                    self.cur = error;
                    pc
                }
                Kind::Alternative(pc) => {
                    self.restore(&mut fork);
                    self.cur = std::mem::take(&mut fork.cur);
                    pc
                }
                Kind::Label(id) if broken_label(&error) == Some(id) => {
                    return if self.backtrack() { Ok(()) } else { self.finish() };
                }
                _ => continue,
            };
            self.pc = pc as usize;
            return Ok(());
        }
        Err(error)
    }

    /// Ends the run: there is no next instruction.
    fn finish(&mut self) -> Result<(), Val> {
        self.pc = usize::MAX;
        Ok(())
    }

    fn fork(&mut self, kind: Kind, cur: Val) {
        let track = self.track.clone();
        self.forks.push(Fork {
            kind,
            cur,
            frame: self.frame as u32,
            frames: self.frames.len() as u32,
            track,
        });
    }

    fn restore(&mut self, fork: &mut Fork) {
        self.track = std::mem::take(&mut fork.track);
        self.restore_frames(fork.frame as usize, fork.frames as usize);
    }

    fn restore_keeping(&mut self, fork: Fork, keep: bool) {
        self.track = fork.track.clone();
        self.restore_frames(fork.frame as usize, fork.frames as usize);
        if keep {
            self.forks.push(fork);
        }
    }

    fn step_into(&mut self, fork: Fork, keep: bool, key: impl FnOnce(()) -> Val, v: Val) {
        self.restore_keeping(fork, keep);
        if self.track.counts() {
            self.track.push(key(()), v.clone());
        }
        self.cur = v;
    }

    fn restore_frames(&mut self, frame: usize, frames: usize) {
        if frames < self.frames.len() {
            self.frames.truncate(frames);
            let (end, closures) = self.frames.last().map_or((0, 0), |f| (f.end, f.closures_end));
            self.slots.truncate(end);
            self.closures.truncate(closures);
        }
        if frame != self.frame {
            self.frame = frame;
            self.load_function();
        }
    }

    fn load_function(&mut self) {
        let index = self.frames.get(self.frame).map_or(0, |f| f.function);
        if let Some(f) = self.code.functions.get(index as usize) {
            self.function = Rc::clone(f);
        }
    }

    /// Whether the current frame is the last one and no fork returns to it.
    fn is_disposable(&self) -> bool {
        self.frame + 1 == self.frames.len()
            && self.forks.last().is_none_or(|f| f.frames as usize <= self.frame)
    }

    fn call(&mut self, function: u32, parent: usize, arguments: &[Closure], tail: bool) {
        let Some(callee) = self.code.functions.get(function as usize).cloned() else { return };
        let mut first = self.closures.len();
        for argument in arguments {
            let bound = match *argument {
                Closure::Function(function) => Bound { function, frame: self.frame },
                Closure::Parameter { up, index } => self.parameter(up, index),
            };
            self.closures.push(bound);
        }
        let (mut return_frame, mut return_pc) = (self.frame, self.pc);
        if tail && let Some(current) = self.frames.get(self.frame).cloned() {
            return_frame = current.return_frame;
            return_pc = current.return_pc;
            let free = self.is_disposable()
                && parent < self.frame
                && self.closures[first..].iter().all(|b| b.frame < self.frame);
            if free {
                self.slots.truncate(current.base);
                self.closures.drain(current.closures..first);
                first = current.closures;
                self.frames.pop();
            }
        }
        let base = self.slots.len();
        self.slots.resize(base + callee.slots, Val::Null);
        self.frame = self.frames.len();
        self.frames.push(Frame {
            function,
            base,
            end: base + callee.slots,
            closures: first,
            closures_end: self.closures.len(),
            parent,
            return_frame,
            return_pc,
        });
        self.function = callee;
        self.pc = 0;
    }

    fn leave(&mut self) {
        let Some(current) = self.frames.get(self.frame) else { return };
        let (base, closures) = (current.base, current.closures);
        let (frame, pc) = (current.return_frame, current.return_pc);
        if self.is_disposable() {
            self.slots.truncate(base);
            self.closures.truncate(closures);
            self.frames.pop();
        }
        self.frame = frame;
        self.pc = pc;
        self.load_function();
    }

    /// Removes the forks since a mark, and the frames that only they would return to.
    fn cut(&mut self, mark: Slot) {
        let n = self.get(mark).num().unwrap_or(0.0) as usize;
        self.forks.truncate(n);
        let frames = self.forks.last().map_or(0, |f| f.frames as usize).max(self.frame + 1);
        if frames < self.frames.len() {
            self.restore_frames(self.frame, frames);
        }
    }

    fn base(&self) -> usize {
        self.frames.get(self.frame).map_or(0, |f| f.base)
    }

    fn get(&self, slot: Slot) -> &Val {
        self.slots.get(self.base() + usize::from(slot)).unwrap_or(&Val::Null)
    }

    fn slot(&mut self, slot: Slot) -> &mut Val {
        let at = self.base() + usize::from(slot);
        if at >= self.slots.len() {
            self.slots.resize(at + 1, Val::Null);
        }
        &mut self.slots[at]
    }

    fn set(&mut self, slot: Slot, v: Val) {
        *self.slot(slot) = v;
    }

    fn take(&mut self, slot: Slot) -> Val {
        std::mem::take(self.slot(slot))
    }

    /// The frame of the function `up` levels out.
    fn outer(&self, up: u16) -> usize {
        (0..up).fold(self.frame, |frame, _| self.frames.get(frame).map_or(0, |f| f.parent))
    }

    fn parameter(&self, up: u16, index: u16) -> Bound {
        let first = self.frames.get(self.outer(up)).map_or(0, |f| f.closures);
        self.closures.get(first + usize::from(index)).copied().unwrap_or(Bound { function: 0, frame: 0 })
    }
}

/// The label to which an error breaks.
fn broken_label(error: &Val) -> Option<u64> {
    match error {
        Val::Obj(o) => o.get(&Text::from("__jq")).and_then(Val::num).map(|n| n as u64),
        _ => None,
    }
}
