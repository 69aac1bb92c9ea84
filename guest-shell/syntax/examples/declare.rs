//! `declare FILE`: prints the functions that a script defines at its top level, as `declare -f` does.

use std::io::Write;

use sandshell_syntax::ast::CommandKind;
use sandshell_syntax::parser::{Parser, PlainHost};

fn main() {
    let Some(Ok(text)) = std::env::args().nth(1).map(std::fs::read) else { return };
    let mut parser = Parser::from_text(&text, 1);
    while let Ok(Some(list)) = parser.next_command(&mut PlainHost::default()) {
        for command in list.items.iter().flat_map(|item| &item.and_or.first.commands) {
            if let CommandKind::Function(function) = &command.kind {
                let mut text = sandshell_syntax::print::function(function);
                text.push(b'\n');
                let _ = std::io::stdout().write_all(&text);
            }
        }
    }
}
