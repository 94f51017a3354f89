//! Parses the conditions and sort keys in plans of `explain (verbose)`, to find the columns that are compared with one value. In a plan,
//! PostgreSQL writes parentheses around each expression with operators, and the table's alias in front of each column.

/// Functions whose result is the same for all rows of a statement, so that PostgreSQL can search an index for the result. The list also
/// contains keywords and type names that are followed by a parenthesis but are not functions.
const WITHOUT_ROW: [&str; 10] =
    ["any", "array", "coalesce", "nullif", "current_setting", "now", "varying", "character", "numeric", "timestamp"];
/// Functions of schema `auth` whose result is the same for all rows of a statement.
const OF_AUTH: [&str; 4] = ["uid", "role", "email", "jwt"];

/// A column that a condition compares with one value or a list of values.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Equality {
    pub(super) column: String,
    /// Whether the comparison converts the column to text. In this case an index on the column helps only if the column has the type
    /// `varchar`.
    pub(super) is_text: bool,
}

/// A column of a sort key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct SortColumn {
    pub(super) column: String,
    /// Direction of the column as an index definition contains it; empty for ascending.
    pub(super) direction: &'static str,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Token {
    Word(String),
    /// Quoted identifier.
    Quoted(String),
    /// String, number or parameter.
    Value,
    Open,
    Close,
    Dot,
    /// Operator, `::` or another character.
    Other(String),
}

/// Returns the columns of a scanned table that its filter compares with one value or a list of values. Only comparisons that every resulting
/// row must meet are returned, because an index can search for them.
pub(super) fn equalities(filter: &str, alias: &str) -> Vec<Equality> {
    let tokens = tokens(filter);
    conjuncts(&tokens).into_iter().filter_map(|conjunct| equality(conjunct, alias)).collect()
}

/// Returns the column of a sort key. `None` if the key is an expression, or has another collation than the column.
pub(super) fn sort_column(key: &str, alias: &str) -> Option<SortColumn> {
    let tokens = tokens(key);
    let (name, rest) = tokens.split_at_checked(3)?;
    let column = column(name, alias)?.column;
    let words: Vec<&str> = rest.iter().map(Token::word).collect::<Option<_>>()?;
    let direction = match words.as_slice() {
        [] => "",
        ["DESC"] => " desc",
        ["NULLS", "FIRST"] => " nulls first",
        ["DESC", "NULLS", "LAST"] => " desc nulls last",
        _ => return None,
    };
    Some(SortColumn { column, direction })
}

/// Splits a condition at its outermost `AND`.
fn conjuncts(tokens: &[Token]) -> Vec<&[Token]> {
    let inner = without_parentheses(tokens);
    let parts = split(inner, |token| token.word() == Some("AND"));
    match parts.as_slice() {
        [only] => vec![only],
        _ => parts.into_iter().flat_map(conjuncts).collect(),
    }
}

fn equality(tokens: &[Token], alias: &str) -> Option<Equality> {
    let is_equals = |token: &Token| matches!(token, Token::Other(text) if text == "=");
    let [left, right] = <[&[Token]; 2]>::try_from(split(tokens, is_equals)).ok()?;
    if is_without_row(right) {
        return column(left, alias);
    }
    // The compared column is on the right side of `=`. The left side must be a single value, because a list of values is possible on the
    // right side only.
    column(right, alias).filter(|_| is_without_row(left))
}

fn column(tokens: &[Token], alias: &str) -> Option<Equality> {
    let (table, column, is_text) = match tokens {
        [table, Token::Dot, column] => (table, column, false),
        [Token::Open, table, Token::Dot, column, Token::Close, Token::Other(cast), kind]
            if cast == "::" && kind.word() == Some("text") =>
        {
            (table, column, true)
        }
        _ => return None,
    };
    (table.name()? == alias).then_some(())?;
    Some(Equality { column: column.name()?.to_owned(), is_text })
}

