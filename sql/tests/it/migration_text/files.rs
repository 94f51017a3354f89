//! Random SQL files: strings of all kinds, comments, function bodies, and unclosed tokens.

/// Random number generator (xorshift64*), so that a seed produces the same files on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end as u64).unwrap()
    }

    pub(crate) fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }

    /// Returns text for the inside of quotes. Outside of quotes, this text would have a special meaning.
    pub(crate) fn noise(&mut self) -> String {
        let parts = [
            ";",
            "a",
            " ",
            "--",
            "/*",
            "*/",
            "$$",
            "$a$",
            "begin atomic",
            "end",
            "case",
            "\n",
            "ä",
            "(",
            ")",
            "\\",
            "E",
            "U&",
            "''",
            "\"\"",
            "$1",
            "copy t from stdin;",
            "commit;",
            "\r",
            "\t",
            "x'",
            "\"",
        ];
        (0..self.below(6)).map(|_| self.one(&parts)).collect()
    }

    fn token(&mut self, depth: usize) -> String {
        let noise = self.noise();
        match self.below(24) {
            0..=4 => self
                .one(&[
                    "select", "a", "B", "ä_1", "end", "case", "begin", "function", "create", "e", "u", "x", "atomic",
                    "as", "a$b$",
                ])
                .to_owned(),
            5 => self.one(&["1", "1.5", ".5", "1e5", "$1", "42", "::int", "0"]).to_owned(),
            6 => self
                .one(&["+", "-", "*", "/", "<>", "@>", "||", ",", ".", "[1]", "&", "%", "=", ":=", "?", "#", "!"])
                .to_owned(),
            7..=9 => format!("'{}'", noise.replace('\'', "''")),
            10 => format!("{}'{}'", self.one(&["b", "x", "n", "U&", "N"]), noise.replace('\'', "''")),
            11 | 12 => {
                let inner = noise.replace('\\', "\\\\").replace('\'', self.one(&["''", "\\'"]));
                // psql reads line by line and does not detect a string that continues on the next line.
                format!("{}'{inner}' ", self.one(&["E", "e"]))
            }
            13 | 14 => {
                let tag = self.one(&["$$", "$a$", "$ä$", "$_1$"]);
                format!("{tag}{}{tag}", noise.replace(tag, "").replace("$$", "$").replace(tag, ""))
            }
            15 => format!("\"{}\"", noise.replace('"', "\"\"")),
            16 => format!("U&\"{}\"", noise.replace('"', "\"\"")),
            17 => format!("--{}\n", noise.replace(['\n', '\r'], " ")),
            18 => format!("/*{}*/", noise.replace("/*", "").replace("*/", "").replace(['/', '*'], "")),
            19 => format!("/* {} /* ; */ ' */", noise.replace("/*", "").replace("*/", "").replace(['/', '*'], "")),
            20 | 21 if depth < 4 => {
                let inner: Vec<String> = (0..self.below(4)).map(|_| self.token(depth + 1)).collect();
                format!("({}{})", inner.join(" "), self.one(&["", "", ";"]))
            }
            _ => self.one(&[" ", "\n", "\r\n", "\t", "  "]).to_owned(),
        }
    }

    fn statement(&mut self) -> String {
        let mut text: String = String::new();
        if self.below(8) == 0 {
            let head = self.one(&[
                "create function f() ",
                "CREATE OR REPLACE PROCEDURE\np() ",
                "create /* ; */ function f(a int) returns int ",
            ]);
            let atomic = self.one(&["begin atomic ", "BEGIN\n -- ;\n ATOMIC ", "begin /* */ atomic "]);
            let body: String = (0..self.below(4))
                .map(|_| {
                    self.one(&[
                        "select 1; ",
                        "select case when true then 1 end; ",
                        "insert into t values (';', $$;$$); ",
                        "select E'\\';'; ",
                    ])
                })
                .collect();
            return format!("{head}{atomic}{body}{}", self.one(&["end", "END", "end -- ;\n"]));
        }
        for _ in 0..=self.below(8) {
            text.push_str(&self.token(0));
            text.push_str(self.one(&["", " ", " ", "\n"]));
        }
        text
    }

    pub(crate) fn file(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(6) {
            text.push_str(&self.statement());
            text.push_str(self.one(&[";", ";\n", " ;\r\n", ";;", ";\n\n-- next ;\n"]));
        }
        match self.below(10) {
            0 => text.push_str(&self.statement()),
            // Appends an unclosed token.
            1 => text.push_str(self.one(&[
                "'a; b",
                "/* a; /* */ b;",
                "$q$ a; $$;",
                "\"a;",
                "select (1; ",
                "E'\\'; select 1;",
            ])),
            _ => {}
        }
        text
    }
}

/// Returns a valid SQL statement in random notation.
pub(crate) fn valid(random: &mut Random) -> String {
    let noise = random.noise().replace('\0', "");
    let tag = random.one(&["$$", "$q$", "$ä1$"]);
    let value = match random.below(7) {
        0 => format!("'{}'", noise.replace('\'', "''")),
        1 => format!("E'{}'", noise.replace('\\', "\\\\").replace('\'', "\\'")),
        2 => format!("{tag}{}{tag}", noise.replace('$', "")),
        3 => format!("1 as \"{}x\"", noise.replace('"', "\"\"")),
        4 => format!("/* {} */ 1", noise.replace(['/', '*'], "")),
        5 => format!("E'a\\'' -- {}\n '\\';'", noise.replace(['\n', '\r'], " ")),
        _ => "case when true then 1 end as end".to_owned(),
    };
    match random.below(5) {
        0 => {
            let body = random.one(&[
                "select 1 end; select 2",
                "select 1 as case; select case 1 when 1 then 2 end",
                "select 1",
                "select t.end from (select 1 as end) t",
            ]);
            let head = random.one(&[
                "create or replace function pg_temp.f() returns int ",
                "CREATE OR REPLACE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql ",
            ]);
            format!("{head}begin atomic {body}; select 3; end")
        }
        _ => format!("select {value}"),
    }
}
