//! Paths in a sentence.
//!
//! Only what is clearly a file: a path with a common extension, a directory with its slash, a
//! well-known file name; in backticks, a path with a directory and any extension. A link counts once:
//! its text, or else its target. `and/or`, `Node.js`, `GET /users`, names of packages and CSS classes
//! are not.

use afresh_formats::text::markdown::{TextLine, code_spans};

/// Extensions of files that tasks write.
const ENDINGS: &[&str] = &[
    "adoc", "asm", "astro", "avsc", "awk", "bat", "bib", "bzl", "c", "cc", "cfg", "cjs", "cl",
    "clj", "cmake", "coffee", "conf", "cpp", "cs", "cshtml", "css", "csv", "cts", "cu", "dart",
    "ejs", "elm", "env", "erb", "erl", "ex", "exs", "fbs", "feature", "fish", "frag", "fs", "fsx",
    "gd", "gif", "glsl", "go", "gql", "gradle", "graphql", "groovy", "h", "haml", "hbs", "hlsl",
    "hpp", "hrl", "hs", "html", "ico", "ini", "ipynb", "j2", "java", "jinja", "jl", "jpeg", "jpg",
    "js", "json", "json5", "jsonc", "jsonl", "jsx", "kdl", "kt", "kts", "ld", "less", "liquid",
    "lock", "lua", "m", "md", "mdx", "metal", "mjs", "mk", "ml", "mm", "mod", "mts", "mustache",
    "ndjson", "nim", "nix", "patch", "pdf", "php", "pl", "plist", "png", "prisma", "proto", "ps1",
    "pug", "py", "pyi", "r", "razor", "rb", "resc", "ron", "rs", "rst", "sass", "scala", "scss",
    "service", "sh", "snap", "sol", "sql", "styl", "sum", "svelte", "svg", "swift", "tex", "tf",
    "thrift", "tmpl", "toml", "tpl", "tres", "ts", "tscn", "tsv", "tsx", "ttf", "twig", "txt",
    "vb", "vert", "vim", "vue", "webp", "wgsl", "woff", "woff2", "xib", "xml", "yaml", "yml",
    "zig", "zsh",
];
/// Those with long names.
const LONG_ENDINGS: &[&str] = &["properties", "storyboard"];

/// Well-known file names, recognised without a directory and outside of backticks.
const NAMES: &[&str] = &[
    "Cargo.toml",
    "CHANGELOG.md",
    "Dockerfile",
    "Gemfile",
    "Makefile",
    "README.md",
    "docker-compose.yml",
    "go.mod",
    "justfile",
    "package.json",
    "pyproject.toml",
    "requirements.txt",
    "tsconfig.json",
];

/// Directories of the operating system, which are not routes of a web application.
const ROOTS: &[&str] = &[
    "bin/", "boot/", "dev/", "etc/", "home/", "opt/", "proc/", "root/", "sys/", "tmp/", "usr/",
    "var/",
];

/// The paths in a line, in order, without duplicates. A sentence may speak of git's own directory, and
/// names no file by that.
pub fn paths<'a>(line: &TextLine<'a>) -> Vec<TextLine<'a>> {
    named(line, |text, mark| {
        let is_git = text.trim_end_matches('/') == ".git";
        !is_git && (is_path(text) || (mark == PathMark::Quoted && is_quoted_path(text)))
    })
}

/// The paths in a line that are outside of the repository.
pub fn paths_outside<'a>(line: &TextLine<'a>) -> Vec<TextLine<'a>> {
    named(line, |text, _| is_outside(text))
}

fn named<'a>(line: &TextLine<'a>, is_meant: fn(&str, PathMark) -> bool) -> Vec<TextLine<'a>> {
    let mut found: Vec<TextLine<'a>> = Vec::new();
    let mut from = 0;
    for link in links(line.text) {
        add_words(&line.part(&line.text[from..link.whole.start]), is_meant, &mut found);
        let part = |range: &std::ops::Range<usize>| {
            let text = line.text[range.clone()].trim_matches(['`', '*', ' ']);
            line.part(text)
        };
        let meant = |part: &TextLine<'a>| is_meant(part.text, PathMark::Quoted);
        let (text, target) = (part(&link.text), part(&link.target));
        found.extend(Some(text).filter(meant).or(Some(target).filter(meant)));
        from = link.whole.end;
    }
    add_words(&line.part(&line.text[from..]), is_meant, &mut found);
    found.sort_by_key(|path| path.start);
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|path| seen.insert(path.text));
    found
}

