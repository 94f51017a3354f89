//! Sends requests of the crate and compares the responses with the results of SQL. Differences are collected, so that one run shows all of them.

use postgrest::Builder;
use serde_json::Value;

use crate::callers::Caller;
use crate::oracle::{Oracle, Outcome, Statement};
use crate::program::Program;

/// A response of the program.
#[derive(Debug)]
struct Answer {
    status: u16,
    /// Total number of rows, from the header `Content-Range`.
    total: Option<String>,
    body: String,
}

impl Answer {
    async fn to(request: Builder) -> Self {
        let response = request.execute().await.unwrap();
        let status = response.status().as_u16();
        let range = response.headers().get("content-range").map(|range| range.to_str().unwrap().to_owned());
        let total = range.and_then(|range| Some(range.split_once('/')?.1.to_owned()));
        Self { status, total, body: response.text().await.unwrap() }
    }

    /// Returns the JSON of the body; `null` if the body is empty or no JSON.
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// Comparisons of responses with SQL.
pub(crate) struct Suite {
    oracle: Oracle,
    cases: usize,
    differences: Vec<String>,
}

impl Suite {
    pub(crate) async fn new(program: &Program) -> Self {
        Self { oracle: Oracle::new(program).await, cases: 0, differences: Vec::new() }
    }

    /// Fails if there are differences. Returns the number of compared cases.
    pub(crate) fn finish(self) -> usize {
        assert!(
            self.differences.is_empty(),
            "{} of {} cases differ:\n\n{}",
            self.differences.len(),
            self.cases,
            self.differences.join("\n\n")
        );
        self.cases
    }

    /// A read that must return the rows of the query. A query without rows is an error of the test; for such a read, see
    /// [`Self::read_nothing`].
    pub(crate) async fn read(&mut self, caller: &Caller, request: Builder, sql: &str) {
        let expected = self.oracle.rows(caller, sql).await;
        let answer = Answer::to(request).await;
        self.check(sql, &answer, is_rows(&expected, false) && answer.has(200, &expected), &expected);
    }

    /// A read that finds nothing, as the query.
    pub(crate) async fn read_nothing(&mut self, caller: &Caller, request: Builder, sql: &str) {
        let expected = self.oracle.rows(caller, sql).await;
        let answer = Answer::to(request).await;
        self.check(sql, &answer, is_rows(&expected, true) && answer.has(200, &expected), &expected);
    }

    /// A read of one row as an object (`single`).
    pub(crate) async fn read_one(&mut self, caller: &Caller, request: Builder, sql: &str) {
        let expected = match self.oracle.rows(caller, sql).await {
            Outcome::Json(Value::Array(mut rows)) if rows.len() == 1 => Outcome::Json(rows.remove(0)),
            other => panic!("{sql}: one row was expected: {other:?}"),
        };
        let answer = Answer::to(request.single()).await;
        self.check(sql, &answer, answer.has(200, &expected), &expected);
    }

    /// A read that PostgreSQL refuses: the response has its code and message, and the status that PostgREST documents for the code.
    pub(crate) async fn read_refused(&mut self, caller: &Caller, request: Builder, sql: &str) {
        let expected = self.oracle.rows(caller, sql).await;
        let answer = Answer::to(request).await;
        self.check(sql, &answer, answer.is_refusal(&caller.role, &expected), &expected);
    }

    /// A read with an exact count, which must be the number of the query's rows. The request asks for the first row only.
    pub(crate) async fn count(&mut self, caller: &Caller, request: Builder, sql: &str) {
        let expected = match self.oracle.rows(caller, sql).await {
            Outcome::Json(Value::Array(rows)) => rows,
            other => panic!("{sql}: {other:?}"),
        };
        let answer = Answer::to(request.exact_count()).await;
        // Status 206 if the response contains fewer rows than the total.
        let status = if expected.len() > 1 { 206 } else { 200 };
        let first = Value::Array(expected.iter().take(1).cloned().collect());
        let is_same = (answer.status, answer.total.as_deref()) == (status, Some(expected.len().to_string().as_str()))
            && answer.json() == first;
        self.check(sql, &answer, is_same, &Outcome::Json(first));
    }

    /// A read with a planned or estimated count: the total must be the value of the expression.
    pub(crate) async fn total(&mut self, caller: &Caller, request: Builder, expression: &str) {
        let expected = self.oracle.value(caller, expression).await;
        let answer = Answer::to(request).await;
        let total =
            answer.total.as_deref().and_then(|total| total.parse().ok()).map(|total: u64| Outcome::Json(total.into()));
        self.check(expression, &answer, total.as_ref() == Some(&expected), &expected);
    }

