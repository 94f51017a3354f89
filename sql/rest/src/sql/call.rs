//! Builds the SQL of function calls.

use super::builder::Sql;
use super::conditions::list_literal;
use crate::plan::tree::PlannedField;
use crate::plan::{ArgumentValue, Arguments, CallPlan};
use cloch_sql::client::Param;
use cloch_sql::schema_cache::{Argument, Name};

const BYTEA_OID: u32 = 17;
const TEXT_ARRAY_OID: u32 = 1009;

impl Sql {
    pub(super) fn call(&mut self, plan: &CallPlan) {
        let function = &plan.function;
        let is_scalar = !function.returns_composite;
        let call = Name::local("pgrst_call");
        self.push("SELECT ");
        if is_scalar {
            self.push("pgrst_call.pgrst_scalar");
        } else {
            match plan.columns.as_slice() {
                [] => _ = self.push("*"),
                columns => _ = self.list(", ", columns, |sql, column| _ = sql.column(&call, column)),
            }
        }
        self.push(" ");
        if let Arguments::Json(arguments, body) = &plan.arguments {
            let columns: Vec<PlannedField> = arguments.iter().map(as_column).collect();
            self.body_source(None, &columns, body, false, true, false);
            self.push(", LATERAL ");
        } else {
            self.push("FROM ");
        }
        let name = Name::new(&function.schema, &function.name);
        self.push(if is_scalar { "(SELECT " } else { "" }).name(&name).push("(");
        self.arguments(&plan.arguments);
        self.push(if is_scalar { ") pgrst_scalar) pgrst_call" } else { ") pgrst_call" });
        self.unchanged_signature(function);
    }

    /// Appends a call of the planned function with a NULL of the correct type for each argument. The call is never evaluated and only
    /// determines the types of the result columns.
    pub(super) fn call_of_nulls(&mut self, plan: &CallPlan) -> &mut Self {
        let function = &plan.function;
        self.name(&Name::new(&function.schema, &function.name)).push("(");
        let null = |sql: &mut Self, argument: &Argument| {
            sql.argument_name(argument);
            sql.push("NULL::").push(&argument.wide_type);
        };
        match &plan.arguments {
            Arguments::None => {}
            Arguments::Body(data_type, _) => _ = self.push("NULL::").push(data_type),
            Arguments::Direct(values) => _ = self.list(", ", values, |sql, (argument, _)| null(sql, argument)),
            Arguments::Json(arguments, _) => _ = self.list(", ", arguments, null),
        }
        self.push(")")
    }

    fn arguments(&mut self, arguments: &Arguments) {
        match arguments {
            Arguments::None => {}
            Arguments::Body(data_type, body) if data_type == "bytea" => {
                self.param(Param { value: Some(body.clone()), binary: true, type_oid: BYTEA_OID });
            }
            Arguments::Body(data_type, body) => _ = self.bind(body.clone()).push("::").push(data_type),
            Arguments::Direct(values) => {
                self.list(", ", values, |sql, (argument, value)| {
                    sql.argument_name(argument);
                    match value {
                        ArgumentValue::Null => sql.param(Param::default()),
                        ArgumentValue::One(value) => sql.bind(value.clone()),
                        ArgumentValue::Many(list) => {
                            let value = Some(list_literal(list).into());
                            sql.param(Param { value, binary: false, type_oid: TEXT_ARRAY_OID })
                        }
                    };
                    sql.push("::").push(&argument.wide_type);
                });
            }
            Arguments::Json(arguments, _) => {
                self.list(", ", arguments, |sql, argument| {
                    sql.argument_name(argument);
                    sql.push("pgrst_body.").ident(&argument.name);
                });
            }
        }
    }

    fn argument_name(&mut self, argument: &Argument) {
        if argument.variadic {
            self.push("VARIADIC ");
        }
        self.ident(&argument.name).push(" := ");
    }
}

/// Converts a function argument to a column of the JSON request body.
fn as_column(argument: &Argument) -> PlannedField {
    PlannedField { data_type: argument.wide_type.clone(), ..PlannedField::unknown(&argument.name, Vec::new()) }
}