/// How a path is marked in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathMark {
    Bare,
    /// In backticks, or in a link.
    Quoted,
}

/// Adds the paths of a part of a line without links.
fn add_words<'a>(
    line: &TextLine<'a>,
    is_meant: fn(&str, PathMark) -> bool,
    found: &mut Vec<TextLine<'a>>,
) {
    let spans = code_spans(line);
    let quoted =
        spans.iter().map(without_note).filter(|span| is_meant(span.text, PathMark::Quoted));
    found.extend(quoted);
    let mut from = line.start;
    for span in spans.iter().map(TextLine::range).chain(std::iter::once(line.end()..line.end())) {
        let between = line.part(&line.text[from - line.start..span.start - line.start]);
        found.extend(bare_words(&between).filter(|word| is_meant(word.text, PathMark::Bare)));
        from = span.end;
    }
}

/// `[text](target)`
struct MarkdownLink {
    whole: std::ops::Range<usize>,
    text: std::ops::Range<usize>,
    target: std::ops::Range<usize>,
}

fn links(text: &str) -> Vec<MarkdownLink> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(middle) = text[from..].find("](").map(|at| from + at) {
        let open = text[from..middle].rfind('[').map(|at| from + at);
        let Some(close) = text[middle + 2..].find(')').map(|at| middle + 2 + at) else { break };
        match open {
            // `app/[slug](x)` is no link: a link starts a word.
            Some(open) if !text[..open].ends_with(|c: char| c.is_alphanumeric() || c == '/') => {
                let (text, target) = (open + 1..middle, middle + 2..close);
                found.push(MarkdownLink { whole: open..close + 1, text, target });
                from = close + 1;
            }
            _ => from = middle + 2,
        }
    }
    found
}

/// Words that may be paths: with a directory, or a well-known name.
fn bare_words<'a>(text: &TextLine<'a>) -> impl Iterator<Item = TextLine<'a>> {
    let text = *text;
    text.text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '`'))
        .map(move |word| {
            let word = word.trim_start_matches(['(', '"', '\'', '*', '_', '[']);
            text.part(word.trim_end_matches([')', '"', '\'', '*', '_', ':', '.', '!', '?']))
        })
        .filter(|word| word.text.contains('/') || NAMES.contains(&word.text))
}

/// Whether this is clearly a file outside of the repository. A route such as `/api/users` is not.
pub fn is_outside(text: &str) -> bool {
    let climbs = text.starts_with("../") || text.starts_with("~/") || text.contains("/../");
    let inside: String = text
        .split('/')
        .filter(|part| !matches!(*part, ".." | "~" | ""))
        .collect::<Vec<_>>()
        .join("/");
    let plain = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    if climbs {
        return !inside.is_empty() && inside.chars().all(plain);
    }
    let absolute = text.strip_prefix('/');
    absolute.is_some_and(|rest| {
        is_path(rest) || rest.chars().all(plain) && ROOTS.iter().any(|root| rest.starts_with(root))
    })
}

/// The path without a note: ``server.js — the import route``, ``index.js (modified)``.
pub fn without_note<'a>(span: &TextLine<'a>) -> TextLine<'a> {
    let end = [" — ", " – ", " - ", " ("].iter().filter_map(|mark| span.text.find(mark)).min();
    span.part(span.text[..end.unwrap_or(span.text.len())].trim())
}

