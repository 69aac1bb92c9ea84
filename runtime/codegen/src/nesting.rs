//! Limits how deep a component may be nested.
//!
//! Parsers of components recurse for components within components and for types within types, and check the depth only
//! after they have returned. Three bytes are enough for one more level of types, so a small file could overflow any
//! stack. So both depths are checked first, without recursion.

use wasmparser::{BinaryReader, ComponentType, ComponentTypeDeclaration, CoreType, Parser, Payload};

use crate::Malformed;

/// How deep components may be nested. Tools produce two or three levels.
const COMPONENTS: usize = 16;
/// How deep component and instance types may be nested: the validator's own limit.
const TYPES: usize = 100;

/// Refuses a module or component that is nested too deeply for parsers.
///
/// # Errors
/// [`Malformed`], also if it cannot be parsed at all.
pub(crate) fn check(wasm: &[u8]) -> Result<(), Malformed> {
    let mut depth = 0usize;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ComponentSection { .. } => {
                depth += 1;
                if depth > COMPONENTS {
                    return Err(Malformed::too_deep("components"));
                }
            }
            // Modules end with the same payload, but contain no components.
            Payload::ModuleSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentTypeSection(section) => {
                let range = section.range();
                let bytes = wasm.get(range.clone()).unwrap_or_default();
                types(&mut BinaryReader::new(bytes, range.start))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks the types of one section.
fn types(reader: &mut BinaryReader<'_>) -> Result<(), Malformed> {
    // How many items are left at each level. The first level has types, deeper ones have declarations.
    let mut left = vec![reader.read_var_u32()?];
    while let Some(count) = left.last_mut() {
        let Some(rest) = count.checked_sub(1) else {
            left.pop();
            continue;
        };
        *count = rest;
        if left.len() > 1 && !declares_type(reader)? {
            continue;
        }
        match reader.clone().read_u8()? {
            // A component type or an instance type: declarations follow.
            0x41 | 0x42 => {
                reader.read_u8()?;
                left.push(reader.read_var_u32()?);
                if left.len() > TYPES {
                    return Err(Malformed::too_deep("types"));
                }
            }
            _ => {
                reader.read::<ComponentType<'_>>()?;
            }
        }
    }
    Ok(())
}

/// Whether the next declaration is that of a component type; then the type follows. Any other declaration is skipped.
fn declares_type(reader: &mut BinaryReader<'_>) -> Result<bool, Malformed> {
    match reader.clone().read_u8()? {
        0x00 => {
            reader.read_u8()?;
            reader.read::<CoreType<'_>>()?;
            Ok(false)
        }
        0x01 => {
            reader.read_u8()?;
            Ok(true)
        }
        _ => {
            reader.read::<ComponentTypeDeclaration<'_>>()?;
            Ok(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leb(mut value: usize, out: &mut Vec<u8>) {
        while value >= 0x80 {
            out.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
    }

    const HEAD: &[u8] = b"\0asm\x0d\0\x01\0";

    fn section(id: u8, body: &[u8], out: &mut Vec<u8>) {
        out.push(id);
        leb(body.len(), out);
        out.extend_from_slice(body);
    }

    #[test]
    fn types_within_types_are_counted() {
        let nested = |depth: usize| {
            // One type: a component type with one declaration, a type, and so on; the last has none.
            let mut body = vec![1];
            body.extend([0x41, 1, 1].repeat(depth));
            body.extend([0x41, 0]);
            let mut wasm = HEAD.to_vec();
            section(7, &body, &mut wasm);
            wasm
        };
        assert!(check(&nested(20)).is_ok());
        assert!(check(&nested(200)).is_err());
        assert!(check(&nested(1_000_000)).is_err());
    }

    #[test]
    fn components_within_components_are_counted() {
        let nested = |depth: usize| {
            let mut wasm = HEAD.to_vec();
            for _ in 0..depth {
                let inner = std::mem::replace(&mut wasm, HEAD.to_vec());
                section(4, &inner, &mut wasm);
            }
            wasm
        };
        assert!(check(&nested(10)).is_ok());
        assert!(check(&nested(2000)).is_err());
    }

    #[test]
    fn real_components_pass() {
        let text = r#"(component
            (type $t (component
                (type (instance (type (func (param "x" u32) (result string))) (export "f" (func (type 0)))))
                (import "i" (instance (type 0)))
                (core type (module (import "a" "b" (func))))
                (type (record (field "a" u8)))))
            (type (instance (export "r" (type (sub resource)))))
            (component (core module (func)) (component)))"#;
        assert!(check(&wat::parse_str(text).expect("a component")).is_ok());
        assert!(check(b"no module").is_err());
    }
}
