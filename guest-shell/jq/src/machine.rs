//! Runs programs by backtracking.
//!
//! The machine has a current value, frames of functions, and forks, which are the places to which it can backtrack. A
//! generator leaves a fork for each of its results. All of this is on the machine's own stacks.
//!
//! Backtracking does not restore slots. This is correct, because an instruction can run twice in a frame only after
//! backtracking to a fork before it. What the continuation of a fork reads was therefore written before the fork was
//! made. `reduce` and similar operations rely on slots keeping their state.

mod access;
mod paths;
mod update;

use crate::builtins::{self, events, format, operators};
use crate::code::{Closure, Code, Function, Generator, Native, Op, Pc, Piece, Results, Special};
use crate::dump::{self, Style};
use crate::input::Input;
use crate::modules::Loader;
use crate::object::Object;
use crate::text::Text;
use crate::value::{List, Val};
use paths::Track;
use sandshell_sys as sys;
use std::cell::RefCell;
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
        let mut function = Rc::clone(&self.function);
        loop {
            let Some(op) = function.ops.get(self.pc) else { return Step::Event(Event::End) };
            self.pc += 1;
            match op {
                Op::Constant(v) => self.cur = v.clone(),
                Op::Save(slot) => {
                    let v = self.cur.clone();
                    self.set(*slot, v);
                }
                Op::Store(slot) => {
                    let v = std::mem::take(&mut self.cur);
                    self.set(*slot, v);
                }
                Op::Load(slot) => self.cur = self.get(*slot).clone(),
                Op::Take(slot) => self.cur = self.take(*slot),
                Op::Set(slot, b) => self.set(*slot, Val::Bool(*b)),
                Op::Clear(slot) => self.set(*slot, Val::Null),
                Op::Variable { up, slot } => {
                    let frame = self.outer(*up);
                    let at = self.frames.get(frame).map_or(0, |f| f.base) + usize::from(*slot);
                    self.cur = self.slots.get(at).cloned().unwrap_or_default();
                }
                Op::SubBegin => self.track.nest += 1,
                Op::SubEnd => self.track.nest -= 1,
                Op::Field { key, optional } => {
                    if let Some(step) = self.index(key, *optional) {
                        return step;
                    }
                }
                Op::Index { key, optional } => {
                    let key = self.get(*key).clone();
                    if let Some(step) = self.index(&key, *optional) {
                        return step;
                    }
                }
                Op::Bounds { from, to } => {
                    self.cur =
                        Val::object([("start", self.get(*from).clone()), ("end", self.get(*to).clone())]);
                }
                Op::Each { optional } => match self.each(*optional) {
                    Step::Next => {}
                    other => return other,
                },
                Op::Recurse => {
                    if let Some(step) = self.recurse() {
                        return step;
                    }
                }
                Op::GetPath(slot) => {
                    let path = self.get(*slot).clone();
                    if let Err(e) = self.get_path(path) {
                        return Step::Raise(e);
                    }
                }
                Op::Binary { op, right, take } => {
                    let b = if *take { self.take(*right) } else { self.get(*right).clone() };
                    match operators::binary(*op, std::mem::take(&mut self.cur), b) {
                        Ok(v) => self.cur = v,
                        Err(e) => return Step::Raise(e),
                    }
                }
                Op::BinaryConstant { op, right } => {
                    match operators::binary(*op, std::mem::take(&mut self.cur), right.clone()) {
                        Ok(v) => self.cur = v,
                        Err(e) => return Step::Raise(e),
                    }
                }
                Op::Negate => match operators::negate(std::mem::take(&mut self.cur)) {
                    Ok(v) => self.cur = v,
                    Err(e) => return Step::Raise(e),
                },
                Op::Not => self.cur = Val::Bool(!self.cur.truthy()),
                Op::Truth => self.cur = Val::Bool(self.cur.truthy()),
                Op::Jump(pc) => self.pc = *pc as usize,
                Op::JumpIfFalsy(pc) => {
                    if !self.cur.truthy() {
                        self.pc = *pc as usize;
                    }
                }
                Op::JumpIfSet(slot, pc) => {
                    if self.get(*slot).truthy() {
                        self.pc = *pc as usize;
                    }
                }
                Op::JumpUnless(holds, pc) => {
                    if !holds(&self.cur) {
                        self.pc = *pc as usize;
                    }
                }
                Op::Fork(pc) => {
                    let cur = self.cur.clone();
                    self.fork(Kind::Jump(*pc), cur);
                }
                Op::Backtrack => return Step::Backtrack,
                Op::BeginArray(slot) => self.set(*slot, Val::arr(Vec::new())),
                Op::Append(slot) => {
                    let v = std::mem::take(&mut self.cur);
                    if let Val::Arr(list) = self.slot(*slot) {
                        Rc::make_mut(list).0.push(v);
                    }
                }
                Op::BeginObject(slot) => self.set(*slot, Val::obj(Object::new())),
                Op::Insert { from, to, key } => {
                    let Val::Str(key) = self.get(*key).clone() else {
                        return Step::Raise(operators::bad_key(self.get(*key)));
                    };
                    self.insert(*from, *to, key);
                }
                Op::InsertConstant { from, to, key } => self.insert(*from, *to, key.clone()),
                Op::Interpolate(pieces) => self.cur = self.interpolate(pieces),
                Op::Format(name) => match format::format(name.str(), std::mem::take(&mut self.cur)) {
                    Ok(v) => self.cur = v,
                    Err(e) => return Step::Raise(e),
                },
                Op::TryBegin(handler) => self.fork(Kind::Try(*handler), Val::Null),
                Op::TryEnd => {
                    // If the body left no forks, its `try` is over.
                    if matches!(self.forks.last(), Some(Fork { kind: Kind::Try(_), .. })) {
                        self.forks.pop();
                    } else {
                        self.fork(Kind::TryEnd, Val::Null);
                    }
                }
                Op::Alternative(pc) => {
                    let cur = self.cur.clone();
                    self.fork(Kind::Alternative(*pc), cur);
                }
                Op::Label(slot) => {
                    let id = self.labels;
                    self.labels += 1;
                    self.set(*slot, Val::Num(id as f64));
                    self.fork(Kind::Label(id), Val::Null);
                }
                Op::Break { up, slot } => {
                    let frame = self.outer(*up);
                    let at = self.frames.get(frame).map_or(0, |f| f.base) + usize::from(*slot);
                    let id = self.slots.get(at).cloned().unwrap_or_default();
                    return Step::Raise(Val::object([("__jq", id)]));
                }
                Op::Mark(slot) => {
                    let n = self.forks.len();
                    self.set(*slot, Val::Num(n as f64));
                }
                Op::Cut(slot) => self.cut(*slot),
                Op::LimitBegin { count, mark } => {
                    let n = self.forks.len();
                    self.set(*mark, Val::Num(n as f64));
                    match self.get(*count).num() {
                        Some(0.0) => return Step::Backtrack,
                        Some(_) => {}
                        None => {
                            let count = self.get(*count).clone();
                            if let Err(e) =
                                operators::binary(crate::lang::ast::Operator::Subtract, count, Val::Num(1.0))
                            {
                                return Step::Raise(e);
                            }
                        }
                    }
                }
                Op::LimitEnd { count, mark } => {
                    let n = self.get(*count).num().unwrap_or(0.0);
                    if n > 0.0 {
                        self.set(*count, Val::Num(n - 1.0));
                        if n - 1.0 <= 0.0 {
                            self.cut(*mark);
                        }
                    }
                }
                Op::PathBegin => self.path_begin(),
                Op::PathEnd => {
                    if let Err(e) = self.path_end() {
                        return Step::Raise(e);
                    }
                }
                Op::Range { from, to } => {
                    let (Some(from), Some(to)) = (self.get(*from).num(), self.get(*to).num()) else {
                        return Step::Raise(Val::str("Range bounds must be numeric"));
                    };
                    if from.is_nan() || from >= to {
                        return Step::Backtrack;
                    }
                    if from + 1.0 < to {
                        let pc = self.pc as Pc;
                        self.fork(Kind::Range { pc, next: from + 1.0, end: to }, Val::Null);
                    }
                    self.cur = Val::Num(from);
                }
                Op::UpdateNext { state, end } => match self.update_next(*state) {
                    Ok(true) => {}
                    Ok(false) => self.pc = *end as usize,
                    Err(e) => return Step::Raise(e),
                },
                Op::UpdateSet { state } => {
                    if let Err(e) = self.update_set(*state) {
                        return Step::Raise(e);
                    }
                }
                Op::UpdateDelete { state } => self.update_delete(*state),
                Op::AssignAll { root, value } => {
                    if let Err(e) = self.assign_all(*root, *value) {
                        return Step::Raise(e);
                    }
                }
                Op::Native { function, first, count, keep } => {
                    let base = self.base() + usize::from(*first);
                    let args = self.slots.get_mut(base..base + usize::from(*count)).unwrap_or_default();
                    let input = std::mem::take(&mut self.cur);
                    let answer = if *keep {
                        let mut copies = args.to_vec();
                        call_native(*function, &mut copies, input)
                    } else {
                        call_native(*function, args, input)
                    };
                    match answer {
                        Ok(v) => self.cur = v,
                        Err(e) => return Step::Raise(e),
                    }
                }
                Op::Generate { function, first, count } => {
                    if let Some(step) = self.generate(*function, *first, *count) {
                        return step;
                    }
                }
                Op::Keep(holds) => {
                    if !holds(&self.cur) {
                        return Step::Backtrack;
                    }
                }
                Op::BelowRoot => {
                    if self.track.is_at_root() {
                        return Step::Backtrack;
                    }
                }
                Op::Skip(slot) => {
                    let left = self.get(*slot).num().unwrap_or(0.0);
                    if left > 0.0 {
                        self.set(*slot, Val::Num(left - 1.0));
                        return Step::Backtrack;
                    }
                }
                Op::FromStream(slot) => {
                    let event = std::mem::take(&mut self.cur);
                    match events::absorb(self.slot(*slot), &event) {
                        Ok(Some(v)) => self.cur = v,
                        Ok(None) => return Step::Backtrack,
                        Err(e) => return Step::Raise(e),
                    }
                }
                Op::Simple(function) => match function(std::mem::take(&mut self.cur)) {
                    Ok(v) => self.cur = v,
                    Err(e) => return Step::Raise(e),
                },
                Op::Special(special) => {
                    if let Some(step) = self.special(*special) {
                        return step;
                    }
                }
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
                Op::Output => return Step::Event(Event::Output(std::mem::take(&mut self.cur))),
                Op::Error(v) => return Step::Raise(v.clone()),
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
    fn cut(&mut self, mark: crate::code::Slot) {
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

    fn get(&self, slot: crate::code::Slot) -> &Val {
        self.slots.get(self.base() + usize::from(slot)).unwrap_or(&Val::Null)
    }

    fn slot(&mut self, slot: crate::code::Slot) -> &mut Val {
        let at = self.base() + usize::from(slot);
        if at >= self.slots.len() {
            self.slots.resize(at + 1, Val::Null);
        }
        &mut self.slots[at]
    }

    fn set(&mut self, slot: crate::code::Slot, v: Val) {
        *self.slot(slot) = v;
    }

    fn take(&mut self, slot: crate::code::Slot) -> Val {
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

    fn insert(&mut self, from: crate::code::Slot, to: crate::code::Slot, key: Text) {
        let v = std::mem::take(&mut self.cur);
        if from != to {
            let object = self.get(from).clone();
            self.set(to, object);
        }
        if let Val::Obj(object) = self.slot(to) {
            Rc::make_mut(object).insert(key, v);
        }
    }

    fn generate(&mut self, function: Generator, first: crate::code::Slot, count: u16) -> Option<Step> {
        let base = self.base() + usize::from(first);
        let mut args = self.slots.get(base..base + usize::from(count)).unwrap_or_default().to_vec();
        if let Some(input) = args.first_mut() {
            *input = std::mem::take(&mut self.cur);
        }
        let mut results = match function(&mut args) {
            Ok(results) => results,
            Err(e) => return Some(Step::Raise(e)),
        };
        let Some(v) = results.next() else { return Some(Step::Backtrack) };
        let pc = self.pc as Pc;
        self.fork(Kind::Results { pc, results }, Val::Null);
        self.cur = v;
        None
    }

    fn interpolate(&self, pieces: &[Piece]) -> Val {
        let mut out = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(t) => out.extend_from_slice(t.bytes()),
                Piece::Slot(slot) => match self.get(*slot) {
                    Val::Str(t) => out.extend_from_slice(t.bytes()),
                    v => dump::dump(&mut out, v, &dump::COMPACT),
                },
            }
        }
        Val::Str(Text::from_valid_vec(out))
    }

    fn special(&mut self, special: Special) -> Option<Step> {
        match special {
            Special::Error => return Some(Step::Raise(std::mem::take(&mut self.cur))),
            Special::Input => {
                let next = self.input.borrow_mut().next();
                match next {
                    Ok(Some(v)) => self.cur = v,
                    Ok(None) => return Some(Step::Raise(Val::str("break"))),
                    Err(e) => return Some(Step::Raise(Val::from_string(e.0))),
                }
            }
            Special::Inputs => {
                let next = self.input.borrow_mut().next();
                match next {
                    Ok(Some(v)) => {
                        let again = self.pc as Pc - 1;
                        self.fork(Kind::Jump(again), Val::Null);
                        self.cur = v;
                    }
                    Ok(None) => return Some(Step::Backtrack),
                    Err(e) => return Some(Step::Raise(Val::from_string(e.0))),
                }
            }
            Special::Debug => {
                let style = Style { indent: None, ..self.style.clone() };
                let mut line = Vec::new();
                dump::dump(&mut line, &Val::arr(vec![Val::str("DEBUG:"), self.cur.clone()]), &style);
                line.push(b'\n');
                let _ = sys::write_all(2, &line);
            }
            Special::Stderr => {
                let text = builtins::to_string(self.cur.clone());
                let _ = sys::write_all(2, text.bytes());
            }
            Special::InputFilename => {
                let input = self.input.borrow();
                self.cur = input.file_name().map_or(Val::Null, |n| Val::Str(Text::lossy(n)));
            }
            Special::InputLineNumber => {
                let line = self.input.borrow_mut().line();
                self.cur = Val::Num(line as f64);
            }
            Special::ModuleMeta => {
                let Val::Str(name) = &self.cur else {
                    return Some(Step::Raise(Val::str("modulemeta input module name must be a string")));
                };
                match self.loader.metadata(name.str()) {
                    Ok(v) => self.cur = v,
                    Err(e) => return Some(Step::Raise(Val::from_string(e))),
                }
            }
            Special::Halt => return Some(Step::Event(Event::Halt(0, None))),
            Special::HaltError(slot) => {
                let status = self.get(slot).clone();
                return Some(match status.num() {
                    Some(n) => Step::Event(Event::Halt(n as i32, Some(std::mem::take(&mut self.cur)))),
                    None => Step::Raise(operators::type_error(&self.cur, "halt_error/1: number required")),
                });
            }
        }
        None
    }
}

fn call_native(function: Native, args: &mut [Val], input: Val) -> Result<Val, Val> {
    if let Some(first) = args.first_mut() {
        *first = input;
    }
    function(args)
}

/// The label to which an error breaks.
fn broken_label(error: &Val) -> Option<u64> {
    match error {
        Val::Obj(o) => o.get(&Text::from("__jq")).and_then(Val::num).map(|n| n as u64),
        _ => None,
    }
}
