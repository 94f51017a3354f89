//! Adds and removes decisions to ignore an advisor finding, in the list of `[[advisors.ignore]]`.

use cloch_sql::advisors::Ignore;

/// Adds a decision. If there is an entry with the same rule and reason, adds the object to this entry.
pub(super) fn add(entries: &mut Vec<Ignore>, decision: Ignore) {
    // An entry without objects already applies to every object and stays unchanged.
    let is_same =
        |entry: &&mut Ignore| entry.lint == decision.lint && entry.reason == decision.reason && !entry.on.is_empty();
    match entries.iter_mut().find(is_same) {
        Some(entry) => entry.on.extend(decision.on),
        None => entries.push(decision),
    }
}

/// Removes all decisions by which the finding of the rule `lint` about the object `on` is ignored. An entry without objects is removed
/// completely, because it ignores all findings of the rule. Returns the removed decisions.
pub(super) fn remove(entries: &mut Vec<Ignore>, lint: &str, on: &str) -> Vec<Ignore> {
    let mut removed = Vec::new();
    entries.retain_mut(|entry| {
        let is_affected = entry.lint == lint && (entry.on.is_empty() || entry.on.iter().any(|object| object == on));
        if !is_affected {
            return true;
        }
        let was_of_all = entry.on.is_empty();
        entry.on.retain(|object| object != on);
        let on = if was_of_all { Vec::new() } else { vec![on.to_owned()] };
        removed.push(Ignore { lint: entry.lint.clone(), on, reason: entry.reason.clone() });
        !entry.on.is_empty()
    });
    removed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignore(lint: &str, on: &[&str], reason: &str) -> Ignore {
        Ignore { lint: lint.to_owned(), on: on.iter().map(|on| (*on).to_owned()).collect(), reason: reason.to_owned() }
    }

    #[test]
    fn an_object_joins_the_entry_with_the_same_reason() {
        let mut entries = vec![ignore("a", &[], "Why."), ignore("b", &["s.x"], "Why.")];
        add(&mut entries, ignore("b", &["s.y"], "Why."));
        add(&mut entries, ignore("b", &["s.z"], "Other."));
        add(&mut entries, ignore("a", &["s.x"], "Why."));
        let expected = [
            ignore("a", &[], "Why."),
            ignore("b", &["s.x", "s.y"], "Why."),
            ignore("b", &["s.z"], "Other."),
            ignore("a", &["s.x"], "Why."),
        ];
        assert_eq!(entries, expected);
    }

    #[test]
    fn every_entry_that_hides_the_finding_is_changed() {
        let mut entries = vec![
            ignore("a", &["s.x", "s.y"], "One."),
            ignore("a", &["s.x"], "Two."),
            ignore("b", &["s.x"], "Three."),
            ignore("c", &[], "Four."),
        ];
        assert_eq!(remove(&mut entries, "a", "s.z"), []);
        assert_eq!(remove(&mut entries, "a", "s.x"), [ignore("a", &["s.x"], "One."), ignore("a", &["s.x"], "Two.")]);
        assert_eq!(remove(&mut entries, "c", "s.x"), [ignore("c", &[], "Four.")]);
        assert_eq!(entries, [ignore("a", &["s.y"], "One."), ignore("b", &["s.x"], "Three.")]);
    }
}
