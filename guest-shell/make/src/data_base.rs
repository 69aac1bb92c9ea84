//! `-p`: the variables and rules, in make's own language.

use crate::node::Recipe;
use crate::say::bytes;
use crate::session::Make;
use crate::text::{Text, join};
use crate::vars::Origin;
use sandshell_sys as sys;
use std::rc::Rc;

impl Make {
    /// Prints what make knows.
    pub(crate) fn print_data(&self) {
        let mut out = b"# GNU Make 4.3\n\n# Variables\n\n".to_vec();
        let mut variables: Vec<_> = self.global.iter().collect();
        variables.sort_by_key(|(name, _)| *name);
        for (name, var) in variables {
            let kind = match var.origin {
                Origin::Default => "default",
                Origin::Environment => "environment",
                Origin::File => "makefile",
                Origin::EnvironmentOverride => "environment under -e",
                Origin::CommandLine => "command line",
                Origin::Override => "'override' directive",
                Origin::Automatic => "automatic",
            };
            let op = if var.recursive { " = " } else { " := " };
            out.extend_from_slice(&if var.value.contains(&b'\n') {
                bytes!("# ", kind, "\ndefine ", name, "\n", var.value, "\nendef\n")
            } else {
                bytes!("# ", kind, "\n", name, op, var.value, "\n")
            });
        }
        out.extend_from_slice(b"\n# Implicit Rules\n");
        for rule in &self.rules {
            out.extend_from_slice(&bytes!("\n", join(&rule.target_texts), ": ", join(&rule.needs), "\n"));
            print_recipe(&mut out, rule.recipe.as_ref());
        }
        out.extend_from_slice(b"\n# Files\n");
        for node in self.graph.iter() {
            let names = |order: bool| {
                let links = node.links.iter().filter(|l| l.order_only == order);
                join(links.map(|l| &self.graph[l.to].name))
            };
            let (normal, order) = (names(false), names(true));
            let bar = if order.is_empty() { "" } else { " | " };
            let colon = if node.double_colon { "::" } else { ":" };
            out.extend_from_slice(&bytes!("\n", node.name, colon, " ", normal, bar, order, "\n"));
            print_recipe(&mut out, node.recipe.as_ref());
        }
        let _ = sys::write_all(1, &out);
    }
}

fn print_recipe(out: &mut Text, recipe: Option<&Rc<Recipe>>) {
    for line in recipe.iter().flat_map(|r| &r.lines) {
        out.extend_from_slice(&bytes!("\t", line, "\n"));
    }
}