/// Whether an expression contains no column, no function outside of [`WITHOUT_ROW`] and [`OF_AUTH`], and no subquery that
/// runs for each row.
fn is_without_row(tokens: &[Token]) -> bool {
    let at = |index: usize| tokens.get(index);
    !tokens.is_empty()
        && tokens.iter().enumerate().all(|(index, token)| {
            let Some(name) = token.name() else { return true };
            let is_called = at(index + 1) == Some(&Token::Open);
            let follows_dot = index.checked_sub(1).and_then(at) == Some(&Token::Dot);
            // The token before the dot is a schema, a table alias, or the closing parenthesis of `(InitPlan 1).col1`.
            let before_dot = index.checked_sub(2).filter(|_| follows_dot).and_then(at);
            match (is_called, before_dot) {
                (true, None) => WITHOUT_ROW.contains(&name.to_ascii_lowercase().as_str()),
                (true, Some(schema)) => schema.name() == Some("auth") && OF_AUTH.contains(&name),
                (false, Some(before)) => {
                    let is_type = matches!(index.checked_sub(3).and_then(at), Some(Token::Other(cast)) if cast == "::");
                    is_type || *before == Token::Close
                }
                (false, None) => !matches!(name, "SubPlan" | "AND" | "OR" | "NOT" | "COLLATE"),
            }
        })
}

/// Removes the parentheses around a whole expression.
fn without_parentheses(tokens: &[Token]) -> &[Token] {
    let mut tokens = tokens;
    while let [Token::Open, inner @ .., Token::Close] = tokens {
        let mut depth = 0_i32;
        let closes_early = inner.iter().any(|token| {
            depth += token.step();
            depth < 0
        });
        if closes_early {
            break;
        }
        tokens = inner;
    }
    tokens
}

/// Splits an expression at the separators that are not inside parentheses or brackets.
fn split(tokens: &[Token], is_separator: impl Fn(&Token) -> bool) -> Vec<&[Token]> {
    let mut depth = 0_i32;
    tokens
        .split(|token| {
            depth += token.step();
            depth == 0 && is_separator(token)
        })
        .collect()
}

impl Token {
    fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    fn name(&self) -> Option<&str> {
        match self {
            Self::Word(name) | Self::Quoted(name) => Some(name),
            _ => None,
        }
    }

    fn step(&self) -> i32 {
        match self {
            Self::Open => 1,
            Self::Close => -1,
            Self::Other(text) if text == "[" => 1,
            Self::Other(text) if text == "]" => -1,
            _ => 0,
        }
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '\'' => (Token::Value, quoted(rest, '\'')),
            '"' => {
                let length = quoted(rest, '"');
                let inner = rest.get(1..length.saturating_sub(1)).unwrap_or_default();
                (Token::Quoted(inner.replace("\"\"", "\"")), length)
            }
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '.' => (Token::Dot, 1),
            '$' => (Token::Value, 1 + run(rest.get(1..).unwrap_or_default(), |c| c.is_ascii_digit())),
            _ if first.is_ascii_digit() => (Token::Value, run(rest, |c| c.is_ascii_alphanumeric() || c == '.')),
            _ if is_of_word(first) => {
                let length = run(rest, |c| is_of_word(c) || c.is_ascii_digit() || c == '$');
                (Token::Word(rest.get(..length).unwrap_or_default().to_owned()), length)
            }
            _ => {
                let length = run(rest, |c| "+-*/<>=~!@#%^&|`?:".contains(c)).max(first.len_utf8());
                (Token::Other(rest.get(..length).unwrap_or_default().to_owned()), length)
            }
        };
        tokens.push(token);
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    tokens
}

fn is_of_word(character: char) -> bool {
    character.is_alphabetic() || character == '_' || !character.is_ascii()
}

/// Returns the length in bytes of the longest prefix of `text` whose characters all meet the condition `is_part`.
fn run(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|character| !is_part(character)).unwrap_or(text.len())
}

