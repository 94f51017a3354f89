//! Parses the content of an action: pipelines, commands and operands.

use super::{MAX_DEPTH, Parser, show};
use crate::Error;
use crate::lex::Kind;
use crate::literal;
use crate::node::{Command, Operand, Pipe};

impl Parser {
    pub(super) fn pipeline(&mut self, context: &str, end: &Kind) -> Result<Pipe, Error> {
        self.skip_space();
        let mut pipe = Pipe { at: self.at(), ..Pipe::default() };
        self.declarations(&mut pipe, context)?;
        loop {
            match self.peek_solid() {
                kind if kind == end => {
                    self.next();
                    return self.checked(pipe, context);
                }
                Kind::Bool(_)
                | Kind::Rune(_)
                | Kind::Dot
                | Kind::Field(_)
                | Kind::Identifier(_)
                | Kind::Number(_)
                | Kind::Keyword("nil")
                | Kind::Raw(_)
                | Kind::Quoted(_)
                | Kind::Variable(_)
                | Kind::LeftParen => {
                    let command = self.command()?;
                    pipe.commands.push(command);
                }
                other => {
                    let shown = show(other);
                    return self.fail(format!("unexpected {shown} in {context}"));
                }
            }
        }
    }

    fn declarations(&mut self, pipe: &mut Pipe, context: &str) -> Result<(), Error> {
        while let Kind::Variable(name) = self.peek_solid().clone() {
            let mut behind = self.tokens.iter().skip(1).map(|token| &token.kind).filter(|kind| **kind != Kind::Space);
            let next = behind.next().cloned();
            match next {
                Some(Kind::Assign | Kind::Declare) => {
                    self.next();
                    self.skip_space();
                    pipe.assigns = self.next() == Kind::Assign;
                    self.variables.push(name.clone());
                    pipe.variables.push(name);
                    return Ok(());
                }
                Some(Kind::Char(',')) => {
                    self.next();
                    self.skip_space();
                    self.next();
                    self.variables.push(name.clone());
                    pipe.variables.push(name);
                    if context != "range" || pipe.variables.len() > 1 {
                        return self.fail(format!("too many declarations in {context}"));
                    }
                    if !matches!(self.peek_solid(), Kind::Variable(_) | Kind::Close | Kind::RightParen) {
                        return self.fail("range can only initialize variables");
                    }
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn checked(&self, pipe: Pipe, context: &str) -> Result<Pipe, Error> {
        if pipe.commands.is_empty() {
            return self.fail(format!("missing value for {context}"));
        }
        for (stage, command) in pipe.commands.iter().enumerate().skip(1) {
            if matches!(
                command.first(),
                Some(
                    Operand::Bool(_)
                        | Operand::Dot
                        | Operand::Nil
                        | Operand::Int(_)
                        | Operand::Float(_)
                        | Operand::Text(_)
                )
            ) {
                return self.fail(format!("non executable command in pipeline stage {}", stage + 1));
            }
        }
        Ok(pipe)
    }

    fn command(&mut self) -> Result<Command, Error> {
        let mut command = Command::new();
        loop {
            self.skip_space();
            if let Some(operand) = self.operand()? {
                command.push(operand);
            }
            match self.peek() {
                Kind::Space => _ = self.next(),
                Kind::Close | Kind::RightParen => break,
                Kind::Pipe => {
                    self.next();
                    break;
                }
                other => {
                    let shown = show(other);
                    return self.fail(format!("unexpected {shown} in operand"));
                }
            }
        }
        if command.is_empty() { self.fail("empty command") } else { Ok(command) }
    }

    fn operand(&mut self) -> Result<Option<Operand>, Error> {
        let Some(term) = self.term()? else { return Ok(None) };
        let mut fields = Vec::new();
        while let Kind::Field(name) = self.peek() {
            fields.push(name.clone());
            self.next();
        }
        if fields.is_empty() {
            return Ok(Some(term));
        }
        Ok(Some(match term {
            Operand::Field(mut first) => {
                first.append(&mut fields);
                Operand::Field(first)
            }
            Operand::Variable(name, mut first) => {
                first.append(&mut fields);
                Operand::Variable(name, first)
            }
            Operand::Function(_) | Operand::Pipe(_) => Operand::Chain(Box::new(term), fields),
            Operand::Bool(_)
            | Operand::Dot
            | Operand::Nil
            | Operand::Int(_)
            | Operand::Float(_)
            | Operand::Text(_)
            | Operand::Chain(..) => return self.fail("unexpected . after term"),
        }))
    }

    fn term(&mut self) -> Result<Option<Operand>, Error> {
        let at = self.at();
        let refused = |message| Error::new(at, message);
        let term = match self.peek().clone() {
            Kind::Identifier(name) if crate::funcs::is_defined(&name) => Operand::Function(name),
            Kind::Identifier(name) => return self.fail(format!("function {name:?} not defined")),
            Kind::Dot => Operand::Dot,
            Kind::Keyword("nil") => Operand::Nil,
            Kind::Variable(name) if self.variables.contains(&name) => Operand::Variable(name, Vec::new()),
            Kind::Variable(name) => return self.fail(format!("undefined variable {name:?}")),
            Kind::Field(name) => Operand::Field(vec![name]),
            Kind::Bool(value) => Operand::Bool(value),
            Kind::Number(text) => literal::number(&text).map_err(refused)?,
            Kind::Rune(text) => literal::rune(&text).map_err(refused)?,
            Kind::Quoted(text) => Operand::Text(literal::string(&text).map_err(refused)?),
            Kind::Raw(text) => Operand::Text(text),
            Kind::LeftParen => {
                self.next();
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return self.fail("max expression depth exceeded");
                }
                let pipe = self.pipeline("parenthesized pipeline", &Kind::RightParen)?;
                self.depth -= 1;
                return Ok(Some(Operand::Pipe(Box::new(pipe))));
            }
            _ => return Ok(None),
        };
        self.next();
        Ok(Some(term))
    }
}
