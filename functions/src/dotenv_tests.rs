use super::parse;

/// Checks the parsed value of the variable `A`. The expected values follow godotenv's README, parser tests and source.
#[test]
fn values() {
    for (text, expected) in [
        ("A=The Example Club <post@club.example>", "The Example Club <post@club.example>"),
        ("A=My Company", "My Company"),
        ("A=it's", "it's"),
        ("A=5\" pipe", "5\" pipe"),
        ("A=100% \"sure\"", "100% \"sure\""),
        ("A=C:\\temp", "C:\\temp"),
        ("A=`x y`", "`x y`"),
        ("A: yaml", "yaml"),
        ("A:yaml=x", "yaml=x"),
        ("\u{feff}A=1", "1"),
        ("A=\"pa$word1\"", "pa$word1"),
        ("A=\"pa$WORD1\"", "pa"),
        ("A=x#y", "x#y"),
        ("A=x #y # z", "x"),
        ("A=#x", "#x"),
        ("A='x' # c", "x"),
        ("A=\"x\"# c", "x"),
        ("A=\"one\ntwo\"", "one\ntwo"),
        ("A='one\r\ntwo'\r\n", "one\ntwo"),
        ("export A=1", "1"),
        ("exportA=2\nA=1", "1"),
        ("  A  =  1  ", "1"),
        ("A=", ""),
        ("A=\r\nB=1\r\n", ""),
        ("A={\"a\": \"b\"}", "{\"a\": \"b\"}"),
        ("A='{\"a\": \"b\"}'", "{\"a\": \"b\"}"),
        ("A=\"{\\\"a\\\": \\\"b\\\"}\"", "{\"a\": \"b\"}"),
        ("A=\"say \\\"hi\\\"\"", "say \"hi\""),
        ("A=\"a\\nb\\tc\\\\n\"", "a\nbtc\\n"),
        ("A='a\\nb'", "a\\nb"),
        ("A=a\\nb", "a\\nb"),
        ("A='$B'", "$B"),
        ("B=1\nA=$B-${B}-$B_", "1-1-"),
        ("A=\\$B", "$B"),
        ("A=\"\\$B\"", "$B"),
        ("A=$5", ""),
        ("A=a$", "a$"),
        ("A=$(whoami)", "$(whoami)"),
        ("B=1\nA=$(B)", "1)"),
        ("A=${} ${b}", "${} ${b}"),
        ("A=1\nA=2", "2"),
        ("# comment\n\n \t\nA=1", "1"),
        ("A='it is\\'", ""),
    ] {
        let found = parse(text.as_bytes());
        if text == "A='it is\\'" {
            assert_eq!(found.faults, [(1, "its quote is never closed")]);
            continue;
        }
        assert_eq!(found.variables.get("A").map(String::as_str), Some(expected), "{text:?}");
        assert!(found.faults.is_empty(), "{text:?}: {:?}", found.faults);
    }
}

#[test]
fn a_line_that_cannot_be_read_costs_that_line() {
    let text = b"A=1\nno equals sign\nB=\"never closed\nC=3\n=4\nD%=5\nE='6' 7\nF=\xff\nG=8\nH I=9\nJ=10\n";
    let found = parse(text);
    let names: Vec<&str> = found.variables.keys().map(String::as_str).collect();
    assert_eq!(names, ["A", "C", "G", "J"]);
    let lines: Vec<usize> = found.faults.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 3, 5, 6, 7, 8, 10]);
}

#[test]
fn what_follows_an_unclosed_quote_is_read_by_its_own_lines() {
    let found = parse(b"A=\"abc\nB=\"x\"\nC=1\n");
    assert_eq!(found.variables.get("B").map(String::as_str), Some("x"));
    assert_eq!(found.faults, [(1, "there is text behind the closing quote")]);
}

#[test]
fn values_that_hold_one_another_are_bounded() {
    let mut text = "A0=0123456789\n".to_owned();
    for number in 1..40 {
        text += &format!("A{number}=\"{}\"\n", format!("$A{}", number - 1).repeat(10));
    }
    let found = parse(text.as_bytes());
    assert_eq!(found.faults.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [7]);
    assert!(found.variables.values().all(|value| value.len() <= 1 << 20));
    let many = format!("A={}\n{}", "x".repeat(500_000), "B=$A\n".repeat(100_000));
    let found = parse(many.as_bytes());
    assert_eq!(found.faults.len(), 1, "{:?}", found.faults.first());
}

#[test]
fn many_faults_take_no_longer_than_others() {
    let began = std::time::Instant::now();
    let faults = parse("x\n".repeat(300_000).as_bytes()).faults;
    assert_eq!((faults.len(), faults.last()), (101, Some(&(101, "and more lines behind it"))));
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}
