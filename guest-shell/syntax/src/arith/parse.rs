//! The parser of arithmetic: precedence climbing. The tokens are read as bash reads them.

use std::rc::Rc;

use super::{ArithError, Binary, Node, Subscript, Target, Unary, message};
use crate::name::{Name, is_name_byte, is_name_start};

/// How deeply parentheses, assignments and other nested expressions may go.
const MAX_DEPTH: u32 = 150;

/// Parses a text. After a syntax error, the tree contains what was read before it: bash evaluates while it reads, so
/// evaluation errors and assignments before the syntax error come first.
pub(super) fn parse(text: &[u8]) -> (Node, Option<ArithError>) {
    parse_at(text, 0, 0)
}

fn parse_at(text: &[u8], first_slot: u32, depth: u32) -> (Node, Option<ArithError>) {
    let mut parse = Parse {
        text,
        pos: 0,
        token_at: 0,
        token: Token::End,
        depth,
        slots: first_slot,
        stepped: false,
        looking: false,
        failed: None,
    };
    parse.advance();
    if matches!(parse.token, Token::End) && parse.failed.is_none() {
        return (Node::Number(0), None);
    }
    let node = parse.comma();
    if matches!(parse.token, Token::End) {
        return (node, parse.failed);
    }
    let failed = parse.error("syntax error in expression");
    (Node::Comma(Box::new((node, failed))), parse.failed)
}

#[derive(Debug, Clone)]
enum Token {
    End,
    Number(i64),
    Slot(u32),
    Variable(Target),
    Binary(Binary),
    /// `op=`
    Update(Binary),
    Assign,
    AndAnd,
    OrOr,
    Question,
    Colon,
    Comma,
    Open,
    Close,
    Not,
    Complement,
    PreStep(i64),
    PostStep(i64),
}

struct Parse<'a> {
    text: &'a [u8],
    /// The position after the current token.
    pos: usize,
    /// Where the last token began, not counting the end of the text.
    token_at: usize,
    token: Token,
    depth: u32,
    slots: u32,
    /// The next token follows the variable of a pre-increment.
    stepped: bool,
    /// After an error at a variable, while the token after it is still checked.
    looking: bool,
    /// The first error. Nothing is read after it.
    failed: Option<ArithError>,
}

