//! File modes as text: the expressions of `chmod`, `mkdir -m`, `install -m`, `find -perm`, `tar --mode` and `umask`,
//! and the ten columns of `ls -l`.
//!
//! The grammar of expressions is that of POSIX (`chmod`, "Extended Description"), with the additions of the chapter
//! "File permissions" of the coreutils manual: numbers after an operator, and directories that keep their set-ID bits.
//! permissions" of the coreutils manual adds: numbers after an operator, and directories that keep their set-ID bits.

use sandshell_sys as sys;

/// The set-user-ID and set-group-ID bits.
const SET_ID: u32 = 0o6000;
/// The restricted deletion flag, also called sticky bit.
const STICKY: u32 = 0o1000;
const EXECUTE: u32 = 0o111;
const EVERYTHING: u32 = 0o7777;

/// A change of permission bits, as users write it: `755`, `u=rwx,go=rX`.
#[derive(Clone, Debug)]
pub struct ModeExpression(Vec<Action>);

/// The result of applying an expression to a mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The new permission bits.
    pub mode: u32,
    /// The bits that the expression sets or clears, whether or not their values change.
    pub affected: u32,
}

/// The first error in the text of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unexpected {
    /// The offset of the byte that does not fit. If the text ended too early, its length.
    pub at: usize,
    /// What would have been valid.
    pub expected: Expected,
}

/// What can follow in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// One of `+-=`.
    Operator,
    /// A permission, another operator, or the end of the clause.
    Permission,
    /// An octal number of at most four significant digits.
    Number,
}

/// One operator with its users and its operand.
#[derive(Clone, Debug)]
struct Action {
    /// The bits that it may change, from the letters `ugoa`. Without any letter, the file creation mask limits them.
    scope: Option<u32>,
    operator: Operator,
    operand: Operand,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Add,
    Remove,
    Assign,
}

#[derive(Clone, Debug)]
enum Operand {
    /// The bits of letters out of `rwxst`, and whether `X` is among them.
    Letters { bits: u32, execute_if_sensible: bool },
    /// The present permissions of one class of users, given by their position in the mode.
    Class { shift: u32 },
    /// A number. A short one does not change a directory's set-ID bits.
    Number { bits: u32, changes_set_id: bool },
}

impl ModeExpression {
    /// The expression that sets exactly this mode.
    pub fn exactly(mode: u32) -> Self {
        Self(vec![assign_number(mode & EVERYTHING, true)])
    }

    /// Parses the argument of `chmod`: an octal number, or clauses separated by commas.
    pub fn parse(text: &[u8]) -> Result<Self, Unexpected> {
        if text.first().is_some_and(u8::is_ascii_digit) {
            let (bits, end) = number(text, 0)?;
            let rest = Unexpected { at: end, expected: Expected::Number };
            return if end == text.len() { Ok(Self(vec![assign_number(bits, end > 4)])) } else { Err(rest) };
        }
        Parser { text, at: 0, actions: Vec::new(), for_umask: false }.clauses()
    }

    /// Parses the argument of the shell's `umask`: clauses with one operator and only the permissions `r`, `w` and `x`.
    pub fn parse_umask(text: &[u8]) -> Result<Self, Unexpected> {
        Parser { text, at: 0, actions: Vec::new(), for_umask: true }.clauses()
    }

    /// Applies the expression to a file's `mode` and returns the new permission bits. `umask` removes bits from clauses
    /// that name no users.
    pub fn apply(&self, mode: u32, is_directory: bool, umask: u32) -> u32 {
        self.evaluate(mode, is_directory, umask).mode
    }

    /// As [`ModeExpression::apply`], and also returns the bits that the expression sets or clears.
    pub fn evaluate(&self, mode: u32, is_directory: bool, umask: u32) -> Outcome {
        let start = Outcome { mode: mode & EVERYTHING, affected: 0 };
        self.0.iter().fold(start, |before, action| {
            let after = action.evaluate(before.mode, is_directory, umask);
            Outcome { affected: before.affected | after.affected, ..after }
        })
    }
}

fn assign_number(bits: u32, changes_set_id: bool) -> Action {
    let operand = Operand::Number { bits, changes_set_id };
    Action { scope: Some(EVERYTHING), operator: Operator::Assign, operand }
}

/// Parses the octal number at `start`. Also returns where it ends.
fn number(text: &[u8], start: usize) -> Result<(u32, usize), Unexpected> {
    let mut bits = 0;
    let mut at = start;
    while let Some(digit @ b'0'..=b'7') = text.get(at) {
        bits = bits * 8 + u32::from(digit - b'0');
        if bits > EVERYTHING {
            return Err(Unexpected { at, expected: Expected::Number });
        }
        at += 1;
    }
    Ok((bits, at))
}

