//! Parses filters (`column=operator.value`) and trees of `and` and `or` conditions.

use super::fields::{delimiter, field, field_name, identifier, quoted};
use super::model::{
    Filter, FtsOperator, IsValue, LogicOperator, LogicTree, Operation, QuantOperator, Quantifier, SimpleOperator,
};
use super::parser::{Parsed, Parser};

const SIMPLE: [(&str, SimpleOperator); 9] = [
    ("neq", SimpleOperator::NotEqual),
    ("cs", SimpleOperator::Contains),
    ("cd", SimpleOperator::Contained),
    ("ov", SimpleOperator::Overlaps),
    ("sl", SimpleOperator::StrictlyLeft),
    ("sr", SimpleOperator::StrictlyRight),
    ("nxr", SimpleOperator::NotExtendsRight),
    ("nxl", SimpleOperator::NotExtendsLeft),
    ("adj", SimpleOperator::Adjacent),
];
const QUANT: [(&str, QuantOperator); 9] = [
    ("eq", QuantOperator::Equal),
    ("gte", QuantOperator::GreaterThanEqual),
    ("gt", QuantOperator::GreaterThan),
    ("lte", QuantOperator::LessThanEqual),
    ("lt", QuantOperator::LessThan),
    ("like", QuantOperator::Like),
    ("ilike", QuantOperator::ILike),
    ("match", QuantOperator::Match),
    ("imatch", QuantOperator::IMatch),
];
const FTS: [(&str, FtsOperator); 4] = [
    ("fts", FtsOperator::ToTsquery),
    ("plfts", FtsOperator::Plain),
    ("phfts", FtsOperator::Phrase),
    ("wfts", FtsOperator::Websearch),
];

/// A parser of an operator's value, which ends at the end of the query parameter, or at the end of a condition inside an `and` or `or`
/// tree.
pub(super) type Value = fn(&mut Parser<'_>) -> Parsed<String>;

/// Parses the rest of the query parameter as one value.
pub(super) fn whole_value(p: &mut Parser<'_>) -> Parsed<String> {
    p.text(|_| true, |p| p.satisfy(|_| true))
}

/// Parses `[not.]operator.value`. The boolean is true for a negated operation.
pub(super) fn operation(p: &mut Parser<'_>, value: Value) -> Parsed<(bool, Operation)> {
    let not = |p: &mut Parser<'_>| p.attempt(|p| p.string("not").and_then(|()| delimiter(p)));
    let negated = p.option(not)?.is_some();
    let operation = p.label("operator (eq, gt, ...)", |p| {
        let start = |p: &mut Parser<'_>, name| p.attempt(|p| p.string(name).and_then(|()| delimiter(p)));
        p.either(
            |p| start(p, "in").and_then(|()| list(p)).map(Operation::In),
            |p| {
                p.either(
                    |p| start(p, "is").and_then(|()| is_value(p)).map(Operation::Is),
                    |p| {
                        p.either(
                            |p| start(p, "isdistinct").and_then(|()| value(p)).map(Operation::IsDistinct),
                            |p| binary(p, value),
                        )
                    },
                )
            },
        )
    })?;
    Ok((negated, operation))
}

fn binary(p: &mut Parser<'_>, value: Value) -> Parsed<Operation> {
    let fts = |p: &mut Parser<'_>| {
        let operator = p.choice(&FTS)?;
        let language = p.option(|p| {
            p.attempt(|p| {
                p.char('(')?;
                let language = identifier(p)?;
                p.char(')')?;
                Ok(language)
            })
        })?;
        delimiter(p)?;
        Ok(Operation::Fts { operator, language, value: value(p)? })
    };
    let simple = |p: &mut Parser<'_>| {
        let operator = p.label("unknown single value operator", |p| p.choice(&SIMPLE))?;
        delimiter(p)?;
        Ok(Operation::Simple(operator, value(p)?))
    };
    let quant = |p: &mut Parser<'_>| {
        let operator = p.label("unknown single value operator", |p| p.choice(&QUANT))?;
        let quantifier = p.option(|p| {
            p.attempt(|p| {
                p.char('(')?;
                let quantifier = p.choice(&[("any", Quantifier::Any), ("all", Quantifier::All)])?;
                p.char(')')?;
                Ok(quantifier)
            })
        })?;
        delimiter(p)?;
        Ok(Operation::Quant(operator, quantifier, value(p)?))
    };
    p.either(|p| p.attempt(fts), |p| p.either(|p| p.attempt(simple), |p| p.attempt(quant)))
}

