//! What a target is made of, and by which recipe.

use crate::node::NodeId;
use crate::say::Result;
use crate::session::Make;
use crate::text::{Pattern, join, reference_words};

impl Make {
    /// Completes a node: prerequisites that are expanded a second time, what a pattern rule gives, `.DEFAULT`.
    ///
    /// This is done when the walk comes to the node, as recipes may have made files by then.
    pub(crate) fn resolve(&mut self, id: NodeId) -> Result<()> {
        self.expand_deferred(id)?;
        let node = &mut self.graph[id];
        if !node.phony && node.recipe.is_none() && !std::mem::replace(&mut node.searched, true) {
            self.search_pattern_rule(id);
        }
        let node = &self.graph[id];
        if node.recipe.is_none() && !node.has_rule && !node.phony {
            let default = self.graph.find(b".DEFAULT").and_then(|d| self.graph[d].recipe.clone());
            self.graph[id].recipe = default;
        }
        Ok(())
    }

    fn expand_deferred(&mut self, id: NodeId) -> Result<()> {
        for deferred in std::mem::take(&mut self.graph[id].deferred) {
            let text = match &deferred.stem {
                Some(stem) => join(reference_words(&deferred.text).into_iter().map(|word| {
                    if word.contains(&b'%') { Pattern::new(word).fill(stem) } else { word.to_vec() }
                })),
                None => deferred.text,
            };
            let scope = self.automatic_scope(id, deferred.stem.as_deref());
            let loc = std::mem::replace(&mut self.loc, deferred.loc);
            let expanded = self.with_scopes_of(id, scope, |make| make.expand(&text));
            self.loc = loc;
            let links = self.parse_links(&expanded?, None);
            self.merge_links(id, links, deferred.first);
        }
        Ok(())
    }
}
