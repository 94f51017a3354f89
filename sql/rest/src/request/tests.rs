//! Tests of the query string parsers: error messages equal those of PostgREST, and a printed query is parsed to the same value.

use proptest::prelude::*;

use super::Query;
use super::model::{
    Direction, Field, Filter, IsValue, JsonKey, JsonStep, LogicOperator, LogicTree, Nulls, Operation, OrderTarget,
    OrderTerm, QuantOperator, Quantifier, SelectField, SelectItem, SelectRelation, SimpleOperator,
};

fn error(query: &str) -> (String, String) {
    let error = Query::parse(query, false).unwrap_err();
    let body: serde_json::Value = serde_json::from_str(&error.body()).unwrap();
    (error.message().to_owned(), body["details"].as_str().unwrap().to_owned())
}

#[test]
fn errors_read_as_postgrest_words_them() {
    let cases = [
        ("id=foo.1", "filter (foo.1)", 1, "unexpected \"f\" expecting \"not\" or operator (eq, gt, ...)"),
        ("id=", "filter ()", 1, "unexpected end of input expecting \"not\" or operator (eq, gt, ...)"),
        ("id=in.1", "filter (in.1)", 4, "unexpected \"1\" expecting \"(\""),
        (
            "order=a.foo",
            "order (a.foo)",
            3,
            "unexpected \"f\" expecting \"asc\", \"desc\", \"nullsfirst\" or \"nullslast\"",
        ),
        (
            "select=id.foo()",
            "select parameter (id.foo())",
            4,
            "unexpected \"f\" expecting \"sum\", \"avg\", \"count\", \"max\" or \"min\"",
        ),
        (
            "select=id:",
            "select parameter (id:)",
            4,
            "unexpected end of input expecting \":\" or field name (* or [a..z0..9_$])",
        ),
        (
            "or=()",
            "logic tree (())",
            4,
            "unexpected \")\" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)",
        ),
    ];
    for (query, what, column, details) in cases {
        let expected = format!("\"failed to parse {what}\" (line 1, column {column})");
        assert_eq!(error(query), (expected, details.to_owned()), "{query}");
    }
}

#[test]
fn nesting_has_an_end() {
    let deep = format!("or={}a.eq.1{}", "(and".repeat(3000), ")".repeat(3000));
    assert!(error(&deep).1.contains("levels deep"));
    let deep = format!("select={}a{}", "b(".repeat(3000), ")".repeat(3000));
    assert!(error(&deep).1.contains("embedded relations"));
}

#[test]
fn paths_and_lists_have_an_end() {
    assert!(error(&format!("select=a{}", "->b".repeat(3000))).1.contains("levels deep"));
    assert!(error(&format!("a{}=eq.1", "->b".repeat(3000))).1.contains("levels deep"));
    assert!(error(&format!("select={}", ["a"; 2000].join(","))).1.contains("1600"));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    assert!(error("id=eq.%FF").1.contains("UTF-8"));
}

