//! `import` and `include`: finds modules, and compiles programs with them.

use crate::code::Code;
use crate::compile::Compiler;
use crate::compile::scope::{Binding, Scope, Source};
use crate::input;
use crate::lang::ast::{Import, Module};
use crate::lang::parser;
use crate::object::Object;
use crate::options;
use crate::text::Text;
use crate::value::Val;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// The places where modules are searched.
pub(crate) struct Loader {
    /// The directories of `-L`, or the default list.
    search: Vec<String>,
    /// The main program's directory.
    origin: String,
    /// The directory of the jq program.
    jq_origin: String,
    loaded: RefCell<HashMap<String, Option<Scope>>>,
    depth: Cell<usize>,
}

/// Adds the names of an import to a scope.
type ScopeExtension = Box<dyn FnOnce(Scope) -> Scope>;

/// The maximum nesting of imports. This limit is not jq's.
const MAX_DEPTH: usize = 100;

type Messages = Vec<String>;

/// Compiles a program. `Err` contains the messages for standard error.
pub(crate) fn compile(text: &[u8], loader: &Loader, globals: &Object) -> Result<Code, Messages> {
    let source = Rc::new(Source { name: "<top-level>".to_owned(), text: text.to_vec() });
    let module = parse(&source)?;
    let Some(main) = &module.main else {
        return Err(vec!["jq: error: Top-level program not given (try \".\")".to_owned()]);
    };
    let mut scope = Scope::new(Rc::clone(&source));
    if let Some(home) = std::env::var_os("HOME") {
        let file = format!("{}/.jq", home.to_string_lossy());
        if Path::new(&file).is_file() {
            scope = scope.import(&loader.module(&file)?, "");
        }
    }
    let scope = loader.enter(scope, &module, &loader.origin)?;
    let mut compiler = Compiler::new(globals);
    compiler.search_list = Val::arr(loader.search.iter().map(|s| Val::str(s)).collect());
    compiler.origin = Val::str(&loader.origin);
    compiler.program(main, &scope)
}

fn parse(source: &Rc<Source>) -> Result<Module, Messages> {
    parser::parse(&source.text).map_err(|complaints| {
        complaints.into_iter().map(|(text, at)| source.locate(&format!("jq: error: {text}"), at)).collect()
    })
}

