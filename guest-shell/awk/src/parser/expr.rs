//! Expressions, from the lowest to the highest precedence.

use super::{Context, DEPTH_MAX, Parser, Res};
use crate::ast::*;
use crate::builtin::Builtin;
use crate::diag::bytes;
use crate::lexer::{Failure, Key, Tok};
use crate::parser::Lint;
use crate::special;
use crate::value::Value;

impl Parser<'_> {
    /// Parses an expression.
    pub(super) fn expr(&mut self) -> Res<Expr> {
        match self.expr_or_list()? {
            Expr::List(_) => Err(self.syntax_error()),
            e => Ok(e),
        }
    }

    /// Parses an expression, or several in parentheses.
    pub(super) fn expr_or_list(&mut self) -> Res<Expr> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Failure::Fatal(b"program nested too deeply".to_vec(), true));
        }
        let e = self.ternary();
        self.depth -= 1;
        e
    }

    fn ternary(&mut self) -> Res<Expr> {
        let cond = self.or()?;
        if let Tok::Op(op) = self.tok
            && let Some(assigned) = assignment(op)
        {
            return self.assign(cond, assigned);
        }
        if !self.is("?") {
            return Ok(cond);
        }
        self.advance()?;
        self.newlines()?;
        let yes = self.expr()?;
        self.newlines()?;
        self.expect(":")?;
        self.newlines()?;
        let no = self.expr()?;
        Ok(Expr::Cond(Box::new((cond, yes, no))))
    }

    // Builds an assignment. `left` was parsed with all operators of higher precedence, so the target is its last
    // operand.
    fn assign(&mut self, left: Expr, op: Option<Arith>) -> Res<Expr> {
        match left {
            Expr::Var(_) | Expr::Special(_) | Expr::Field(_) | Expr::FieldNumber(_) | Expr::Elem(..) => {}
            // For example, `a && b = c`.
            Expr::And(a, b) => return Ok(Expr::And(a, Box::new(self.assign(*b, op)?))),
            Expr::Or(a, b) => return Ok(Expr::Or(a, Box::new(self.assign(*b, op)?))),
            Expr::Compare(c, a, b) => return Ok(Expr::Compare(c, a, Box::new(self.assign(*b, op)?))),
            Expr::Match(n, a, b) => return Ok(Expr::Match(n, a, Box::new(self.assign(*b, op)?))),
            Expr::Step(place, _, true) if matches!(*place, Place::Field(_)) => {
                self.advance()?;
                self.expr()?;
                return Err(self
                    .error_here("cannot assign a value to the result of a field post-increment expression"));
            }
            _ => return Err(self.syntax_error()),
        }
        let place = to_place(left);
        self.advance()?;
        if op.is_none() {
            self.may_be_typed();
        }
        let value = self.expr()?;
        self.lint_literal(&value, "right of assignment")?;
        Ok(match (op, place) {
            (None, place) => match (place, value) {
                (Place::Var(v), Expr::Concat(mut parts)) if matches!(parts.first(), Some(Expr::Var(w)) if *w == v) =>
                {
                    parts.remove(0);
                    if parts.iter().all(Expr::is_simple) {
                        Expr::Append(v, parts)
                    } else {
                        parts.insert(0, Expr::Var(v));
                        Expr::Assign(Box::new(Place::Var(v)), Box::new(Expr::Concat(parts)))
                    }
                }
                (place, value) => Expr::Assign(Box::new(place), Box::new(value)),
            },
            (Some(op), place) => Expr::Update(op, Box::new(place), Box::new(value)),
        })
    }

    fn or(&mut self) -> Res<Expr> {
        let mut left = self.and()?;
        while self.is("||") {
            self.advance()?;
            self.newlines()?;
            let right = self.and()?;
            left = Expr::Or(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn and(&mut self) -> Res<Expr> {
        let mut left = self.membership()?;
        while self.is("&&") {
            self.advance()?;
            self.newlines()?;
            let right = self.membership()?;
            left = Expr::And(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn membership(&mut self) -> Res<Expr> {
        let mut left = self.matching()?;
        while self.is_key(Key::In) && !self.no_in {
            self.advance()?;
            if !matches!(self.tok, Tok::Name(_)) {
                return Err(self.syntax_error());
            }
            self.lint_old("old awk does not support the keyword `in' except after `for'");
            if matches!(left, Expr::List(_)) {
                self.lint_old("old awk does not support multidimensional arrays");
            }
            let array = self.array_place()?;
            let index = match left {
                Expr::List(list) => list,
                one => vec![one],
            };
            left = Expr::In(index, array);
            // A comparison that follows applies to the result.
            left = self.compared(left)?;
            left = self.matched(left)?;
        }
        Ok(left)
    }

    fn matching(&mut self) -> Res<Expr> {
        let left = self.comparison()?;
        self.matched(left)
    }

    fn matched(&mut self, mut left: Expr) -> Res<Expr> {
        while self.is("~") || self.is("!~") {
            let not = self.is("!~");
            self.advance()?;
            self.may_be_typed();
            let right = self.comparison()?;
            self.lint_literal(&left, "left of `~' or `!~' operator")?;
            left = Expr::Match(not, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Res<Expr> {
        let left = self.concatenation(true)?;
        self.compared(left)
    }

    fn compared(&mut self, left: Expr) -> Res<Expr> {
        let op = match self.tok {
            Tok::Op("<") => Cmp::Lt,
            Tok::Op("<=") => Cmp::Le,
            Tok::Op("==") => Cmp::Eq,
            Tok::Op("!=") => Cmp::Ne,
            Tok::Op(">") if !self.no_gt => Cmp::Gt,
            Tok::Op(">=") => Cmp::Ge,
            _ => return Ok(left),
        };
        if matches!(left, Expr::List(_)) {
            return Err(self.syntax_error());
        }
        self.advance()?;
        let right = self.concatenation(true)?;
        self.lint_literal(&right, "right of comparison")?;
        // Comparisons are not associative.
        if matches!(self.tok, Tok::Op("<" | "<=" | "==" | "!=" | ">=")) || (self.is(">") && !self.no_gt) {
            return Err(self.syntax_error());
        }
        Ok(Expr::Compare(op, Box::new(left), Box::new(right)))
    }

    /// Parses concatenated operands, and `command | getline`.
    pub(super) fn concatenation(&mut self, getline: bool) -> Res<Expr> {
        let first = self.additive()?;
        let mut parts = vec![first];
        loop {
            if (self.is("|") || self.is("|&")) && getline && self.getline_follows() {
                let both = self.is("|&");
                self.advance()?;
                self.advance()?;
                let into = self.optional_place()?;
                let command = joined(std::mem::take(&mut parts));
                if self.options.sandbox {
                    return Err(Failure::Fatal(b"redirection not allowed in sandbox mode".to_vec(), true));
                }
                let from = if both { Input::Coprocess(command) } else { Input::Command(command) };
                // Arithmetic that follows applies to the result.
                let read = Expr::Getline(Box::new(Getline { into, from }));
                let read = self.multiplied(read)?;
                parts.push(self.added(read)?);
                continue;
            }
            // After an expression that cannot be assigned to, `/=` begins a regular expression.
            let regex = self.is("/=") && !(parts.len() == 1 && parts.first().is_some_and(is_place));
            if matches!(parts.last(), Some(Expr::List(_))) || !(regex || self.operand_follows()) {
                return Ok(joined(parts));
            }
            let part = self.additive()?;
            parts.push(part);
        }
    }

    // Whether `getline` follows the current token.
    fn getline_follows(&self) -> bool {
        let rest = self.lexer.text.get(self.lexer.at..).unwrap_or_default().trim_ascii_start();
        rest.strip_prefix(b"getline")
            .is_some_and(|r| !r.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_'))
    }

    fn operand_follows(&self) -> bool {
        match &self.tok {
            Tok::Number(_) | Tok::Str(_) | Tok::Name(_) | Tok::FuncName(_) | Tok::Builtin(_) => true,
            Tok::Op(op) => matches!(*op, "(" | "$" | "!" | "-" | "+" | "++" | "--" | "@"),
            _ => false,
        }
    }

    fn additive(&mut self) -> Res<Expr> {
        let left = self.multiplicative()?;
        self.added(left)
    }

    fn added(&mut self, mut left: Expr) -> Res<Expr> {
        loop {
            let op = match self.tok {
                Tok::Op("+") => Arith::Add,
                Tok::Op("-") => Arith::Sub,
                _ => return Ok(left),
            };
            self.advance()?;
            let right = self.multiplicative()?;
            left = self.folded(op, left, right)?;
        }
    }

    fn multiplicative(&mut self) -> Res<Expr> {
        let left = self.unary()?;
        self.multiplied(left)
    }

    fn multiplied(&mut self, mut left: Expr) -> Res<Expr> {
        loop {
            let op = match self.tok {
                Tok::Op("*") => Arith::Mul,
                Tok::Op("/") => Arith::Div,
                Tok::Op("%") => Arith::Mod,
                _ => return Ok(left),
            };
            if matches!(left, Expr::List(_)) {
                return Err(self.syntax_error());
            }
            self.advance()?;
            let right = self.unary()?;
            left = self.folded(op, left, right)?;
        }
    }

    // Evaluates operations on constants. This also finds divisions by zero.
    fn folded(&self, op: Arith, left: Expr, right: Expr) -> Res<Expr> {
        if let (Some(a), Some(b)) = (constant(&left), constant(&right)) {
            if b == 0.0 && op == Arith::Div {
                return Err(Failure::Plain(b"division by zero attempted".to_vec()));
            }
            if b == 0.0 && op == Arith::Mod {
                return Err(Failure::Plain(b"division by zero attempted in `%'".to_vec()));
            }
            return Ok(Expr::Num(match op {
                Arith::Add => a + b,
                Arith::Sub => a - b,
                Arith::Mul => a * b,
                Arith::Div => a / b,
                Arith::Mod => a % b,
                Arith::Pow => crate::arith::power(a, b),
            }));
        }
        if op == Arith::Add && self.options.lint.is_on() {
            return Ok(Expr::CheckedSum(Box::new(left), Box::new(right)));
        }
        Ok(Expr::Arith(op, Box::new(left), Box::new(right)))
    }

    fn unary(&mut self) -> Res<Expr> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Failure::Fatal(b"program nested too deeply".to_vec(), true));
        }
        let e = self.unary_here();
        self.depth -= 1;
        e
    }

    fn unary_here(&mut self) -> Res<Expr> {
        if self.accept("!")? {
            let e = self.unary()?;
            return Ok(Expr::Not(Box::new(e)));
        }
        if self.accept("-")? {
            return Ok(match self.unary()? {
                Expr::Num(n) => Expr::Num(-n),
                e => Expr::Neg(Box::new(e)),
            });
        }
        if self.accept("+")? {
            let e = self.unary()?;
            return Ok(Expr::Plus(Box::new(e)));
        }
        self.power()
    }

    fn power(&mut self) -> Res<Expr> {
        let base = self.postfix()?;
        if !self.is("^") || matches!(base, Expr::List(_)) {
            return Ok(base);
        }
        self.advance()?;
        // The operator is right associative, and its right operand may have a sign.
        let exponent = self.unary()?;
        self.folded(Arith::Pow, base, exponent)
    }

    fn postfix(&mut self) -> Res<Expr> {
        if self.is("++") || self.is("--") {
            let by = if self.is("++") { 1.0 } else { -1.0 };
            self.advance()?;
            if !(matches!(self.tok, Tok::Name(_)) || self.is("$")) {
                return Err(self.syntax_error());
            }
            let target = self.primary()?;
            if !is_place(&target) {
                return Err(self.syntax_error());
            }
            return Ok(Expr::Step(Box::new(to_place(target)), by, false));
        }
        let e = self.primary()?;
        self.stepped(e)
    }

    // Parses `x++` and `x--`.
    fn stepped(&mut self, e: Expr) -> Res<Expr> {
        if is_place(&e) && (self.is("++") || self.is("--")) {
            let by = if self.is("++") { 1.0 } else { -1.0 };
            self.advance()?;
            return Ok(Expr::Step(Box::new(to_place(e)), by, true));
        }
        Ok(e)
    }

    fn primary(&mut self) -> Res<Expr> {
        self.depth += 1;
        if self.depth > 2 * DEPTH_MAX {
            return Err(Failure::Fatal(b"program nested too deeply".to_vec(), true));
        }
        let e = self.primary_here();
        self.depth -= 1;
        e
    }

    fn primary_here(&mut self) -> Res<Expr> {
        let tok = self.tok.clone();
        match tok {
            Tok::Number(n) => {
                self.advance()?;
                Ok(Expr::Num(n))
            }
            Tok::Str(s) => {
                self.program.mentions_timeout |= s == b"READ_TIMEOUT";
                self.advance()?;
                Ok(Expr::Const(Value::text(&s)))
            }
            Tok::Op("/" | "/=") => {
                let source = self.lexer.regex()?;
                self.lint_comment(&source)?;
                let pattern = self.pattern(&source)?;
                self.advance()?;
                Ok(Expr::Regex(pattern))
            }
            Tok::Op("@") => self.at_primary(),
            Tok::Op("$") => {
                self.advance()?;
                // The operand contains only operators of higher precedence, such as increments.
                let operand = if self.is("-") || self.is("+") || self.is("!") {
                    self.unary()?
                } else if self.is("++") || self.is("--") {
                    self.postfix()?
                } else if self.is("$") {
                    // `++` and `--` apply to the field directly before them.
                    let inner = self.primary()?;
                    self.stepped(inner)?
                } else {
                    self.primary()?
                };
                Ok(match operand {
                    Expr::Num(n) if (0.0..1e6).contains(&n) && n.fract() == 0.0 => {
                        Expr::FieldNumber(n as usize)
                    }
                    Expr::List(_) => return Err(self.syntax_error()),
                    e => Expr::Field(Box::new(e)),
                })
            }
            Tok::Op("(") => self.group(),
            Tok::Op("-" | "+" | "!") => self.unary(),
            Tok::Key(Key::Getline) => {
                self.advance()?;
                let into = self.optional_place()?;
                let from = if self.is("<") {
                    self.advance()?;
                    if self.options.sandbox {
                        return Err(Failure::Fatal(
                            b"redirection not allowed in sandbox mode".to_vec(),
                            true,
                        ));
                    }
                    Input::File(self.postfix()?)
                } else {
                    let rule = match self.context {
                        Context::BeginFile => Some("BEGINFILE"),
                        Context::EndFile => Some("ENDFILE"),
                        _ => None,
                    };
                    if let Some(rule) = rule {
                        let text = format!("non-redirected `getline' invalid inside `{rule}' rule");
                        self.recover_at(self.pos.line, text);
                    }
                    if self.context == Context::End {
                        self.lint("non-redirected `getline' undefined inside END action")?;
                    }
                    Input::Main
                };
                Ok(Expr::Getline(Box::new(Getline { into, from })))
            }
            Tok::Builtin(b) => self.builtin(b),
            Tok::FuncName(name) => {
                let pos = self.pos;
                let known = self.is_no_function(&name);
                let id = self.names.function(&name, pos);
                self.advance()?;
                let args = self.arguments()?;
                // The arguments may have made the name a variable.
                if !known {
                    self.is_no_function(&name);
                }
                self.warn_of_patterns(&args);
                self.called.push(id);
                Ok(Expr::Call(id, args, pos))
            }
            Tok::Name(name) => {
                self.advance()?;
                self.named(&name)
            }
            _ => Err(self.syntax_error()),
        }
    }

    // Reports a call of a name that is a variable.
    fn is_no_function(&mut self, name: &[u8]) -> bool {
        let variable = self.names.params.iter().any(|param| param == name) || self.names.is_global(name);
        if variable {
            self.errors = true;
            self.report(Failure::Plain(bytes!("attempt to use non-function `", name, "' in function call")));
        }
        variable
    }

    // Warns that a regular expression as an argument passes the result of a match.
    fn warn_of_patterns(&self, args: &[Expr]) {
        for (i, _) in args.iter().enumerate().filter(|(_, arg)| matches!(arg, Expr::Regex(_))) {
            let number = (i + 1).to_string();
            self.lexer.warn(&bytes!("regexp constant for parameter #", number, " yields boolean value"));
        }
    }

    /// Allows the next operand to be a regular expression as a value.
    pub(super) fn may_be_typed(&mut self) {
        self.typed_at = Some(self.lexer.at);
    }

    fn at_primary(&mut self) -> Res<Expr> {
        if self.lexer.peek(0) == b'/' && self.typed_at != Some(self.lexer.at) {
            return Err(self.syntax_error());
        }
        self.advance()?;
        if matches!(self.tok, Tok::Op("/" | "/=")) {
            let source = self.lexer.regex()?;
            let pattern = self.pattern(&source)?;
            self.advance()?;
            return Ok(Expr::Const(Value::Regex(pattern)));
        }
        let Tok::FuncName(name) = self.tok.clone() else { return Err(self.syntax_error()) };
        let plain = self.options.dialect.posix || self.options.dialect.traditional;
        let pos = self.pos;
        let var = self.names.var(&name);
        self.advance()?;
        let args = self.arguments()?;
        if plain {
            return Err(self.error_here("indirect function calls are a gawk extension"));
        }
        self.lint_extension("indirect function calls are")?;
        self.warn_of_patterns(&args);
        Ok(Expr::Indirect(var, name, args, pos))
    }

    // Whether a function with this name is already defined.
    fn is_defined(&self, name: &[u8]) -> bool {
        self.program.functions.iter().any(|f| f.defined && f.name == name)
    }

    // Parses a variable or an element.
    fn named(&mut self, name: &[u8]) -> Res<Expr> {
        if !self.names.params.iter().any(|p| p == name) && (self.is_defined(name) || self.defining == name) {
            return self.misused(name, false);
        }
        if self.is("[") {
            let array = self.array_var(name);
            let (array, index) = self.indices(array)?;
            return Ok(Expr::Elem(array, index));
        }
        Ok(match self.names.var(name) {
            Var::Global(g) if special::is_hooked(g) || g == special::SYMTAB => Expr::Special(g),
            v => Expr::Var(v),
        })
    }

    // The place of an array. Assignments to some arrays are checked.
    fn array_var(&mut self, name: &[u8]) -> ArrayPlace {
        match self.names.var(name) {
            Var::Global(g @ (special::SYMTAB | special::FUNCTAB)) => ArrayPlace::Table(g),
            Var::Global(special::ARGV) if self.options.sandbox => ArrayPlace::Table(special::ARGV),
            v => ArrayPlace::Var(v),
        }
    }

    // Reports a function's name in place of a variable. Parsing continues afterwards.
    fn misused(&mut self, name: &[u8], ahead: bool) -> Res<Expr> {
        self.errors = true;
        self.report(Failure::Plain(bytes!(
            "function `",
            name,
            "' called with space between name and `(',\nor used as a variable or an array"
        )));
        if ahead {
            self.advance()?;
        }
        let array = self.names.var(b"");
        if self.is("[") {
            let (array, index) = self.indices(ArrayPlace::Var(array))?;
            return Ok(Expr::Elem(array, index));
        }
        Ok(Expr::Var(array))
    }

    fn indices(&mut self, array: ArrayPlace) -> Res<(ArrayPlace, Vec<Expr>)> {
        let index = self.index()?;
        if self.is("[") {
            if self.options.dialect.posix || self.options.dialect.traditional {
                let text = b"multidimensional arrays are a gawk extension";
                return Err(Failure::Fatal(text.to_vec(), true));
            }
            if self.options.lint != Lint::NoExtensions {
                self.lint("multidimensional arrays are a gawk extension")?;
            }
            return self.indices(ArrayPlace::Elem(Box::new(array), index));
        }
        Ok((array, index))
    }

    fn index(&mut self) -> Res<Vec<Expr>> {
        self.expect("[")?;
        let (gt, no_in) = (std::mem::take(&mut self.no_gt), std::mem::take(&mut self.no_in));
        let mut list = vec![self.expr()?];
        while self.accept(",")? {
            self.newlines()?;
            list.push(self.expr()?);
        }
        (self.no_gt, self.no_in) = (gt, no_in);
        self.expect("]")?;
        Ok(list)
    }

    /// Parses the name of an array with optional indices, which then refer to a subarray or an element.
    pub(super) fn array_place(&mut self) -> Res<ArrayPlace> {
        let Tok::Name(name) = self.tok.clone() else { return Err(self.syntax_error()) };
        if !self.names.params.contains(&name) && (self.is_defined(&name) || self.defining == name) {
            return Ok(match self.misused(&name, true)? {
                Expr::Elem(array, index) => ArrayPlace::Elem(Box::new(array), index),
                _ => ArrayPlace::Var(self.names.var(b"")),
            });
        }
        self.advance()?;
        let mut place = self.array_var(&name);
        while self.is("[") {
            let index = self.index()?;
            place = ArrayPlace::Elem(Box::new(place), index);
        }
        Ok(place)
    }

    /// The place for a plain variable.
    pub(super) fn variable_place(&mut self, name: &[u8]) -> Res<Place> {
        Ok(match self.names.var(name) {
            Var::Global(g) if special::is_hooked(g) => Place::Special(g),
            v => Place::Var(v),
        })
    }

    // Parses the optional target of `getline`.
    fn optional_place(&mut self) -> Res<Option<Place>> {
        if !(matches!(self.tok, Tok::Name(_)) || self.is("$")) {
            return Ok(None);
        }
        let e = self.primary()?;
        if (self.is("++") || self.is("--")) && matches!(e, Expr::Field(_) | Expr::FieldNumber(_)) {
            self.advance()?;
        }
        if is_place(&e) { Ok(Some(to_place(e))) } else { Err(self.syntax_error()) }
    }

    fn group(&mut self) -> Res<Expr> {
        self.advance()?;
        let (gt, no_in) = (std::mem::take(&mut self.no_gt), std::mem::take(&mut self.no_in));
        let first = self.expr()?;
        let mut list = vec![first];
        while self.accept(",")? {
            self.newlines()?;
            list.push(self.expr()?);
        }
        (self.no_gt, self.no_in) = (gt, no_in);
        self.expect(")")?;
        if list.len() > 1 {
            return Ok(Expr::List(list));
        }
        Ok(match list.pop() {
            Some(e) => Expr::Group(Box::new(e)),
            None => Expr::List(list),
        })
    }

    fn arguments(&mut self) -> Res<Vec<Expr>> {
        let args = self.open_arguments()?;
        self.expect(")")?;
        Ok(args)
    }

    /// Parses arguments in parentheses, up to the closing one.
    fn open_arguments(&mut self) -> Res<Vec<Expr>> {
        self.expect("(")?;
        let (gt, no_in) = (std::mem::take(&mut self.no_gt), std::mem::take(&mut self.no_in));
        let mut args = Vec::new();
        self.newlines()?;
        if !self.is(")") {
            loop {
                self.may_be_typed();
                args.push(self.expr()?);
                if !self.accept(",")? {
                    break;
                }
                self.newlines()?;
            }
        }
        (self.no_gt, self.no_in) = (gt, no_in);
        Ok(args)
    }

    fn builtin(&mut self, b: Builtin) -> Res<Expr> {
        let pos = self.pos;
        self.advance()?;
        if b == Builtin::Length && !self.is("(") {
            self.lint("call of `length' without parentheses is not portable")?;
            return Ok(Expr::Builtin(b, Vec::new(), pos));
        }
        if !self.is("(") {
            return Err(self.syntax_error());
        }
        // gawk reports missing arguments at the closing parenthesis.
        let args = self.open_arguments()?;
        if !self.is(")") {
            return Err(self.syntax_error());
        }
        if matches!(b, Builtin::And | Builtin::Or | Builtin::Xor) && args.len() < 2 {
            let text = format!("{}: called with less than two arguments", b.name());
            return Err(Failure::Fatal(text.into_bytes(), true));
        }
        if !b.takes(args.len()) {
            let name = b.name();
            return Err(
                self.error_here(format!("{} is invalid as number of arguments for {name}", args.len()))
            );
        }
        if let (Builtin::Sub | Builtin::Gsub, Some(target)) = (b, args.get(2))
            && !(is_place(target) || matches!(target, Expr::Const(_) | Expr::Num(_) | Expr::Group(_)))
        {
            let name = b.name();
            return Err(self.error_here(format!("{name} third parameter is not a changeable object")));
        }
        if self.options.sandbox && b == Builtin::System {
            return Err(Failure::Fatal(b"'system' function not allowed in sandbox mode".to_vec(), true));
        }
        self.advance()?;
        Ok(Expr::Builtin(b, args, pos))
    }
}

fn assignment(op: &str) -> Option<Option<Arith>> {
    Some(match op {
        "=" => None,
        "+=" => Some(Arith::Add),
        "-=" => Some(Arith::Sub),
        "*=" => Some(Arith::Mul),
        "/=" => Some(Arith::Div),
        "%=" => Some(Arith::Mod),
        "^=" => Some(Arith::Pow),
        _ => return None,
    })
}

// The value of a constant expression, which may be in parentheses.
fn constant(e: &Expr) -> Option<f64> {
    match e {
        Expr::Num(n) => Some(*n),
        Expr::Group(e) => constant(e),
        _ => None,
    }
}

fn joined(mut parts: Vec<Expr>) -> Expr {
    match parts.len() {
        1 => parts.pop().unwrap_or(Expr::Num(0.0)),
        _ => Expr::Concat(parts),
    }
}

fn is_place(e: &Expr) -> bool {
    matches!(e, Expr::Var(_) | Expr::Special(_) | Expr::Field(_) | Expr::FieldNumber(_) | Expr::Elem(..))
}

// Converts an expression for which `is_place` is true.
fn to_place(e: Expr) -> Place {
    match e {
        Expr::Var(v) => Place::Var(v),
        Expr::Special(g) => Place::Special(g),
        Expr::Field(e) => Place::Field(e),
        Expr::Elem(a, i) => Place::Elem(a, i),
        Expr::FieldNumber(n) => Place::Field(Box::new(Expr::Num(n as f64))),
        other => Place::Field(Box::new(other)),
    }
}
