//! What a statement holds.

use afresh_core::check::TestTally;
use afresh_core::denial::{Denial, DeniedAction};
use afresh_proof::envelope::{Envelope, signed_bytes};
use afresh_proof::{NoteLine, Statement, add_line, parse_note, patch_text};

use crate::scene::{receipt, statement, statement_of};

/// TR-06: what was checked, on which commit and tree, by what; no output of a check, no words of a worker.
#[test]
fn a_statement_has_the_receipt_and_no_output() {
    let line = statement(2).render();
    assert!(!line.contains('\n'));
    let json: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(json["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(json["subject"][0]["digest"]["gitCommit"], "02".repeat(20));
    assert_eq!(json["subject"][1]["digest"]["gitTree"], "82".repeat(20));
    let said = &json["predicate"];
    assert_eq!((&said["run"], &said["task"]), (&"r-1".into(), &"T2".into()));
    assert_eq!((&said["onto"], &said["base"]), (&"01".repeat(20).into(), &"01".repeat(20).into()));
    assert_eq!(said["checks"][0]["command"], "sh test.sh");
    assert_eq!(said["checks"][0]["end"]["exited"], 0);
    assert_eq!(said["checks"][0]["output_digest"], "ab".repeat(32));
    assert_eq!(said["made_at"], "2026-11-16T19:30:00Z");
    assert_eq!(said["tools"]["sandbox"], "bubblewrap");
    assert!(!line.contains("secret-free") && !line.contains("own words"), "{line}");
    let read = Statement::parse(line.as_bytes()).unwrap();
    assert_eq!(read.render(), line, "what was read is rendered the same");
}

/// TR-06: a task that creates a hundred thousand files still has a small note.
#[test]
fn long_lists_are_cut_and_counted() {
    let mut long = receipt(2);
    long.created = (0..100_000).map(|n| format!("generated/{n}.txt")).collect();
    long.differences = vec!["x".repeat(1_000_000)];
    let said = statement_of(2, &long);
    assert_eq!(said.predicate.receipt.created.len(), 500);
    assert_eq!(said.predicate.omitted_paths, 99_500);
    assert!(said.render().len() < 100_000);
    let mut red = receipt(2);
    let failed = (0..2_000).map(|n| format!("a::long::name::of::test_{n}")).collect();
    let tests = TestTally { executed: 2_000, failed, ..TestTally::default() };
    red.checks[0].tests = Some(tests);
    let said = statement_of(2, &red);
    let tests = said.predicate.receipt.checks[0].tests.as_ref().expect("kept");
    assert_eq!((tests.failed.len(), tests.is_cut), (500, true));
}

/// TR-06, B36: what the sandbox denied names places of the machine, and stays there.
#[test]
fn denials_are_not_in_a_note() {
    let mut denied = receipt(2);
    let detail = "/home/me/.ssh/id_ed25519".to_owned();
    denied.checks[0].refusals = vec![Denial { what: DeniedAction::Said, detail, times: 1 }];
    assert!(!statement_of(2, &denied).render().contains(".ssh"));
}

/// TR-06: the same merge, noted twice, has one line; the union of two people's notes has both.
#[test]
fn a_line_is_added_once() {
    let unsigned = statement(2).render();
    let signed =
        Envelope::new(unsigned.as_bytes(), Some("k".to_owned()), b"-----BEGIN SSH SIGNATURE-----")
            .render();
    let first = add_line(None, &unsigned).unwrap();
    assert_eq!(add_line(Some(&first), &unsigned), None);
    let both = add_line(Some(&first), &signed).unwrap();
    assert_eq!(add_line(Some(&both), &unsigned), None);
    assert_eq!(add_line(Some(&both), &signed), None);
    let lines = parse_note(&both);
    assert!(matches!(lines.as_slice(), [NoteLine::Unsigned(_), NoteLine::Signed(_)]), "{lines:?}");
    // Signed before: the same without a signature adds nothing.
    let only_signed = add_line(Some(b"a person's words"), &signed).unwrap();
    assert!(only_signed.starts_with(b"a person's words\n{"));
    assert_eq!(add_line(Some(&only_signed), &unsigned), None);
}

/// TR-06: what is signed is the payload with its type and length.
#[test]
fn an_envelope_gives_back_what_was_signed() {
    let payload = statement(2).render();
    let note = Envelope::new(payload.as_bytes(), None, b"armored").render();
    let [NoteLine::Signed(signed)] = &parse_note(note.as_bytes())[..] else { panic!("{note}") };
    assert_eq!(signed.signed_bytes, signed_bytes(payload.as_bytes()));
    assert_eq!(signed.signatures, [b"armored".to_vec()]);
    assert_eq!(signed.statement.commit(), Some("02".repeat(20).as_str()));
}

/// TR-06: below the `---` of a patch: a line per check for people, and the documents themselves.
#[test]
fn receipts_are_text_in_a_patch() {
    let note = format!("{}\nnot a receipt\n", statement(2).render()).into_bytes();
    let text = patch_text::render(&[note]);
    assert!(text.starts_with("Receipts:\n* T2.1 (unsigned), commit 0202"), "{text}");
    assert!(text.contains("  exit 0 after 1.2 s: sh test.sh\n"), "{text}");
    assert!(text.contains("\nAfresh-Receipt: {\"_type\""), "{text}");
    assert!(!text.contains("not a receipt"));
    assert_eq!(patch_text::render(&[]), "");
}