fn is_value(p: &mut Parser<'_>) -> Parsed<IsValue> {
    const VALUES: [(&str, IsValue); 5] = [
        ("null", IsValue::Null),
        ("not_null", IsValue::NotNull),
        ("true", IsValue::True),
        ("false", IsValue::False),
        ("unknown", IsValue::Unknown),
    ];
    p.label("isVal: (null, not_null, true, false, unknown)", |p| {
        let mut outcome = Err(super::parser::Failed);
        for (text, value) in VALUES {
            outcome = p.attempt(|p| {
                text.chars().try_for_each(|letter| p.satisfy(|c| c.eq_ignore_ascii_case(&letter)).map(drop))?;
                Ok(value)
            });
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    })
}

fn ends_item(c: char) -> bool {
    matches!(c, ',' | ')')
}

/// Parses a list like `(a,"b c",d)`.
fn list(p: &mut Parser<'_>) -> Parsed<Vec<String>> {
    p.lexeme(|p| p.char('('))?;
    let items = p.separated(|p| p.char(','), |p| p.either(|p| p.attempt(whole_quoted), plain))?;
    p.lexeme(|p| p.char(')'))?;
    Ok(items)
}

fn whole_quoted(p: &mut Parser<'_>) -> Parsed<String> {
    let text = quoted(p)?;
    p.attempt(|p| p.not_followed_by(|c| !ends_item(c)))?;
    Ok(text)
}

fn plain(p: &mut Parser<'_>) -> Parsed<String> {
    p.text(|c| !ends_item(c), |p| p.satisfy(|c| !ends_item(c)))
}

/// Parses a value inside an `and` or `or` tree: a quoted text, an array literal, or all characters up to the next comma or closing
/// parenthesis.
fn tree_value(p: &mut Parser<'_>) -> Parsed<String> {
    let array = |p: &mut Parser<'_>| {
        p.string("{")?;
        let inner: String = p.many(|p| p.satisfy(|c| !matches!(c, '{' | '}')))?.into_iter().collect();
        p.string("}")?;
        Ok(format!("{{{inner}}}"))
    };
    p.either(|p| p.attempt(whole_quoted), |p| p.either(|p| p.attempt(array), plain))
}

/// Parses a condition tree like `and(a.eq.1,not.or(b.gt.2,c.is.null))`.
pub(super) fn logic_tree(p: &mut Parser<'_>) -> Parsed<LogicTree> {
    let filter = |p: &mut Parser<'_>| {
        let field = field(p)?;
        delimiter(p)?;
        let (negated, operation) = operation(p, tree_value)?;
        Ok(LogicTree::Filter(Filter { field, negated, operation }))
    };
    p.either(
        |p| p.attempt(filter),
        |p| {
            let not = |p: &mut Parser<'_>| p.attempt(|p| p.string("not").and_then(|()| delimiter(p)));
            let negated = p.label("negation operator (not)", |p| p.option(not))?.is_some();
            let operator = p.label("logic operator (and, or)", |p| {
                p.either(|p| p.word("and").map(|()| LogicOperator::And), |p| p.string("or").map(|()| LogicOperator::Or))
            })?;
            p.lexeme(|p| p.char('('))?;
            let items = p.nested(|p| p.separated(|p| p.lexeme(|p| p.char(',')), logic_tree))?;
            p.lexeme(|p| p.char(')'))?;
            Ok(LogicTree::Group { negated, operator, items })
        },
    )
}

/// Parses a parameter name like `child.not.or`. Returns the names of the embeds, and `and`, `or`, `not.and` or `not.or`.
pub(super) fn logic_path(p: &mut Parser<'_>) -> Parsed<(Vec<String>, String)> {
    let mut names = p.separated(delimiter, field_name)?;
    let negated = names.iter().any(|name| name == "not");
    let operator = names.pop().unwrap_or_default();
    names.retain(|name| name != "not");
    Ok((names, if negated { format!("not.{operator}") } else { operator }))
}
