//! Finds the view columns that an outer join may fill with nulls, in PostgreSQL's node tree of the view's definition.

use std::collections::HashSet;

use super::node_tree::Tokens;

/// Maximum nesting depth of nodes; parsing stops at deeper nodes.
const MAX_DEPTH: usize = 1_000;

/// Values of PostgreSQL's `JoinType` (nodes.h).
const LEFT: &str = "1";
const FULL: &str = "2";
const RIGHT: &str = "3";

/// Node of the tree that contains the current token.
#[derive(Default)]
struct Node {
    /// Field of the node whose value the parser is reading.
    field: Field,
    join: String,
    /// Whether an outer join may replace the rows of the node's child nodes by nulls.
    nullable: bool,
    /// Whether the node does not belong to the query's joins, because it is a condition or a subquery in a condition.
    is_apart: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Field {
    #[default]
    Other,
    From,
    Left,
    Right,
}

/// Returns the range table indexes of relations on the nullable side of an outer join in the outermost query, and of the joins on such a
/// side.
pub(super) fn nullable_relations(tree: &str) -> HashSet<u32> {
    let mut found = HashSet::new();
    let mut tokens = Tokens(tree);
    // Nodes that contain the current token, from the outermost query's `:jointree`; empty before `:jointree`.
    let mut nodes: Vec<Node> = Vec::new();
    let mut depth = 0_usize;
    while let Some(token) = tokens.next() {
        match token {
            "{" | "(" if !nodes.is_empty() => {
                if nodes.len() > MAX_DEPTH {
                    return found;
                }
                nodes.push(nodes.last().map(|parent| parent.below(token)).unwrap_or_default());
            }
            "}" | ")" if !nodes.is_empty() => {
                nodes.pop();
                if nodes.len() <= 1 {
                    return found;
                }
            }
            "{" | "(" => depth += 1,
            "}" | ")" => depth = depth.saturating_sub(1),
            ":jointree" if depth == 2 && nodes.is_empty() => nodes.push(Node { field: Field::From, ..Node::default() }),
            field if field.starts_with(':') => {
                let Some(node) = nodes.last_mut() else { continue };
                node.field = match field {
                    ":fromlist" => Field::From,
                    ":larg" => Field::Left,
                    ":rarg" => Field::Right,
                    _ => Field::Other,
                };
                if field == ":jointype" {
                    tokens.next().unwrap_or_default().clone_into(&mut node.join);
                } else if field == ":rtindex" {
                    let index: Option<u32> = tokens.next().and_then(|index| index.parse().ok());
                    found.extend(index.filter(|_| !node.is_apart && (node.nullable || node.join == FULL)));
                }
            }
            _ => {}
        }
    }
    found
}

impl Node {
    /// Returns a child node for the value of the field that the parser is reading. `bracket` is the beginning of the value: `{` of a node,
    /// `(` of a list.
    fn below(&self, bracket: &str) -> Self {
        let field = if bracket == "(" { self.field } else { Field::Other };
        let join = match self.field {
            Field::Left => self.join == RIGHT || self.join == FULL,
            Field::Right => self.join == LEFT || self.join == FULL,
            Field::From | Field::Other => false,
        };
        let is_apart = self.is_apart || self.field == Field::Other;
        Self { field, join: String::new(), nullable: self.nullable || join, is_apart }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(kind: &str, left: &str, right: &str, index: u32) -> String {
        format!(
            "{{JOINEXPR :jointype {kind} :isNatural false :larg {left} :rarg {right} :quals {{OPEXPR :args ({{SUBLINK :subselect \
             {{QUERY :jointree {{FROMEXPR :fromlist ({{JOINEXPR :jointype 2 :larg {{RANGETBLREF :rtindex 1}} :rtindex 9}})}}}}}})}} :alias <> :rtindex {index}}}"
        )
    }

    fn relation(index: u32) -> String {
        format!("{{RANGETBLREF :rtindex {index}}}")
    }

    fn nullable(from: &str) -> Vec<u32> {
        let tree = format!(
            "({{QUERY :rtable ({{RTE :x 1}}) :jointree {{FROMEXPR :fromlist ({from}) :quals <>}} :targetList ()}})"
        );
        let mut found: Vec<u32> = nullable_relations(&tree).into_iter().collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn the_other_side_of_an_outer_join_may_be_missing() {
        assert!(nullable(&relation(1)).is_empty());
        assert!(nullable(&join("0", &relation(1), &relation(2), 3)).is_empty());
        assert_eq!(nullable(&join("1", &relation(1), &relation(2), 3)), [2]);
        assert_eq!(nullable(&join("3", &relation(1), &relation(2), 3)), [1]);
        assert_eq!(nullable(&join("2", &relation(1), &relation(2), 3)), [1, 2, 3]);
        // This inner join is on the nullable side of an outer join.
        let inner = join("0", &relation(2), &relation(3), 4);
        assert_eq!(nullable(&join("1", &relation(1), &inner, 5)), [2, 3, 4]);
    }

    #[test]
    fn what_is_no_tree_has_no_joins() {
        assert!(nullable_relations("").is_empty());
        assert!(nullable_relations("})({ :jointree :rtindex").is_empty());
    }
}
