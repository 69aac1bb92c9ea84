//! Builds a tree from the predicates of the command line.

use super::expr::{Leaf, Node};

/// One word of an expression, and its text for messages.
pub(crate) enum Token {
    Leaf(Leaf),
    Not(Vec<u8>),
    And(Vec<u8>),
    Or(Vec<u8>),
    Comma,
    Open,
    Close,
}

impl Token {
    fn text(&self) -> Vec<u8> {
        match self {
            Self::Leaf(_) => b"-true".to_vec(),
            Self::Not(t) | Self::And(t) | Self::Or(t) => t.clone(),
            Self::Comma => b",".to_vec(),
            Self::Open => b"(".to_vec(),
            Self::Close => b")".to_vec(),
        }
    }
}

/// Builds the tree.
///
/// # Errors
/// GNU find's message.
pub(crate) fn build(tokens: Vec<Token>) -> Result<Node, String> {
    let mut b = Builder { tokens: tokens.into_iter().peekable(), previous: b"(".to_vec(), at_start: true };
    let node = b.comma()?;
    match b.tokens.peek() {
        None => Ok(node),
        Some(Token::Close) => Err("you have too many ')'".into()),
        Some(t) => Err(format!("unexpected extra predicate '{}'", String::from_utf8_lossy(&t.text()))),
    }
}

struct Builder {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    previous: Vec<u8>,
    // Whether no token has been taken yet.
    at_start: bool,
}

impl Builder {
    fn take(&mut self) -> Option<Token> {
        let t = self.tokens.next()?;
        self.previous = t.text();
        self.at_start = false;
        Some(t)
    }

    fn comma(&mut self) -> Result<Node, String> {
        let mut left = self.or()?;
        while matches!(self.tokens.peek(), Some(Token::Comma)) {
            self.take();
            left = Node::Comma(Box::new(left), Box::new(self.or()?));
        }
        Ok(left)
    }

    fn or(&mut self) -> Result<Node, String> {
        let mut left = self.and()?;
        while matches!(self.tokens.peek(), Some(Token::Or(_))) {
            self.take();
            left = Node::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Node, String> {
        let mut left = self.unary()?;
        loop {
            match self.tokens.peek() {
                Some(Token::And(_)) => {
                    self.take();
                }
                Some(Token::Leaf(_) | Token::Not(_) | Token::Open) => {}
                _ => return Ok(left),
            }
            left = Node::And(Box::new(left), Box::new(self.unary()?));
        }
    }

    fn unary(&mut self) -> Result<Node, String> {
        let previous = String::from_utf8_lossy(&self.previous).into_owned();
        match self.tokens.peek() {
            None if self.at_start => Err("invalid expression".into()),
            None => Err(format!("expected an expression after '{previous}'")),
            Some(Token::And(_) | Token::Or(_) | Token::Comma) => {
                let text = self.take().map(|t| t.text()).unwrap_or_default();
                Err(format!(
                    "invalid expression; you have used a binary operator '{}' with nothing before it.",
                    String::from_utf8_lossy(&text)
                ))
            }
            Some(Token::Close) => {
                if self.at_start || previous == ")" {
                    return Err("invalid expression; you have too many ')'".into());
                }
                Err(format!("expected an expression between '{previous}' and ')'"))
            }
            Some(Token::Not(_)) => {
                self.take();
                Ok(Node::Not(Box::new(self.unary()?)))
            }
            Some(Token::Open) => {
                self.take();
                match self.tokens.peek() {
                    None => return Err("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('".into()),
                    Some(Token::Close) => {
                        return Err("invalid expression; empty parentheses are not allowed.".into());
                    }
                    _ => {}
                }
                let node = self.comma()?;
                if !matches!(self.tokens.peek(), Some(Token::Close)) {
                    return Err(
                        "invalid expression; I was expecting to find a ')' somewhere but did not see one."
                            .into(),
                    );
                }
                self.take();
                Ok(node)
            }
            Some(Token::Leaf(_)) => match self.take() {
                Some(Token::Leaf(l)) => Ok(Node::Leaf(l)),
                _ => Err("invalid expression".into()),
            },
        }
    }
}
