//! Generates random templates and data of users, to compare the results with Go.

use serde_json::{Value, json};

/// Random number generator (xorshift64*). The same seed generates the same templates on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end as u64).unwrap()
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

pub(crate) fn cases(seed: u64, count: usize) -> Vec<Value> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..count)
        .map(|at| {
            let mut writer = Writer { random: &mut random, variables: vec!["$".into()], depth: 0, loops: 0 };
            let html = at % 3 != 0;
            let template = writer.template(html);
            json!({ "html": html, "template": template, "data": data(&mut random) })
        })
        .collect()
}

fn data(random: &mut Random) -> Value {
    let metadata = [
        json!({}),
        json!({ "list": ["a", "b"], "n": 3, "name": "O'Hara <b>", "team": { "title": "TT", "size": 12 }, "on": true }),
        json!({ "list": [], "n": 0, "name": "", "team": {}, "on": false, "nothing": null }),
        json!({ "list": [1, 2.5, "x", null, [1], { "k": "v" }], "n": 1_000_000, "name": "a+b=c&d/é?#%41 ,`$", "team": null }),
        json!({ "list": ["</script>", "javascript:alert(1)", "//x.y/z"], "n": -0.000_012_5, "name": "http://x.y/?a=b&c=d",
                "team": { "title": "expression(1)", "size": 123_456_789 }, "on": 1 }),
        json!({ "list": [[1, 2], [3]], "n": 2.0e21, "name": "a\tb\n\"c\" \\ {}", "team": { "title": "red", "size": 0.1 } }),
        json!({ "list": "text", "n": "4", "name": ["x"], "team": 5, "nothing": null }),
    ];
    json!({
        "SiteURL": "https://club.example/", "Token": "123456", "Email": "ann+1@club.example",
        "ConfirmationURL": "https://x.example/verify?token=pkce_1&type=signup&redirect_to=http://y/z?a=b c",
        "RedirectTo": random.one(&["http://y/z?a=b&c=d#e", "javascript:alert(1)", "com.app://x", ""]).to_owned(),
        "Data": metadata[random.below(metadata.len())],
    })
}

struct Writer<'a> {
    random: &'a mut Random,
    variables: Vec<String>,
    depth: usize,
    loops: usize,
}

