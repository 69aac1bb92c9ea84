//! Parameters in the texts of capabilities: a small language with a stack (`terminfo(5)`, "Parameterized Strings").

/// The most characters that one number or text is filled up to.
const WIDEST: usize = 10_000;

/// A value on the stack.
#[derive(Clone, Debug)]
enum Value {
    Number(i32),
    Text(Vec<u8>),
}

impl Value {
    fn number(&self) -> i32 {
        match self {
            Self::Number(number) => *number,
            Self::Text(_) => 0,
        }
    }
}

/// The text with its parameters, which are numbers as far as they look like ones. What asks for a delay is left out.
pub(super) fn expand(text: &[u8], arguments: &[Vec<u8>]) -> Vec<u8> {
    let value = |text: &Vec<u8>| {
        let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        number.map_or_else(|| Value::Text(text.clone()), Value::Number)
    };
    let mut machine = Machine {
        parameters: arguments.iter().map(value).collect(),
        stack: Vec::new(),
        variables: std::array::from_fn(|_| Value::Number(0)),
        out: Vec::new(),
    };
    machine.parameters.resize(9, Value::Number(0));
    machine.run(text);
    machine.out
}

/// How many parameters a text has: the highest number in it.
pub(super) fn count(text: &[u8]) -> usize {
    let named = text.windows(3).filter(|piece| piece.starts_with(b"%p") && piece[2].is_ascii_digit());
    named.map(|piece| usize::from(piece[2] - b'0')).max().unwrap_or(0)
}

/// The text without what asks for a delay.
pub(super) fn plain(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.first() {
        match delay(rest) {
            Some(length) => rest = rest.get(length..).unwrap_or_default(),
            None => {
                out.push(*first);
                rest = rest.get(1..).unwrap_or_default();
            }
        }
    }
    out
}

struct Machine {
    parameters: Vec<Value>,
    stack: Vec<Value>,
    variables: [Value; 52],
    out: Vec<u8>,
}