impl Parse<'_> {
    fn byte(&self, at: usize) -> u8 {
        // No token contains 0xff, so this byte can stand for the end.
        self.text.get(at).copied().unwrap_or(0xff)
    }

    /// Fails at the current token. The returned node stands for what is missing.
    fn error(&mut self, what: &str) -> Node {
        self.fail(message(self.text, what, self.text.get(self.token_at..).unwrap_or_default()))
    }

    fn fail(&mut self, error: ArithError) -> Node {
        let mut node = Node::Failed;
        if self.failed.is_none()
            && !self.looking
            && let Token::Variable(target) = &self.token
        {
            let target = target.clone();
            let next = self.skip_space(self.pos);
            // When bash reads a variable, it looks at the next token first. An error in that token is therefore
            // reported first.
            self.looking = true;
            while self.failed.is_none() && matches!(self.token, Token::Variable(_)) {
                let from = self.pos;
                self.advance();
                if self.pos == from {
                    break;
                }
            }
            if self.failed.is_some() {
                return node;
            }
            // bash evaluates the variable before it notices that none is allowed here.
            if self.byte(next) != b'=' || self.byte(next + 1) == b'=' {
                node = Node::Comma(Box::new((Node::Variable(target), node)));
            }
        }
        self.failed.get_or_insert(error);
        self.token = Token::End;
        self.pos = self.text.len();
        node
    }

    /// Enters a level of nesting. Returns false if there are too many.
    fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            self.error("expression recursion level exceeded");
            return false;
        }
        self.depth += 1;
        true
    }

    fn skip_space(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t' | b'\n') {
            at += 1;
        }
        at
    }

    fn advance(&mut self) {
        let at = self.skip_space(self.pos);
        if at >= self.text.len() {
            self.pos = at;
            self.token = Token::End;
            return;
        }
        self.token_at = at;
        let byte = self.byte(at);
        if is_name_start(byte) {
            return self.variable(at);
        }
        if byte.is_ascii_digit() {
            return self.number(at);
        }
        let next = self.byte(at + 1);
        let after = self.byte(at + 2);
        let (length, token) = match (byte, next) {
            (0, _) => {
                let slot = self.slots;
                self.slots += 1;
                (1, Token::Slot(slot))
            }
            (b'=', b'=') => (2, Token::Binary(Binary::Equal)),
            (b'!', b'=') => (2, Token::Binary(Binary::NotEqual)),
            (b'>', b'=') => (2, Token::Binary(Binary::GreaterEqual)),
            (b'<', b'=') => (2, Token::Binary(Binary::LessEqual)),
            (b'<', b'<') if after == b'=' => (3, Token::Update(Binary::ShiftLeft)),
            (b'<', b'<') => (2, Token::Binary(Binary::ShiftLeft)),
            (b'>', b'>') if after == b'=' => (3, Token::Update(Binary::ShiftRight)),
            (b'>', b'>') => (2, Token::Binary(Binary::ShiftRight)),
            (b'&', b'&') => (2, Token::AndAnd),
            (b'|', b'|') => (2, Token::OrOr),
            (b'*', b'*') => (2, Token::Binary(Binary::Power)),
            (b'+' | b'-', _) if next == byte => {
                let by = if byte == b'+' { 1 } else { -1 };
                let plain =
                    if byte == b'+' { Token::Binary(Binary::Add) } else { Token::Binary(Binary::Subtract) };
                if self.stepped {
                    let what = if by > 0 {
                        "++: assignment requires lvalue"
                    } else {
                        "--: assignment requires lvalue"
                    };
                    self.error(what);
                    return;
                }
                if matches!(self.token, Token::Variable(_)) {
                    (2, Token::PostStep(by))
                } else if is_name_start(self.byte(self.skip_space(at + 2))) {
                    (2, Token::PreStep(by))
                } else {
                    (1, plain)
                }
            }
            (b'*' | b'/' | b'%' | b'+' | b'-' | b'&' | b'^' | b'|', b'=') => {
                (2, Token::Update(operator(byte)))
            }
            (b'*' | b'/' | b'%' | b'+' | b'-' | b'&' | b'^' | b'|' | b'<' | b'>', _) => {
                (1, Token::Binary(operator(byte)))
            }
            (b'=', _) => (1, Token::Assign),
            (b'?', _) => (1, Token::Question),
            (b':', _) => (1, Token::Colon),
            (b',', _) => (1, Token::Comma),
            (b'(', _) => (1, Token::Open),
            (b')', _) => (1, Token::Close),
            (b'!', _) => (1, Token::Not),
            (b'~', _) => (1, Token::Complement),
            _ => {
                let operand = matches!(
                    self.token,
                    Token::Number(_) | Token::Variable(_) | Token::Slot(_) | Token::PostStep(_)
                );
                self.error(if operand {
                    "syntax error: invalid arithmetic operator"
                } else {
                    "syntax error: operand expected"
                });
                return;
            }
        };
        self.pos = at + length;
        self.token = token;
    }

    fn variable(&mut self, at: usize) {
        let mut end = at;
        while is_name_byte(self.byte(end)) {
            end += 1;
        }
        let name = Name::new(self.text.get(at..end).unwrap_or_default());
        let mut subscript = None;
        if self.byte(end) == b'[' {
            let close = self.closing_bracket(end);
            let Some(close) = close else {
                self.error("bad array subscript");
                return;
            };
            let text = self.text.get(end + 1..close).unwrap_or_default();
            let first_slot = self.slots;
            self.slots += text.iter().filter(|&&byte| byte == 0).count() as u32;
            if !self.enter() {
                return;
            }
            let index = parse_at(text, first_slot, self.depth);
            self.depth -= 1;
            subscript = Some(Rc::new(Subscript { text: text.into(), first_slot, index }));
            end = close + 1;
        }
        self.pos = end;
        self.token = Token::Variable(Target { name, subscript });
    }

    /// The bracket that matches the one at `open`.
    fn closing_bracket(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut at = open;
        let mut quote = 0;
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' | b'"' if quote == 0 => quote = byte,
                _ if quote != 0 && byte != quote => {}
                _ if quote != 0 => quote = 0,
                b'[' => depth += 1,
                b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn number(&mut self, at: usize) {
        let mut end = at;
        while is_name_byte(self.byte(end)) || matches!(self.byte(end), b'#' | b'@') {
            end += 1;
        }
        let digits = self.text.get(at..end).unwrap_or_default();
        match number(digits) {
            Ok(value) => {
                self.pos = end;
                self.token = Token::Number(value);
            }
            // Here bash shows the text up to the end of the number.
            Err(what) => {
                self.fail(message(self.text.get(..end).unwrap_or_default(), what, digits));
            }
        }
    }

    fn comma(&mut self) -> Node {
        if !self.enter() {
            return Node::Failed;
        }
        let mut left = self.assign();
        while matches!(self.token, Token::Comma) {
            self.advance();
            left = Node::Comma(Box::new((left, self.assign())));
        }
        self.depth -= 1;
        left
    }

    fn assign(&mut self) -> Node {
        if !self.enter() {
            return Node::Failed;
        }
        let left = self.choice();
        let node = match self.token {
            Token::Assign => {
                let Node::Variable(target) = left else {
                    let failed = self.error("attempted assignment to non-variable");
                    return Node::Comma(Box::new((left, failed)));
                };
                self.advance();
                Node::Assign(target, Box::new(self.assign()))
            }
            Token::Update(op) => {
                let Node::Variable(target) = left else {
                    let failed = self.error("attempted assignment to non-variable");
                    return Node::Comma(Box::new((left, failed)));
                };
                self.advance();
                let value = Box::new(self.assign());
                Node::Update(target, op, self.token_at as u32, value)
            }
            _ => left,
        };
        self.depth -= 1;
        node
    }

    fn choice(&mut self) -> Node {
        let condition = self.or();
        if !matches!(self.token, Token::Question) {
            return condition;
        }
        if !self.enter() {
            return Node::Failed;
        }
        self.advance();
        if matches!(self.token, Token::End | Token::Colon) {
            let failed = self.error("expression expected");
            return Node::Comma(Box::new((condition, failed)));
        }
        let yes = self.comma();
        if !matches!(self.token, Token::Colon) {
            let failed = self.error("`:' expected for conditional expression");
            return Node::Choice(Box::new((condition, yes, failed)));
        }
        self.advance();
        if matches!(self.token, Token::End) {
            let failed = self.error("expression expected");
            return Node::Choice(Box::new((condition, yes, failed)));
        }
        let no = self.choice();
        self.depth -= 1;
        Node::Choice(Box::new((condition, yes, no)))
    }

    fn or(&mut self) -> Node {
        let mut left = self.and();
        while matches!(self.token, Token::OrOr) {
            self.advance();
            left = Node::Or(Box::new((left, self.and())));
        }
        left
    }

    fn and(&mut self) -> Node {
        let mut left = self.binary(0);
        while matches!(self.token, Token::AndAnd) {
            self.advance();
            left = Node::And(Box::new((left, self.binary(0))));
        }
        left
    }

    fn binary(&mut self, level: u8) -> Node {
        let mut left = self.unary();
        while let Token::Binary(op) = self.token {
            let op_level = precedence(op);
            if op_level < level {
                break;
            }
            // Where the operand begins, for the error token of a division by zero.
            let operand_at = self.skip_space(self.pos);
            self.advance();
            let right = if op == Binary::Power {
                if !self.enter() {
                    return Node::Failed;
                }
                let right = self.binary(op_level);
                self.depth -= 1;
                right
            } else {
                self.binary(op_level + 1)
            };
            let at = if op == Binary::Power { self.token_at } else { operand_at };
            left = Node::Binary(op, at as u32, Box::new((left, right)));
        }
        left
    }

    fn unary(&mut self) -> Node {
        let op = match self.token {
            Token::Not => Unary::Not,
            Token::Complement => Unary::Complement,
            Token::Binary(Binary::Subtract) => Unary::Minus,
            Token::Binary(Binary::Add) => Unary::Plus,
            _ => return self.primary(),
        };
        if !self.enter() {
            return Node::Failed;
        }
        self.advance();
        let operand = self.unary();
        self.depth -= 1;
        match (op, operand) {
            (Unary::Minus, Node::Number(value)) => Node::Number(value.wrapping_neg()),
            (op, operand) => Node::Unary(op, Box::new(operand)),
        }
    }

    /// Parses an operand. If the token after it cannot be read, bash fails before it uses the operand.
    fn primary(&mut self) -> Node {
        let fresh = self.failed.is_none();
        let node = self.operand();
        if fresh && self.failed.is_some() && !matches!(node, Node::Failed) {
            return Node::Comma(Box::new((node, Node::Failed)));
        }
        node
    }

    fn operand(&mut self) -> Node {
        let node = match self.token.clone() {
            Token::PreStep(by) => {
                self.advance();
                let Token::Variable(target) = self.token.clone() else {
                    return self.error("identifier expected after pre-increment or pre-decrement");
                };
                // Prevents `++x++` from being read as a post-increment.
                self.token = Token::Number(0);
                let node = Node::Step { target, by, post: false };
                self.stepped = true;
                self.advance();
                self.stepped = false;
                return node;
            }
            Token::Open => {
                self.advance();
                let inner = self.comma();
                if !matches!(self.token, Token::Close) {
                    let failed = self.error("missing `)'");
                    return Node::Comma(Box::new((inner, failed)));
                }
                self.advance();
                // A variable in parentheses is not assignable.
                return match inner {
                    Node::Variable(_) => Node::Unary(Unary::Plus, Box::new(inner)),
                    inner => inner,
                };
            }
            Token::Number(value) => Node::Number(value),
            Token::Slot(slot) => Node::Slot(slot),
            Token::Variable(target) => {
                self.advance();
                if let Token::PostStep(by) = self.token {
                    self.advance();
                    return Node::Step { target, by, post: true };
                }
                return Node::Variable(target);
            }
            _ => return self.error("syntax error: operand expected"),
        };
        self.advance();
        node
    }
}

