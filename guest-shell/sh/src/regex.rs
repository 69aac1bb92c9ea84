//! POSIX extended regular expressions for `[[ =~ ]]`: leftmost-longest, with groups.
//!
//! The expression is compiled to a program for a machine that follows all alternatives at once. The running time is
//! therefore bounded by the product of the sizes of text and expression. Back-references need more than that, so they
//! are tried by backtracking with a limit on its steps.
//!
//! The utilities use `posix-regex`. The shell does not, because the automata and tables of that crate would make the
//! shell's module half as large again, and every subshell is a copy of it.

use crate::text;

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Regex {
    program: Vec<Inst>,
    groups: usize,
    nocase: bool,
    backrefs: bool,
}

/// Start and end of a group, if it took part.
pub(crate) type Group = Option<(usize, usize)>;

/// The expression is not valid.
#[derive(Debug)]
pub(crate) struct Invalid;

#[derive(Clone, Debug)]
enum Node {
    Empty,
    Any,
    Char(Vec<u8>),
    Set(Set),
    Start,
    End,
    Word(u8),
    Group(Box<Node>, usize),
    Concat(Vec<Node>),
    Alternate(Vec<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
    Back(usize),
}

#[derive(Clone, Debug)]
struct Set {
    negated: bool,
    items: Vec<Item>,
}

#[derive(Clone, Debug)]
enum Item {
    Range(u32, u32),
    Class(Class),
}

#[derive(Clone, Copy, Debug)]
enum Class {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
    Word,
}

#[derive(Clone, Debug)]
enum Inst {
    Char(Vec<u8>),
    Any,
    Set(Set),
    Start,
    End,
    Word(u8),
    Split(usize, usize),
    Jump(usize),
    Save(usize),
    Back(usize),
    /// Clears the groups of a repeated part before the next repetition.
    Reset(usize, usize),
    Match,
}

/// The instructions that a program may have. Expressions such as `(a{255}){255}` exceed it and are refused.
const MAX_PROGRAM: usize = 200_000;
/// The steps that backtracking may take.
const MAX_STEPS: usize = 5_000_000;
/// The nesting of parentheses.
const MAX_DEPTH: usize = 200;

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    groups: usize,
    depth: usize,
    backrefs: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn alternate(&mut self) -> Result<Node, Invalid> {
        let mut branches = vec![self.concat()?];
        while self.peek() == Some(b'|') {
            self.at += 1;
            branches.push(self.concat()?);
        }
        Ok(if branches.len() == 1 {
            branches.pop().unwrap_or(Node::Empty)
        } else {
            Node::Alternate(branches)
        })
    }

    fn concat(&mut self) -> Result<Node, Invalid> {
        let mut list: Vec<Node> = Vec::new();
        while let Some(b) = self.peek() {
            match b {
                b'|' => break,
                b')' if self.depth > 0 => break,
                _ => {}
            }
            let atom = self.atom(list.is_empty())?;
            // An anchor cannot be repeated: a repetition operator after it has no operand.
            if matches!(atom, Node::Start | Node::End) && self.at_repetition() {
                return Err(Invalid);
            }
            let atom = self.repeats(atom)?;
            list.push(atom);
        }
        Ok(match list.len() {
            0 => Node::Empty,
            1 => list.pop().unwrap_or(Node::Empty),
            _ => Node::Concat(list),
        })
    }

    fn at_repetition(&self) -> bool {
        matches!(self.peek(), Some(b'*' | b'+' | b'?' | b'{'))
    }

    fn repeats(&mut self, mut atom: Node) -> Result<Node, Invalid> {
        loop {
            let (min, max) = match self.peek() {
                Some(b'*') => (0, None),
                Some(b'+') => (1, None),
                Some(b'?') => (0, Some(1)),
                Some(b'{') => {
                    let bounds = self.interval()?;
                    atom = Node::Repeat(Box::new(atom), bounds.0, bounds.1);
                    continue;
                }
                _ => return Ok(atom),
            };
            self.at += 1;
            atom = Node::Repeat(Box::new(atom), min, max);
        }
    }

