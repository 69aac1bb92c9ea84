//! Prints commands as `declare -f`, `type`, `jobs` and `BASH_COMMAND` show them.

use std::rc::Rc;

use crate::ast::*;

/// The text of a single command, for `jobs` and for the `BASH_COMMAND` of a simple command.
pub fn command(command: &Command) -> Vec<u8> {
    let mut printer = Printer { skip_indent: 1, ..Printer::default() };
    printer.command(command);
    printer.out
}

/// What `BASH_COMMAND` and `set -x` show for a compound command before it runs: `for i in a b`, `case x in `,
/// `((i=0))`. For other commands, the same as [`command`].
pub fn heading(command: &Command) -> Vec<u8> {
    let mut printer = Printer::default();
    match &command.kind {
        CommandKind::For(parts) => printer.for_heading(b"for ", parts),
        CommandKind::Select(parts) => printer.for_heading(b"select ", parts),
        CommandKind::Case(parts) => printer.case_heading(parts),
        CommandKind::Arith(arith) => printer.arith(arith),
        CommandKind::Conditional(condition) => printer.conditional(condition),
        _ => return self::command(command),
    }
    printer.out
}

/// The text of an and-or list, for `jobs`.
pub fn and_or(list: &AndOr) -> Vec<u8> {
    let mut printer = Printer { skip_indent: 1, ..Printer::default() };
    printer.and_or(list);
    printer.out
}

/// The text of a pipeline, for `jobs`.
pub fn pipeline(pipeline: &Pipeline) -> Vec<u8> {
    let mut printer = Printer { skip_indent: 1, ..Printer::default() };
    printer.pipeline(pipeline);
    printer.out
}

/// The text of a list, on one line where its commands allow that.
pub fn list(list: &List) -> Vec<u8> {
    let mut printer = Printer { skip_indent: 1, ..Printer::default() };
    printer.list(list);
    printer.out
}

/// The text of a list in the form that every POSIX shell can read: functions without `function`.
pub fn portable_list(list: &List) -> Vec<u8> {
    let mut printer = Printer { skip_indent: 1, portable: true, ..Printer::default() };
    printer.list(list);
    printer.out
}

/// The text between the parentheses of `$(...)`.
pub(crate) fn substitution(list: &List) -> Vec<u8> {
    let mut printer = Printer { in_substitution: true, skip_indent: 1, ..Printer::default() };
    printer.list(list);
    // Without the blank, `$((` would begin arithmetic.
    if printer.out.first() == Some(&b'(') {
        printer.out.insert(0, b' ');
    }
    printer.out
}

/// A function definition as `declare -f` prints it, without the newline at the end.
pub fn function(function: &Function) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.text(&function.name.bytes());
    printer.text(b" () \n");
    printer.function_body(function);
    printer.out
}

/// The text of one redirection.
pub fn redirect(redirect: &Redirect) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.redirect(redirect);
    printer.out
}

/// `text` in single quotes, as bash writes it: `'` becomes `'\''`.
pub fn single_quoted(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for &byte in text {
        if byte == b'\'' {
            out.extend_from_slice(b"'\\''");
        } else {
            out.push(byte);
        }
    }
    out.push(b'\'');
    out
}

#[derive(Default)]
struct Printer {
    out: Vec<u8>,
    indentation: usize,
    /// The next commands, as many as this, continue a line and are not indented.
    skip_indent: u32,
    function_depth: u32,
    /// How many nested lists, and-or lists and pipelines with more than one command are being printed.
    connections: u32,
    /// Here-documents whose bodies follow the rest of the line.
    deferred: Vec<Rc<HereDoc>>,
    /// The last output was a here-document's body, so no `;` may follow.
    after_heredoc: bool,
    in_substitution: bool,
    portable: bool,
}

