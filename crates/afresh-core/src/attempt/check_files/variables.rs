//! The values of shell variables, as far as a line gives them.

use std::collections::BTreeMap;

/// The most words that one word becomes.
const MAX_WORDS: usize = 32;
/// Variables inside of values of variables.
const MAX_ROUNDS: usize = 4;
const MAX_VALUES: usize = 200;

/// What is known of the variables of a line. A loop gives its variable several values.
#[derive(Debug, Default)]
pub(super) struct ShellVariables(BTreeMap<String, Vec<String>>);

impl ShellVariables {
    /// Later values do not replace earlier ones: a line may take either way.
    pub(super) fn add(&mut self, name: &str, value: &str) {
        if self.0.len() < MAX_VALUES || self.0.contains_key(name) {
            let values = self.0.entry(name.to_owned()).or_default();
            if values.len() < MAX_VALUES {
                values.push(value.to_owned());
            }
        }
    }

    /// The words that a word may become, at least one. Unknown variables stay as they are written.
    pub(super) fn expand(&self, word: &str) -> Vec<String> {
        let mut words = vec![word.to_owned()];
        for _ in 0..MAX_ROUNDS {
            let next: Vec<String> =
                words.iter().flat_map(|word| self.expand_once(word)).take(MAX_WORDS).collect();
            if next == words || next.is_empty() {
                break;
            }
            words = next;
        }
        words
    }

    fn expand_once(&self, word: &str) -> Vec<String> {
        let known = self.0.iter().find_map(|(name, values)| Some((find(word, name)?, values)));
        let Some(((start, end), values)) = known else { return vec![word.to_owned()] };
        let expanded =
            values.iter().map(|value| format!("{}{value}{}", &word[..start], &word[end..]));
        // A value may become long by naming itself.
        expanded.filter(|word| word.len() < 10_000).take(MAX_WORDS).collect()
    }
}

/// Where `$NAME` or `${NAME}` is in a word.
fn find(word: &str, name: &str) -> Option<(usize, usize)> {
    // `find` puts paths in place of these.
    if name == "{}" {
        return word.find("{}").map(|at| (at, at + 2));
    }
    let braced = format!("${{{name}}}");
    if let Some(at) = word.find(&braced) {
        return Some((at, at + braced.len()));
    }
    let plain = format!("${name}");
    word.match_indices(&plain)
        .map(|(at, _)| (at, at + plain.len()))
        .find(|(_, end)| !word[*end..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_in_place_of_names() {
        let mut variables = ShellVariables::default();
        variables.add("f", "a.sh");
        variables.add("f", "b.sh");
        variables.add("dir", "checks");
        variables.add("again", "x$again");
        assert_eq!(variables.expand("$dir/$f"), ["checks/a.sh", "checks/b.sh"]);
        assert_eq!(variables.expand("${dir}s/$file"), ["checkss/$file"]);
        assert_eq!(variables.expand("plain"), ["plain"]);
        assert_eq!(variables.expand("$again"), ["xxxx$again"]);
    }
}
