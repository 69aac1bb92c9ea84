//! Estimates the cost of compiling a module and of its instances.

use wasmparser::{ElementItems, ElementKind, Instance, Parser, Payload};

use crate::Malformed;

/// The size of the code in a module, or in all modules of a component, in bytes.
///
/// # Errors
/// [`Malformed`] if it cannot be parsed.
pub fn code_size(wasm: &[u8]) -> Result<u64, Malformed> {
    let mut total = 0u64;
    for payload in Parser::new(0).parse_all(wasm) {
        if let Payload::CodeSectionStart { size, .. } = payload? {
            total = total.saturating_add(u64::from(size));
        }
    }
    Ok(total)
}

/// The most bytes that an engine allows for the state of a module's instance, or of all instances of a component.
/// Passive element segments are not included.
pub const MAX_INSTANCE: usize = 4 << 20;

/// The most core instances that a component may have.
pub const MAX_INSTANCES: u32 = 100;

/// Estimates the most memory of the host that an instance takes besides its memories and tables, in bytes. For a
/// component: all its core instances together.
///
/// # Errors
/// [`Malformed`] if it cannot be parsed.
pub fn instance_size(wasm: &[u8]) -> Result<u64, Malformed> {
    let mut state = INSTANCE;
    let mut segments = 0u64;
    let mut instances = 0u64;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    import?;
                    add(&mut state, 1, ITEM);
                }
            }
            Payload::FunctionSection(section) => add(&mut state, section.count(), ITEM),
            Payload::TableSection(section) => add(&mut state, section.count(), ITEM),
            Payload::MemorySection(section) => add(&mut state, section.count(), ITEM),
            Payload::GlobalSection(section) => add(&mut state, section.count(), ITEM),
            Payload::TagSection(section) => add(&mut state, section.count(), ITEM),
            Payload::DataSection(section) => add(&mut state, section.count(), ITEM),
            Payload::TypeSection(section) => add(&mut state, section.count(), TYPE),
            Payload::ElementSection(section) => {
                for element in section {
                    let element = element?;
                    let items = match &element.items {
                        ElementItems::Functions(functions) => functions.count(),
                        ElementItems::Expressions(_, expressions) => expressions.count(),
                    };
                    if matches!(element.kind, ElementKind::Passive) {
                        add(&mut segments, items, ELEMENT);
                        add(&mut segments, 1, SEGMENT);
                    }
                }
            }
            Payload::InstanceSection(section) => {
                for instance in section {
                    instances += u64::from(matches!(instance?, Instance::Instantiate { .. }));
                }
            }
            // Nested components can be instantiated several times.
            Payload::ComponentInstanceSection(_) => instances = MAX_INSTANCES.into(),
            _ => {}
        }
    }
    // Any of the instances may be one of the largest module.
    let times = instances.clamp(1, MAX_INSTANCES.into());
    let state = state.saturating_mul(times).min(MAX_INSTANCE as u64);
    Ok(state.saturating_add(segments.saturating_mul(times)))
}

fn add(total: &mut u64, count: u32, each: u64) {
    *total = total.saturating_add(u64::from(count).saturating_mul(each));
}

/// An instance of an empty module.
const INSTANCE: u64 = 1 << 10;
/// For each function (a reference to it), global, import and the like.
const ITEM: u64 = 32;
/// For each type that the module defines.
const TYPE: u64 = 4;
/// For each element of a passive segment: its value.
const ELEMENT: u64 = 16;
/// For each passive segment.
const SEGMENT: u64 = 64;

#[cfg(test)]
mod tests {
    use super::{INSTANCE, ITEM, MAX_INSTANCE, instance_size};

    fn size(text: &str) -> u64 {
        instance_size(&wat::parse_str(text).expect("a module")).expect("whole")
    }

    #[test]
    fn instance_size_depends_on_the_contents() {
        assert_eq!(size("(module)"), INSTANCE);
        let globals = "(global i32 (i32.const 0))".repeat(1000);
        assert_eq!(size(&format!("(module {globals})")), INSTANCE + 1000 * ITEM);
        let items = "$f ".repeat(5000);
        let passive = format!("(module (func $f) (elem func {items}))");
        assert!(size(&passive) > 5000 * 16);
        let active = format!("(module (func $f) (table 5000 funcref) (elem (i32.const 0) func {items}))");
        assert!(size(&active) < 5000, "those are in the table");
    }

    #[test]
    fn each_instance_of_a_component_counts() {
        let module = |globals: usize| {
            let globals = "(global i32 (i32.const 0))".repeat(globals);
            format!("(core module $m {globals} (func $f) (elem func $f))")
        };
        let one = size(&format!("(component {} (core instance (instantiate $m)))", module(10)));
        let ten =
            size(&format!("(component {} {})", module(10), "(core instance (instantiate $m))".repeat(10)));
        assert_eq!(ten, 10 * one);
        let many = size(&format!(
            "(component {} {})",
            module(10_000),
            "(core instance (instantiate $m))".repeat(90)
        ));
        let most = MAX_INSTANCE as u64;
        assert!((most..most + 10_000).contains(&many), "an engine refuses more: {many}");
        let nested = format!(
            "(component (component $c {} (core instance (instantiate $m))) (instance (instantiate $c)))",
            module(10)
        );
        assert_eq!(size(&nested), 100 * one);
    }
}
