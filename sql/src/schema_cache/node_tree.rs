//! Parser of a view's stored definition (PostgreSQL's node tree). Finds the view columns that expose a column of another relation
//! unchanged.

/// Origin of a view column: a column of another relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    /// Number of the view column, from 1.
    pub(super) column: i16,
    /// OID of the relation that the view column reads.
    pub(super) relation: u32,
    /// Column number in the relation that the view column reads.
    pub(super) relation_column: i16,
    /// Range table index of the relation from which the column is read; `None` if the column is an expression.
    pub(super) variable: Option<u32>,
}

/// Returns the origins of a view's columns, from the target list of the view's outermost query.
pub(super) fn origins(tree: &str) -> Vec<Origin> {
    let mut origins = Vec::new();
    let mut tokens = Tokens(tree);
    let mut depth = 0_usize;
    // Nesting depth of the target list, set while the parser is inside the target list: `({QUERY :targetList ({TARGETENTRY …} …) …})`.
    let mut list: Option<usize> = None;
    let mut entry = Entry::default();
    while let Some(token) = tokens.next() {
        match token {
            "(" | "{" => {
                depth += 1;
                if list.is_some_and(|list| depth == list + 2) {
                    entry = Entry::default();
                }
            }
            ")" | "}" => {
                if list.is_some_and(|list| depth == list + 2) {
                    origins.extend(entry.origin());
                }
                if list.is_some_and(|list| depth == list + 1) {
                    return origins;
                }
                depth = depth.saturating_sub(1);
            }
            ":targetList" if depth == 2 && list.is_none() => list = Some(depth),
            ":varno" if list.is_some_and(|list| depth == list + 3) => {
                entry.variable = tokens.next().and_then(|index| index.parse().ok());
            }
            ":resno" | ":resorigtbl" | ":resorigcol" if list.is_some_and(|list| depth == list + 2) => {
                let value = tokens.next().unwrap_or_default();
                match token {
                    ":resno" => entry.column = value.parse().ok(),
                    ":resorigtbl" => entry.relation = value.parse().ok(),
                    _ => entry.relation_column = value.parse().ok(),
                }
            }
            _ => {}
        }
    }
    origins
}

#[derive(Default)]
struct Entry {
    column: Option<i16>,
    relation: Option<u32>,
    relation_column: Option<i16>,
    variable: Option<u32>,
}

impl Entry {
    fn origin(&self) -> Option<Origin> {
        let origin = Origin {
            column: self.column?,
            relation: self.relation?,
            relation_column: self.relation_column?,
            variable: self.variable,
        };
        (origin.relation != 0).then_some(origin)
    }
}

/// Tokenizer of a node tree: brackets, and words between spaces; a backslash escapes the next character.
pub(super) struct Tokens<'a>(pub(super) &'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_ascii_start();
        let is_bracket = |byte: u8| matches!(byte, b'(' | b')' | b'{' | b'}');
        let first = *rest.as_bytes().first()?;
        let end = if is_bracket(first) {
            1
        } else {
            let mut escaped = false;
            rest.bytes()
                .position(|byte| {
                    let ends = !escaped && (byte.is_ascii_whitespace() || is_bracket(byte));
                    escaped = !escaped && byte == b'\\';
                    ends
                })
                .unwrap_or(rest.len())
        };
        let (token, rest) = rest.split_at_checked(end)?;
        self.0 = rest;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_outermost_target_list_only() {
        let tree = r"({QUERY :commandType 1 :rtable ({RTE :subquery {QUERY :targetList ({TARGETENTRY :expr {VAR :varno 1} :resno 9 :resname x :resorigtbl 7 :resorigcol 7 :resjunk false})}}) :targetList ({TARGETENTRY :expr {VAR :varno 1 :location 8} :resno 1 :resname a\ \{b :ressortgroupref 0 :resorigtbl 16385 :resorigcol 2 :resjunk false} {TARGETENTRY :expr {CONST :constvalue 4 [ 1 0 0 0 ]} :resno 2 :resname n :resorigtbl 0 :resorigcol 0 :resjunk false}) :override 0})";
        assert_eq!(origins(tree), [Origin { column: 1, relation: 16385, relation_column: 2, variable: Some(1) }]);
    }

    #[test]
    fn survives_what_is_no_tree() {
        assert_eq!(origins(""), []);
        assert_eq!(origins("})({ :targetList"), []);
    }
}
