//! The one table of clouds.

/// Calls a macro of the caller's with all clouds: what the registry, the emulator's vendors and the tests' clients are
/// made of. Not part of the interface.
///
/// Each row is the name of the vendor, the module in this crate and in the emulator with the name of its feature, the
/// client's provider and options, and the sets of variables of which one set is needed.
#[doc(hidden)]
#[macro_export]
macro_rules! each_cloud {
    ($callback:ident) => {
        $callback! {
            /// Amazon Bedrock AgentCore.
            AgentCore, agentcore, "agentcore", AgentCoreProvider, AgentCoreOptions,
                [["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]];
            /// Daytona.
            Daytona, daytona, "daytona", DaytonaProvider, DaytonaOptions, [["DAYTONA_API_KEY"]];
            /// Deno Sandbox.
            Deno, deno, "deno", DenoProvider, DenoOptions, [["DENO_DEPLOY_TOKEN"]];
            /// E2B.
            E2b, e2b, "e2b", E2bProvider, E2bOptions, [["E2B_API_KEY"]];
            /// LangSmith.
            LangSmith, langsmith, "langsmith", LangSmithProvider, LangSmithOptions,
                [["LANGSMITH_API_KEY"], ["LANGSMITH_SANDBOX_API_KEY"], ["LANGCHAIN_API_KEY"]];
            /// Modal.
            Modal, modal, "modal", ModalProvider, ModalOptions, [["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"]];
            /// Runloop.
            Runloop, runloop, "runloop", RunloopProvider, RunloopOptions, [["RUNLOOP_API_KEY"]];
            /// Sandbox0.
            Sandbox0, sandbox0, "sandbox0", Sandbox0Provider, Sandbox0Options,
                [["SANDBOX0_TOKEN"], ["SANDBOX0_API_KEY"]];
            /// Vercel.
            Vercel, vercel, "vercel", VercelProvider, VercelOptions,
                [["VERCEL_TOKEN", "VERCEL_TEAM_ID", "VERCEL_PROJECT_ID"], ["VERCEL_OIDC_TOKEN"]];
        }
    };
}
