//! A line without what differs from run to run.

/// What stands in the place of something that differs.
const VARIABLE: &str = "#";

/// Words before a number that differs from run to run.
const VARIABLE_NUMBERS: [&str; 12] = [
    "pid",
    "process",
    "port",
    "worker",
    "thread",
    "seed",
    "goroutine",
    "line",
    "column",
    "col",
    "duration_ms",
    "took",
];

/// Words after a number of a time.
const UNITS: [&str; 12] =
    ["ms", "s", "sec", "secs", "second", "seconds", "min", "minutes", "us", "µs", "ns", "%"];

/// The line with its words set apart by one blank.
pub(super) fn normalise(line: &str) -> String {
    let line = sort_sets(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut normal = String::with_capacity(line.len());
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            normal.push(' ');
        }
        let before = if at > 0 { words[at - 1] } else { "" };
        let after = words.get(at + 1).copied().unwrap_or_default();
        if is_variable_number(word, before, after) {
            normal.push_str(VARIABLE);
        } else {
            normalise_word(word, &mut normal);
        }
    }
    normal
}

/// Whether a word is a number that its neighbours make variable: `pid 17`, `3 | code`, `0.3 s`, `(1/3)`.
fn is_variable_number(word: &str, before: &str, after: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() || !bare.bytes().all(|byte| byte.is_ascii_digit() || b".:/".contains(&byte))
    {
        return false;
    }
    let before = before.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_lowercase();
    let after = after.trim_matches(|c: char| !c.is_alphanumeric() && c != '%' && c != '|');
    VARIABLE_NUMBERS.contains(&before.as_str())
        || UNITS.contains(&after)
        || after == "|"
        || word.ends_with('|')
        || (bare.contains('/') && word.starts_with(['(', '[']))
        // A thread in a panic: `thread 'a' (29704) panicked`.
        || (word.starts_with('(') && word.ends_with(')') && after == "panicked")
}

fn normalise_word(word: &str, normal: &mut String) {
    let mut rest = word;
    let mut previous = None;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '/' if starts_path(previous) => push_path(rest, normal),
            _ if c.is_ascii_alphanumeric() => push_run(rest, previous, normal),
            _ => {
                normal.push(c);
                c.len_utf8()
            }
        };
        previous = rest[..length].chars().next_back();
        rest = &rest[length..];
    }
}

/// Whether a slash after this character is the start of an absolute path.
fn starts_path(previous: Option<char>) -> bool {
    previous.is_none_or(|c| {
        !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_' | '-' | '*' | ')' | '<')
    })
}

/// Of an absolute path, only the name of a file is the same in every workspace.
fn push_path(text: &str, normal: &mut String) -> usize {
    let ends = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;|:".contains(c);
    let length = text.find(ends).unwrap_or(text.len());
    let name = text[..length].rsplit('/').next().unwrap_or_default();
    let is_file = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let is_extension = (1..=5).contains(&extension.len());
        !stem.is_empty() && is_extension && extension.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    normal.push_str(if is_file { name } else { VARIABLE });
    length
}

/// A run of letters and digits: a hash, an address, a time, a place in a file, or a word that stays.
fn push_run(text: &str, previous: Option<char>, normal: &mut String) -> usize {
    let length = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let run = &text[..length];
    if is_uuid(text) {
        normal.push_str(VARIABLE);
        return UUID_LENGTH;
    }
    let is_number = run.bytes().all(|byte| byte.is_ascii_digit());
    let after = text[length..].chars().next();
    if is_number && previous == Some(':') && ends_with_place(normal) {
        // `src/lib.rs:6:93`, `localhost:54321`, `12:30:05`
        normal.push_str(VARIABLE);
    } else if is_number && matches!(previous, Some('(' | ',')) && ends_with_file(normal) {
        // `src/a.ts(1,17)`
        normal.push_str(VARIABLE);
    } else if is_address(run) || is_hash(run) || (is_number && (length >= 5 || after == Some('%')))
    {
        normal.push_str(VARIABLE);
    } else if let Some(taken) = time_length(text) {
        normal.push_str(VARIABLE);
        return taken;
    } else {
        normal.push_str(run);
    }
    length
}

const UUID_LENGTH: usize = 36;

/// `832bd5db-a3e9-4f10-8b63-7f92d99425de`.
fn is_uuid(text: &str) -> bool {
    let is_part = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() >= UUID_LENGTH && text.bytes().take(UUID_LENGTH).enumerate().all(is_part)
}

/// `0x7f3c`.
fn is_address(run: &str) -> bool {
    run.strip_prefix("0x")
        .is_some_and(|hex| !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// At least seven hexadecimal digits of both kinds.
fn is_hash(run: &str) -> bool {
    run.len() >= 7
        && run.bytes().all(|byte| byte.is_ascii_hexdigit())
        && run.bytes().any(|byte| byte.is_ascii_digit())
}

/// The length of `0.03s`, `12ms`, `1.5µs`, `12:30:05`, `2026-01-31T12:30:05.123Z` at the start.
fn time_length(text: &str) -> Option<usize> {
    let number = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    if number == 0 {
        return None;
    }
    let rest = &text[number..];
    let unit = ["ms", "µs", "us", "ns", "s", "m"].iter().find_map(|unit| {
        let after = rest.strip_prefix(unit)?;
        after.chars().next().is_none_or(|c| !c.is_alphanumeric()).then_some(unit.len())
    });
    if let Some(unit) = unit {
        return Some(number + unit);
    }
    let is_clock = |c: char| c.is_ascii_digit() || ":.-TZ+".contains(c);
    let length = text.find(|c: char| !is_clock(c)).unwrap_or(text.len());
    let time = &text[..length];
    let is_time = time.matches(':').count() >= 2 || (time.matches('-').count() >= 2 && number == 4);
    is_time.then_some(time.trim_end_matches(['.', ':', '-']).len())
}

/// Whether what was written so far ends with a file or a host and a colon.
fn ends_with_place(normal: &str) -> bool {
    let before = normal.trim_end_matches([':', '#']);
    let word =
        before.rsplit(|c: char| c.is_whitespace() || "\"'(".contains(c)).next().unwrap_or(before);
    let is_host =
        word.ends_with("localhost") || word.ends_with("0.0.0.0") || word.contains("127.0.0");
    is_host
        || word.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty()
                && (1..=5).contains(&end.len())
                && end.bytes().any(|byte| byte.is_ascii_alphabetic())
        })
}

/// Whether what was written so far ends with a file and a bracket.
fn ends_with_file(normal: &str) -> bool {
    let before = normal.trim_end_matches(['(', ',', '#']);
    normal.len() > before.len() && ends_with_place(before)
}

/// The members of a set or a map on one line, in order: languages print them in any.
fn sort_sets(line: &str) -> String {
    let mut sorted = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        sorted.push_str(before);
        sorted.push('{');
        let end = after.find(['{', '}']).unwrap_or(after.len());
        if after[end..].starts_with('}') {
            let mut members: Vec<&str> = after[..end].split(',').map(str::trim).collect();
            members.sort_unstable();
            sorted.push_str(&members.join(", "));
        } else {
            sorted.push_str(&after[..end]);
        }
        rest = &after[end..];
    }
    sorted + rest
}