    /// A call of a function, whose result is the value of the expression.
    pub(crate) async fn call(&mut self, caller: &Caller, request: Builder, expression: &str) {
        let expected = self.oracle.value(caller, expression).await;
        let answer = Answer::to(request).await;
        self.check(expression, &answer, answer.has(200, &expected), &expected);
    }

    /// A call that PostgreSQL refuses.
    pub(crate) async fn call_refused(&mut self, caller: &Caller, request: Builder, expression: &str) {
        let expected = self.oracle.value(caller, expression).await;
        let answer = Answer::to(request).await;
        self.check(expression, &answer, answer.is_refusal(&caller.role, &expected), &expected);
    }

    /// A write: the response has the status and the rows that the statement returns, and the database has the same `state` as after the
    /// statement.
    pub(crate) async fn write(&mut self, caller: &Caller, request: Builder, status: u16, sql: &str, state: &str) {
        let statement = if sql.contains(" returning ") { Statement::Rows(sql) } else { Statement::Nothing(sql) };
        self.written(caller, request, (status, sql), statement, state).await;
    }

    /// A call of a function that writes and has a result.
    pub(crate) async fn write_call(&mut self, caller: &Caller, request: Builder, expression: &str, state: &str) {
        self.written(caller, request, (200, expression), Statement::Value(expression), state).await;
    }

    async fn written(
        &mut self,
        caller: &Caller,
        request: Builder,
        (status, sql): (u16, &str),
        statement: Statement<'_>,
        state: &str,
    ) {
        let before = self.oracle.state(state).await;
        let (expected, after) = self.oracle.write(caller, statement, state).await;
        let answer = Answer::to(request).await;
        let found = self.oracle.state(state).await;
        let is_same = matches!(expected, Outcome::Json(_)) && before != after && answer.has(status, &expected);
        self.check(sql, &answer, is_same, &expected);
        if found != after {
            self.differences.push(format!("{sql}\n  state {found}\n  by SQL {after}"));
        }
    }

    /// A write that PostgreSQL refuses, and that changes nothing.
    pub(crate) async fn write_refused(&mut self, caller: &Caller, request: Builder, sql: &str, state: &str) {
        let (expected, before) = self.oracle.write(caller, Statement::Nothing(sql), state).await;
        let answer = Answer::to(request).await;
        self.check(sql, &answer, answer.is_refusal(&caller.role, &expected), &expected);
        let found = self.oracle.state(state).await;
        if found != before {
            self.differences.push(format!("{sql} was refused, and changed the state\n  from {before}\n  to {found}"));
        }
    }

    /// An error of the API itself: the status and code are those of PostgREST's documentation.
    pub(crate) async fn documented(&mut self, request: Builder, status: u16, code: &str) {
        let answer = Answer::to(request).await;
        let is_same = answer.status == status && answer.json()["code"].as_str() == Some(code);
        let expected = Outcome::Refused { code: code.to_owned(), message: format!("with status {status}") };
        self.check("an error of the API", &answer, is_same, &expected);
    }

    fn check(&mut self, sql: &str, answer: &Answer, is_same: bool, expected: &Outcome) {
        self.cases += 1;
        if !is_same {
            self.differences.push(format!("{sql}\n  {answer:?}\n  by SQL {expected:?}"));
        }
    }
}

fn is_rows(expected: &Outcome, are_none: bool) -> bool {
    matches!(expected, Outcome::Json(Value::Array(rows)) if rows.is_empty() == are_none)
}

impl Answer {
    fn has(&self, status: u16, expected: &Outcome) -> bool {
        self.status == status && matches!(expected, Outcome::Json(json) if *json == self.json())
    }

    /// Whether the response is this refusal of PostgreSQL.
    fn is_refusal(&self, role: &str, expected: &Outcome) -> bool {
        let Outcome::Refused { code, message } = expected else { return false };
        let body = self.json();
        self.status == status_of(code, role) && body["code"] == **code && body["message"] == **message
    }
}

/// Returns the HTTP status of an SQLSTATE, as PostgREST's documentation lists it ("Errors", "HTTP Status Codes").
fn status_of(code: &str, role: &str) -> u16 {
    match code {
        "23503" | "23505" => 409,
        "42883" | "42P01" => 404,
        "42501" if role == "anon" => 401,
        "42501" => 403,
        _ => 400,
    }
}