fn operator(byte: u8) -> Binary {
    match byte {
        b'*' => Binary::Multiply,
        b'/' => Binary::Divide,
        b'%' => Binary::Remainder,
        b'+' => Binary::Add,
        b'-' => Binary::Subtract,
        b'&' => Binary::And,
        b'^' => Binary::Xor,
        b'|' => Binary::Or,
        b'<' => Binary::Less,
        _ => Binary::Greater,
    }
}

fn precedence(op: Binary) -> u8 {
    match op {
        Binary::Or => 0,
        Binary::Xor => 1,
        Binary::And => 2,
        Binary::Equal | Binary::NotEqual => 3,
        Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => 4,
        Binary::ShiftLeft | Binary::ShiftRight => 5,
        Binary::Add | Binary::Subtract => 6,
        Binary::Multiply | Binary::Divide | Binary::Remainder => 7,
        Binary::Power => 8,
    }
}

/// The value of a number: decimal, octal after `0`, hexadecimal after `0x`, or `base#digits`.
fn number(text: &[u8]) -> Result<i64, &'static str> {
    let (mut base, mut digits): (i64, &[u8]) = match text {
        [b'0'] => return Ok(0),
        // Without digits the value is 0.
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] => (8, rest),
        _ => (10, text),
    };
    if let Some(hash) = digits.iter().position(|&byte| byte == b'#') {
        if base != 10 {
            return Err("invalid number");
        }
        let (before, after) = digits.split_at(hash);
        base = 0;
        for &digit in before {
            if !digit.is_ascii_digit() {
                return Err("value too great for base");
            }
            base = (base * 10 + i64::from(digit - b'0')).min(1000);
        }
        if !(2..=64).contains(&base) {
            return Err("invalid arithmetic base");
        }
        digits = after.get(1..).unwrap_or_default();
        if digits.is_empty() {
            return Err("invalid integer constant");
        }
    }
    let mut value = 0i64;
    for &byte in digits {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' => byte - b'a' + 10,
            b'A'..=b'Z' if base <= 36 => byte - b'A' + 10,
            b'A'..=b'Z' => byte - b'A' + 36,
            b'@' => 62,
            b'_' => 63,
            _ => return Err("invalid number"),
        };
        if i64::from(digit) >= base {
            return Err("value too great for base");
        }
        value = value.wrapping_mul(base).wrapping_add(i64::from(digit));
    }
    Ok(value)
}
