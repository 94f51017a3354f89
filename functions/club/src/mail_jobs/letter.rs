//! Writes the subject and text of the mail to the club about an entry to an award, or about files that were sent later.

use crate::email_html::escape;

use super::record::Record;

#[derive(Debug)]
pub(super) struct Letter {
    pub(super) subject: String,
    pub(super) title: &'static str,
    sections: Vec<Section>,
    footer: &'static str,
    /// Address to which the club replies: for minors, the address of the parent or guardian.
    pub(super) reply_to: String,
}

/// Section of a letter: a heading, and the label and value of each line below the heading.
type Section = (&'static str, Vec<(String, String)>);

impl Letter {
    /// Returns the letter about an entry to an award, or about files that were sent later. Returns `None` for an unknown award. `age_date` is the
    /// reference day for ages, as the website shows the day.
    pub(super) fn of(award: &str, entry: &Record, age_date: &str) -> Option<Self> {
        Some(match award {
            "citizen" => citizen(entry),
            "musician" => musician(entry, age_date),
            "photographer" => photographer(entry, age_date),
            "artist" => artist(entry, age_date),
            "additional" => additional_files(entry),
            "music" => recordings(entry),
            _ => return None,
        })
    }

    /// Returns the letter as HTML. User input is escaped, and its line breaks are kept.
    pub(super) fn html(&self) -> String {
        let mut html = format!("<h2>{}</h2>\n", escape(self.title));
        for (heading, rows) in &self.sections {
            html.push_str(&format!("<h3>{}</h3>\n", escape(heading)));
            for (label, value) in rows {
                let value = if value.is_empty() { "Not provided" } else { value };
                let value = escape(value).replace("\r\n", "<br>").replace(['\r', '\n'], "<br>");
                html.push_str(&format!("<p><strong>{}:</strong> {value}</p>\n", escape(label)));
            }
        }
        html.push_str(&format!("<p><em>{}</em></p>", self.footer));
        html
    }
}

fn rows<const N: usize>(rows: [(&str, String); N]) -> Vec<(String, String)> {
    rows.map(|(label, value)| (label.to_owned(), value)).into()
}

fn file_count(entry: &Record) -> (&'static str, String) {
    ("Files", entry.list("uploaded_files").len().to_string())
}

fn citizen(entry: &Record) -> Letter {
    let text = |column| entry.text(column);
    let is_group = text("nomination_type") == "group";
    Letter {
        subject: format!("Young Citizen Award Nomination - {}", text("nominee_name")),
        title: "Young Citizen Award Nomination",
        sections: vec![
            (
                if is_group { "The group" } else { "The nominee" },
                rows([
                    ("Nomination type", if is_group { "Group" } else { "Individual" }.to_owned()),
                    ("Name", text("nominee_name")),
                    ("Age", text("nominee_age")),
                    ("E-mail", text("nominee_email")),
                    ("Phone", text("nominee_phone")),
                ]),
            ),
            (
                "Parent or guardian",
                rows([("E-mail", text("parent_guardian_email")), ("Phone", text("parent_guardian_phone"))]),
            ),
            (
                "Nominator",
                rows([
                    ("Name", text("nominator_name")),
                    ("E-mail", text("nominator_email")),
                    ("Phone", text("nominator_phone")),
                    ("Relationship", text("nominator_relationship")),
                ]),
            ),
            (
                "The nomination",
                rows([
                    ("Key achievement", text("key_achievement")),
                    ("Community impact", text("community_impact")),
                    ("Why they deserve the award", text("why_deserving")),
                    file_count(entry),
                ]),
            ),
        ],
        footer: "Sent through the Young Citizen Award form of the club website.",
        reply_to: text("nominator_email"),
    }
}

fn musician(entry: &Record, age_date: &str) -> Letter {
    let text = |column| entry.text(column);
    let is_vocal = text("category").to_lowercase().contains("vocal");
    let mut who = entrant(entry, age_date);
    who.extend(rows([
        ("School", text("school")),
        ("Performance type", if is_vocal { "Vocal" } else { "Instrumental" }.to_owned()),
        (if is_vocal { "Voice type" } else { "Instrument" }, text("instrument")),
    ]));
    let mut pieces = entry.list("music_selections");
    if pieces.is_empty() {
        pieces.push(text("piece_title"));
    }
    let mut music: Vec<_> =
        pieces.into_iter().enumerate().map(|(index, piece)| (format!("Piece {}", index + 1), piece)).collect();
    music.extend(rows([("Accompanist", text("accompanist_name"))]));
    Letter {
        subject: format!("Young Musician Entry - {}", text("entrant_name")),
        title: "Young Musician Entry",
        sections: vec![
            ("The entrant", who),
            ("The music", music),
            (
                "Parent or guardian",
                rows([("E-mail", text("parent_guardian_email")), ("Telephone", text("parent_guardian_phone"))]),
            ),
            ("Nominator", rows([("Name", text("teacher_name")), ("E-mail", text("teacher_email"))])),
            (
                "On the night",
                rows([
                    ("Allergies and accessibility", text("special_requirements")),
                    ("Publicity", publicity(entry)),
                    ("Signature", text("signature")),
                    file_count(entry),
                ]),
            ),
        ],
        footer: "Sent through the Young Musician form of the club website.",
        reply_to: text("parent_guardian_email"),
    }
}

fn photographer(entry: &Record, age_date: &str) -> Letter {
    let text = |column| entry.text(column);
    let answer = |column| match entry.text(column).as_str() {
        "yes" => "Yes".to_owned(),
        "no" => "No".to_owned(),
        other => other.to_owned(),
    };
    Letter {
        subject: format!("Young Photographer Entry - {}", text("entrant_name")),
        title: "Young Photographer Entry",
        sections: vec![
            ("The entrant", picture_entrant(entry, age_date)),
            (
                "The picture",
                rows([
                    ("Title", text("photo_title")),
                    ("Camera or device", text("camera_equipment")),
                    ("Auxiliary lens or filters used", answer("auxiliary_lens_used")),
                    ("Edited with software", answer("image_edited")),
                    ("Relationship to the theme", text("photo_description")),
                    file_count(entry),
                ]),
            ),
            (
                "Contacts",
                rows([
                    ("Nominator", text("teacher_name")),
                    ("Nominator’s e-mail", text("teacher_email")),
                    ("Parent or guardian’s e-mail", text("parent_guardian_email")),
                    ("Parent or guardian’s phone", text("parent_guardian_phone")),
                    ("Publicity", publicity(entry)),
                ]),
            ),
        ],
        footer: "Sent through the Young Photographer form of the club website.",
        reply_to: text("parent_guardian_email"),
    }
}

fn artist(entry: &Record, age_date: &str) -> Letter {
    let text = |column| entry.text(column);
    Letter {
        subject: format!("Young Artist Entry - {}", text("entrant_name")),
        title: "Young Artist Entry",
        sections: vec![
            ("The entrant", picture_entrant(entry, age_date)),
            (
                "The work",
                rows([
                    ("Title", text("artwork_title")),
                    ("Relationship to the theme", text("artwork_description")),
                    file_count(entry),
                ]),
            ),
            (
                "Contacts",
                rows([
                    ("Nominee", text("nominee_name")),
                    ("Nominee’s e-mail", text("email")),
                    ("Parent or guardian", text("parent_guardian_name")),
                    ("Parent or guardian’s e-mail", text("parent_guardian_email")),
                    ("Publicity", publicity(entry)),
                ]),
            ),
        ],
        footer: "Sent through the Young Artist form of the club website.",
        reply_to: text("parent_guardian_email"),
    }
}

fn additional_files(entry: &Record) -> Letter {
    let text = |column| entry.text(column);
    Letter {
        subject: format!("Youth Awards - Additional Files - {}", text("entrant_name")),
        title: "Youth Awards: additional files",
        sections: vec![(
            "The entry",
            rows([
                ("Entrant", text("entrant_name")),
                ("School or organisation", text("organisation")),
                ("Additional information", text("additional_info")),
                file_count(entry),
            ]),
        )],
        footer: "Sent through the additional files form of the club website.",
        reply_to: String::new(),
    }
}

fn recordings(entry: &Record) -> Letter {
    Letter {
        subject: format!("Youth Awards - Recordings - {}", entry.text("entrant_name")),
        title: "Youth Awards: recordings",
        sections: vec![("The entry", rows([("Nominee", entry.text("entrant_name")), file_count(entry)]))],
        footer: "Sent through the music upload page of the club website.",
        reply_to: String::new(),
    }
}

fn entrant(entry: &Record, age_date: &str) -> Vec<(String, String)> {
    vec![("Name".to_owned(), entry.text("entrant_name")), (format!("Age as at {age_date}"), entry.text("age"))]
}

/// Returns the lines about the person who entered a photo or an artwork.
fn picture_entrant(entry: &Record, age_date: &str) -> Vec<(String, String)> {
    let category = entry.text("category");
    let category = match category.to_lowercase().as_str() {
        "junior" => "Junior (under 10)".to_owned(),
        "intermediate" => "Intermediate (11-13)".to_owned(),
        "senior" => "Senior (14-17)".to_owned(),
        _ => category,
    };
    let mut who = entrant(entry, age_date);
    who.extend(rows([
        ("Pronouns", entry.text("preferred_pronoun")),
        ("School, college or organisation", entry.text("school")),
        ("Category", category),
    ]));
    who
}

/// Returns the answer in the entry form to the question about consent to publicity: "Agree", "Disagree" or "Not specified".
fn publicity(entry: &Record) -> String {
    match entry.text("publicity_consent").as_str() {
        "agree" => "Agree",
        "disagree" => "Disagree",
        _ => "Not specified",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_that_was_typed_is_markup() {
        let typed = "<img src=x onerror=alert(1)>\nsecond line";
        for award in ["citizen", "musician", "photographer", "artist"] {
            let columns = ["nominee_name", "entrant_name", "key_achievement", "special_requirements", "signature"];
            let entry: serde_json::Map<_, _> =
                columns.into_iter().map(|column| (column.to_owned(), json!(typed))).collect();
            let html = Letter::of(award, &json!(entry).into(), "1st May").unwrap().html();
            assert!(!html.contains("<img"), "{award}: {html}");
            assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;<br>second line"), "{award}: {html}");
        }
    }

    #[test]
    fn an_answer_that_was_not_given_is_said_to_be_missing() {
        let html = Letter::of("musician", &json!({"age": 14}).into(), "1st May").unwrap().html();
        assert!(html.contains("<p><strong>Publicity:</strong> Not specified</p>"), "{html}");
        assert!(html.contains("<p><strong>School:</strong> Not provided</p>"), "{html}");
        assert!(html.contains("<p><strong>Age as at 1st May:</strong> 14</p>"), "{html}");
    }

    #[test]
    fn there_are_four_awards() {
        assert!(Letter::of("juggler", &json!({}).into(), "1st May").is_none());
    }
}