    // `{m}`, `{m,}`, `{,n}`, `{m,n}`
    fn interval(&mut self) -> Result<(u32, Option<u32>), Invalid> {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let Some(close) = rest.iter().position(|b| *b == b'}') else {
            return Err(Invalid);
        };
        let inner = rest.get(..close).unwrap_or_default();
        let mut halves = inner.splitn(2, |b| *b == b',');
        let low = halves.next().unwrap_or_default();
        let high = halves.next();
        let number = |t: &[u8]| {
            std::str::from_utf8(t).ok().and_then(|t| t.parse::<u32>().ok()).filter(|n| *n <= 32767)
        };
        let valid_low = low.iter().all(u8::is_ascii_digit) && (!low.is_empty() || high.is_some());
        let valid_high = high.is_none_or(|h| h.iter().all(u8::is_ascii_digit));
        if !valid_low || !valid_high {
            return Err(Invalid);
        }
        let min = if low.is_empty() { 0 } else { number(low).ok_or(Invalid)? };
        let max = match high {
            None => Some(min),
            Some(b"") => None,
            Some(h) => Some(number(h).ok_or(Invalid)?),
        };
        if max.is_some_and(|m| m < min) {
            return Err(Invalid);
        }
        self.at += close + 2;
        Ok((min, max))
    }

    fn atom(&mut self, first: bool) -> Result<Node, Invalid> {
        let b = self.peek().unwrap_or(0);
        self.at += 1;
        Ok(match b {
            b'.' => Node::Any,
            b'^' => Node::Start,
            b'$' => Node::End,
            b'(' => {
                if self.depth >= MAX_DEPTH {
                    return Err(Invalid);
                }
                self.groups += 1;
                let number = self.groups;
                self.depth += 1;
                let inner = self.alternate()?;
                self.depth -= 1;
                if self.peek() != Some(b')') {
                    return Err(Invalid);
                }
                self.at += 1;
                Node::Group(Box::new(inner), number)
            }
            b'[' => self.bracket()?,
            // A repetition without an operand: glibc refuses it.
            b'*' | b'+' | b'?' | b'{' if first => return Err(Invalid),
            b'\\' => {
                let Some(c) = self.peek() else { return Err(Invalid) };
                let len = text::char_len(self.text.get(self.at..).unwrap_or_default());
                let whole = self.text.get(self.at..self.at + len).unwrap_or_default().to_vec();
                self.at += len.max(1);
                match c {
                    b'1'..=b'9' => {
                        let n = usize::from(c - b'0');
                        if n > self.groups {
                            return Err(Invalid);
                        }
                        self.backrefs = true;
                        Node::Back(n)
                    }
                    b'w' | b'W' => {
                        Node::Set(Set { negated: c == b'W', items: vec![Item::Class(Class::Word)] })
                    }
                    b's' | b'S' => {
                        Node::Set(Set { negated: c == b'S', items: vec![Item::Class(Class::Space)] })
                    }
                    b'b' | b'B' | b'<' | b'>' => Node::Word(c),
                    b'`' => Node::Start,
                    b'\'' => Node::End,
                    _ => Node::Char(whole),
                }
            }
            _ => {
                self.at -= 1;
                let len = text::char_len(self.text.get(self.at..).unwrap_or_default()).max(1);
                let c = self.text.get(self.at..self.at + len).unwrap_or_default().to_vec();
                self.at += len;
                Node::Char(c)
            }
        })
    }

    fn bracket(&mut self) -> Result<Node, Invalid> {
        let negated = self.peek() == Some(b'^');
        if negated {
            self.at += 1;
        }
        let mut items = Vec::new();
        let mut first = true;
        loop {
            let Some(b) = self.peek() else { return Err(Invalid) };
            if b == b']' && !first {
                self.at += 1;
                return Ok(Node::Set(Set { negated, items }));
            }
            first = false;
            if b == b'[' && self.text.get(self.at + 1) == Some(&b':') {
                let rest = self.text.get(self.at + 2..).unwrap_or_default();
                let end = rest.windows(2).position(|w| w == b":]").ok_or(Invalid)?;
                let class = class_named(rest.get(..end).unwrap_or_default()).ok_or(Invalid)?;
                items.push(Item::Class(class));
                self.at += end + 4;
                continue;
            }
            let low = self.bracket_char()?;
            if self.peek() == Some(b'-') && self.text.get(self.at + 1).is_some_and(|b| *b != b']') {
                self.at += 1;
                let high = self.bracket_char()?;
                if high < low {
                    return Err(Invalid);
                }
                items.push(Item::Range(low, high));
            } else {
                items.push(Item::Range(low, low));
            }
        }
    }

    fn bracket_char(&mut self) -> Result<u32, Invalid> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if let Some(kind @ (b'.' | b'=')) = rest.get(1).filter(|_| rest.first() == Some(&b'[')) {
            let inner = rest.get(2..).unwrap_or_default();
            let end = inner.windows(2).position(|w| w == [*kind, b']']).ok_or(Invalid)?;
            self.at += end + 4;
            return Ok(code(inner.get(..end).unwrap_or_default()));
        }
        let len = text::char_len(rest);
        if len == 0 {
            return Err(Invalid);
        }
        self.at += len;
        Ok(code(rest.get(..len).unwrap_or_default()))
    }
}

