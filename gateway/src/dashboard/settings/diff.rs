//! Computes the unified diff of two texts: the lines that a change adds and removes, and some unchanged lines around them.

use std::fmt::Write as _;

/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;
/// Maximum number of pairs of lines to compare. If there are more, all lines between the first and the last change count as changed.
const MAX_PAIRS: usize = 4_000_000;

/// A line of the comparison.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Line<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// Returns the unified diff; an empty text if the texts are equal.
pub(super) fn unified(file: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let lines = compare(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>());
    let is_near = |at: usize| {
        let near = lines.get(at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(lines.len())).unwrap_or_default();
        near.iter().any(|line| !matches!(line, Line::Same(_)))
    };
    let mut text = format!("--- {file}\n+++ {file}\n");
    let (mut hunk, mut old_line, mut new_line) = (Vec::new(), 1, 1);
    let mut start = (1, 1);
    for (at, line) in lines.iter().enumerate() {
        if is_near(at) {
            if hunk.is_empty() {
                start = (old_line, new_line);
            }
            hunk.push(*line);
        } else {
            write_hunk(&mut text, start, &hunk);
            hunk.clear();
        }
        old_line += usize::from(!matches!(line, Line::Added(_)));
        new_line += usize::from(!matches!(line, Line::Removed(_)));
    }
    write_hunk(&mut text, start, &hunk);
    text
}

fn write_hunk(text: &mut String, (old, new): (usize, usize), hunk: &[Line<'_>]) {
    if hunk.is_empty() {
        return;
    }
    let removed = hunk.iter().filter(|line| !matches!(line, Line::Added(_))).count();
    let added = hunk.iter().filter(|line| !matches!(line, Line::Removed(_))).count();
    // If one side of a change has no lines, its position is the line before the change, as in diff(1).
    let position = |line: usize, count: usize| if count == 0 { line - 1 } else { line };
    let _ = writeln!(text, "@@ -{},{removed} +{},{added} @@", position(old, removed), position(new, added));
    for line in hunk {
        let (sign, line) = match line {
            Line::Same(line) => (' ', line),
            Line::Removed(line) => ('-', line),
            Line::Added(line) => ('+', line),
        };
        let _ = writeln!(text, "{sign}{line}");
    }
}

/// Compares two lists of lines by their longest common subsequence. Returns which lines are unchanged, removed and added.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (old.get(before..).unwrap_or_default(), new.get(before..).unwrap_or_default());
    let after = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let old_middle = old_rest.get(..old_rest.len() - after).unwrap_or_default();
    let new_middle = new_rest.get(..new_rest.len() - after).unwrap_or_default();
    let mut lines: Vec<Line<'a>> = old.iter().take(before).map(|line| Line::Same(line)).collect();
    lines.extend(middle(old_middle, new_middle));
    lines.extend(old_rest.iter().skip(old_rest.len() - after).map(|line| Line::Same(line)));
    lines
}

fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let removed = |lines: &[&'a str]| lines.iter().map(|line| Line::Removed(line)).collect::<Vec<_>>();
    let added = |lines: &[&'a str]| lines.iter().map(|line| Line::Added(line)).collect::<Vec<_>>();
    if old.is_empty() || new.is_empty() || old.len().saturating_mul(new.len()) > MAX_PAIRS {
        return [removed(old), added(new)].concat();
    }
    // `lengths[i][j]` is the length of the longest common subsequence of `old[i..]` and `new[j..]`.
    let mut lengths = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    let at = |lengths: &[Vec<u32>], i: usize, j: usize| lengths.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0);
    for (i, old_line) in old.iter().enumerate().rev() {
        for (j, new_line) in new.iter().enumerate().rev() {
            let length = match old_line == new_line {
                true => at(&lengths, i + 1, j + 1) + 1,
                false => at(&lengths, i + 1, j).max(at(&lengths, i, j + 1)),
            };
            if let Some(cell) = lengths.get_mut(i).and_then(|row| row.get_mut(j)) {
                *cell = length;
            }
        }
    }
    let (mut lines, mut i, mut j) = (Vec::new(), 0, 0);
    while let (Some(old_line), Some(new_line)) = (old.get(i), new.get(j)) {
        if old_line == new_line {
            lines.push(Line::Same(old_line));
            (i, j) = (i + 1, j + 1);
        } else if at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) {
            lines.push(Line::Removed(old_line));
            i += 1;
        } else {
            lines.push(Line::Added(new_line));
            j += 1;
        }
    }
    lines.extend(removed(old.get(i..).unwrap_or_default()));
    lines.extend(added(new.get(j..).unwrap_or_default()));
    lines
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_diff_shows_changes_with_three_lines_around_them() {
        let old: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        let new = old.replace("line 5\n", "line five\n").replace("line 18\n", "");
        assert_eq!(
            unified("a.toml", &old, &new),
            "--- a.toml\n+++ a.toml\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+line five\n line 6\n line 7\n line 8\n\
             @@ -15,6 +15,5 @@\n line 15\n line 16\n line 17\n-line 18\n line 19\n line 20\n"
        );
    }

    #[test]
    fn a_new_file_and_an_equal_text() {
        assert_eq!(unified("a", "", "x\ny\n"), "--- a\n+++ a\n@@ -0,0 +1,2 @@\n+x\n+y\n");
        assert_eq!(unified("a", "x\n", "x\n"), "");
    }
}
