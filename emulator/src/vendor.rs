//! The vendors whose protocols are emulated.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use axum::Router;

use crate::fields::Fields;
use crate::http::Refusal;
use crate::options::Options;
use crate::world::World;

/// Each vendor has a module in this crate, whose name is the vendor's, with `FIELDS`, `KEY`, `variables`, `router` and
/// `refusal`.
macro_rules! vendors {
    ($($(#[$doc:meta])* $vendor:ident, $module:ident, $($_client:tt),*;)*) => {
        /// A vendor whose service can be emulated.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Vendor {
            $($(#[$doc])* $vendor,)*
        }

        impl Vendor {
            /// All vendors.
            pub const ALL: &'static [Self] = &[$(Self::$vendor),*];

            /// The name by which it is chosen.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$vendor => stringify!($module),)*
                }
            }

            /// The requests that the vendor's SDKs can make, and how their fields are treated.
            pub fn fields(self) -> &'static Fields {
                match self {
                    $(Self::$vendor => &crate::$module::FIELDS,)*
                }
            }

            /// The environment variables that point the vendor's SDK at an emulator at `url`, with `key` as the
            /// credential.
            pub fn variables(self, url: &str, key: &str) -> Vec<(&'static str, String)> {
                match self {
                    $(Self::$vendor => crate::$module::variables(url, key),)*
                }
            }

            /// A key in the form that the vendor's SDK requires.
            pub const fn example_key(self) -> &'static str {
                match self {
                    $(Self::$vendor => crate::$module::KEY,)*
                }
            }

            /// The service, and how it refuses what it does not have.
            pub(crate) fn service(
                self,
                world: Arc<World>,
                options: &Options,
            ) -> (Router, Refusal) {
                match self {
                    $(Self::$vendor => {
                        (crate::$module::router(world, options), crate::$module::refusal as Refusal)
                    })*
                }
            }
        }
    };
}

sandshell_providers::each_cloud!(vendors);

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
