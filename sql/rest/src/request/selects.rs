//! Parses the parameters `select`, `columns`, `on_conflict` and `order`.

use super::fields::{delimiter, field, field_name, identifier};
use super::model::{
    Aggregate, Direction, Field, JoinType, Nulls, OrderTarget, OrderTerm, SelectField, SelectItem, SelectRelation,
};
use super::parser::{Failed, Parsed, Parser};

/// Parses the items of `select`. The list may be empty.
pub(super) fn select(p: &mut Parser<'_>) -> Parsed<Vec<SelectItem>> {
    p.either(|p| p.separated(|p| p.lexeme(|p| p.char(',')), item), |_| Ok(Vec::new()))
}

fn item(p: &mut Parser<'_>) -> Parsed<SelectItem> {
    let embedded = |p: &mut Parser<'_>, head: fn(&mut Parser<'_>) -> Parsed<SelectRelation>| {
        let relation = p.attempt(head)?;
        p.char('(')?;
        let items = p.nested(select)?;
        p.char(')')?;
        Ok(SelectItem::Relation(SelectRelation { items, ..relation }))
    };
    p.either(
        |p| embedded(p, spread),
        |p| p.either(|p| embedded(p, relation), |p| Ok(SelectItem::Field(select_field(p)?))),
    )
}

fn alias(p: &mut Parser<'_>) -> Parsed<Option<String>> {
    p.option(|p| {
        p.attempt(|p| {
            let alias = field_name(p)?;
            p.char(':')?;
            p.not_char(':')?;
            Ok(alias)
        })
    })
}

fn spread(p: &mut Parser<'_>) -> Parsed<SelectRelation> {
    p.lexeme(|p| {
        p.string("...")?;
        let name = field_name(p)?;
        let (hint, join) = embed_parameters(p)?;
        p.attempt(|p| p.look_ahead(|p| p.string("(")))?;
        Ok(SelectRelation { name, alias: None, hint, join, spread: true, items: Vec::new() })
    })
}

fn relation(p: &mut Parser<'_>) -> Parsed<SelectRelation> {
    p.lexeme(|p| {
        let alias = alias(p)?;
        let name = field_name(p)?;
        // `count()` is an aggregate, not an embedded relation.
        if name == "count" {
            return Err(Failed);
        }
        let (hint, join) = embed_parameters(p)?;
        p.attempt(|p| p.look_ahead(|p| p.string("(")))?;
        Ok(SelectRelation { name, alias, hint, join, spread: false, items: Vec::new() })
    })
}

#[derive(Clone)]
enum EmbedParameter {
    Hint(String),
    Join(JoinType),
}

fn embed_parameters(p: &mut Parser<'_>) -> Parsed<(Option<String>, Option<JoinType>)> {
    let parameter = |p: &mut Parser<'_>| {
        p.char('!')?;
        p.either(
            |p| Ok(EmbedParameter::Join(p.choice(&[("left", JoinType::Left), ("inner", JoinType::Inner)])?)),
            |p| p.attempt(|p| Ok(EmbedParameter::Hint(field_name(p)?))),
        )
    };
    let (mut hint, mut join) = (None, None);
    for _ in 0..2 {
        match p.option(parameter)? {
            Some(EmbedParameter::Hint(text)) => _ = hint.get_or_insert(text),
            Some(EmbedParameter::Join(kind)) => _ = join.get_or_insert(kind),
            None => {}
        }
    }
    Ok((hint, join))
}

fn item_end(p: &mut Parser<'_>) -> Parsed<()> {
    let follows = |p: &mut Parser<'_>, text: &'static str| p.attempt(|p| p.look_ahead(|p| p.string(text)));
    p.either(|p| follows(p, ")"), |p| p.either(|p| follows(p, ","), |p| p.attempt(Parser::end)))
}

fn cast(p: &mut Parser<'_>) -> Parsed<Option<String>> {
    p.option(|p| p.string("::").and_then(|()| identifier(p)))
}

fn all(name: Field) -> SelectField {
    SelectField { field: name, alias: None, cast: None, aggregate: None, aggregate_cast: None }
}

