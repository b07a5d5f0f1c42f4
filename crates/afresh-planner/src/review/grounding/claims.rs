//! Whether a sentence says that something exists, or that it is to be made.

/// What a sentence says about a name in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExistenceClaim {
    /// It is used, changed or followed.
    Exists,
    /// It is to be made.
    Made,
    /// It is an example, or something that is not wanted.
    Excluded,
    None,
}

const EXISTING: &[&str] = &[
    "existing",
    "extend",
    "extends",
    "modify",
    "modifies",
    "update",
    "updates",
    "change",
    "changes",
    "refactor",
    "fix",
    "rename",
    "reuse",
    "reuses",
    "use",
    "uses",
    "using",
    "call",
    "calls",
    "calling",
    "import",
    "imports",
    "from",
    "follow",
    "follows",
    "following",
    "see",
    "read",
    "reads",
    "current",
    "wrap",
    "wraps",
    "override",
    "overrides",
    "replace",
    "replaces",
    "move",
    "moves",
    "remove",
    "delete",
    "edit",
    "patch",
    "adapt",
    "mirror",
    "mirrors",
    "copy",
    "inherit",
    "inherits",
    "subclass",
    "hook",
    "same",
    "through",
    "via",
    "register",
    "wire",
    "append",
    "drop",
];

const MAKING: &[&str] = &[
    "add",
    "adds",
    "create",
    "creates",
    "creating",
    "define",
    "defines",
    "implement",
    "implements",
    "introduce",
    "introduces",
    "write",
    "writes",
    "new",
    "provide",
    "provides",
    "expose",
    "exposes",
    "export",
    "exports",
    "named",
    "called",
    "build",
    "builds",
    "generate",
    "generates",
    "produce",
    "produces",
    "emit",
    "emits",
    "output",
    "outputs",
    "store",
    "stores",
    "save",
    "saves",
    "declare",
    "declares",
    "return",
    "returns",
    "make",
    "makes",
    "into",
    "put",
    "puts",
    "extract",
    "to",
];

const EXCLUDING: &[&str] = &[
    "e.g", "example", "examples", "such", "not", "no", "never", "without", "instead", "avoid",
    "unlike", "neither", "nor", "don't", "if", "unless", "future", "would", "could", "any", "for",
];

/// How many words before a name are looked at.
const NEAR: usize = 5;

/// What the words before a name say, the nearest one first.
pub(super) fn claim_before(before: &str) -> ExistenceClaim {
    // Only the clause of the name itself.
    let clause = before.rsplit([';', ':', '(']).next().unwrap_or(before);
    let words: Vec<String> = clause
        .split(|c: char| !(c.is_alphanumeric() || "'.-_/`".contains(c)))
        .map(|word| word.trim_matches(['.', '`', '\'']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    for word in words.iter().rev().take(NEAR) {
        let has = |list: &[&str]| list.contains(&word.as_str());
        if has(EXCLUDING) && word != "for" {
            return ExistenceClaim::Excluded;
        }
        if has(MAKING) {
            return ExistenceClaim::Made;
        }
        if has(EXISTING) {
            return ExistenceClaim::Exists;
        }
    }
    ExistenceClaim::None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_decides() {
        let claim = claim_before;
        assert_eq!(claim("Extend the parser in "), ExistenceClaim::Exists);
        assert_eq!(claim("Add a function "), ExistenceClaim::Made);
        assert_eq!(claim("It must not use "), ExistenceClaim::Exists);
        assert_eq!(claim("with a path such as "), ExistenceClaim::Excluded);
        assert_eq!(claim("Use X; the parser of "), ExistenceClaim::None);
    }
}
