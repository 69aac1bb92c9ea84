//! The contexts of a sandbox: Python interpreters that clients refer to by id.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use sandshell_providers::{Error, Sandbox};

use crate::ids::random_uuid;
use crate::kernel::Kernel;

/// Contexts by id.
#[derive(Default)]
pub(crate) struct Contexts(tokio::sync::Mutex<State>);

#[derive(Default)]
struct State {
    all: BTreeMap<String, Context>,
    /// The id of the context for code that names none.
    default: Option<String>,
}

/// The options that an interpreter starts with.
#[derive(Clone, Debug)]
pub(crate) struct InterpreterOptions {
    pub(crate) cwd: String,
    pub(crate) env: Vec<(String, String)>,
}

struct Context {
    options: InterpreterOptions,
    created: SystemTime,
    /// Started when code first runs in it, and again after it has ended.
    kernel: Option<Arc<Kernel>>,
}

/// A context as it is shown to clients.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) id: String,
    pub(crate) cwd: String,
    pub(crate) created: SystemTime,
    pub(crate) is_default: bool,
}

impl Contexts {
    /// Creates a context with a running interpreter.
    pub(crate) async fn create(
        &self,
        sandbox: &Arc<dyn Sandbox>,
        options: InterpreterOptions,
    ) -> Result<Shown, Error> {
        let mut context = Context { options, created: SystemTime::now(), kernel: None };
        context.running(sandbox).await?;
        let id = random_uuid();
        let shown = context.shown(&id, None);
        self.0.lock().await.all.insert(id, context);
        Ok(shown)
    }

    /// The interpreter of a context, started if it is not running; `None` if there is no such context. Without an
    /// id, it is that of the default context, which is created with these options if necessary.
    pub(crate) async fn kernel(
        &self,
        sandbox: &Arc<dyn Sandbox>,
        id: Option<&str>,
        options: impl FnOnce() -> InterpreterOptions,
    ) -> Result<Option<Arc<Kernel>>, Error> {
        let mut state = self.0.lock().await;
        let id = id.map_or_else(|| state.default(options), str::to_owned);
        match state.all.get_mut(&id) {
            Some(context) => context.running(sandbox).await.map(Some),
            None => Ok(None),
        }
    }

    /// All contexts. The default one is included even before it is used.
    pub(crate) async fn list(&self, options: impl FnOnce() -> InterpreterOptions) -> Vec<Shown> {
        let mut state = self.0.lock().await;
        state.default(options);
        state.all.iter().map(|(id, context)| context.shown(id, state.default.as_deref())).collect()
    }

    /// Ends a context; returns whether it existed.
    pub(crate) async fn remove(&self, id: &str) -> bool {
        let mut state = self.0.lock().await;
        state.default.take_if(|default| default == id);
        let Some(context) = state.all.remove(id) else { return false };
        context.end();
        true
    }

    /// Replaces a context's interpreter with a new one; `None` if there is no such context.
    pub(crate) async fn restart(&self, sandbox: &Arc<dyn Sandbox>, id: &str) -> Result<Option<Shown>, Error> {
        let mut state = self.0.lock().await;
        let default = state.default.clone();
        let Some(context) = state.all.get_mut(id) else { return Ok(None) };
        context.end();
        context.kernel = None;
        context.running(sandbox).await?;
        Ok(Some(context.shown(id, default.as_deref())))
    }

    /// Ends all interpreters. A context that is used again gets a new one.
    pub(crate) async fn end(&self) {
        self.0.lock().await.all.values().for_each(Context::end);
    }
}

impl State {
    fn default(&mut self, options: impl FnOnce() -> InterpreterOptions) -> String {
        if let Some(id) = &self.default {
            return id.clone();
        }
        let id = random_uuid();
        let context = Context { options: options(), created: SystemTime::now(), kernel: None };
        self.all.insert(id.clone(), context);
        self.default = Some(id.clone());
        id
    }
}

impl Context {
    async fn running(&mut self, sandbox: &Arc<dyn Sandbox>) -> Result<Arc<Kernel>, Error> {
        if let Some(kernel) = self.kernel.as_ref().filter(|kernel| kernel.is_alive()) {
            return Ok(kernel.clone());
        }
        let InterpreterOptions { cwd, env } = self.options.clone();
        let kernel = Kernel::start(sandbox.clone(), &cwd, env).await?;
        self.kernel = Some(kernel.clone());
        Ok(kernel)
    }

    fn end(&self) {
        if let Some(kernel) = &self.kernel {
            kernel.kill();
        }
    }

    fn shown(&self, id: &str, default: Option<&str>) -> Shown {
        let (id, cwd) = (id.to_owned(), self.options.cwd.clone());
        Shown { is_default: default == Some(&id), id, cwd, created: self.created }
    }
}
