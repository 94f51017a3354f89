//! Settings of the advisors.

use serde_json::json;

use super::{Group, Kind, Names, Spec};

/// Key of the ignored findings in cloch.toml.
pub(in crate::dashboard::settings) const IGNORED: &str = "advisors.ignore";

pub(super) const GROUPS: &[Group] =
    &[Group { name: "advisors", title: "Advisors", names: Names::None, settings: ADVISORS }];

const ADVISORS: &[Spec] =
    &[Spec::cloch(IGNORED, Kind::Ignored, "Ignored findings", |f, _| json!(f.cloch.advisors.ignore))
        .hint("\"Ignore\" on the page Advisors adds an entry.")];