fn class_named(name: &[u8]) -> Option<Class> {
    Some(match name {
        b"alnum" => Class::Alnum,
        b"alpha" => Class::Alpha,
        b"blank" => Class::Blank,
        b"cntrl" => Class::Cntrl,
        b"digit" => Class::Digit,
        b"graph" => Class::Graph,
        b"lower" => Class::Lower,
        b"print" => Class::Print,
        b"punct" => Class::Punct,
        b"space" => Class::Space,
        b"upper" => Class::Upper,
        b"xdigit" => Class::Xdigit,
        _ => return None,
    })
}

// The code point. Bytes that are not part of a character get numbers above all code points.
fn code(c: &[u8]) -> u32 {
    match std::str::from_utf8(c).ok().and_then(|s| s.chars().next()) {
        Some(c) => u32::from(c),
        None => 0x11_0000 + u32::from(c.first().copied().unwrap_or(0)),
    }
}

fn in_class(class: Class, n: u32) -> bool {
    let Some(c) = char::from_u32(n) else { return false };
    match class {
        Class::Alnum => c.is_alphanumeric(),
        Class::Alpha => c.is_alphabetic(),
        Class::Blank => matches!(c, ' ' | '\t'),
        Class::Cntrl => c.is_control(),
        Class::Digit => c.is_ascii_digit(),
        Class::Graph => !c.is_control() && !c.is_whitespace(),
        Class::Lower => c.is_lowercase(),
        Class::Print => !c.is_control(),
        Class::Punct => {
            if c.is_ascii() {
                c.is_ascii_punctuation()
            } else {
                !c.is_alphanumeric() && !c.is_whitespace()
            }
        }
        Class::Space => c.is_whitespace(),
        Class::Upper => c.is_uppercase(),
        Class::Xdigit => c.is_ascii_hexdigit(),
        Class::Word => c.is_alphanumeric() || c == '_',
    }
}

// A byte that is not part of a character matches only itself.
fn is_character(c: &[u8]) -> bool {
    c.len() > 1 || c.first().is_some_and(u8::is_ascii) || sandshell_syntax::locale::is_bytes()
}

impl Set {
    fn has(&self, n: u32) -> bool {
        self.items.iter().any(|i| match i {
            Item::Range(a, b) => (*a..=*b).contains(&n),
            Item::Class(c) => in_class(*c, n),
        })
    }

    fn matches(&self, c: &[u8], nocase: bool) -> bool {
        let mut hit = self.has(code(c));
        if nocase && !hit {
            hit = self.has(code(&text::to_case(c, true))) || self.has(code(&text::to_case(c, false)));
        }
        hit != self.negated
    }
}

fn compile(node: &Node, out: &mut Vec<Inst>) -> Result<(), Invalid> {
    if out.len() > MAX_PROGRAM {
        return Err(Invalid);
    }
    match node {
        Node::Empty => {}
        Node::Any => out.push(Inst::Any),
        Node::Char(c) => out.push(Inst::Char(c.clone())),
        Node::Set(s) => out.push(Inst::Set(s.clone())),
        Node::Start => out.push(Inst::Start),
        Node::End => out.push(Inst::End),
        Node::Word(c) => out.push(Inst::Word(*c)),
        Node::Back(n) => out.push(Inst::Back(*n)),
        Node::Group(inner, n) => {
            out.push(Inst::Save(n * 2));
            compile(inner, out)?;
            out.push(Inst::Save(n * 2 + 1));
        }
        Node::Concat(list) => {
            for n in list {
                compile(n, out)?;
            }
        }
        Node::Alternate(list) => {
            let mut ends = Vec::new();
            for (i, n) in list.iter().enumerate() {
                if i + 1 == list.len() {
                    compile(n, out)?;
                    break;
                }
                let split = out.len();
                out.push(Inst::Split(split + 1, 0));
                compile(n, out)?;
                ends.push(out.len());
                out.push(Inst::Jump(0));
                let next = out.len();
                patch(out, split, next);
            }
            let end = out.len();
            for e in ends {
                patch(out, e, end);
            }
        }
        Node::Repeat(inner, min, max) => {
            let groups = group_range(inner);
            let again = |out: &mut Vec<Inst>| {
                if let Some((a, b)) = groups {
                    out.push(Inst::Reset(a, b));
                }
            };
            for i in 0..*min {
                if i > 0 {
                    again(out);
                }
                compile(inner, out)?;
            }
            match max {
                None => {
                    let split = out.len();
                    out.push(Inst::Split(split + 1, 0));
                    again(out);
                    compile(inner, out)?;
                    out.push(Inst::Jump(split));
                    let end = out.len();
                    patch(out, split, end);
                }
                Some(max) => {
                    let mut splits = Vec::new();
                    for _ in *min..*max {
                        splits.push(out.len());
                        let next = out.len() + 1;
                        out.push(Inst::Split(next, 0));
                        again(out);
                        compile(inner, out)?;
                    }
                    let end = out.len();
                    for s in splits {
                        patch(out, s, end);
                    }
                }
            }
        }
    }
    Ok(())
}

