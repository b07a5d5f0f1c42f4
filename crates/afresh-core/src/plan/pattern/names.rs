//! Brackets and braces that are part of a file's name.
//!
//! Routes of web frameworks are files: `app/[id]/page.tsx`, `[...rest].ts`, `[[...slug]]`, `api/{id}.ts`. There,
//! `[id]` does not mean one of the letters `i` and `d`. What can only be a glob stays one: `[a-z]`, `[!x]`,
//! `file[12].txt`, `{a,b}`.

/// The pattern with brackets and braces of names escaped, so that a glob takes them literally.
pub(super) fn escaped(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '[' if may_start(&glob) => bracketed(rest),
            '{' => braced(rest),
            _ => None,
        };
        let length = taken.unwrap_or(c.len_utf8());
        if taken.is_some() {
            glob.push_str(&super::escape(&rest[..length]));
        } else {
            glob.push(c);
        }
        rest = &rest[length..];
    }
    glob
}

/// Whether a name starts here: at the start of a component, or after a character that routes put before a parameter.
fn may_start(before: &str) -> bool {
    before.is_empty() || before.ends_with(['/', '.', ')', '@'])
}

/// The length of `[name]`, `[...name]`, `[name=kind]` or `[[name]]`.
fn bracketed(text: &str) -> Option<usize> {
    let double = text.starts_with("[[");
    let (open, close) = if double { ("[[", "]]") } else { ("[", "]") };
    let inner = text.strip_prefix(open)?;
    let end = inner.find(']')?;
    let behind = inner[end..].strip_prefix(close)?;
    let ends = behind.is_empty() || behind.starts_with(['/', '.']);
    let name = inner[..end].strip_prefix("...").unwrap_or(&inner[..end]);
    let named = name.split('=').all(is_name);
    (ends && named).then_some(open.len() + end + close.len())
}

/// The length of a `{name}`: without a comma there are no alternatives.
fn braced(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('{')?;
    let end = inner.find('}')?;
    is_name(&inner[..end]).then_some(end + 2)
}

/// Words with dashes; `a-z` is a range.
fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let range = text.contains('-') && text.split('-').any(|part| part.chars().count() < 2);
    starts && plain && !range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinguished_from_globs() {
        for name in [
            "app/[id]/page.tsx",
            "[slug].ts",
            "a/[...rest].ts",
            "a/[[...slug]]/p.tsx",
            "(auth)/(.)[id]/p.tsx",
            "api/{id}.ts",
            "r/[user-id]",
            "r/[id=integer]/+page.svelte",
        ] {
            let glob = escaped(name);
            assert_ne!(glob, name);
            let plain = super::super::FilePattern::new(name).expect("a pattern");
            assert_eq!(plain.literal(), Some(name));
        }
        for glob in [
            "[a-z]/x",
            "x[12].txt",
            "[!a].rs",
            "{a,b}.rs",
            "a[id]",
            "[ab]c",
            "[a-zA-Z]",
            "[[]id]",
            "[",
        ] {
            assert_eq!(escaped(glob), glob);
        }
    }
}
