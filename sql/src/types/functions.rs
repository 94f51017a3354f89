//! Prints the TypeScript types of functions: arguments, results, and the options that supabase-js requires for functions that return rows.

use super::model::{Column, Field, Function, Input, Oid, Schema};
use super::names::{key, text};

/// Returns the entries of the TypeScript type `Functions`. A function with overloads has one entry, whose type is a union.
pub(super) fn functions(schema: &Schema, name: &str) -> Vec<String> {
    let is_callable = |function: &&Function| function.schema == name && schema.can_be_called(function);
    let all: Vec<&Function> = schema.functions.iter().filter(is_callable).collect();
    all.chunk_by(|a, b| a.name == b.name)
        .map(|overloads| {
            let forms: Vec<String> = overloads.iter().map(|function| form(schema, function, overloads)).collect();
            let name = overloads.first().map(|function| key(&function.name)).unwrap_or_default();
            match forms.as_slice() {
                [only] => format!("      {name}: {only}\n"),
                several => format!("      {name}:\n        | {}\n", several.join("\n        | ")),
            }
        })
        .collect()
}

fn form(schema: &Schema, function: &Function, overloads: &[&Function]) -> String {
    let mut inputs: Vec<String> = function.inputs.iter().map(|input| argument(schema, input)).collect();
    inputs.sort();
    let inputs = if inputs.is_empty() {
        "Record<PropertyKey, never>".to_owned()
    } else {
        format!("{{ {} }}", inputs.join("; "))
    };
    // If a function has `rows 1`, `Returns` is the type of one row: supabase-js itself makes it an array, because the function's
    // `SetofOptions` describe a set.
    let is_one_row = function.single && schema.is_row(function.returns);
    let set = if function.set && !is_one_row { "[]" } else { "" };
    let returns = match schema.refusal(function, overloads) {
        Some(message) => format!("{{ error: true }} & {}", text(&message)),
        None => format!("{}{set}", schema.one_result(function)),
    };
    format!("{{ Args: {inputs}; Returns: {returns}{} }}", schema.rows(function))
}

/// Prints the type of an argument. The type of a row argument omits the computed fields of the row's table.
fn argument(schema: &Schema, input: &Input) -> String {
    let mark = if input.optional { "?" } else { "" };
    let kind = schema.typescript(input.kind);
    let kind = match kind.strip_suffix("[\"Row\"]") {
        Some(relation) if !input.name.is_empty() => format!("Omit<{kind}, {relation}[\"ComputedFields\"]>"),
        _ => kind,
    };
    format!("{}{mark}: {kind}", key(&input.name))
}

/// Returns the error text with which the table REST API refuses a call that fits several overloads.
fn ambiguous(candidates: &str) -> String {
    format!(
        "Could not choose the best candidate function between: {candidates}. Try renaming the parameters or the function itself in the \
         database so function overloading can be resolved"
    )
}

impl Schema {
    /// Whether the generated types contain the function. This is the case if each argument has a name, or is an unnamed request body
    /// (`json`, `jsonb`, `text`) with a default, or if the only argument is an unnamed request body or row. If the table REST API cannot
    /// call the function, its generated type contains the API's error text.
    fn can_be_called(&self, function: &Function) -> bool {
        match function.inputs.as_slice() {
            [only] if only.name.is_empty() => self.is_body(only.kind) || self.is_row(only.kind),
            inputs => inputs.iter().all(|input| !input.name.is_empty() || (input.optional && self.is_body(input.kind))),
        }
    }

    fn is_body(&self, kind: Oid) -> bool {
        self.types.get(&kind).is_some_and(|kind| matches!(kind.name.as_str(), "json" | "jsonb" | "text"))
    }

    fn is_row(&self, kind: Oid) -> bool {
        self.types.get(&kind).is_some_and(|kind| kind.kind == "c")
    }

    /// Returns the error text of the table REST API for a function that the API cannot call; `None` if the API can call the function. As in
    /// the Supabase CLI, there are three such cases: the function has no arguments, and the only argument of an overload is unnamed and has
    /// a default; the only argument has the same name as the only argument of an overload, but another type; or the only argument is an
    /// unnamed row (a computed field).
    fn refusal(&self, function: &Function, overloads: &[&Function]) -> Option<String> {
        let qualified = format!("{}.{}", function.schema, function.name);
        let others = || overloads.iter().filter(move |other| !std::ptr::eq(**other, function));
        match function.inputs.as_slice() {
            [] => {
                let is_ambiguous = |other: &&&Function| matches!(other.inputs.as_slice(), [only] if only.name.is_empty() && only.optional);
                // The CLI prints the type of the result in place of the argument's type.
                let kind = self.type_name(others().find(is_ambiguous)?.returns);
                Some(ambiguous(&format!("{qualified}(), {qualified}( => {kind})")))
            }
            [only] if !only.name.is_empty() => {
                let alike = others().filter_map(|other| match other.inputs.as_slice() {
                    [same] if same.name == only.name && same.kind != only.kind => Some(same.kind),
                    _ => None,
                });
                let mut kinds: Vec<Oid> = alike.collect();
                if kinds.is_empty() {
                    return None;
                }
                kinds.push(only.kind);
                kinds.sort_unstable();
                let candidate = |kind: &Oid| format!("{qualified}({} => {})", only.name, self.type_name(*kind));
                Some(ambiguous(&kinds.iter().map(candidate).collect::<Vec<_>>().join(", ")))
            }
            [only] if self.is_row(only.kind) => Some(format!(
                "the function {qualified} with parameter or with a single unnamed json/jsonb parameter, but no matches were found \
                 in the schema cache"
            )),
            _ => None,
        }
    }

    fn type_name(&self, kind: Oid) -> &str {
        self.types.get(&kind).map_or("unknown", |kind| kind.name.as_str())
    }

    /// Returns the TypeScript type of the function's result, or of one row if the function returns a set.
    pub(super) fn one_result(&self, function: &Function) -> String {
        let fields = |fields: Vec<String>| format!("{{ {} }}", fields.join("; "));
        if let Some(columns) = function.columns.as_ref().filter(|_| function.is_table) {
            let field = |field: &Field| format!("{}: {}", key(&field.name), self.typescript(field.kind));
            return fields(columns.iter().map(field).collect());
        }
        match self.relation_of(function.returns).filter(|relation| relation.schema == function.schema) {
            Some(relation) => {
                let field =
                    |column: &Column| format!("{}: {}", key(&column.name), self.column(column.kind, column.nullable));
                fields(relation.columns.iter().map(field).collect())
            }
            None => self.typescript(function.returns),
        }
    }

    /// Returns `SetofOptions` of a function that returns rows. If the function's only argument, including OUT arguments, is a row, `from`
    /// is the type of this row, otherwise `*`.
    fn rows(&self, function: &Function) -> String {
        if !self.is_row(function.returns) {
            return String::new();
        }
        let from = match function.inputs.as_slice() {
            [only] if self.is_row(only.kind) && function.columns.iter().flatten().all(|out| out.name == only.name) => {
                self.types.get(&only.kind)
            }
            _ => None,
        };
        let from = from.map_or_else(
            || "*".to_owned(),
            |kind| if kind.schema == "public" { kind.name.clone() } else { format!("{}.{}", kind.schema, kind.name) },
        );
        format!(
            "; SetofOptions: {{ from: {}; to: {}; isOneToOne: {}; isSetofReturn: {} }}",
            text(&from),
            text(self.type_name(function.returns)),
            !function.set || function.single,
            function.set,
        )
    }
}