impl Writer<'_> {
    fn template(&mut self, html: bool) -> String {
        let mut out = String::new();
        let named = self.random.chance(6);
        if named {
            let inner = self.piece(html);
            let open = self.random.one(&["{{ define \"t\" }}", "{{define `t`}}", "{{- define \"t\" -}}"]);
            out.push_str(&format!("{open}{inner}{{{{ end }}}}"));
        }
        for _ in 0..=self.random.below(3) {
            out.push_str(&self.piece(html));
        }
        if named {
            out.push_str(self.random.one(&[
                "{{ template \"t\" . }}",
                "<p>{{ template \"t\" .Data }}",
                "{{template \"t\"}}",
            ]));
        }
        if self.random.chance(12) {
            out.push_str("{{ block \"b\" .Data }}[{{ .name }}]{{ end }}");
        }
        out
    }

    fn piece(&mut self, html: bool) -> String {
        self.depth += 1;
        let seen = self.variables.len();
        let text = match self.random.below(if self.depth > 3 { 5 } else { 9 }) {
            0..=4 => self.plain(html),
            5 => {
                let (pipe, then, other) = (self.condition(), self.piece(html), self.piece(html));
                match self.random.below(3) {
                    0 => format!("{{{{ if {pipe} }}}}{then}{{{{ end }}}}"),
                    1 => format!("{{{{if {pipe}}}}}{then}{{{{else}}}}{other}{{{{end}}}}"),
                    _ => {
                        let second = self.condition();
                        format!("{{{{- if {pipe} -}}}} {then} {{{{ else if {second} }}}}{other}{{{{ end -}}}} ")
                    }
                }
            }
            6 => {
                let pipe = self.argument();
                let (then, other) = (self.piece(html), self.piece(html));
                match self.random.below(2) {
                    0 => format!("{{{{ with {pipe} }}}}{then}{{{{ end }}}}"),
                    _ => format!("{{{{ with $w := {pipe} }}}}{{{{ $w }}}}{then}{{{{ else }}}}{other}{{{{ end }}}}"),
                }
            }
            _ => self.range(html),
        };
        self.variables.truncate(seen);
        self.depth -= 1;
        text
    }

    fn range(&mut self, html: bool) -> String {
        let over = self.random.one(&[
            ".Data.list",
            ".Data",
            ".Data.team",
            ".Data.missing",
            "3",
            ".Token",
            "$.Data.list",
            ".Data.n",
        ]);
        let head = self.random.one(&["", "$i, $e := ", "$e := ", "$i, $e := "]);
        let seen = self.variables.len();
        for name in ["$i", "$e"] {
            if head.contains(name) {
                self.variables.push(name.into());
            }
        }
        self.loops += 1;
        let stop = match self.random.below(4) {
            0 => format!("{{{{ if {} }}}}{{{{ break }}}}{{{{ end }}}}", self.condition()),
            1 => format!("{{{{ if {} }}}}{{{{ continue }}}}{{{{ end }}}}", self.condition()),
            _ => String::new(),
        };
        let inner = if self.random.chance(2) { "{{ . }},".to_owned() } else { self.piece(html) };
        self.loops -= 1;
        self.variables.truncate(seen);
        let other = if self.random.chance(2) { format!("{{{{ else }}}}{}", self.plain(html)) } else { String::new() };
        format!("{{{{ range {head}{over} }}}}{stop}{inner}{other}{{{{ end }}}}")
    }

    /// Returns a random piece of HTML or text into which values are inserted.
    fn plain(&mut self, html: bool) -> String {
        let place = if html {
            self.random.one(&[
                "<p>@</p>",
                "<a href=\"@\">x</a>",
                "<a href='@&x=@'>",
                "<a href=\"/a?b=@&c=@#@\">",
                "<td width=@>",
                "<p title=\"@\" class='a @ b'>",
                "<p style=\"color: @; width: @px\">",
                "<style>a { color: @ } /* c */</style>",
                "<script>var x = @; /* c */ y = \"@\"; z = '@' // d\n</script>",
                "<script>w = `a@b${@}`; r = /x@/.test(@)</script>",
                "<div onclick=\"f(@, '@')\">",
                "<img src=\"@\" srcset=\"@ 2x, /b.png\">",
                "<!-- @ -->",
                "a<!-- c -->b@",
                "<title>@</title>",
                "<textarea>@</textarea>",
                "<meta http-equiv=\"refresh\" content=\"0; url=@\">",
                "<input @>",
                "<input value=\"@\" data-src=\"@\" xlink:href=\"@\">",
                "1 < 2 @ <3",
                "<p style=\"background: url(@)\">",
                "<p style='background: url(\"/a?@\"); font: \"@\"'>",
                "<a href=\"mailto:@\">@</a>",
                "@",
                "@ @\n",
                "<!DOCTYPE html><br/>@",
                "<script type=\"text/plain\">@</script>",
                "<a href=\"https://x.y/@/z?q=@\">",
                "<p data-uri=\"@\">",
                "<table bgcolor=\"@\" background=\"@\">",
                "<A HREF = \"@\" >",
                "<p @=\"x\">",
                "<script type=\"application/ld+json\">{\"a\": @, \"b\": \"@\"}</script>",
                "<a href=\"?x&quest;@\">",
                "{{/* c */}}@",
                "<style>p { font: '@' } // x\n</style>",
                "<iframe srcdoc=\"@\"></iframe>",
            ])
        } else {
            self.random.one(&[
                "@",
                "a @ b @\n",
                "\n {{- @@ -}} \n x",
                "{{/* c */}}@",
                "{{- /* c */ -}} @",
                "<b>@</b>",
                "100% @",
            ])
        };
        let mut out = String::new();
        for (at, part) in place.split('@').enumerate() {
            if at > 0 {
                let bare = place.contains("@@");
                out.push_str(&if bare { if at == 1 { self.argument() } else { String::new() } } else { self.action() });
            }
            out.push_str(part);
        }
        out
    }

    fn action(&mut self) -> String {
        if self.random.chance(12) {
            let (name, value) = (self.random.one(&["$x", "$y"]), self.argument());
            self.variables.push(name.to_owned());
            let set =
                if self.random.chance(3) { format!("{{{{ {name} = {} }}}}", self.argument()) } else { String::new() };
            return format!("{{{{ {name} := {value} }}}}{set}{{{{ {name} }}}}");
        }
        let (open, close) = (self.random.one(&["{{ ", "{{", "{{- "]), self.random.one(&[" }}", "}}", " -}}"]));
        format!("{open}{}{close}", self.pipeline())
    }

    fn pipeline(&mut self) -> String {
        match self.random.below(10) {
            0..=3 => self.argument(),
            4 => format!(
                "{} | {}",
                self.argument(),
                self.random.one(&["html", "urlquery", "js", "len", "print", "not", "println"])
            ),
            5 => self.printf(),
            6 => self.condition(),
            7 => format!(
                "{} {}",
                self.random.one(&["html", "js", "urlquery", "print", "len", "println"]),
                self.argument()
            ),
            8 => {
                let values = [self.argument(), self.argument(), self.argument()].join(" ");
                format!("{} {values}", self.random.one(&["print", "println", "html", "and", "or"]))
            }
            _ => self
                .random
                .one(&[
                    "slice .Token 0 3",
                    "slice .Token 3",
                    "slice .Data.list 1",
                    "index .Data \"name\"",
                    "index .Data.list 0",
                    "index .Data.list 1",
                    "index .Data \"team\" \"title\"",
                    "index .Token 2",
                    "(index .Data \"team\").title",
                    "slice .Token 2 9",
                    "index .Data.missing 0",
                    "call .Token",
                    "printf \"%s\" .Data.missing",
                    "nil",
                    "and",
                    ".Data.n 1",
                    "'a'",
                    "0x1F",
                    "1_000",
                    "\"a\\tb\\u00e9\\\"\"",
                    "`a\\n`",
                    "1e3",
                    ".5",
                    "-3",
                    "010",
                    "true",
                    "(\"x\") | printf \"%q\"",
                    "3 | print 4",
                    "(.Data).name",
                    "$.Token",
                    "printf \"%[2]v %[1]v\" 1 2",
                    "len nil",
                    "not nil",
                    "eq 1.0 1",
                    "1+2",
                    "lt true false",
                ])
                .to_owned(),
        }
    }

    fn printf(&mut self) -> String {
        let verb = self.random.one(&[
            "%v", "%s", "%d", "%.0f", "%5.2f", "%q", "%x", "%t", "%T", "%08.3f", "%-6s|", "%+v", "%#v", "%e", "%g",
            "%c", "%U", "%5d", "%05d", "%X", "% x", "%#q", "%.3s", "%o", "%b", "%%", "%!", "%z", "%6.3v", "%+d", "%*d",
            "%-8q|", "%#x", "%G", "%.3g", "%+q", "%#o", "%",
        ]);
        let (values, count) = ([self.argument(), self.argument()], self.random.below(4));
        match count {
            0 => format!("printf \"a {verb}\" {}", values.join(" ")),
            1 => format!("{} | printf \"{verb}\"", values[0]),
            _ => format!("printf \"{verb}\" {}", values[0]),
        }
    }

    fn condition(&mut self) -> String {
        let (one, two) = (self.argument(), self.argument());
        match self.random.below(8) {
            0 => one,
            1 => format!("not {one}"),
            2 => format!("and {one} {two}"),
            3 => format!("or {one} {two}"),
            4 => format!("eq .Data.name {one} {two}"),
            5 => format!("{} {one} {two}", self.random.one(&["eq", "ne", "lt", "le", "gt", "ge"])),
            6 => "and .Data.team (eq .Data.team.title \"TT\")".to_owned(),
            _ => format!("{} .Data.n {}", self.random.one(&["eq", "lt", "ge"]), self.random.one(&["3.0", "3", "0.5"])),
        }
    }

    fn argument(&mut self) -> String {
        match self.random.below(14) {
            0 => {
                let at = self.random.below(self.variables.len());
                let field = self.random.one(&["", "", ".Token", ".Data.name"]);
                format!("{}{}", self.variables[at], if self.variables[at] == "$" { field } else { "" })
            }
            1 if self.depth < 5 => {
                self.depth += 1;
                let inner = self.pipeline();
                self.depth -= 1;
                format!("({inner})")
            }
            2 => self
                .random
                .one(&["\"x\"", "3", "0", "1.5", "true", "false", "`r`", "\"\"", "\"a<b\"", "nil", "'x'"])
                .to_owned(),
            _ => self
                .random
                .one(&[
                    ".Token",
                    ".Email",
                    ".ConfirmationURL",
                    ".RedirectTo",
                    ".Data.name",
                    ".Data.n",
                    ".Data.list",
                    ".Data.team",
                    ".Data.team.title",
                    ".Data.team.size",
                    ".Data.missing",
                    ".Data.missing.deep",
                    ".Missing",
                    ".Data.nothing",
                    ".Data.on",
                    ".",
                    ".SiteURL",
                    ".Data",
                    ".Data.name",
                    ".Token",
                    ".Email",
                ])
                .to_owned(),
        }
    }
}
