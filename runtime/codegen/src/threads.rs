//! Lets only those components have threads whose threads the kernel counts.

use wasmparser::{CanonicalFunction, Parser, Payload};

use crate::Malformed;

/// The interface through which a component asks for threads.
const INTERFACE: &str = "sandshell:kernel/threads@";

/// Refuses a component that makes threads without importing the kernel's interface for them.
///
/// # Errors
/// [`Malformed`], also if it cannot be parsed.
pub(crate) fn check(wasm: &[u8]) -> Result<(), Malformed> {
    let (mut asks, mut makes) = (false, false);
    // What a component inside imports comes from the one around it.
    let mut depth = 0usize;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    asks |= import?.name.name.starts_with(INTERFACE);
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section {
                    makes |= is_of_threads(&function?);
                }
            }
            _ => {}
        }
    }
    if makes && !asks {
        Err(Malformed::new("it makes threads but does not import sandshell:kernel/threads"))
    } else {
        Ok(())
    }
}

fn is_of_threads(function: &CanonicalFunction) -> bool {
    matches!(
        function,
        CanonicalFunction::ThreadIndex
            | CanonicalFunction::ThreadNewIndirect { .. }
            | CanonicalFunction::ThreadResumeLater
            | CanonicalFunction::ThreadSuspend { .. }
            | CanonicalFunction::ThreadYield { .. }
            | CanonicalFunction::ThreadSuspendThenResume { .. }
            | CanonicalFunction::ThreadYieldThenResume { .. }
            | CanonicalFunction::ThreadSuspendThenPromote { .. }
            | CanonicalFunction::ThreadYieldThenPromote { .. }
            | CanonicalFunction::ThreadSpawnRef { .. }
            | CanonicalFunction::ThreadSpawnIndirect { .. }
            | CanonicalFunction::ThreadAvailableParallelism
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use wasm_encoder::{CanonicalFunctionSection, Component};

    use super::check;

    #[test]
    fn a_component_that_makes_threads_without_asking_is_refused() {
        let mut functions = CanonicalFunctionSection::new();
        functions.thread_index();
        let mut component = Component::new();
        component.section(&functions);
        assert!(check(&component.finish()).is_err());
        assert!(check(&Component::new().finish()).is_ok());
    }
}