/// Prints a name in quotes, so that the parser returns the same name.
fn name(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn field(field: &Field) -> String {
    let step = |step: &JsonStep| {
        let key = match &step.key {
            JsonKey::Key(key) => name(key),
            JsonKey::Index(index) => index.trim_start_matches('+').to_owned(),
        };
        format!("{}{key}", if step.as_text { "->>" } else { "->" })
    };
    name(&field.name) + &field.path.iter().map(step).collect::<String>()
}

fn operation(operation: &Operation, value: fn(&str) -> String) -> String {
    match operation {
        Operation::Simple(SimpleOperator::NotEqual, text) => format!("neq.{}", value(text)),
        Operation::Simple(_, text) => format!("cs.{}", value(text)),
        Operation::Quant(operator, quantifier, text) => {
            let operator = if *operator == QuantOperator::Equal { "eq" } else { "gte" };
            let quantifier = match quantifier {
                Some(Quantifier::Any) => "(any)",
                Some(Quantifier::All) => "(all)",
                None => "",
            };
            format!("{operator}{quantifier}.{}", value(text))
        }
        Operation::In(items) => format!("in.({})", items.iter().map(|item| name(item)).collect::<Vec<_>>().join(",")),
        Operation::Is(IsValue::Null) => "is.null".to_owned(),
        Operation::Is(_) => "is.true".to_owned(),
        Operation::IsDistinct(text) => format!("isdistinct.{}", value(text)),
        Operation::Fts { language, value: text, .. } => {
            let language = language.as_ref().map(|language| format!("({language})")).unwrap_or_default();
            format!("wfts{language}.{}", value(text))
        }
    }
}

fn condition(filter: &Filter, value: fn(&str) -> String) -> String {
    format!("{}{}", if filter.negated { "not." } else { "" }, operation(&filter.operation, value))
}

fn tree(logic: &LogicTree) -> String {
    match logic {
        LogicTree::Filter(filter) => format!("{}.{}", field(&filter.field), condition(filter, name)),
        LogicTree::Group { negated, operator, items } => {
            let operator = if *operator == LogicOperator::And { "and" } else { "or" };
            let items: Vec<String> = items.iter().map(tree).collect();
            format!("{}{operator}({})", if *negated { "not." } else { "" }, items.join(","))
        }
    }
}

fn order(term: &OrderTerm) -> String {
    let target = match &term.target {
        OrderTarget::Field(one) => field(one),
        OrderTarget::Related(relation, one) => format!("{}({})", name(relation), field(one)),
    };
    let direction = match term.direction {
        Some(Direction::Ascending) => ".asc",
        Some(Direction::Descending) => ".desc",
        None => "",
    };
    let nulls = match term.nulls {
        Some(Nulls::First) => ".nullsfirst",
        Some(Nulls::Last) => ".nullslast",
        None => "",
    };
    format!("{target}{direction}{nulls}")
}

fn select(item: &SelectItem) -> String {
    let alias = |alias: &Option<String>| alias.as_ref().map(|alias| format!("{}:", name(alias))).unwrap_or_default();
    match item {
        SelectItem::Field(one) => {
            let cast = one.cast.as_ref().map(|cast| format!("::{cast}")).unwrap_or_default();
            format!("{}{}{cast}", alias(&one.alias), field(&one.field))
        }
        SelectItem::Relation(one) => {
            let hint = one.hint.as_ref().map(|hint| format!("!{}", name(hint))).unwrap_or_default();
            let items: Vec<String> = one.items.iter().map(select).collect();
            let dots = if one.spread { "..." } else { "" };
            format!("{dots}{}{}{hint}({})", alias(&one.alias), name(&one.name), items.join(","))
        }
    }
}

fn encode(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

fn any_text() -> impl Strategy<Value = String> {
    "[^\u{0}]{1,12}"
}

fn any_field() -> impl Strategy<Value = Field> {
    let key = prop_oneof![any_text().prop_map(JsonKey::Key), (0..99_u8).prop_map(|n| JsonKey::Index(format!("+{n}")))];
    // Digits are parsed as an index only at the end of a path or before the next arrow.
    let steps = prop::collection::vec((any::<bool>(), key).prop_map(|(as_text, key)| JsonStep { as_text, key }), 0..3);
    (any_text(), steps).prop_map(|(name, path)| Field { name, path })
}

/// Generates fields without array indexes, because digits before a closing parenthesis are parsed as a key.
fn any_named_field() -> impl Strategy<Value = Field> {
    any_field().prop_map(|mut field| {
        field.path.retain(|step| matches!(step.key, JsonKey::Key(_)));
        field
    })
}

fn any_filter() -> impl Strategy<Value = Filter> {
    let quantifier = prop::option::of(prop_oneof![Just(Quantifier::Any), Just(Quantifier::All)]);
    let operation = prop_oneof![
        any_text().prop_map(|text| Operation::Simple(SimpleOperator::NotEqual, text)),
        (quantifier, any_text()).prop_map(|(q, text)| Operation::Quant(QuantOperator::Equal, q, text)),
        prop::collection::vec(any_text(), 1..4).prop_map(Operation::In),
        Just(Operation::Is(IsValue::Null)),
        any_text().prop_map(Operation::IsDistinct),
    ];
    (any_field(), any::<bool>(), operation).prop_map(|(field, negated, operation)| Filter { field, negated, operation })
}

fn any_tree() -> impl Strategy<Value = LogicTree> {
    any_filter().prop_map(LogicTree::Filter).prop_recursive(3, 12, 4, |inner| {
        let operator = prop_oneof![Just(LogicOperator::And), Just(LogicOperator::Or)];
        (any::<bool>(), operator, prop::collection::vec(inner, 1..4))
            .prop_map(|(negated, operator, items)| LogicTree::Group { negated, operator, items })
    })
}

fn any_select() -> impl Strategy<Value = SelectItem> {
    let cast = prop::option::of("[a-z]{1,6}");
    let leaf = (any_named_field(), prop::option::of(any_text()), cast).prop_map(|(field, alias, cast)| {
        SelectItem::Field(SelectField { field, alias, cast, aggregate: None, aggregate_cast: None })
    });
    leaf.prop_recursive(3, 12, 3, |inner| {
        (any_text(), prop::option::of(any_text()), prop::option::of(any_text()), prop::collection::vec(inner, 0..3))
            .prop_map(|(name, alias, hint, items)| {
                SelectItem::Relation(SelectRelation { name, alias, hint, join: None, spread: false, items })
            })
    })
}

fn any_order() -> impl Strategy<Value = OrderTerm> {
    let target = prop_oneof![
        any_field().prop_map(OrderTarget::Field),
        (any_text(), any_named_field()).prop_map(|(relation, field)| OrderTarget::Related(relation, field))
    ];
    let direction = prop::option::of(prop_oneof![Just(Direction::Ascending), Just(Direction::Descending)]);
    let nulls = prop::option::of(prop_oneof![Just(Nulls::First), Just(Nulls::Last)]);
    (target, direction, nulls).prop_map(|(target, direction, nulls)| OrderTerm { target, direction, nulls })
}

proptest! {
    #[test]
    fn a_filter_is_read_as_it_was_printed(filter in any_filter()) {
        let query = format!("{}={}", encode(&field(&filter.field)), encode(&condition(&filter, str::to_owned)));
        let read = Query::parse(&query, false).unwrap();
        prop_assert_eq!(read.filters, vec![(vec![], filter)]);
    }

    #[test]
    fn a_tree_is_read_as_it_was_printed(items in prop::collection::vec(any_tree(), 1..3)) {
        let text = items.iter().map(tree).collect::<Vec<_>>().join(",");
        let read = Query::parse(&format!("or={}", encode(&format!("({text})"))), false).unwrap();
        let expected = LogicTree::Group { negated: false, operator: LogicOperator::Or, items };
        prop_assert_eq!(read.logic, vec![(vec![], expected)]);
    }

    #[test]
    fn a_select_is_read_as_it_was_printed(items in prop::collection::vec(any_select(), 1..4)) {
        let text = items.iter().map(select).collect::<Vec<_>>().join(",");
        prop_assert_eq!(Query::parse(&format!("select={}", encode(&text)), false).unwrap().select, items);
    }

    #[test]
    fn an_order_is_read_as_it_was_printed(terms in prop::collection::vec(any_order(), 1..4)) {
        let text = terms.iter().map(order).collect::<Vec<_>>().join(",");
        prop_assert_eq!(Query::parse(&format!("order={}", encode(&text)), false).unwrap().order, vec![(vec![], terms)]);
    }

    #[test]
    fn any_text_gets_an_answer(query in "\\PC{0,200}", by_get in any::<bool>()) {
        let _ = Query::parse(&query, by_get);
    }

    #[test]
    fn any_mixture_of_marks_gets_an_answer(value in "(id|and|or|not|eq|in|is|->|->>|[.,()\"\\\\:!*{}-]|...|select| ){0,60}") {
        for key in ["select", "order", "or", "id", "columns", "on_conflict", "child.or"] {
            let _ = Query::parse(&format!("{key}={}", encode(&value)), false);
        }
    }
}
