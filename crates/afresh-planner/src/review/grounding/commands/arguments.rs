//! Words of a command: options, their values, positional arguments.

/// The arguments that are neither options nor values of them.
pub(super) fn positionals<'w>(words: &'w [String], valued: &[&str]) -> Vec<&'w str> {
    let mut found = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            found.extend(rest.by_ref().map(String::as_str));
        } else if valued.contains(&word.as_str()) {
            rest.next();
        } else if !word.starts_with('-') || word == "-" {
            found.push(word.as_str());
        }
    }
    found
}

/// The values of an option, `--name value` and `--name=value`, up to `--`.
pub(super) fn values<'w>(words: &'w [String], names: &[&str]) -> Vec<&'w str> {
    let own = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut found = Vec::new();
    for (at, word) in words[..own].iter().enumerate() {
        let joined =
            word.split_once('=').filter(|(name, _)| names.contains(name)).map(|(_, value)| value);
        let next = names.contains(&word.as_str()).then(|| words[..own].get(at + 1)).flatten();
        found.extend(joined.or(next.map(String::as_str)));
    }
    found
}

/// Files that a program says to write: `-o x`, `--output x`, `touch x`, `cp a x`, `tee x`.
pub(super) fn outputs(words: &[String]) -> Vec<String> {
    let mut found: Vec<String> =
        values(words, &["-o", "--output", "--out", "-O", "--junitxml", "--outDir"])
            .into_iter()
            .map(str::to_owned)
            .collect();
    let program = words.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
    let plain = || words.iter().skip(1).filter(|word| !word.starts_with('-')).cloned();
    match program {
        "touch" | "mkdir" | "tee" => found.extend(plain()),
        "cp" | "mv" | "ln" | "install" => found.extend(plain().next_back()),
        _ => {}
    }
    found
}

/// Whether a word can only be a path of the repository.
pub(super) fn is_plain_path(word: &str) -> bool {
    afresh_import::prose::paths::is_path(word.trim_start_matches("./")) && !is_pattern(word)
}

pub(super) fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '$', '{', '[', '`', '<', '(', ','])
}
