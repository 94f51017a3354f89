//! Fuzzy matching of misspelt names for PostgREST's hints: candidates are selected by shared n-grams and ranked by Levenshtein distance.

use std::collections::HashMap;

/// Maximum length in bytes of a compared name or list of names. The length is limited because the time of a comparison grows with the
/// length.
const MAX_COMPARED_BYTES: usize = 1024;
const MAX_CANDIDATES: usize = 50;

/// Returns the candidate most similar to `name` with its similarity, from 0 to 1; `None` if no candidate reaches `minimum`.
pub fn best_match<'a>(
    candidates: impl IntoIterator<Item = &'a str>,
    name: &str,
    minimum: f64,
) -> Option<(f64, &'a str)> {
    if name.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let candidates: Vec<(&str, String)> =
        candidates.into_iter().map(|candidate| (candidate, candidate.to_lowercase())).collect();
    let name = name.to_lowercase();
    if let Some((candidate, _)) = candidates.iter().find(|(_, lower)| *lower == name) {
        return Some((1.0, candidate));
    }
    [3, 2].into_iter().find_map(|size| {
        let mut ranked = ranked_by_ngrams(&candidates, &name, size);
        ranked.truncate(MAX_CANDIDATES);
        let scored = ranked.into_iter().map(|(candidate, lower)| (similarity(lower, &name), candidate));
        let best = scored.fold(None, |best: Option<(f64, &str)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        });
        best.filter(|(score, _)| *score >= minimum)
    })
}

/// Returns the candidates that share n-grams with `name`, ordered by cosine similarity.
fn ranked_by_ngrams<'a, 'b>(candidates: &'b [(&'a str, String)], name: &str, size: usize) -> Vec<(&'a str, &'b str)> {
    let wanted = ngrams(name, size);
    let length = |grams: &HashMap<String, f64>| grams.values().map(|count| count * count).sum::<f64>().sqrt();
    let mut ranked: Vec<(f64, &str, &str)> = candidates
        .iter()
        .filter_map(|(candidate, lower)| {
            let own = ngrams(lower, size);
            let shared: f64 = wanted.iter().filter_map(|(gram, count)| Some(count * own.get(gram)?)).sum();
            (shared > 0.0).then(|| (shared / (length(&wanted) * length(&own)), *candidate, lower.as_str()))
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().map(|(_, candidate, lower)| (candidate, lower)).collect()
}

fn ngrams(text: &str, size: usize) -> HashMap<String, f64> {
    let kept = text.chars().filter(|&c| c.is_alphanumeric() || c == ' ' || c == ',');
    let letters: Vec<char> = std::iter::once('-').chain(kept).chain(std::iter::once('-')).collect();
    let mut grams = HashMap::new();
    for window in letters.windows(size) {
        *grams.entry(window.iter().collect()).or_insert(0.0) += 1.0;
    }
    grams
}

#[expect(clippy::cast_precision_loss, reason = "names are short")]
fn similarity(a: &str, b: &str) -> f64 {
    let longer = a.chars().count().max(b.chars().count());
    if longer == 0 { 1.0 } else { 1.0 - strsim::levenshtein(a, b) as f64 / longer as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_misspelt() {
        let tables = ["entries", "schools", "awards"];
        assert_eq!(best_match(tables, "entrys", 0.33).map(|found| found.1), Some("entries"));
        assert_eq!(best_match(tables, "entrys", 0.75), None);
        assert_eq!(best_match(tables, "school", 0.75).map(|found| found.1), Some("schools"));
        assert_eq!(best_match(tables, "zzz", 0.1), None);
        assert_eq!(best_match([], "zzz", 0.1), None);
    }

    #[test]
    fn compares_no_more_than_a_name_or_a_list_of_arguments() {
        let (long, longer) = ("argument, ".repeat(100), "argument, ".repeat(110));
        assert!(best_match([long.as_str()], &"argument, ".repeat(101), 0.33).is_some());
        assert_eq!(best_match([long.as_str()], &longer, 0.33), None);
    }
}