fn patch(out: &mut [Inst], at: usize, to: usize) {
    match out.get_mut(at) {
        Some(Inst::Split(_, b)) => *b = to,
        Some(Inst::Jump(t)) => *t = to,
        _ => {}
    }
}

// The lowest and highest group number inside.
fn group_range(node: &Node) -> Option<(usize, usize)> {
    let join = |a: Option<(usize, usize)>, b: Option<(usize, usize)>| match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    };
    match node {
        Node::Group(inner, n) => join(Some((*n, *n)), group_range(inner)),
        Node::Concat(list) | Node::Alternate(list) => list.iter().map(group_range).fold(None, join),
        Node::Repeat(inner, ..) => group_range(inner),
        _ => None,
    }
}

fn is_word(c: Option<u8>) -> bool {
    c.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80)
}

impl Regex {
    /// Compiles an expression.
    pub(crate) fn new(source: &[u8], nocase: bool) -> Result<Self, Invalid> {
        let mut p = Parser { text: source, at: 0, groups: 0, depth: 0, backrefs: false };
        let node = p.alternate()?;
        if p.at < source.len() {
            return Err(Invalid);
        }
        let mut program = Vec::new();
        compile(&node, &mut program)?;
        program.push(Inst::Match);
        Ok(Self { program, groups: p.groups, nocase, backrefs: p.backrefs })
    }

    /// The leftmost-longest match, as a list of the whole match and all groups.
    pub(crate) fn find(&self, text: &[u8]) -> Option<Vec<Group>> {
        let mut start = 0;
        loop {
            let found = if self.backrefs { self.backtrack(text, start) } else { self.run(text, start) };
            if found.is_some() {
                return found;
            }
            if start >= text.len() {
                return None;
            }
            start += text::char_len(text.get(start..).unwrap_or_default()).max(1);
        }
    }

    fn holds(&self, inst: &Inst, text: &[u8], at: usize) -> bool {
        match inst {
            Inst::Start => at == 0,
            Inst::End => at == text.len(),
            Inst::Word(kind) => {
                let before = is_word(at.checked_sub(1).and_then(|i| text.get(i)).copied());
                let after = is_word(text.get(at).copied());
                match kind {
                    b'b' => before != after,
                    b'B' => before == after,
                    b'<' => !before && after,
                    _ => before && !after,
                }
            }
            _ => true,
        }
    }

    fn eats(&self, inst: &Inst, c: &[u8]) -> bool {
        match inst {
            Inst::Any => is_character(c),
            Inst::Char(want) => {
                want == c || (self.nocase && text::to_case(want, false) == text::to_case(c, false))
            }
            Inst::Set(s) => is_character(c) && s.matches(c, self.nocase),
            _ => false,
        }
    }

    fn run(&self, text: &[u8], start: usize) -> Option<Vec<Group>> {
        let slots = (self.groups + 1) * 2;
        let mut best: Option<Vec<usize>> = None;
        let mut current: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut seen = vec![usize::MAX; self.program.len()];
        let mut first = vec![usize::MAX; slots];
        if let Some(s) = first.first_mut() {
            *s = start;
        }
        let mut at = start;
        let mut generation = 0;
        self.add(&mut current, &mut seen, generation, 0, first, text, at, &mut best);
        while !current.is_empty() {
            let rest = text.get(at..).unwrap_or_default();
            let len = text::char_len(rest);
            if len == 0 {
                break;
            }
            let c = rest.get(..len).unwrap_or_default();
            at += len;
            generation += 1;
            let mut next = Vec::new();
            for (pc, saves) in current {
                if self.program.get(pc).is_some_and(|i| self.eats(i, c)) {
                    self.add(&mut next, &mut seen, generation, pc + 1, saves, text, at, &mut best);
                }
            }
            current = next;
        }
        best.map(|saves| groups_of(&saves))
    }

