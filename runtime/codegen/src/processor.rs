//! Which processors code that is compiled ahead of time runs on: all of their kind from 2013 on.

use wasmtime::Config;

use crate::{Metering, config_for};

/// What the compiler may use on x86-64, with the processor's names: the level `x86-64-v2`. (On aarch64 it is the
/// architecture's first version.)
const X86_64: [(&str, &str); 5] = [
    ("has_sse3", "sse3"),
    ("has_ssse3", "ssse3"),
    ("has_sse41", "sse4.1"),
    ("has_sse42", "sse4.2"),
    ("has_popcnt", "popcnt"),
];

/// The configuration for `metering` and every processor of this target (a triple) from 2013 on, whatever the processor
/// is that compiles. Code compiled so loads into an engine with [`config`](crate::config).
///
/// # Errors
/// A target that the compiler does not support, or was not built for.
pub fn portable_config(metering: Metering, target: &str) -> wasmtime::Result<Config> {
    let mut config = config_for(metering, target.contains("windows"));
    config.target(target)?;
    if target.starts_with("x86_64") {
        for (flag, _) in X86_64 {
            #[allow(unsafe_code, reason = "the compiler's flags have no safe setter; the proof is below")]
            // SAFETY: the flags only say what the processor can do. wasmtime compares them with the processor before it
            // executes code that was compiled with them.
            unsafe {
                config.cranelift_flag_enable(flag);
            }
        }
    }
    Ok(config)
}

/// Whether this machine's processor can execute the code.
///
/// # Errors
/// What it lacks, as a sentence.
pub fn check_processor() -> Result<(), String> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "this processor is too old: it lacks {}, which processors have since about 2009",
        missing.join(", ")
    ))
}

#[cfg(target_arch = "x86_64")]
fn missing() -> Vec<&'static str> {
    let has = |name: &str| match name {
        "sse3" => is_x86_feature_detected!("sse3"),
        "ssse3" => is_x86_feature_detected!("ssse3"),
        "sse4.1" => is_x86_feature_detected!("sse4.1"),
        "sse4.2" => is_x86_feature_detected!("sse4.2"),
        "popcnt" => is_x86_feature_detected!("popcnt"),
        _ => false,
    };
    X86_64.iter().map(|(_, name)| *name).filter(|name| !has(name)).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn missing() -> Vec<&'static str> {
    let _ = X86_64;
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    const HERE: &str = concat!("x86_64", "-unknown-linux-gnu");

    #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
    #[test]
    fn portable_code_loads_here_and_names_no_newer_feature() {
        assert_eq!(check_processor(), Ok(()));
        let wasm = wat::parse_str(
            r#"(module (func (export "f") (param i64) (result i64) (i64.popcnt (local.get 0))))"#,
        )
        .expect("a module");
        for metering in [Metering::Plain, Metering::Metered] {
            let portable = wasmtime::Engine::new(&portable_config(metering, HERE).expect("a target"))
                .expect("an engine");
            let code = portable.precompile_module(&wasm).expect("code");
            let engine = wasmtime::Engine::new(&config(metering)).expect("an engine");
            #[allow(unsafe_code, reason = "loading compiled code")]
            // SAFETY: the compiler has just made it.
            let loaded = unsafe { wasmtime::Module::deserialize(&engine, &code) };
            assert!(loaded.is_ok(), "{:?}", loaded.err());
            // The code of another machine would be refused for what this one's processor has and that one's lacks.
            let native = engine.precompile_module(&wasm).expect("code");
            assert_ne!(native, code);
        }
    }

    #[test]
    fn an_unknown_target_is_an_error() {
        assert!(portable_config(Metering::Plain, "x86_64").is_ok());
        assert!(portable_config(Metering::Plain, "nonsense-target").is_err());
    }
}