/// Returns the length in bytes of the quoted text with which `text` begins. A doubled quote inside the quoted text stands for one quote.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_open = false;
    for (at, character) in text.char_indices() {
        if character == quote {
            is_open = !is_open;
        }
        let next = text.get(at + character.len_utf8()..).and_then(|after| after.chars().next());
        if !is_open && next != Some(quote) {
            return at + character.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(filter: &str, alias: &str) -> Vec<String> {
        equalities(filter, alias).into_iter().map(|equality| equality.column).collect()
    }

    // The filters in this test have the form in which PostgreSQL 15 and 17 write them.
    #[test]
    fn columns_that_are_compared_with_one_value_are_found() {
        for (filter, expected) in [
            ("(r.sensor = $1)", vec!["sensor"]),
            ("((r.sensor = $1) AND (r.flag = $2))", vec!["sensor", "flag"]),
            (
                "(r.flag AND (NOT r.old) AND ((r.kind)::text = 'a''b ( AND c'::text) AND (r.sensor = ANY ('{1,2}'::integer[])))",
                vec!["kind", "sensor"],
            ),
            ("((r.kind)::text = ANY ((ARRAY[$1, $2])::text[]))", vec!["kind"]),
            ("((r.kind)::text = ANY (ARRAY[($1)::text, ($2)::text]))", vec!["kind"]),
            (
                "(r.owner = (COALESCE(NULLIF(current_setting('request.jwt.claim.sub'::text, true), ''::text), ((NULLIF(current_setting('request.jwt.claims'::text, true), ''::text))::jsonb ->> 'sub'::text)))::uuid)",
                vec!["owner"],
            ),
            ("(r.owner = auth.uid())", vec!["owner"]),
            ("(r.owner = $0)", vec!["owner"]),
            ("(r.mood = 'calm'::app.mood)", vec!["mood"]),
            ("(r.owner = (InitPlan 1).col1)", vec!["owner"]),
            ("($1 = r.sensor)", vec!["sensor"]),
            ("((r.sensor = '-5'::integer) AND (r.\"A \"\"B\" = 1.5) AND (r.c = true))", vec!["sensor", "A \"B", "c"]),
        ] {
            assert_eq!(columns(filter, "r"), expected, "{filter}");
        }
        assert_eq!(columns("(\"R x\".\"Mixed Name\" = $1)", "R x"), ["Mixed Name"]);
        assert!(equalities("((r.kind)::text = $1)", "r").iter().all(|equality| equality.is_text));
    }

    #[test]
    fn what_an_index_cannot_search_for_is_no_equality() {
        for filter in [
            "((r.sensor = $1) OR (r.sensor = $2))",
            "(((r.sensor = ANY ($1)) AND (r.sensor <> 3)) OR (r.sensor = 7))",
            "(r.sensor = r.other)",
            "(r.kind = 'a'::text COLLATE \"C\")",
            "(other.sensor = $1)",
            "(r.sensor > $1)",
            "(lower(r.name) = $1)",
            "((r.sensor)::numeric = $1)",
            "(r.sensor = ((random() * '10'::double precision))::integer)",
            "(r.sensor = public.volatile_one())",
            "(r.sensor = (SubPlan 1))",
            "(NOT (r.sensor = $1))",
            "((r.sensor = $1) IS NOT TRUE)",
            "(hashed SubPlan 1)",
            "(r.name ~~ 'x = y'::text)",
            "(r.sensor <> ALL ('{1,2}'::integer[]))",
            "(r.sensor = ALL ($1))",
            "(r.sensor",
            "'",
            "",
        ] {
            assert_eq!(columns(filter, "r"), Vec::<String>::new(), "{filter}");
        }
    }

    #[test]
    fn sort_keys_keep_their_direction() {
        for (key, expected) in [
            ("r.at", Some(("at", ""))),
            ("r.at DESC", Some(("at", " desc"))),
            ("r.\"At\" DESC NULLS LAST", Some(("At", " desc nulls last"))),
            ("r.at NULLS FIRST", Some(("at", " nulls first"))),
            ("r.kind COLLATE \"C\"", None),
            ("(lower(r.kind))", None),
            ("other.at", None),
            ("at", None),
        ] {
            let found = sort_column(key, "r");
            let found = found.as_ref().map(|column| (column.column.as_str(), column.direction));
            assert_eq!(found, expected, "{key}");
        }
    }
}
