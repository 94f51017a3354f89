//! Tests that the limits stop small templates that would otherwise need endless time, all memory or the whole stack. The authors of a
//! project's mail templates are often other people than the operator of the server.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use cloch_template::{Mode, Template};
use serde_json::json;

/// Runs a template in a thread with a stack of 2 MB, and returns the error of the template.
fn refusal(text: String, mode: Mode) -> String {
    let began = Instant::now();
    let work = move || {
        let data = json!({ "x": "a", "list": ["a", "b"] });
        Template::parse(&text, mode).and_then(|template| template.render(data.as_object().unwrap()))
    };
    let done = std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    done.map(|text| text.len()).unwrap_err().to_string()
}

/// Returns a chain of templates, in which each template calls the next template `uses` times.
fn chain(count: usize, open: &str, close: &str, uses: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        let uses = format!("{{{{template \"t{}\" .}}}}", number + 1).repeat(uses);
        write!(text, "{{{{define \"t{number}\"}}}}{open}{uses}{close}{{{{end}}}}").unwrap();
    }
    write!(text, "{{{{define \"t{count}\"}}}}{{{{end}}}}{{{{template \"t0\" .}}}}").unwrap();
    text
}

#[test]
fn doubled_steps_and_texts_end() {
    for mode in [Mode::Text, Mode::Html] {
        for (text, expected) in [
            (chain(60, "", "", 2), "takes too long"),
            (format!("{}{}", "{{range $i := 1000}}".repeat(4), "{{end}}".repeat(4)), "too many passes"),
            ("{{$x := \"ab\"}}{{range 60}}{{$x = printf \"%s%s\" $x $x}}{{end}}".to_owned(), "too long"),
            ("{{$x := \"ab\"}}{{range 60}}{{$x = print $x $x $x $x $x $x $x $x}}{{end}}".to_owned(), "too long"),
            (format!("{{{{$x := printf \"{}\" 1}}}}", "%1000000[1]d".repeat(5000)), "too long"),
            ("{{$x := printf \"%1000000d\" 1}}".repeat(5000), "too long"),
            ("{{$x := printf \"%1000000d\" 1}}{{range 1000000}}{{if eq $x $x}}{{end}}{{end}}".to_owned(), "too long"),
        ] {
            let refusal = refusal(text.clone(), mode);
            assert!(refusal.contains(expected), "{mode:?} {}: {refusal}", text.chars().take(80).collect::<String>());
        }
    }
}

#[test]
fn a_deep_template_does_not_take_the_whole_stack() {
    let nested = chain(90, &"{{if .x}}".repeat(95), &"{{end}}".repeat(95), 1);
    for (text, mode) in [
        (nested.clone(), Mode::Text),
        (nested, Mode::Html),
        (chain(20_000, "", "", 1), Mode::Text),
        (chain(20_000, "", "", 1), Mode::Html),
    ] {
        let refusal = refusal(text, mode);
        assert!(refusal.contains("maximum template depth"), "{refusal}");
    }
}

#[test]
fn loops_within_loops_are_not_followed_for_ever() {
    let text = format!("{}{{{{.}}}}{}", "{{range .list}}".repeat(90), "{{end}}".repeat(90));
    assert!(refusal(text, Mode::Html).contains("too complicated"));
    // A template with five nested loops is allowed.
    let text = format!("{}x{}", "{{range $.list}}".repeat(5), "{{end}}".repeat(5));
    let data = json!({ "list": ["a", "b"] });
    let made = Template::parse(&text, Mode::Html).unwrap().render(data.as_object().unwrap()).unwrap();
    assert_eq!(made.len(), 32);
}

#[test]
fn brackets_that_are_never_closed_are_looked_for_once() {
    let text = format!("{{{{printf \"{}\" 1}}}}", "%[".repeat(400_000));
    let began = Instant::now();
    let made = Template::parse(&text, Mode::Text).unwrap().render(json!({}).as_object().unwrap());
    assert!(made.is_ok_and(|text| text.starts_with('%')) && began.elapsed() < Duration::from_secs(30));
}
