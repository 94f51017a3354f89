use serde_json::json;

use super::*;

fn filled(page: &str) -> String {
    let settings = json!({ "club": "Tom & \"Jo\" <O'Neill>", "blank": " ", "list": ["a"] });
    let content = json!({
        "texts": { "date": "31st <October>" },
        "events": [
            { "title": "A & B", "rsvp": "Ja <b>", "rows": [{ "n": 1 }, { "n": 2 }] },
            { "title": "{cloch:config}", "rsvp": null, "rows": [] },
        ],
        "none": [],
    });
    replace_all(page, &json!({ "anonKey": "key", "settings": settings }), &content)
}

#[test]
fn a_setting_cannot_leave_its_place() {
    assert_eq!(filled("<p>{cloch:text:club|x}</p>"), "<p>Tom &amp; &quot;Jo&quot; &lt;O&#x27;Neill&gt;</p>");
    assert_eq!(filled(r#"{"name":"{cloch:json:club|x}"}"#), r#"{"name":"Tom & \"Jo\" \u003cO'Neill>"}"#);
    for page in ["<script>{cloch:config}</script>", "<script>{cloch:content}</script>"] {
        let page = filled(page);
        assert!(page.contains("\\u003c") && page.matches('<').count() == 2, "{page}");
    }
    assert_eq!(filled("?s={cloch:url:club|x}"), "?s=Tom%20%26%20%22Jo%22%20%3CO&#x27;Neill%3E");
}

#[test]
fn a_value_that_is_left_out_reads_as_the_build_wrote_it() {
    for name in ["none", "blank", "list", "content.none", "content.texts.none", "item.title", "content.events"] {
        assert_eq!(filled(&format!("a {{cloch:text:{name}|b &amp; c}} d")), "a b &amp; c d", "{name}");
    }
    assert_eq!(replace_all("{cloch:text:club|b}", &json!({}), &Value::Null), "b");
    let quoted = json!({ "settings": { "club": "\"Best Club\"" } });
    assert_eq!(replace_all("\"{cloch:json:club|x}\"", &quoted, &Value::Null), r#""\"Best Club\"""#);
    assert_eq!(filled("{cloch:text:content.texts.date|b}"), "31st &lt;October&gt;");
}

#[test]
fn a_list_is_repeated_and_its_items_cannot_leave_their_place() {
    assert_eq!(
        filled("<ul>{cloch:each:content.events}<li>{cloch:text:item.title|}</li>{cloch:else}none{cloch:end}</ul>"),
        // Placeholders in published content are not replaced.
        "<ul><li>A &amp; B</li><li>{cloch:config}</li></ul>"
    );
    let nested =
        "{cloch:each:content.events}[{cloch:each:item.rows}{cloch:text:item.n|}{cloch:else}-{cloch:end}]{cloch:end}";
    assert_eq!(filled(nested), "[12][-]");
    for name in ["content.none", "content.texts", "content.missing", "item.rows", "club"] {
        let page = format!("{{cloch:each:{name}}}x{{cloch:else}}none {{cloch:text:club|}}{{cloch:end}}.");
        assert_eq!(filled(&page), "none Tom &amp; &quot;Jo&quot; &lt;O&#x27;Neill&gt;.", "{name}");
    }
}

#[test]
fn a_part_depends_on_a_value() {
    let page =
        "{cloch:each:content.events}{cloch:if:item.rsvp}{cloch:url:item.rsvp|}{cloch:else}no{cloch:end};{cloch:end}";
    assert_eq!(filled(page), "Ja%20%3Cb%3E;no;");
    assert_eq!(filled("{cloch:if:content.none}a{cloch:end}b"), "b");
}

#[test]
fn what_is_no_placeholder_stays() {
    for page in [
        "{cloch:",
        "{cloch:text:club",
        "{cloch:text}",
        "{cloch:other:club|x}",
        "{ cloch:config }",
        "é{cloch:é|}",
        "{cloch:each:content.events}a",
        "{cloch:if:club}a{cloch:else}b",
        "{cloch:end}",
        "{cloch:else}",
    ] {
        assert_eq!(filled(page), page);
    }
    assert_eq!(filled("{cloch:{cloch:text:none|x}"), "{cloch:x");
    assert!(has_any(b"a{cloch:config}") && !has_any(b"{cloch") && !has_any(b""));
}
