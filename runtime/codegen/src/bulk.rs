//! Splits bulk memory instructions into pieces.
//!
//! Code yields only at function entries and loop heads, but one `memory.fill` or `memory.copy` of a gigabyte takes up
//! to half a second, most of it for touching pages the first time. So modules are rewritten before they are compiled:
//! such an instruction becomes a call of a function that is added to the module, and that handles a large range in
//! pieces, in a loop. Small ranges, by far the most frequent, are copied by that function with a few loads and stores,
//! which is faster than the host function that implements the instruction.

use std::borrow::Cow;

use wasm_encoder::reencode::utils;
use wasm_encoder::reencode::{Error, Reencode, ReencodeComponent};
use wasm_encoder::{
    BlockType, CodeSection, Component, Function, FunctionSection, MemArg, Module, TypeSection, ValType,
};
use wasmparser::{Operator, Parser, Payload};

use crate::{Malformed, nesting, threads};

/// Bytes that are filled or copied at a time. They take some tenths of a millisecond, even in untouched memory.
const PIECE: i32 = 1 << 20;
/// The size of a page of linear memory.
const PAGE: i64 = 65536;

/// Must be increased whenever the code that a module is compiled to changes, so that caches do not mix versions.
pub const CODE_VERSION: u32 = 3;

/// Makes the large fills and copies of a module or component interruptible. Returns it unchanged if it has none.
///
/// # Errors
/// [`Malformed`] if it cannot be rewritten completely, or is nested too deeply for parsers. It must not be compiled
/// then, because it might contain code that cannot be interrupted. Custom sections are copied as they are, even if
/// malformed.
pub fn in_pieces(wasm: &[u8]) -> std::result::Result<Cow<'_, [u8]>, Malformed> {
    nesting::check(wasm)?;
    threads::check(wasm)?;
    let mut rewriter = Rewriter::default();
    if Parser::is_component(wasm) {
        let mut component = Component::new();
        rewriter.parse_component(&mut component, Parser::new(0), wasm)?;
        return Ok(if rewriter.changed { component.finish().into() } else { wasm.into() });
    }
    rewriter.module = Counts::of(Parser::new(0), wasm)?;
    if !rewriter.module.bulk {
        return Ok(wasm.into());
    }
    let mut module = Module::new();
    rewriter.parse_core_module(&mut module, Parser::new(0), wasm)?;
    if !rewriter.changed {
        return Err(Malformed::new("its code could not be found again"));
    }
    Ok(module.finish().into())
}

/// The numbers of a module's types and functions, and whether it has bulk instructions.
#[derive(Clone, Copy, Default)]
struct Counts {
    types: u32,
    functions: u32,
    bulk: bool,
}

impl Counts {
    fn of(parser: Parser, wasm: &[u8]) -> std::result::Result<Counts, Malformed> {
        let many = || Malformed::new("it has too many types or functions");
        let mut counts = Counts::default();
        for payload in parser.parse_all(wasm) {
            match payload? {
                Payload::TypeSection(groups) => {
                    for group in groups {
                        let types = u32::try_from(group?.types().len()).map_err(|_| many())?;
                        counts.types = counts.types.checked_add(types).ok_or_else(many)?;
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        if matches!(
                            import?.ty,
                            wasmparser::TypeRef::Func(_) | wasmparser::TypeRef::FuncExact(_)
                        ) {
                            counts.functions = counts.functions.checked_add(1).ok_or_else(many)?;
                        }
                    }
                }
                Payload::FunctionSection(functions) => {
                    counts.functions = counts.functions.checked_add(functions.count()).ok_or_else(many)?;
                }
                Payload::CodeSectionEntry(body) if !counts.bulk => {
                    for operator in body.get_operators_reader()? {
                        counts.bulk |= is_bulk(&operator?);
                    }
                }
                _ => {}
            }
        }
        Ok(counts)
    }
}

fn is_bulk(operator: &Operator<'_>) -> bool {
    matches!(operator, Operator::MemoryFill { mem: 0 } | Operator::MemoryCopy { dst_mem: 0, src_mem: 0 })
}

#[derive(Default)]
struct Rewriter {
    /// The module that is being rewritten.
    module: Counts,
    changed: bool,
}

type Result<T = ()> = std::result::Result<T, Error<Malformed>>;

impl Reencode for Rewriter {
    type Error = Malformed;