impl Printer {
    fn text(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    fn indent(&mut self) {
        self.out.resize(self.out.len() + self.indentation, b' ');
    }

    fn newline(&mut self, text: &[u8]) {
        self.out.push(b'\n');
        self.indent();
        self.text(text);
    }

    /// Prints a semicolon, unless the text so far already ends a command.
    fn semicolon(&mut self) {
        if !matches!(self.out.last(), None | Some(b'&' | b'\n')) {
            self.out.push(b';');
        }
    }

    /// Begins the line of a command.
    fn begin(&mut self) {
        if self.skip_indent > 0 {
            self.skip_indent -= 1;
        } else {
            self.indent();
        }
    }

    fn list(&mut self, list: &List) {
        let connected = list.items.len() > 1 || list.items.iter().any(|item| item.background);
        self.connections += u32::from(connected);
        let count = list.items.len();
        for (index, item) in list.items.iter().enumerate() {
            let last = index + 1 == count;
            self.and_or(&item.and_or);
            if index > 0 {
                self.deferred(b"");
            }
            if item.background {
                self.deferred(b" &");
                if !last {
                    self.out.push(b' ');
                    self.skip_indent += 1;
                }
            } else if !last {
                self.separator(item.newline);
            }
        }
        if connected {
            self.deferred(b"");
        }
        self.connections -= u32::from(connected);
    }

    /// Prints the separator between two commands of a list.
    fn separator(&mut self, newline: bool) {
        let newline = newline && self.in_substitution;
        if !self.deferred.is_empty() {
            self.deferred(b"");
            if newline {
                self.out.push(b'\n');
            }
        } else if std::mem::take(&mut self.after_heredoc) {
            if newline {
                self.out.push(b'\n');
            }
        } else {
            self.out.push(if newline { b'\n' } else { b';' });
        }
        if self.function_depth > 0 {
            self.out.push(b'\n');
        } else {
            if !newline {
                self.out.push(b' ');
            }
            self.skip_indent += 1;
        }
    }

    /// Prints `text`, then the bodies of pending here-documents.
    fn deferred(&mut self, text: &[u8]) {
        self.text(text);
        if self.deferred.is_empty() {
            return;
        }
        for document in std::mem::take(&mut self.deferred) {
            self.body(&document);
        }
        if !text.is_empty() {
            self.out.push(b' ');
        }
        self.after_heredoc = true;
    }

    /// Prints a here-document's body. Only the first of several begins a new line, so there are no blank lines between
    /// them.
    fn body(&mut self, document: &HereDoc) {
        if self.out.last() != Some(&b'\n') {
            self.out.push(b'\n');
        }
        if let Some(body) = document.body.get() {
            self.text(&body.source);
        }
        self.text(&document.delimiter);
        self.out.push(b'\n');
    }

    fn and_or(&mut self, list: &AndOr) {
        let connected = !list.rest.is_empty();
        self.connections += u32::from(connected);
        self.pipeline(&list.first);
        for (op, pipeline) in &list.rest {
            self.deferred(if *op == AndOrOp::And { b" && " } else { b" || " });
            self.skip_indent += 1;
            self.pipeline(pipeline);
            self.deferred(b"");
        }
        self.connections -= u32::from(connected);
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        if pipeline.time.is_some() || pipeline.negated {
            self.begin();
            self.skip_indent += 1;
        }
        match pipeline.time {
            Some(TimeFormat::Bash) => self.text(b"time "),
            Some(TimeFormat::Posix) => self.text(b"time -p "),
            None => {}
        }
        if pipeline.negated {
            self.text(b"! ");
        }
        let connected = pipeline.commands.len() > 1;
        self.connections += u32::from(connected);
        for (index, command) in pipeline.commands.iter().enumerate() {
            if index > 0 {
                self.deferred(b" |");
                self.out.push(b' ');
                self.skip_indent += 1;
            }
            self.command(command);
        }
        if connected {
            self.deferred(b"");
        }
        self.connections -= u32::from(connected);
    }

    fn command(&mut self, command: &Command) {
        self.begin();
        match &command.kind {
            CommandKind::Simple(simple) => {
                let mut first = true;
                let texts = simple
                    .assignments
                    .iter()
                    .map(|assignment| &assignment.source)
                    .chain(simple.words.iter().map(|word| &word.source));
                for text in texts {
                    if !first {
                        self.out.push(b' ');
                    }
                    first = false;
                    self.text(text);
                }
                if !command.redirects.is_empty() {
                    if !first {
                        self.out.push(b' ');
                    }
                    self.redirects(&command.redirects);
                }
                return;
            }
            CommandKind::Subshell(list) => {
                self.text(b"( ");
                self.skip_indent += 1;
                self.list(list);
                self.deferred(b"");
                self.text(b" )");
            }
            CommandKind::Group(list) => self.group(list),
            CommandKind::If(parts) => self.if_command(&parts.branches, parts.otherwise.as_deref()),
            CommandKind::While(parts) => {
                self.text(if parts.until { b"until " } else { b"while " });
                self.condition(&parts.condition);
                self.text(b" do\n");
                self.body_of(&parts.body);
                self.newline(b"done");
            }
            CommandKind::For(parts) => {
                self.for_heading(b"for ", parts);
                self.out.push(b';');
                self.newline(b"do\n");
                self.body_of(&parts.body);
                self.newline(b"done");
            }
            CommandKind::Select(parts) => {
                self.for_heading(b"select ", parts);
                self.out.push(b';');
                self.newline(b"do\n");
                self.body_of(&parts.body);
                self.newline(b"done");
            }
            CommandKind::ArithFor(parts) => {
                self.text(b"for ((");
                for (index, arith) in [&parts.init, &parts.test, &parts.step].into_iter().enumerate() {
                    if index > 0 {
                        self.text(b"; ");
                    }
                    self.text(if arith.source.is_empty() { b"1" } else { &arith.source });
                }
                self.text(b"))");
                self.newline(b"do\n");
                self.body_of(&parts.body);
                self.newline(b"done");
            }
            CommandKind::Case(parts) => self.case(parts),
            CommandKind::Conditional(condition) => self.conditional(condition),
            CommandKind::Arith(arith) => self.arith(arith),
            CommandKind::Function(function) => {
                if !self.portable {
                    self.text(b"function ");
                }
                self.text(&function.name.bytes());
                self.text(b" () \n");
                self.function_body(function);
            }
            CommandKind::Coproc(coproc) => {
                self.text(b"coproc ");
                self.text(&coproc.name.bytes());
                self.out.push(b' ');
                self.skip_indent += 1;
                self.command(&coproc.command);
            }
        }
        if !command.redirects.is_empty() {
            self.out.push(b' ');
            self.redirects(&command.redirects);
        }
    }

    fn group(&mut self, list: &List) {
        self.text(b"{ ");
        if self.function_depth == 0 {
            self.skip_indent += 1;
        } else {
            self.out.push(b'\n');
            self.indentation += 4;
        }
        self.list(list);
        self.deferred(b"");
        if self.function_depth == 0 {
            self.semicolon();
            self.out.push(b' ');
        } else {
            self.out.push(b'\n');
            self.indentation -= 4;
            self.indent();
        }
        self.out.push(b'}');
    }

    /// Prints `if`. An `elif` is shown as an `if` inside `else`.
    fn if_command(&mut self, branches: &[(Rc<List>, Rc<List>)], otherwise: Option<&List>) {
        let mut open = 0;
        for (index, (condition, body)) in branches.iter().enumerate() {
            if index > 0 {
                self.newline(b"else\n");
                self.indentation += 4;
                self.indent();
            }
            open += 1;
            self.text(b"if ");
            self.condition(condition);
            self.text(b" then\n");
            self.body_of(body);
        }
        if let Some(otherwise) = otherwise {
            self.newline(b"else\n");
            self.body_of(otherwise);
        }
        for level in 0..open {
            if level > 0 {
                self.semicolon();
                self.indentation -= 4;
            }
            self.newline(b"fi");
        }
    }

    fn condition(&mut self, list: &List) {
        self.skip_indent += 1;
        self.list(list);
        self.deferred(b"");
        self.semicolon();
    }

    fn body_of(&mut self, list: &List) {
        self.indentation += 4;
        self.list(list);
        self.deferred(b"");
        self.semicolon();
        self.indentation -= 4;
    }

    fn for_heading(&mut self, keyword: &[u8], parts: &ForCommand) {
        self.text(keyword);
        self.text(&parts.variable.bytes());
        self.text(b" in ");
        match &parts.words {
            None => self.text(b"\"$@\""),
            Some(words) => {
                for (index, word) in words.iter().enumerate() {
                    if index > 0 {
                        self.out.push(b' ');
                    }
                    self.text(&word.source);
                }
            }
        }
    }

    fn case_heading(&mut self, parts: &CaseCommand) {
        self.text(b"case ");
        self.text(&parts.word.source);
        self.text(b" in ");
    }

    fn case(&mut self, parts: &CaseCommand) {
        self.case_heading(parts);
        self.indentation += 4;
        for arm in &parts.arms {
            self.newline(b"");
            for (index, pattern) in arm.patterns.iter().enumerate() {
                if index > 0 {
                    self.text(b" | ");
                }
                self.text(&pattern.word.source);
            }
            self.text(b")\n");
            self.indentation += 4;
            self.list(&arm.body);
            self.indentation -= 4;
            self.deferred(b"");
            self.newline(match arm.end {
                CaseEnd::Break => b";;",
                CaseEnd::FallThrough => b";&",
                CaseEnd::TestNext => b";;&",
            });
        }
        self.indentation -= 4;
        self.newline(b"esac");
    }

    fn arith(&mut self, arith: &Arith) {
        self.text(b"((");
        self.text(&arith.source);
        self.text(b"))");
    }

    fn conditional(&mut self, condition: &Condition) {
        self.text(b"[[ ");
        self.test(condition);
        self.text(b" ]]");
    }

    fn test(&mut self, condition: &Condition) {
        match condition {
            Condition::All(operands) | Condition::Any(operands) => {
                let between = if matches!(condition, Condition::All(_)) { b" && " } else { b" || " };
                for (i, operand) in operands.iter().enumerate() {
                    if i > 0 {
                        self.text(between);
                    }
                    self.test(operand);
                }
            }
            Condition::Not(inner) => {
                self.text(b"! ");
                self.test(inner);
            }
            Condition::Group(inner) => {
                self.text(b"( ");
                self.test(inner);
                self.text(b" )");
            }
            Condition::Unary(letter, word) => {
                self.text(&[b'-', *letter, b' ']);
                self.text(&word.source);
            }
            Condition::Binary(left, comparison, right) => {
                self.text(&left.source);
                self.out.push(b' ');
                self.text(comparison.sign());
                self.out.push(b' ');
                self.text(&right.word.source);
            }
            Condition::Word(word) => {
                self.text(b"-n ");
                self.text(&word.source);
            }
        }
    }

    fn function_body(&mut self, function: &Function) {
        self.indent();
        self.text(b"{ \n");
        self.function_depth += 1;
        self.indentation += 4;
        let mut redirects: &[Redirect] = &[];
        if let CommandKind::Group(list) = &function.body.kind {
            redirects = &function.body.redirects;
            self.list(list);
        } else {
            self.command(&function.body);
        }
        self.deferred(b"");
        self.indentation -= 4;
        self.function_depth -= 1;
        self.newline(b"}");
        self.after_heredoc = false;
        if !redirects.is_empty() {
            self.out.push(b' ');
            self.redirects(redirects);
        }
    }

    fn redirects(&mut self, redirects: &[Redirect]) {
        self.after_heredoc = false;
        let mut documents = Vec::new();
        for (index, redirect) in redirects.iter().enumerate() {
            if index > 0 {
                self.out.push(b' ');
            }
            self.redirect(redirect);
            if let RedirectKind::HereDoc(document) = &redirect.kind {
                documents.push(document.clone());
            }
        }
        self.deferred.extend(documents);
        if self.connections == 0 {
            self.deferred(b"");
        }
    }

    fn redirect(&mut self, redirect: &Redirect) {
        use RedirectKind as Kind;
        let (operator, default, word): (&[u8], i32, Option<&Word>) = match &redirect.kind {
            Kind::Read(word) => (b"< ", 0, Some(word)),
            Kind::Write(word) => (b"> ", 1, Some(word)),
            Kind::Clobber(word) => (b">| ", 1, Some(word)),
            Kind::Append(word) => (b">> ", 1, Some(word)),
            // bash omits the default 1 here, although it is 0.
            Kind::ReadWrite(word) => (b"<> ", 1, Some(word)),
            Kind::WriteBoth(word) => (b"&> ", 1, Some(word)),
            Kind::AppendBoth(word) => (b"&>> ", 1, Some(word)),
            Kind::HereString(word) => (b"<<< ", 0, Some(word)),
            Kind::DuplicateWord { input: true, word } => (b"<&", 0, Some(word)),
            Kind::DuplicateWord { input: false, word } => (b">&", 1, Some(word)),
            Kind::HereDoc(document) => (if document.strip_tabs { b"<<-" } else { b"<<" }, 0, None),
            Kind::Duplicate { input: true, .. } | Kind::Move { input: true, .. } => (b"<&", -1, None),
            Kind::Duplicate { .. } | Kind::Move { .. } | Kind::Close { .. } => (b">&", -1, None),
        };
        match redirect.fd {
            RedirectFd::Variable(name) => {
                self.out.push(b'{');
                self.text(&name.bytes());
                self.out.push(b'}');
            }
            RedirectFd::Number(number) | RedirectFd::Default(number) if number != default => {
                self.text(number.to_string().as_bytes());
            }
            _ => {}
        }
        self.text(operator);
        if let Some(word) = word {
            self.text(&word.source);
        }
        match &redirect.kind {
            Kind::HereDoc(document) if document.quoted => self.text(&single_quoted(&document.delimiter)),
            Kind::HereDoc(document) => self.text(&document.delimiter),
            Kind::Duplicate { from, .. } => self.text(from.to_string().as_bytes()),
            Kind::Move { from, .. } => self.text(format!("{from}-").as_bytes()),
            Kind::Close { .. } => self.out.push(b'-'),
            _ => {}
        }
    }
}
