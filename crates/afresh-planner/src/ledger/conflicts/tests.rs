//! Statements that contradict each other, and others that only look like it.

use super::*;
use crate::ledger::{PhaseFilter, cut};
use crate::spec::Specification;

/// Each line is a statement; the lines of those that contradict each other, in pairs.
fn pairs(lines: &[&str]) -> Vec<(usize, usize)> {
    let text = format!("## Requirements\n- {}\n", lines.join("\n- "));
    let ledger = cut(&Specification::from_text("spec.md", text), PhaseFilter::First);
    assert_eq!(ledger.statements.len(), lines.len());
    let line = |id: &RequirementId| ledger.find(id.as_str()).map_or(0, |it| it.line - 2);
    ledger.conflicts().iter().map(|it| (line(&it.first), line(&it.second))).collect()
}

/// PL-15: numbers and opposites about the same thing contradict each other.
#[test]
fn contradictions_are_found() {
    for (one, other) in [
        (
            "R5: A note has at most 500 characters",
            "R9: A note longer than 200 characters is refused",
        ),
        ("The API must respond within 200 ms", "Responses must take no longer than 500 ms"),
        ("Sessions expire after 30 minutes", "A session ends after 2 hours"),
        ("Uploads may be up to 10 MB", "An upload must not exceed 5 MB"),
        ("The server listens on port 8080", "The port is 9090"),
        ("Passwords have at least 12 characters", "A password has a minimum of 8 characters"),
        ("Users can delete their notes", "Notes must never be deleted"),
        ("The system shall log passwords", "Passwords must not be logged"),
        ("Python 3.11 or newer is required", "Python 3.9 must be supported"),
        ("An empty text exits with code 2", "Empty texts are refused with exit code 1"),
        ("Backups are kept for 7 days", "Backups are kept for 30 days"),
        ("At least 3 replicas run", "At most 2 replicas run"),
        (
            "WHEN 5 logins fail THEN the account SHALL be locked",
            "WHEN 3 logins fail THEN the account SHALL be locked",
        ),
        (
            "Idle sessions expire after 30 minutes",
            "WHEN a session is idle for 60 minutes THEN it SHALL expire",
        ),
    ] {
        assert_eq!(pairs(&[one, other]), [(0, 1)], "{one} / {other}");
    }
}

/// PL-15: limits of different things, defaults, ranges and conditions do not.
#[test]
fn different_things_do_not_contradict() {
    for (one, other) in [
        ("Titles are at most 80 characters", "The title of an export is at most 20 characters"),
        ("A key has at least 16 characters", "A key has at most 64 characters"),
        ("The page size is 20 by default", "The page size is at most 100"),
        ("Creating a note returns 201", "Creating a note without a title returns 400"),
        ("Login with a valid password returns 200", "Login with an invalid password returns 401"),
        ("Deleted notes must not be listed", "Notes are listed"),
        (
            "WHEN the cart is empty the system SHALL show a hint",
            "WHEN the cart is full the system SHALL NOT show a hint",
        ),
        ("Retries stop after 3 attempts", "The first attempt starts after 5 seconds"),
        ("Guests cannot delete notes", "Owners can delete notes"),
        ("Members can delete their own lists", "Members must not delete lists of others"),
        ("Backups must run every 6 hours", "Backups must be kept for 30 days"),
        ("Names have 1 to 80 characters", "Names have at most 80 characters"),
        ("It answers within 200 ms", "It answers within 0.2 seconds"),
        (
            "WHEN level 1 is chosen THEN the cost SHALL be 0 points",
            "WHEN level 2 is chosen THEN the cost SHALL be 1 point",
        ),
        (
            "WHEN a trait is selected, the system SHALL show its text",
            "WHEN no trait is selected, the system SHALL not show its text",
        ),
        (
            "WHEN cost is between 18 and 20 points THEN it SHALL warn of the 20-point limit",
            "WHEN cost is between 23 and 25 points THEN it SHALL warn of the 25-point limit",
        ),
    ] {
        assert_eq!(pairs(&[one, other]), [], "{one} / {other}");
    }
}