impl Machine {
    fn run(&mut self, text: &[u8]) {
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            at += 1;
            if *byte == b'%' {
                at = self.directive(text, at);
            } else if let Some(length) = delay(text.get(at - 1..).unwrap_or_default()) {
                at += length - 1;
            } else {
                self.out.push(*byte);
            }
        }
    }

    /// What follows a `%` at `at`; returns where the text goes on.
    fn directive(&mut self, text: &[u8], at: usize) -> usize {
        let byte = |at: usize| text.get(at).copied().unwrap_or_default();
        match byte(at) {
            b'%' => self.out.push(b'%'),
            b'c' => {
                let number = self.pop();
                self.out.push(number as u8);
            }
            b'p' => {
                let index = usize::from(byte(at + 1).wrapping_sub(b'1'));
                self.stack.push(self.parameters.get(index).cloned().unwrap_or(Value::Number(0)));
                return at + 2;
            }
            b'P' => {
                let value = self.stack.pop().unwrap_or(Value::Number(0));
                if let Some(place) = variable(byte(at + 1)).and_then(|index| self.variables.get_mut(index)) {
                    *place = value;
                }
                return at + 2;
            }
            b'g' => {
                let found = variable(byte(at + 1)).and_then(|index| self.variables.get(index)).cloned();
                self.stack.push(found.unwrap_or(Value::Number(0)));
                return at + 2;
            }
            b'\'' => {
                self.push(i32::from(byte(at + 1)));
                return at + 3;
            }
            b'{' => {
                let end = text
                    .iter()
                    .skip(at)
                    .position(|byte| *byte == b'}')
                    .map_or(text.len(), |length| at + length);
                let digits = text.get(at + 1..end).and_then(|digits| std::str::from_utf8(digits).ok());
                self.push(digits.and_then(|digits| digits.parse().ok()).unwrap_or(0));
                return end + 1;
            }
            b'l' => {
                let length = match self.stack.pop() {
                    Some(Value::Text(text)) => i32::try_from(text.len()).unwrap_or(i32::MAX),
                    _ => 0,
                };
                self.push(length);
            }
            b'i' => {
                for parameter in self.parameters.iter_mut().take(2) {
                    if let Value::Number(number) = parameter {
                        *number = number.wrapping_add(1);
                    }
                }
            }
            operator @ (b'+' | b'-' | b'*' | b'/' | b'm' | b'&' | b'|' | b'^' | b'=' | b'>' | b'<' | b'A'
            | b'O') => {
                let (right, left) = (self.pop(), self.pop());
                self.push(combined(operator, left, right));
            }
            b'!' => {
                let number = self.pop();
                self.push(i32::from(number == 0));
            }
            b'~' => {
                let number = self.pop();
                self.push(!number);
            }
            b'?' | b';' => {}
            b't' => {
                if self.pop() == 0 {
                    return skipped(text, at + 1, true);
                }
            }
            b'e' => return skipped(text, at + 1, false),
            _ => return self.formatted(text, at),
        }
        at + 1
    }

    /// `%[[:]flags][width[.precision]][doxXs]`.
    fn formatted(&mut self, text: &[u8], at: usize) -> usize {
        let mut end = at;
        let byte = |at: usize| text.get(at).copied().unwrap_or_default();
        let (mut left, mut plus, mut space, mut alternate, mut zero) = (false, false, false, false, false);
        let colon = byte(end) == b':';
        end += usize::from(colon);
        loop {
            match byte(end) {
                b'-' if colon => left = true,
                b'+' if colon => plus = true,
                b' ' => space = true,
                b'#' => alternate = true,
                b'0' => zero = true,
                _ => break,
            }
            end += 1;
        }
        let number = |end: &mut usize| {
            let digits = text.iter().skip(*end).take_while(|byte| byte.is_ascii_digit());
            let (count, value) = digits.fold((0, 0), |(count, value), digit| {
                (count + 1, (value * 10 + usize::from(digit - b'0')).min(WIDEST))
            });
            *end += count;
            (count > 0).then_some(value)
        };
        let width = number(&mut end).unwrap_or(0);
        let precision = if byte(end) == b'.' {
            end += 1;
            Some(number(&mut end).unwrap_or(0))
        } else {
            None
        };
        let kind = byte(end);
        let (sign, mut digits): (&[u8], Vec<u8>) = match kind {
            b'd' => {
                let number = self.pop();
                let sign: &[u8] = match (number < 0, plus, space) {
                    (true, ..) => b"-",
                    (_, true, _) => b"+",
                    (_, _, true) => b" ",
                    _ => b"",
                };
                (sign, number.unsigned_abs().to_string().into_bytes())
            }
            b'o' => (if alternate { b"0" } else { b"" }, format!("{:o}", self.pop()).into_bytes()),
            b'x' => (if alternate { b"0x" } else { b"" }, format!("{:x}", self.pop()).into_bytes()),
            b'X' => (if alternate { b"0X" } else { b"" }, format!("{:X}", self.pop()).into_bytes()),
            b's' => {
                let mut text = match self.stack.pop() {
                    Some(Value::Text(text)) => text,
                    Some(Value::Number(number)) => number.to_string().into_bytes(),
                    None => Vec::new(),
                };
                text.truncate(precision.unwrap_or(usize::MAX));
                (b"", text)
            }
            // Something else: it is left out.
            _ => return end + 1,
        };
        if kind != b's' && digits.len() < precision.unwrap_or(0) {
            let missing = precision.unwrap_or(0) - digits.len();
            digits.splice(0..0, std::iter::repeat_n(b'0', missing));
        }
        let padding = width.saturating_sub(sign.len() + digits.len());
        let zeros = zero && !left && precision.is_none() && kind != b's';
        let fill = |byte: u8| vec![byte; padding];
        match (left, zeros) {
            (true, _) => self.out.extend([sign, &digits, &fill(b' ')].concat()),
            (_, true) => self.out.extend([sign, &fill(b'0'), &digits].concat()),
            _ => self.out.extend([fill(b' ').as_slice(), sign, &digits].concat()),
        }
        end + 1
    }

    fn push(&mut self, number: i32) {
        self.stack.push(Value::Number(number));
    }

    fn pop(&mut self) -> i32 {
        self.stack.pop().map_or(0, |value| value.number())
    }
}