fn star() -> Field {
    Field { name: "*".to_owned(), path: Vec::new() }
}

fn select_field(p: &mut Parser<'_>) -> Parsed<SelectField> {
    let every_column = |p: &mut Parser<'_>| {
        p.string("*")?;
        item_end(p)?;
        Ok(all(star()))
    };
    let count = |p: &mut Parser<'_>| {
        let alias = alias(p)?;
        p.string("count()")?;
        let aggregate_cast = cast(p)?;
        item_end(p)?;
        Ok(SelectField { alias, aggregate: Some(Aggregate::Count), aggregate_cast, ..all(star()) })
    };
    let column = |p: &mut Parser<'_>| {
        let alias = alias(p)?;
        let field = field(p)?;
        let cast_to = cast(p)?;
        let aggregate = p.option(|p| p.attempt(aggregate))?;
        let aggregate_cast = cast(p)?;
        item_end(p)?;
        Ok(SelectField { field, alias, cast: cast_to, aggregate, aggregate_cast })
    };
    p.lexeme(|p| p.either(|p| p.attempt(every_column), |p| p.either(|p| p.attempt(count), column)))
}

fn aggregate(p: &mut Parser<'_>) -> Parsed<Aggregate> {
    p.char('.')?;
    let sum_avg_count = |p: &mut Parser<'_>| {
        p.either(
            |p| p.string("sum").map(|()| Aggregate::Sum),
            |p| {
                p.either(|p| p.string("avg").map(|()| Aggregate::Avg), |p| p.string("count").map(|()| Aggregate::Count))
            },
        )
    };
    let aggregate = p.either(sum_avg_count, |p| p.choice(&[("max", Aggregate::Max), ("min", Aggregate::Min)]))?;
    p.string("()")?;
    Ok(aggregate)
}

/// Parses a list of names like `a,"b c"`.
pub(super) fn columns(p: &mut Parser<'_>) -> Parsed<Vec<String>> {
    p.separated(|p| p.lexeme(|p| p.char(',')), field_name)
}

/// Parses a list of order terms like `a.desc.nullslast,child(b)`.
pub(super) fn order(p: &mut Parser<'_>) -> Parsed<Vec<OrderTerm>> {
    p.separated(|p| p.char(','), |p| p.lexeme(|p| p.either(|p| p.attempt(related_term), plain_term)))
}

fn plain_term(p: &mut Parser<'_>) -> Parsed<OrderTerm> {
    let field = field(p)?;
    modifiers(p, OrderTarget::Field(field))
}

fn related_term(p: &mut Parser<'_>) -> Parsed<OrderTerm> {
    let relation = field_name(p)?;
    p.char('(')?;
    let field = field(p)?;
    p.char(')')?;
    modifiers(p, OrderTarget::Related(relation, field))
}

fn modifiers(p: &mut Parser<'_>, target: OrderTarget) -> Parsed<OrderTerm> {
    fn one_of<T: Copy>(p: &mut Parser<'_>, words: &[(&'static str, T); 2]) -> Parsed<T> {
        let [first, second] = *words;
        let modifier = |p: &mut Parser<'_>, (word, meaning): (&'static str, T)| {
            p.attempt(|p| {
                delimiter(p)?;
                p.string(word)?;
                Ok(meaning)
            })
        };
        p.either(|p| modifier(p, first), |p| modifier(p, second))
    }
    let end =
        |p: &mut Parser<'_>| p.either(|p| p.attempt(|p| p.look_ahead(|p| p.char(','))), |p| p.attempt(Parser::end));
    let direction = p.option(|p| one_of(p, &[("asc", Direction::Ascending), ("desc", Direction::Descending)]))?;
    let nulls = p.either(
        |p| {
            let nulls = p.option(|p| one_of(p, &[("nullsfirst", Nulls::First), ("nullslast", Nulls::Last)]))?;
            end(p)?;
            Ok(nulls)
        },
        |p| {
            end(p)?;
            Ok(None)
        },
    )?;
    Ok(OrderTerm { target, direction, nulls })
}