    #[allow(clippy::too_many_arguments, reason = "the machine's state, passed along")]
    fn add(
        &self,
        list: &mut Vec<(usize, Vec<usize>)>,
        seen: &mut [usize],
        generation: usize,
        pc: usize,
        saves: Vec<usize>,
        text: &[u8],
        at: usize,
        best: &mut Option<Vec<usize>>,
    ) {
        let mut stack = vec![(pc, saves)];
        while let Some((pc, mut saves)) = stack.pop() {
            match seen.get_mut(pc) {
                Some(s) if *s == generation => continue,
                Some(s) => *s = generation,
                None => continue,
            }
            match self.program.get(pc) {
                Some(Inst::Jump(to)) => stack.push((*to, saves)),
                Some(Inst::Split(a, b)) => {
                    stack.push((*b, saves.clone()));
                    stack.push((*a, saves));
                }
                Some(Inst::Save(n)) => {
                    if let Some(s) = saves.get_mut(*n) {
                        *s = at;
                    }
                    stack.push((pc + 1, saves));
                }
                Some(Inst::Reset(a, b)) => {
                    if let Some(range) = saves.get_mut(a * 2..b * 2 + 2) {
                        range.fill(usize::MAX);
                    }
                    stack.push((pc + 1, saves));
                }
                Some(i @ (Inst::Start | Inst::End | Inst::Word(_))) if self.holds(i, text, at) => {
                    stack.push((pc + 1, saves));
                }
                Some(Inst::Match) => {
                    if let Some(end) = saves.get_mut(1) {
                        *end = at;
                    }
                    // At equal length, the first thread to arrive has priority. A longer match replaces it.
                    if best.as_ref().is_none_or(|b| b.get(1).is_none_or(|e| *e < at)) {
                        *best = Some(saves);
                    }
                }
                Some(_) => list.push((pc, saves)),
                None => {}
            }
        }
    }

    fn backtrack(&self, text: &[u8], start: usize) -> Option<Vec<Group>> {
        let mut saves = vec![usize::MAX; (self.groups + 1) * 2];
        if let Some(s) = saves.first_mut() {
            *s = start;
        }
        let mut stack = vec![(0, start, saves)];
        let mut best: Option<Vec<usize>> = None;
        let mut steps = 0;
        while let Some((mut pc, mut at, mut saves)) = stack.pop() {
            loop {
                steps += 1;
                if steps > MAX_STEPS {
                    return best.map(|s| groups_of(&s));
                }
                match self.program.get(pc) {
                    Some(Inst::Jump(to)) => pc = *to,
                    Some(Inst::Split(a, b)) => {
                        // Limits the stack, because a loop that consumes nothing would never end.
                        if stack.len() < 100_000 {
                            stack.push((*b, at, saves.clone()));
                        }
                        pc = *a;
                    }
                    Some(Inst::Save(n)) => {
                        if let Some(s) = saves.get_mut(*n) {
                            *s = at;
                        }
                        pc += 1;
                    }
                    Some(Inst::Reset(a, b)) => {
                        if let Some(range) = saves.get_mut(a * 2..b * 2 + 2) {
                            range.fill(usize::MAX);
                        }
                        pc += 1;
                    }
                    Some(Inst::Back(n)) => {
                        let (a, b) = (saves.get(n * 2).copied(), saves.get(n * 2 + 1).copied());
                        let part = match (a, b) {
                            (Some(a), Some(b)) => text.get(a..b),
                            _ => None,
                        };
                        let Some(part) = part else { break };
                        if !text.get(at..).unwrap_or_default().starts_with(part) {
                            break;
                        }
                        at += part.len();
                        pc += 1;
                    }
                    Some(i @ (Inst::Start | Inst::End | Inst::Word(_))) => {
                        if !self.holds(i, text, at) {
                            break;
                        }
                        pc += 1;
                    }
                    Some(Inst::Match) => {
                        if let Some(end) = saves.get_mut(1) {
                            *end = at;
                        }
                        if best.as_ref().is_none_or(|b| b.get(1).is_none_or(|e| *e < at)) {
                            best = Some(saves);
                        }
                        break;
                    }
                    Some(i) => {
                        let rest = text.get(at..).unwrap_or_default();
                        let len = text::char_len(rest);
                        if len == 0 || !self.eats(i, rest.get(..len).unwrap_or_default()) {
                            break;
                        }
                        at += len;
                        pc += 1;
                    }
                    None => break,
                }
            }
        }
        best.map(|s| groups_of(&s))
    }
}

fn groups_of(saves: &[usize]) -> Vec<Group> {
    saves
        .chunks(2)
        .map(|c| match c {
            [a, b] if *a != usize::MAX && *b != usize::MAX => Some((*a, *b)),
            _ => None,
        })
        .collect()
}
