//! Syntax tree of a template.

pub(crate) type List = Vec<Node>;

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Text(String),
    /// An action `{{ pipeline }}`, with its line number.
    Action(Pipe, usize),
    If(Branch),
    With(Branch),
    Range(Branch),
    /// `{{ template "name" pipeline }}`, also for a `block`.
    Template {
        name: String,
        pipe: Option<Pipe>,
        line: usize,
    },
    Break(usize),
    Continue(usize),
}

/// A control structure: `if`, `with` or `range`.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) pipe: Pipe,
    pub(crate) list: List,
    pub(crate) otherwise: Option<List>,
    pub(crate) line: usize,
}

/// Pipeline of commands. Each command gets the value of the previous command as its last argument.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    /// Names of the variables that the pipeline sets, with `$`.
    pub(crate) variables: Vec<String>,
    /// True for an assignment (`=`), false for a declaration (`:=`).
    pub(crate) assigns: bool,
    pub(crate) commands: Vec<Command>,
    pub(crate) line: usize,
}

/// Operands of a command. The first operand may be a function.
pub(crate) type Command = Vec<Operand>;

#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Bool(bool),
    Dot,
    Nil,
    Int(i64),
    Float(f64),
    Text(String),
    /// Fields of the current value: `.A.B`.
    Field(Vec<String>),
    /// A variable, or fields of a variable: `$x.A.B`.
    Variable(String, Vec<String>),
    /// A function without arguments.
    Function(String),
    /// A pipeline in parentheses: `( … )`.
    Pipe(Box<Pipe>),
    /// Fields of a pipeline in parentheses, `( … ).A.B`, or of a function's result.
    Chain(Box<Operand>, Vec<String>),
}
