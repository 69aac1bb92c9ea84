//! The vendors whose protocols are emulated.

use std::fmt;
use std::str::FromStr;

use crate::fields::Fields;

/// A vendor whose service can be emulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Vendor {
    /// Amazon Bedrock AgentCore.
    AgentCore,
    /// Daytona.
    Daytona,
    /// Deno Sandbox.
    Deno,
    /// E2B.
    E2b,
    /// LangSmith.
    LangSmith,
    /// Modal.
    Modal,
    /// Runloop.
    Runloop,
    /// Sandbox0.
    Sandbox0,
    /// Vercel.
    Vercel,
}

impl Vendor {
    /// All vendors.
    pub const ALL: &'static [Self] = &[
        Self::AgentCore,
        Self::Daytona,
        Self::Deno,
        Self::E2b,
        Self::LangSmith,
        Self::Modal,
        Self::Runloop,
        Self::Sandbox0,
        Self::Vercel,
    ];

    /// The name by which it is chosen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AgentCore => "agentcore",
            Self::Daytona => "daytona",
            Self::Deno => "deno",
            Self::E2b => "e2b",
            Self::LangSmith => "langsmith",
            Self::Modal => "modal",
            Self::Runloop => "runloop",
            Self::Sandbox0 => "sandbox0",
            Self::Vercel => "vercel",
        }
    }

    /// The requests that the vendor's SDKs can make, and how their fields are treated; `None` if they are not
    /// listed.
    pub fn fields(self) -> Option<&'static Fields> {
        match self {
            Self::Daytona => Some(&crate::daytona::FIELDS),
            Self::E2b => Some(&crate::e2b::FIELDS),
            Self::Modal => Some(&crate::modal::FIELDS),
            Self::Runloop => Some(&crate::runloop::FIELDS),
            Self::AgentCore => Some(&crate::agentcore::FIELDS),
            Self::Deno => Some(&crate::deno::FIELDS),
            Self::LangSmith => Some(&crate::langsmith::FIELDS),
            Self::Sandbox0 => Some(&crate::sandbox0::FIELDS),
            Self::Vercel => Some(&crate::vercel::FIELDS),
        }
    }

    /// The environment variables that point the vendor's SDK at an emulator at `url`, with `key` as the credential.
    pub fn variables(self, url: &str, key: &str) -> Vec<(&'static str, String)> {
        match self {
            Self::AgentCore => vec![
                ("BEDROCK_AGENTCORE_DP_ENDPOINT", url.to_owned()),
                ("BEDROCK_AGENTCORE_CP_ENDPOINT", url.to_owned()),
                ("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", url.to_owned()),
                ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE".to_owned()),
                ("AWS_SECRET_ACCESS_KEY", key.to_owned()),
                ("AWS_REGION", "us-west-2".to_owned()),
                ("AWS_DEFAULT_REGION", "us-west-2".to_owned()),
                ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
            ],
            Self::Daytona => {
                vec![("DAYTONA_API_URL", format!("{url}/api")), ("DAYTONA_API_KEY", key.to_owned())]
            }
            Self::Deno => vec![
                ("DENO_SANDBOX_ENDPOINT", url.to_owned()),
                ("DENO_DEPLOY_ENDPOINT", url.to_owned()),
                ("DENO_DEPLOY_TOKEN", key.to_owned()),
            ],
            Self::E2b => vec![
                ("E2B_API_URL", url.to_owned()),
                ("E2B_SANDBOX_URL", url.to_owned()),
                ("E2B_API_KEY", key.to_owned()),
            ],
            Self::LangSmith => vec![
                ("LANGSMITH_ENDPOINT", format!("{url}/langsmith")),
                ("LANGSMITH_API_KEY", key.to_owned()),
            ],
            Self::Modal => vec![
                ("MODAL_SERVER_URL", url.to_owned()),
                ("MODAL_TOKEN_ID", "ak-0000000000000000".to_owned()),
                ("MODAL_TOKEN_SECRET", key.to_owned()),
            ],
            Self::Runloop => vec![("RUNLOOP_BASE_URL", url.to_owned()), ("RUNLOOP_API_KEY", key.to_owned())],
            // Sandbox0's SDK gets its address from the calling code; only its adapter for Deep Agents reads the
            // variable.
            Self::Sandbox0 => {
                vec![("SANDBOX0_BASE_URL", url.to_owned()), ("SANDBOX0_TOKEN", key.to_owned())]
            }
            // None of Vercel's SDKs reads the address from a variable; the calling code must pass it.
            Self::Vercel => vec![
                ("VERCEL_SANDBOX_URL", format!("{url}/vercel/api")),
                ("VERCEL_TOKEN", key.to_owned()),
                ("VERCEL_TEAM_ID", "team_emulator".to_owned()),
                ("VERCEL_PROJECT_ID", "prj_emulator".to_owned()),
            ],
        }
    }

    /// A key in the form that the vendor's SDK requires.
    pub const fn example_key(self) -> &'static str {
        match self {
            Self::AgentCore => "0000000000000000000000000000000000000000",
            Self::Daytona => "dtn_0000000000000000",
            Self::Deno => "ddo_0000000000000000",
            Self::E2b => "e2b_0000000000000000000000000000000000000000",
            Self::LangSmith => "lsv2_pt_00000000000000000000000000000000",
            Self::Modal => "as-0000000000000000",
            Self::Runloop => "ak_0000000000000000",
            Self::Sandbox0 => "s0_0000000000000000",
            Self::Vercel => "vct_0000000000000000",
        }
    }
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Vendor {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|vendor| vendor.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|vendor| vendor.name()).collect();
            format!("unknown vendor {name:?}: known are {}", known.join(", "))
        })
    }
}