/// Whether this is clearly a path inside the repository.
pub fn is_path(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-/@+*[]{},()~".contains(c);
    let outside = text.starts_with(['/', '~', '-', '@']) || text.contains("..");
    if text.is_empty() || outside || !text.chars().all(plain) || text.contains("//") {
        return false;
    }
    let name = text.rsplit('/').next().unwrap_or(text);
    if name.is_empty() {
        // A directory with its slash.
        return text.len() > 1;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let hidden = name.starts_with('.') && (text != name || is_dot_file(name));
    NAMES.contains(&name) || hidden || ending.is_some_and(|e| is_ending(&e))
}

fn is_ending(text: &str) -> bool {
    ENDINGS.contains(&text) || LONG_ENDINGS.contains(&text)
}

/// Whether a name that starts with a dot is a file, not a CSS class or a method.
pub fn is_dot_file(name: &str) -> bool {
    let known = [
        "env",
        "github",
        "gitattributes",
        "gitlab-ci",
        "gitmodules",
        "husky",
        "vscode",
        "claude",
        "cursor",
        "editorconfig",
        "flake8",
        "node-version",
        "nvmrc",
        "npmrc",
        "python-version",
        "ruby-version",
        "tool-versions",
        "storybook",
        "devcontainer",
        "circleci",
        "browserslist",
        "mailmap",
        "htaccess",
        "clang-format",
        "clang-tidy",
        "rspec",
        "coveragerc",
        "gitkeep",
    ];
    let Some(rest) = name.strip_prefix('.') else { return false };
    let first = rest.split('.').next().unwrap_or(rest);
    known.contains(&first)
        || ((first.ends_with("rc") || first.ends_with("ignore")) && first.len() > 3)
        || rest.rsplit_once('.').is_some_and(|(_, ending)| is_ending(ending))
}

/// Whether this is a path with a directory and an extension that is not common.
fn is_quoted_path(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-/@+".contains(c);
    let outside = text.starts_with(['/', '~', '-', '@', '.']) || text.contains("..");
    let Some((directory, name)) = text.rsplit_once('/') else { return false };
    if outside || text.contains("//") || !text.chars().all(plain) || directory.is_empty() {
        return false;
    }
    // `example.org/a.b` is an address.
    let host = directory.split('/').next().is_some_and(|first| first.contains('.'));
    let ending = name.rsplit_once('.').map(|(stem, ending)| (stem.is_empty(), ending));
    !host
        && ending.is_some_and(|(bare, ending)| {
            !bare
                && (2..=8).contains(&ending.len())
                && ending.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
                && ending.starts_with(|c: char| c.is_ascii_lowercase())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let found = paths(&TextLine { text, start: 7 });
        for path in &found {
            assert_eq!(&text[path.start - 7..path.end() - 7], path.text);
        }
        found.iter().map(|path| path.text).collect()
    }

    #[test]
    fn files_are_found_in_sentences() {
        assert_eq!(
            found("Create User model in src/models/user.py, and `tests/test_user.py` (see docs/)."),
            ["src/models/user.py", "tests/test_user.py", "docs/"]
        );
        assert_eq!(
            found("Set up Cargo.toml; **app/[slug]/page.tsx**"),
            ["Cargo.toml", "app/[slug]/page.tsx"]
        );
        assert_eq!(
            found("`server.js — import route`, `index.js (modified)`"),
            ["server.js", "index.js"]
        );
    }

    /// FO-11: links, CSS classes and uncommon extensions in real task lists.
    #[test]
    fn links_and_uncommon_files_are_read() {
        assert_eq!(found("Edit [src/hook.ts](src/hook.ts) first"), ["src/hook.ts"]);
        assert_eq!(found("In [`src/a.ts`](../../src/a.ts) and `b.rs`"), ["src/a.ts", "b.rs"]);
        assert_eq!(found("[src/index.css](file:///C:/x/index.css): `.dark`"), ["src/index.css"]);
        assert_eq!(found("See [the hook](src/hook.ts)"), ["src/hook.ts"]);
        assert_eq!(found("Add `fixtures/test.rest` and `.card-image`"), ["fixtures/test.rest"]);
        assert_eq!(
            found("`.env`, `.eslintrc.json`, `config/.keep`"),
            [".env", ".eslintrc.json", "config/.keep"]
        );
        assert_eq!(found("`example.org/a.rest`, `application/vnd.ms-excel`"), [""; 0]);
    }

    #[test]
    fn routes_are_not_paths_outside() {
        let outside = |text| -> Vec<&str> {
            paths_outside(&TextLine { text, start: 0 }).iter().map(|path| path.text).collect()
        };
        assert_eq!(
            outside(
                "Write ../../etc/x.txt, `/etc/passwd` and ~/.ssh/config, a/../../b.rs, /srv/app.conf"
            ),
            ["../../etc/x.txt", "/etc/passwd", "~/.ssh/config", "a/../../b.rs", "/srv/app.conf"]
        );
        for route in
            ["GET /api/users", "`/api/users/{id}`", "and/or", "https://x.org/a.md", "1...3/4"]
        {
            assert_eq!(outside(route), [""; 0], "{route}");
        }
    }

    #[test]
    fn text_that_resembles_a_path_is_not_one() {
        for text in [
            "and/or, CI/CD with Node.js e.g. v1.2.3",
            "GET /api/users and https://x.org/a.md",
            "`@scope/name` in `state.registry.count()` as `application/json`",
            "/etc/passwd, ../up.rs, ~/x.py, `a//b.rs`",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
