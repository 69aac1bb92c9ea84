//! All files that make knows of, by name.

use crate::node::{Node, NodeId};
use crate::text::Text;
use std::collections::HashMap;
use std::ops::{Index, IndexMut};

/// Nodes and the links between them. Nodes are never taken away.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    names: HashMap<Text, NodeId>,
}

impl Graph {
    /// The node of a name, a new one if there is none.
    pub(crate) fn intern(&mut self, name: &[u8]) -> NodeId {
        let name = plain_name(name);
        if let Some(id) = self.names.get(name) {
            return *id;
        }
        let id = self.nodes.len();
        self.nodes.push(Node { name: name.to_vec(), head: id, ..Node::default() });
        self.names.insert(name.to_vec(), id);
        id
    }

    /// The node of a name, if it is known.
    pub(crate) fn find(&self, name: &[u8]) -> Option<NodeId> {
        self.names.get(plain_name(name)).copied()
    }

    /// A new node for one more `::` rule of a name.
    pub(crate) fn add_double_colon(&mut self, head: NodeId) -> NodeId {
        let id = self.nodes.len();
        let (name, phony) = (self.nodes[head].name.clone(), self.nodes[head].phony);
        self.nodes.push(Node { name, head, phony, ..Node::default() });
        self.nodes[head].others.push(id);
        id
    }

    /// The nodes of a name, in the order of its `::` rules.
    pub(crate) fn group(&self, head: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + '_ {
        std::iter::once(head).chain(self.nodes[head].others.iter().copied())
    }

    /// The name as the recipe sees it.
    pub(crate) fn path(&self, id: NodeId) -> &[u8] {
        let node = &self.nodes[id];
        node.located.as_deref().unwrap_or(&node.name)
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Node> {
        self.nodes.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Node> {
        self.nodes.iter_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
}

impl Index<NodeId> for Graph {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }
}

impl IndexMut<NodeId> for Graph {
    fn index_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id]
    }
}

/// The name without `./` in front: `./x` and `x` are one file.
pub(crate) fn plain_name(mut name: &[u8]) -> &[u8] {
    while let Some(rest) = name.strip_prefix(b"./") {
        let slashes = rest.iter().take_while(|b| **b == b'/').count();
        let rest = rest.get(slashes..).unwrap_or_default();
        if rest.is_empty() {
            return b"./";
        }
        name = rest;
    }
    name
}