impl Loader {
    pub(crate) fn new(library: Option<Vec<Vec<u8>>>, origin: &[u8], name: &str) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let search = match library {
            Some(list) => list.iter().map(|d| real_path(&text(d))).collect(),
            None => ["~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib"].map(str::to_owned).to_vec(),
        };
        let jq_origin = name.rsplit_once('/').map_or(".", |(dir, _)| dir).to_owned();
        Self {
            search,
            origin: real_path(&text(origin)),
            jq_origin,
            loaded: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// The scope with a module's imports and definitions.
    fn enter(&self, mut scope: Scope, module: &Module, origin: &str) -> Result<Scope, Messages> {
        let extensions: Vec<ScopeExtension> =
            module.imports.iter().map(|import| self.import(import, origin)).collect::<Result<_, _>>()?;
        // If two imports define the same name, the first one takes precedence.
        for extend in extensions.into_iter().rev() {
            scope = extend(scope);
        }
        Ok(module.definitions.iter().fold(scope, |scope, d| scope.define(d, 0)))
    }

    fn import(&self, import: &Import, origin: &str) -> Result<ScopeExtension, Messages> {
        let option = |name: &str| match &import.metadata {
            Some(Val::Obj(o)) => o.get(&Text::from(name)).cloned(),
            _ => None,
        };
        let suffix = if import.is_data { ".json" } else { ".jq" };
        let found = self.find(import.path.str(), option("search"), suffix, Some(origin));
        let file = match found {
            Ok(file) => file,
            Err(_) if option("optional") == Some(Val::Bool(true)) => return Ok(Box::new(|scope| scope)),
            Err(message) => return Err(vec![format!("jq: error: {message}\n")]),
        };
        let name = import.name.clone().unwrap_or_default();
        if import.is_data {
            let raw = option("raw") == Some(Val::Bool(true));
            let value = options::load(file.as_bytes(), raw)
                .map_err(|e| vec![format!("jq: error loading data file {file}: {e}\n")])?;
            return Ok(Box::new(move |scope| {
                let long = format!("{name}::{name}");
                let scope = scope.with(Binding::Data { name, value: value.clone() });
                scope.with(Binding::Data { name: long, value })
            }));
        }
        let module = self.module(&file)?;
        Ok(Box::new(move |scope| scope.import(&module, &name)))
    }

    /// The scope of a module's definitions.
    fn module(&self, file: &str) -> Result<Scope, Messages> {
        match self.loaded.borrow().get(file) {
            Some(Some(scope)) => return Ok(scope.clone()),
            Some(None) => return Err(vec![format!("jq: error: module {file} imports itself")]),
            None => {}
        }
        if self.depth.get() >= MAX_DEPTH {
            return Err(vec![format!("jq: error: modules are nested too deeply: {file}")]);
        }
        self.loaded.borrow_mut().insert(file.to_owned(), None);
        self.depth.set(self.depth.get() + 1);
        let text = std::fs::read(file).map_err(|e| {
            vec![format!(
                "jq: error loading data file {file}: Could not open {file}: {}\n",
                input::reason(&e)
            )]
        })?;
        let source = Rc::new(Source { name: file.to_owned(), text });
        let module = parse(&source)?;
        if module.main.is_some() {
            let text = "library should only have function definitions, not a main expression";
            return Err(vec![format!("jq: error: {text}\n<unknown location>")]);
        }
        let directory = file.rsplit_once('/').map_or(".", |(dir, _)| dir);
        let scope = self.enter(Scope::new(source), &module, directory)?;
        self.depth.set(self.depth.get() - 1);
        self.loaded.borrow_mut().insert(file.to_owned(), Some(scope.clone()));
        Ok(scope)
    }

    fn find(
        &self,
        path: &str,
        search: Option<Val>,
        suffix: &str,
        origin: Option<&str>,
    ) -> Result<String, String> {
        check_name(path)?;
        let list: Vec<String> = match search {
            None => std::iter::once(".".to_owned()).chain(self.search.iter().cloned()).collect(),
            Some(Val::Str(s)) => vec![s.str().to_owned()],
            Some(Val::Arr(list)) => {
                let texts = list.0.iter().filter_map(|v| match v {
                    Val::Str(s) => Some(s.str().to_owned()),
                    _ => None,
                });
                texts.collect()
            }
            Some(_) => return Err("Module search path must be an array".to_owned()),
        };
        let base = path.rsplit('/').next().unwrap_or(path);
        for directory in list {
            let directory = self.expand(&directory, origin);
            if directory.is_empty() {
                continue;
            }
            let candidates = [
                format!("{directory}/{path}{suffix}"),
                format!("{directory}/{path}/jq/main{suffix}"),
                format!("{directory}/{path}/{base}{suffix}"),
            ];
            if let Some(found) = candidates.into_iter().find(|c| Path::new(c).exists()) {
                return Ok(real_path(&found));
            }
        }
        Err(format!("module not found: {path}"))
    }

    fn expand(&self, directory: &str, origin: Option<&str>) -> String {
        if let Some(rest) = directory.strip_prefix("~/").or((directory == "~").then_some("")) {
            let home = std::env::var_os("HOME").unwrap_or_default();
            return format!("{}/{rest}", home.to_string_lossy());
        }
        if let Some(rest) = directory.strip_prefix("$ORIGIN/") {
            return format!("{}/{rest}", self.jq_origin);
        }
        match origin {
            Some(origin) if !directory.starts_with('/') => format!("{origin}/{directory}"),
            _ => directory.to_owned(),
        }
    }

    /// The result of `modulemeta`.
    pub(crate) fn metadata(&self, name: &str) -> Result<Val, String> {
        let file = self.find(name, None, ".jq", None)?;
        let text = std::fs::read(&file).map_err(|e| input::reason(&e))?;
        let Ok(module) = parser::parse(&text) else { return Ok(Val::Null) };
        let mut object = match &module.metadata {
            Some(Val::Obj(o)) => Object::clone(o),
            _ => Object::new(),
        };
        object.insert(Text::from("deps"), Val::arr(module.imports.iter().map(dependency).collect()));
        let names =
            module.definitions.iter().map(|d| Val::from_string(format!("{}/{}", d.name, d.parameters.len())));
        object.insert(Text::from("defs"), Val::arr(names.collect()));
        Ok(Val::obj(object))
    }
}

fn dependency(import: &Import) -> Val {
    let mut object = match &import.metadata {
        Some(Val::Obj(o)) => Object::clone(o),
        _ => Object::new(),
    };
    if let Some(name) = &import.name {
        object.insert(Text::from("as"), Val::str(name));
    }
    object.insert(Text::from("is_data"), Val::Bool(import.is_data));
    object.insert(Text::from("relpath"), Val::Str(import.path.clone()));
    Val::obj(object)
}

fn check_name(path: &str) -> Result<(), String> {
    if path.contains('\\') {
        return Err(format!("Modules must be named by relative paths using '/', not '\\' ({path})"));
    }
    let components: Vec<&str> = path.split('/').collect();
    if components.contains(&"..") {
        return Err(format!("Relative paths to modules may not traverse to parent directories ({path})"));
    }
    if components.windows(2).any(|w| w[0] == w[1]) {
        return Err(format!("module names must not have equal consecutive components: {path}"));
    }
    Ok(())
}

/// The path without symbolic links. If they cannot be resolved, the path itself.
fn real_path(path: &str) -> String {
    std::fs::canonicalize(path).map_or_else(|_| path.to_owned(), |p| p.to_string_lossy().into_owned())
}
