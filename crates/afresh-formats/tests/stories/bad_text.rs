//! Unusual but readable text, and text that is not a plan (B12, B18, B19, B20).

use afresh_formats::native::read;
use afresh_formats::text::limits::MAX_DATA_BYTES;

use crate::reading::{JSON, TOML};
use crate::{json, rendered, toml};

/// B18: CRLF, a byte order mark, tabs and a missing final newline make no difference.
#[test]
fn line_endings_byte_order_marks_and_tabs_make_no_difference() {
    let plain = toml(TOML).plan.expect("a plan");
    let variants = [
        TOML.replace('\n', "\r\n"),
        format!("\u{feff}{TOML}"),
        format!("\u{feff}{}", TOML.replace('\n', "\r\n")),
        TOML.trim_end().to_owned(),
        TOML.replace(" = ", "\t=\t"),
    ];
    for text in variants {
        assert_eq!(toml(&text).plan.as_ref(), Some(&plain), "{text:?}");
    }
    for text in [JSON.replace('\n', "\r\n"), format!("\u{feff}{JSON}"), JSON.replace("  ", "\t")] {
        assert_eq!(json(&text).plan.as_ref(), Some(&plain), "{text:?}");
    }
}

/// B18: positions do not depend on line endings.
#[test]
fn positions_do_not_depend_on_line_endings() {
    let text = "version = 1\n[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"../x\"]\n";
    let expected = rendered(&toml(text));
    assert!(expected.contains("my.plan.toml:5:10"), "{expected}");
    assert_eq!(rendered(&toml(&text.replace('\n', "\r\n"))), expected);
    assert_eq!(rendered(&toml(&format!("\u{feff}{text}"))), expected);
}

/// B19: the byte that is not UTF-8, with its offset and its line.
#[test]
fn a_byte_that_is_not_utf_8_is_located() {
    let reading = read("my.plan.toml", b"version = 1\nname = \"caf\xe9\"\n");
    insta::assert_snapshot!(rendered(&reading), @r#"
    error[not-utf8]: byte 23 (0xe9) is not valid UTF-8
      --> my.plan.toml:2:12
       |
     2 | name = "caf
       |            ^
      hint: save the file as UTF-8
    "#);
    let reading = read("my.plan.json", b"\xff\xfe{\0}\0");
    assert_eq!((reading.findings[0].line, reading.findings[0].column), (1, 1));
}

/// B12: nothing, white space, no tasks.
#[test]
fn an_empty_plan_says_that_there_is_nothing_to_do() {
    for text in ["", " \n\t\r\n", "\u{feff}", "version = 1\n", "version = 1\ntask = []\n"] {
        let reading = toml(text);
        let findings = rendered(&reading);
        assert!(
            reading.plan.is_none() && findings.contains("nothing to do"),
            "{text:?}: {findings}"
        );
        assert!(findings.contains("hint: "), "{findings}");
    }
    assert_eq!(json("{\"version\": 1, \"task\": []}").findings[0].code, "empty-plan");
}

/// A plan that is too large is not read.
#[test]
fn a_huge_file_is_refused_with_the_limit() {
    let reading = read("my.plan.toml", &vec![b'#'; MAX_DATA_BYTES + 1]);
    assert_eq!(reading.findings[0].code, "too-large");
    assert!(reading.findings[0].message.contains("8388608"), "{:?}", reading.findings[0].message);
}

/// Findings beyond the limit are counted, not listed; a line of megabytes is cut.
#[test]
fn many_findings_in_one_line_are_limited() {
    let items = vec!["7"; 20_000].join(",");
    let reading = json(&format!("{{\"version\":1,\"task\":[{items}]}}"));
    assert!(reading.plan.is_none());
    assert_eq!(reading.findings.len(), 1_001);
    assert!(
        reading.findings[1_000].message.contains("more findings"),
        "{:?}",
        reading.findings[1_000]
    );
    assert!(reading.findings.iter().all(|finding| finding.excerpt.text.chars().count() <= 200));
}

/// B09: ten thousand unknown dependencies are reported without searching for similar names.
#[test]
fn many_unknown_dependencies_are_reported_quickly() {
    let task = |at| format!("[[task]]\nid = \"T{at}\"\ntitle = \"t\"\nneeds = [\"U{at}\"]\n");
    let tasks: Vec<String> = (0..10_000).map(task).collect();
    let reading = toml(&format!("version = 1\n{}", tasks.concat()));
    assert_eq!(reading.findings.len(), 1_001);
    assert_eq!(reading.findings[0].code, "unknown-dependency");
}
