//! The text form of a `text[]` (PostgreSQL's manual, "Array Input and Output Syntax").

/// Every item in quotes, so that none is read as NULL, as two, or as an array.
pub(crate) fn array_literal<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let mut literal = String::from("{");
    for (index, item) in items.into_iter().enumerate() {
        literal.push_str(if index > 0 { ",\"" } else { "\"" });
        for c in item.chars() {
            if matches!(c, '"' | '\\') {
                literal.push('\\');
            }
            literal.push(c);
        }
        literal.push('"');
    }
    literal.push('}');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_stands_for_itself() {
        assert_eq!(array_literal([]), "{}");
        assert_eq!(array_literal(["a", "", "NULL", "{b,c}", r#"say "\""#]), r#"{"a","","NULL","{b,c}","say \"\\\""}"#);
    }
}