fn combined(operator: u8, left: i32, right: i32) -> i32 {
    match operator {
        b'+' => left.wrapping_add(right),
        b'-' => left.wrapping_sub(right),
        b'*' => left.wrapping_mul(right),
        b'/' => left.checked_div(right).unwrap_or(0),
        b'm' => left.checked_rem(right).unwrap_or(0),
        b'&' => left & right,
        b'|' => left | right,
        b'^' => left ^ right,
        b'=' => i32::from(left == right),
        b'>' => i32::from(left > right),
        b'<' => i32::from(left < right),
        b'A' => i32::from(left != 0 && right != 0),
        _ => i32::from(left != 0 || right != 0),
    }
}

/// Where a part that is not taken ends: after the `%e` or `%;` of the same conditional, or with `to_else` false after
/// `%;`.
fn skipped(text: &[u8], from: usize, to_else: bool) -> usize {
    let (mut at, mut depth) = (from, 0_usize);
    while at < text.len() {
        let directive = (text.get(at) == Some(&b'%')).then(|| text.get(at + 1).copied()).flatten();
        at += if directive.is_some() { 2 } else { 1 };
        match directive {
            Some(b'?') => depth += 1,
            Some(b';') if depth == 0 => return at,
            Some(b';') => depth -= 1,
            Some(b'e') if depth == 0 && to_else => return at,
            // A quoted percent sign is none.
            Some(b'\'') => at += 2,
            _ => {}
        }
    }
    text.len()
}

/// The small and the large letters.
fn variable(name: u8) -> Option<usize> {
    match name {
        b'a'..=b'z' => Some(usize::from(name - b'a')),
        b'A'..=b'Z' => Some(26 + usize::from(name - b'A')),
        _ => None,
    }
}

/// The length of `$<5*/>` at the beginning: so many milliseconds of delay.
fn delay(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"$<")?;
    let end = rest.iter().position(|byte| *byte == b'>')?;
    let inner = rest.get(..end)?;
    let known = inner.iter().all(|byte| byte.is_ascii_digit() || b".*/".contains(byte));
    (known && inner.iter().any(u8::is_ascii_digit)).then_some(end + 3)
}

#[cfg(test)]
mod tests {
    use super::expand;

    fn with(text: &str, arguments: &[&str]) -> String {
        let arguments: Vec<_> = arguments.iter().map(|text| text.as_bytes().to_vec()).collect();
        String::from_utf8(expand(text.as_bytes(), &arguments)).unwrap()
    }

    #[test]
    fn directives() {
        assert_eq!(with("%i%p1%d;%p2%dH", &["3", "4"]), "4;5H");
        assert_eq!(with("%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m", &["3"]), "33m");
        assert_eq!(with("%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m", &["11"]), "93m");
        assert_eq!(
            with("%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m", &["200"]),
            "38;5;200m"
        );
        assert_eq!(with("%p1%2.2X%p1%03d%p1%:-4d|%p2%s%p2%l%d", &["10", "ab"]), "0A01010  |ab2");
        assert_eq!(with("%p1%Pa%ga%ga%+%d%'x'%c%%%p1%{0}%/%d", &["21"]), "42x%0");
        assert_eq!(with("a$<100/>b%p9%d$<x>", &[]), "ab0$<x>");
    }

    #[test]
    fn what_makes_no_sense_does_no_harm() {
        for text in
            ["%", "%p", "%{", "%'", "%?%t%t", "%99999999999d", "%.99999999999999999999d", "%P", "%e", "$<"]
        {
            let _ = with(text, &["-2147483648", "-1"]);
        }
        assert_eq!(with("%p1%p2%/%d%p1%p2%m%d", &["-2147483648", "-1"]), "00");
    }
}