    /// Copies the section. The numbers of functions do not change, so the `name` section stays right, and a malformed
    /// one is harmless.
    fn parse_custom_section(
        &mut self,
        module: &mut Module,
        section: wasmparser::CustomSectionReader<'_>,
    ) -> Result {
        module.section(&self.custom_section(section)?);
        Ok(())
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result {
        utils::parse_type_section(self, types, section)?;
        if self.module.bulk {
            types.ty().function([ValType::I32; 3], []);
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result {
        utils::parse_function_section(self, functions, section)?;
        if self.module.bulk {
            functions.function(self.module.types).function(self.module.types);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Result {
        utils::parse_code_section(self, code, section)?;
        if self.module.bulk {
            self.changed = true;
            code.function(&fill()).function(&copy());
        }
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: wasmparser::FunctionBody<'_>) -> Result {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        let mut small = false;
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            match &operator {
                // A small constant length is kept as it is: the compiler handles it better.
                _ if small || !self.module.bulk => {
                    function.instruction(&self.instruction(operator.clone())?);
                }
                Operator::MemoryFill { mem: 0 } => {
                    function.instructions().call(self.module.functions);
                }
                Operator::MemoryCopy { dst_mem: 0, src_mem: 0 } => {
                    function.instructions().call(self.module.functions + 1);
                }
                _ => {
                    function.instruction(&self.instruction(operator.clone())?);
                }
            }
            small = matches!(operator, Operator::I32Const { value: 0..=PIECE });
        }
        code.function(&function);
        Ok(())
    }
}

impl ReencodeComponent for Rewriter {
    fn parse_component_custom_section(
        &mut self,
        component: &mut Component,
        section: wasmparser::CustomSectionReader<'_>,
    ) -> Result {
        component.section(&self.custom_section(section)?);
        Ok(())
    }

    fn parse_component_submodule(
        &mut self,
        component: &mut Component,
        parser: Parser,
        wasm: &[u8],
    ) -> Result {
        self.module = Counts::of(parser.clone(), wasm).map_err(Error::UserError)?;
        wasm_encoder::reencode::component_utils::parse_component_submodule(self, component, parser, wasm)
    }
}

const DST: u32 = 0;
/// The byte to fill with, or where to copy from.
const SRC: u32 = 1;
const LEN: u32 = 2;

/// `memory.fill`. A range that ends outside of the memory is passed to one instruction, which traps and fills nothing.
fn fill() -> Function {
    let mut function = Function::new([]);
    let mut code = function.instructions();
    code.local_get(LEN).i32_const(PIECE).i32_gt_u().if_(BlockType::Empty);
    in_bounds(&mut code, DST);
    code.if_(BlockType::Empty).loop_(BlockType::Empty);
    code.local_get(DST).local_get(SRC).i32_const(PIECE).memory_fill(0);
    code.local_get(DST).i32_const(PIECE).i32_add().local_set(DST);
    shorten(&mut code);
    again(&mut code);
    code.end().end().end();
    code.local_get(DST).local_get(SRC).local_get(LEN).memory_fill(0).end();
    function
}

/// `memory.copy`. Ranges may overlap, so it copies upwards or downwards, like the instruction.
fn copy() -> Function {
    let mut function = Function::new([(4, ValType::V128), (2, ValType::I64), (2, ValType::I32)]);
    let mut code = function.instructions();
    small_copy(&mut code);
    code.local_get(LEN).i32_const(PIECE).i32_gt_u().if_(BlockType::Empty);
    in_bounds(&mut code, DST);
    in_bounds(&mut code, SRC);
    code.i32_and().if_(BlockType::Empty);
    code.local_get(DST).local_get(SRC).i32_le_u().if_(BlockType::Empty);
    code.loop_(BlockType::Empty);
    code.local_get(DST).local_get(SRC).i32_const(PIECE).memory_copy(0, 0);
    for local in [DST, SRC] {
        code.local_get(local).i32_const(PIECE).i32_add().local_set(local);
    }
    shorten(&mut code);
    again(&mut code);
    code.end().else_().loop_(BlockType::Empty);
    shorten(&mut code);
    for local in [DST, SRC] {
        code.local_get(local).local_get(LEN).i32_add();
    }
    code.i32_const(PIECE).memory_copy(0, 0);
    again(&mut code);
    code.end().end().end().end();
    code.local_get(DST).local_get(SRC).local_get(LEN).memory_copy(0, 0).end();
    function
}

/// Copies at most 64 bytes. All is loaded before anything is stored, because the ranges may overlap. The first byte of
/// the target is read, and then the end is stored first, so that a range that leaves the memory or wraps around traps
/// before anything has changed.
fn small_copy(code: &mut wasm_encoder::InstructionSink<'_>) {
    const BLOCKS: [u32; 4] = [3, 4, 5, 6];
    const WORDS: [u32; 2] = [7, 8];
    const HALVES: [u32; 2] = [9, 10];
    let at = |offset: u64| MemArg { offset, align: 0, memory_index: 0 };
    let from_end = |code: &mut wasm_encoder::InstructionSink<'_>, start: u32, bytes: i32| {
        code.local_get(start).local_get(LEN).i32_add().i32_const(bytes).i32_sub();
    };
    // Copies the first and the last bytes of a range. Together they cover all of it.
    macro_rules! both_ends {
        ($bytes:literal, $locals:ident, $load:ident, $store:ident) => {
            code.local_get(SRC).$load(at(0)).local_set($locals[0]);
            from_end(code, SRC, $bytes);
            code.$load(at(0)).local_set($locals[1]);
            code.local_get(DST).i32_load8_u(at(0)).drop();
            from_end(code, DST, $bytes);
            code.local_get($locals[1]).$store(at(0));
            code.local_get(DST).local_get($locals[0]).$store(at(0)).return_();
        };
    }
    let at_least = |code: &mut wasm_encoder::InstructionSink<'_>, bytes: i32| {
        code.local_get(LEN).i32_const(bytes).i32_ge_u().if_(BlockType::Empty);
    };
    code.local_get(LEN).i32_const(64).i32_le_u().if_(BlockType::Empty);
    at_least(code, 16);
    at_least(code, 33);
    for (block, offset) in BLOCKS[..2].iter().zip([0, 16]) {
        code.local_get(SRC).v128_load(at(offset)).local_set(*block);
    }
    for (block, bytes) in BLOCKS[2..].iter().zip([32, 16]) {
        from_end(code, SRC, bytes);
        code.v128_load(at(0)).local_set(*block);
    }
    code.local_get(DST).i32_load8_u(at(0)).drop();
    for (block, bytes) in BLOCKS[2..].iter().zip([32, 16]).rev() {
        from_end(code, DST, bytes);
        code.local_get(*block).v128_store(at(0));
    }
    for (block, offset) in BLOCKS[..2].iter().zip([0, 16]) {
        code.local_get(DST).local_get(*block).v128_store(at(offset));
    }
    code.return_().end();
    both_ends!(16, BLOCKS, v128_load, v128_store);
    code.end();
    at_least(code, 8);
    both_ends!(8, WORDS, i64_load, i64_store);
    code.end();
    at_least(code, 4);
    both_ends!(4, HALVES, i32_load, i32_store);
    code.end();
    at_least(code, 2);
    both_ends!(2, HALVES, i32_load16_u, i32_store16);
    code.end();
    at_least(code, 1);
    code.local_get(DST).local_get(SRC).i32_load8_u(at(0)).i32_store8(at(0)).return_().end();
    // A length of 0 copies nothing. If an address is outside of the memory, the instruction after this must trap.
    in_bounds(code, DST);
    in_bounds(code, SRC);
    code.i32_and().if_(BlockType::Empty).return_().end().end();
}

/// Pushes whether the range that starts at this local ends inside of the memory.
fn in_bounds(code: &mut wasm_encoder::InstructionSink<'_>, start: u32) {
    code.local_get(start).i64_extend_i32_u().local_get(LEN).i64_extend_i32_u().i64_add();
    code.memory_size(0).i64_extend_i32_u().i64_const(PAGE).i64_mul().i64_le_u();
}

fn shorten(code: &mut wasm_encoder::InstructionSink<'_>) {
    code.local_get(LEN).i32_const(PIECE).i32_sub().local_set(LEN);
}

/// Ends a loop's body: repeats it while more than a piece is left.
fn again(code: &mut wasm_encoder::InstructionSink<'_>) {
    code.local_get(LEN).i32_const(PIECE).i32_gt_u().br_if(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmtime::{Engine, Instance, Store};

    const BULK: &str = r#"(module (memory (export "memory") 480)
        (func (export "fill") (param i32 i32 i32) (memory.fill (local.get 0) (local.get 1) (local.get 2)))
        (func (export "copy") (param i32 i32 i32) (memory.copy (local.get 0) (local.get 1) (local.get 2)))
        (func (export "clear") (memory.fill (i32.const 16) (i32.const 0) (i32.const 4))))"#;

    /// The memory after these calls. Each must trap or return as its last field says.
    fn run(wasm: &[u8], calls: &[(&str, [u32; 3], bool)]) -> Vec<u8> {
        let engine = Engine::default();
        let module = wasmtime::Module::from_binary(&engine, wasm).expect("a valid module");
        let mut store = Store::new(&engine, ());
        let instance = Instance::new(&mut store, &module, &[]).expect("an instance");
        let memory = instance.get_memory(&mut store, "memory").expect("a memory");
        // Every word of the memory is different.
        for (index, word) in memory.data_mut(&mut store).chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&(index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
        }
        for (name, arguments, traps) in calls {
            let function = instance.get_typed_func::<(u32, u32, u32), ()>(&mut store, name).expect(name);
            let [a, b, c] = *arguments;
            assert_eq!(function.call(&mut store, (a, b, c)).is_err(), *traps, "{name} {arguments:?}");
        }
        memory.data(&store).to_vec()
    }

    #[test]
    fn pieces_do_what_the_instructions_do() {
        const MIB: u32 = 1 << 20;
        let original = wat::parse_str(BULK).expect("a module");
        let changed = in_pieces(&original).expect("it has fills and copies");
        let all = 480 * 65536;
        let calls = [
            ("fill", [3, 7, 20 * MIB + 5], false),
            ("fill", [all - 9 * MIB, 8, 9 * MIB], false),
            ("copy", [1, 5 * MIB + 3, 24 * MIB + 1], false),
            ("copy", [5 * MIB + 3, 1, 24 * MIB + 1], false),
            ("copy", [5, 5, 20 * MIB], false),
            ("copy", [all - 13 * MIB, 0, 13 * MIB], false),
            ("fill", [all - 9 * MIB + 1, 9, 9 * MIB], true),
            ("fill", [0, 9, u32::MAX], true),
            ("fill", [u32::MAX, 9, u32::MAX], true),
            ("copy", [0, all - 9 * MIB + 1, 9 * MIB], true),
            ("copy", [all - 9 * MIB + 1, 0, 9 * MIB], true),
            ("copy", [0, 1, u32::MAX], true),
            ("copy", [all, 0, 0], false),
            ("fill", [all, 0, 0], false),
        ];
        assert!(run(&original, &calls) == run(&changed, &calls), "the memories differ");
    }

    #[test]
    fn small_copies_do_what_the_instruction_does() {
        let original = wat::parse_str(BULK).expect("a module");
        let changed = in_pieces(&original).expect("it has fills and copies");
        let all = 480 * 65536;
        let mut calls = Vec::new();
        for length in 0..=70 {
            for distance in [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 40, 64, 100] {
                let base = 1000 + length * 1000;
                calls.push(("copy", [base + distance, base, length], false));
                calls.push(("copy", [base + 300, base + 300 + distance, length], false));
            }
            calls.push(("copy", [all - length, 0, length], false));
            calls.push(("copy", [all - length + 1, 0, length], true));
            calls.push(("copy", [0, all - length, length], false));
            calls.push(("copy", [0, all - length + 1, length], true));
            calls.push(("copy", [u32::MAX - length / 2, 0, length], true));
            calls.push(("copy", [0, u32::MAX - length / 2, length], true));
        }
        assert!(run(&original, &calls) == run(&changed, &calls), "the memories differ");
    }

    #[test]
    fn modules_without_bulk_instructions_are_unchanged() {
        let plain = wat::parse_str("(module (memory 1) (func))").expect("a module");
        assert!(matches!(in_pieces(&plain), Ok(Cow::Borrowed(same)) if same == plain));
    }

    #[test]
    fn modules_that_cannot_be_rewritten_are_refused() {
        assert!(in_pieces(b"no module").is_err());
        let module = wat::parse_str(BULK).expect("a module");
        for end in 0..module.len() {
            // A module that is cut off between two sections may be a valid module itself.
            if let Ok(rewritten) = in_pieces(&module[..end]) {
                assert!(!Counts::of(Parser::new(0), &rewritten).expect("a module").bulk, "cut at {end}");
            }
        }
        let mut component = b"\0asm\x0d\0\x01\0\x01".to_vec();
        component.push(u8::try_from(module.len() - 3).expect("a short module"));
        component.extend_from_slice(&module[..module.len() - 3]);
        assert!(in_pieces(&component).is_err());
    }

    #[test]
    fn malformed_custom_sections_do_no_harm() {
        let garbage = |name: &str| {
            let mut section = vec![0, u8::try_from(name.len() + 5).expect("short"), name.len() as u8];
            section.extend_from_slice(name.as_bytes());
            section.extend_from_slice(&[1, 0xff, 0xff, 0xff]);
            section
        };
        let mut module = wat::parse_str(BULK).expect("a module");
        for name in ["name", "producers", "dylink.0", "linking", "target_features"] {
            module.extend(garbage(name));
        }
        let changed = in_pieces(&module).expect("custom sections do not matter");
        assert!(matches!(changed, Cow::Owned(_)), "its fills are still there");
        wasmtime::Module::from_binary(&Engine::default(), &changed).expect("a valid module");
    }

    #[test]
    fn the_modules_of_a_component_are_changed() {
        let text =
            format!("(component (core module {}", BULK.trim_start().trim_start_matches("(module")) + ")";
        let component = wat::parse_str(text).expect("a component");
        let changed = in_pieces(&component).expect("its module has fills");
        assert!(changed.len() > component.len() + 100);
        let engine = Engine::default();
        wasmtime::component::Component::from_binary(&engine, &changed).expect("a valid component");
    }
}