/// Parses clauses. Each function parses one rule of the grammar, from where the last one stopped.
struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    actions: Vec<Action>,
    /// Each clause has one operator, which only `rwx` may follow.
    for_umask: bool,
}

impl Parser<'_> {
    fn clauses(mut self) -> Result<ModeExpression, Unexpected> {
        loop {
            self.clause()?;
            match self.next() {
                None => return Ok(ModeExpression(self.actions)),
                Some(b',') => self.at += 1,
                Some(_) => return Err(self.unexpected(Expected::Permission)),
            }
        }
    }

    fn clause(&mut self) -> Result<(), Unexpected> {
        let scope = self.users();
        let mut operator = self.operator().ok_or_else(|| self.unexpected(Expected::Operator))?;
        loop {
            let operand = self.operand(scope)?;
            self.actions.push(Action { scope, operator, operand });
            match self.operator_of_same_clause() {
                Some(another) => operator = another,
                None => return Ok(()),
            }
        }
    }

    /// The bits of the users that are named here. `None` if there are none.
    fn users(&mut self) -> Option<u32> {
        let mut scope = None;
        while let Some(bits) = self.next().and_then(bits_of_users) {
            scope = Some(scope.unwrap_or(0) | bits);
            self.at += 1;
        }
        scope
    }

    fn operator_of_same_clause(&mut self) -> Option<Operator> {
        if self.for_umask { None } else { self.operator() }
    }

    fn operator(&mut self) -> Option<Operator> {
        let operator = match self.next()? {
            b'+' => Operator::Add,
            b'-' => Operator::Remove,
            b'=' => Operator::Assign,
            _ => return None,
        };
        self.at += 1;
        Some(operator)
    }

    fn operand(&mut self, scope: Option<u32>) -> Result<Operand, Unexpected> {
        match self.next() {
            Some(class @ (b'u' | b'g' | b'o')) if !self.for_umask => {
                self.at += 1;
                Ok(Operand::Class { shift: shift_of_class(class) })
            }
            // A number covers all users, so none may be named.
            Some(b'0'..=b'7') if !self.for_umask && scope.is_none() => {
                let (bits, end) = number(self.text, self.at)?;
                self.at = end;
                match self.next() {
                    None | Some(b',') => Ok(Operand::Number { bits, changes_set_id: true }),
                    Some(_) => Err(self.unexpected(Expected::Number)),
                }
            }
            _ => Ok(self.letters()),
        }
    }

    fn letters(&mut self) -> Operand {
        let (mut bits, mut execute_if_sensible) = (0, false);
        while let Some(letter) = self.next() {
            match letter {
                b'r' => bits |= 0o444,
                b'w' => bits |= 0o222,
                b'x' => bits |= EXECUTE,
                _ if self.for_umask => break,
                b's' => bits |= SET_ID,
                b't' => bits |= STICKY,
                b'X' => execute_if_sensible = true,
                _ => break,
            }
            self.at += 1;
        }
        Operand::Letters { bits, execute_if_sensible }
    }

    fn next(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn unexpected(&self, expected: Expected) -> Unexpected {
        Unexpected { at: self.at, expected }
    }
}

fn bits_of_users(letter: u8) -> Option<u32> {
    match letter {
        b'u' => Some(0o4700),
        b'g' => Some(0o2070),
        b'o' => Some(0o1007),
        b'a' => Some(EVERYTHING),
        _ => None,
    }
}

fn shift_of_class(letter: u8) -> u32 {
    match letter {
        b'u' => 6,
        b'g' => 3,
        _ => 0,
    }
}

impl Action {
    fn evaluate(&self, mode: u32, is_directory: bool, umask: u32) -> Outcome {
        let named = match self.operand {
            Operand::Letters { bits, execute_if_sensible } => {
                let sensible = execute_if_sensible && (is_directory || mode & EXECUTE != 0);
                if sensible { bits | EXECUTE } else { bits }
            }
            Operand::Class { shift } => (mode >> shift & 0o7) * EXECUTE,
            Operand::Number { bits, .. } => bits,
        };
        let granted = named & self.scope.unwrap_or(EVERYTHING & !self.masked_by(umask));
        match self.operator {
            Operator::Add => Outcome { mode: mode | granted, affected: granted },
            Operator::Remove => Outcome { mode: mode & !granted, affected: granted },
            Operator::Assign => {
                let kept = if is_directory { SET_ID & !self.set_id_bits() } else { 0 };
                let affected = self.scope.unwrap_or(EVERYTHING) & !kept;
                Outcome { mode: mode & !affected | granted, affected }
            }
        }
    }

