//! Tables of capabilities: each row has a field, its documentation and its name.

/// Makes a struct of public flags from a table, with its constant `NONE`, `flags` and `set`.
macro_rules! capability_table {
    ($(#[$table_doc:meta])* $table:ident { $($(#[$doc:meta])* $name:ident,)* }) => {
        $(#[$table_doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $table {
            $($(#[$doc])* pub $name: bool,)*
        }

        impl $table {
            /// No capability.
            pub const NONE: Self = Self { $($name: false,)* };

            /// Every capability by name, in a fixed order.
            pub fn flags(&self) -> impl Iterator<Item = (&'static str, bool)> + use<> {
                [$((stringify!($name), self.$name),)*].into_iter()
            }

            /// Sets a capability by name; returns false if there is none of this name.
            pub fn set(&mut self, name: &str, value: bool) -> bool {
                match name {
                    $(stringify!($name) => self.$name = value,)*
                    _ => return false,
                }
                true
            }
        }
    };
}

pub(crate) use capability_table;