    fn masked_by(&self, umask: u32) -> u32 {
        if matches!(self.operand, Operand::Number { .. }) { 0 } else { umask }
    }

    /// The set-ID bits that the operand sets or clears.
    fn set_id_bits(&self) -> u32 {
        match self.operand {
            Operand::Number { changes_set_id: true, .. } => SET_ID,
            Operand::Letters { bits, .. } | Operand::Number { bits, .. } => bits & SET_ID,
            Operand::Class { .. } => 0,
        }
    }
}

/// The letter for a file's type in the first column of `ls -l`.
pub fn type_letter(mode: u32) -> u8 {
    match mode & sys::S_IFMT {
        sys::S_IFREG => b'-',
        sys::S_IFDIR => b'd',
        sys::S_IFLNK => b'l',
        sys::S_IFIFO => b'p',
        sys::S_IFSOCK => b's',
        sys::S_IFBLK => b'b',
        sys::S_IFCHR => b'c',
        _ => b'?',
    }
}

/// The type and permissions in the ten columns of `ls -l`.
pub fn columns(mode: u32) -> [u8; 10] {
    let mut columns = *b"?rwxrwxrwx";
    columns[0] = type_letter(mode);
    for (place, column) in columns[1..].iter_mut().enumerate() {
        if mode & 0o400 >> place == 0 {
            *column = b'-';
        }
    }
    // Special bits are shown in the columns for execution, as capitals if the execution bit itself is off.
    for (bit, place, letter) in [(0o4000, 3, b's'), (0o2000, 6, b's'), (0o1000, 9, b't')] {
        if mode & bit != 0 {
            columns[place] = if columns[place] == b'x' { letter } else { letter.to_ascii_uppercase() };
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, mode: u32, is_directory: bool) -> u32 {
        ModeExpression::parse(text.as_bytes()).unwrap().apply(mode, is_directory, 0o022)
    }

    #[test]
    fn clauses_change_what_they_name() {
        for (text, from, to) in [
            ("u=rwx,go=rX", 0o600, 0o755),
            ("go=u", 0o640, 0o666),
            ("+w", 0o444, 0o644),
            ("a+w", 0o444, 0o666),
            ("=", 0o644, 0),
            ("+r=w", 0, 0o200),
            ("u+s,+t", 0o755, 0o5755),
            ("a+X", 0o640, 0o640),
            ("=7", 0o640, 0o007),
            ("0", 0o7777, 0),
        ] {
            assert_eq!(changed(text, from, false), to, "{text}");
        }
    }

    #[test]
    fn directories_keep_set_ids_that_are_not_affected() {
        for (text, from, to) in [
            ("755", 0o2700, 0o2755),
            ("00755", 0o2700, 0o755),
            ("=755", 0o2700, 0o755),
            ("a=rx", 0o2700, 0o2555),
            ("u=s", 0o2755, 0o6055),
            ("a+X", 0o644, 0o755),
        ] {
            assert_eq!(changed(text, from, true), to, "{text}");
        }
        assert_eq!(ModeExpression::exactly(0o644).apply(0o2755, true, 0), 0o644);
    }

    #[test]
    fn errors_tell_what_was_expected_and_where() {
        for (text, at, expected) in [
            ("", 0, Expected::Operator),
            ("u", 1, Expected::Operator),
            ("u+r,", 4, Expected::Operator),
            ("u+q", 2, Expected::Permission),
            ("u+gr", 3, Expected::Permission),
            ("u+7", 2, Expected::Permission),
            ("+7r", 2, Expected::Number),
            ("17777", 4, Expected::Number),
            ("75x", 2, Expected::Number),
        ] {
            let error = ModeExpression::parse(text.as_bytes()).unwrap_err();
            assert_eq!(error, Unexpected { at, expected }, "{text}");
        }
        let error = ModeExpression::parse_umask(b"g=u").unwrap_err();
        assert_eq!(error, Unexpected { at: 2, expected: Expected::Permission });
    }

    #[test]
    fn columns_show_special_bits() {
        assert_eq!(&columns(0o100644), b"-rw-r--r--");
        assert_eq!(&columns(0o041777), b"drwxrwxrwt");
        assert_eq!(&columns(0o107650), b"-rwSr-s--T");
    }
}
