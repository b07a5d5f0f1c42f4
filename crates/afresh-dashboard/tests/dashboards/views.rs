use std::collections::BTreeMap;

use afresh_core::Event;
use afresh_core::status::TaskPhase;
use afresh_dashboard::data::retry_heat::AttemptMark;
use afresh_dashboard::data::workers::WorkerAction;
use afresh_dashboard::history::attempt::SegmentKind;
use afresh_dashboard::text::live::LiveOverview;
use afresh_dashboard::text::{TextLine, timeline};
use afresh_dashboard::{Dashboard, LiveFacts};
use insta::assert_snapshot;

use crate::recorded::{PlayedRun, is_question, is_spawned};

fn text(lines: &[TextLine]) -> String {
    lines.iter().map(TextLine::to_text).collect::<Vec<_>>().join("\n")
}

/// LO-04: the segments of every attempt follow each other without gaps, from the moment its task was ready.
#[test]
fn segments_of_an_attempt_have_no_gaps() {
    let played = PlayedRun::whole();
    for track in played.history.attempts() {
        assert!(track.end.is_some(), "{} has ended", track.id);
        for (one, next) in track.segments.iter().zip(track.segments.iter().skip(1)) {
            assert_eq!(one.to_ms, Some(next.from_ms), "{}", track.id);
            assert_ne!(one.kind, next.kind, "{}", track.id);
        }
        let worked = track.time_in(SegmentKind::Work, played.history.last_ms());
        assert!(worked > 0, "{} has worked", track.id);
    }
}

/// HU-06: what needs a person comes first, with what it blocks and how to answer.
#[test]
fn a_question_says_what_it_blocks_and_how_to_answer() {
    let played = PlayedRun::until(is_question);
    let needs = played.dashboard().needs_you;
    assert_eq!(needs.len(), 1);
    let need = &needs[0];
    assert_eq!(need.question.as_deref(), Some("Q1"));
    assert_eq!(need.task.as_ref().map(ToString::to_string).as_deref(), Some("empty"));
    assert_eq!(need.command, "afresh decide Q1 ANSWER");
    assert_eq!(need.asked_ms, Some(played.history.last_ms()));
    assert!(need.blocks >= 1 && !need.options.is_empty());
    assert!(PlayedRun::whole().dashboard().needs_you.is_empty());
}

/// LO-04: every attempt stands in the heat map with what it came to.
#[test]
fn tasks_that_were_tried_again_are_listed_with_each_outcome() {
    let heat = PlayedRun::whole().dashboard().retry_heat;
    let shown: Vec<String> = heat
        .rows
        .iter()
        .map(|row| {
            let cells: String = row.cells.iter().map(|cell| cell.outcome.glyph()).collect();
            format!("{} {cells}", row.task)
        })
        .collect();
    assert!(shown.contains(&"words ✗✓".to_owned()), "{shown:?}");
    assert!(heat.rows.iter().all(|row| row.cells.len() > 1));
    let last = heat.rows.iter().filter_map(|row| row.cells.last());
    assert!(last.clone().all(|cell| cell.outcome == AttemptMark::Merged));
}

/// LO-04: of a finished run the critical path is what was measured, and ends at the last merge.
#[test]
fn the_critical_path_follows_the_merges() {
    let board = PlayedRun::whole().dashboard();
    let path = &board.timeline.critical_path;
    assert!(path.is_measured);
    let ids: Vec<&str> = path.tasks.iter().map(afresh_core::ids::TaskId::as_str).collect();
    assert_eq!(ids.last(), Some(&"usage"));
    assert!(ids.len() >= 5, "{ids:?}");
    for row in &board.tasks {
        assert_eq!(row.is_critical, ids.contains(&row.id.as_str()));
        assert_eq!(row.state, TaskPhase::Done);
    }
    let before = PlayedRun::until(is_spawned("store")).dashboard();
    assert!(!before.timeline.critical_path.is_measured);
}

/// LO-03: the curve of spending ends at what the run used.
#[test]
fn the_burn_up_ends_at_the_total() {
    let played = PlayedRun::whole();
    let board = played.dashboard();
    let last = board.burn_up.points.last().expect("a point");
    assert_eq!(last.tokens, played.run.usage().tokens());
    assert_eq!(Some(last.cost_micros), played.run.usage().cost_micros);
    assert!(board.burn_up.points.is_sorted_by_key(|point| (point.at_ms, point.tokens)));
}

/// Without a driver time stands still: nothing seems to take longer and longer.
#[test]
fn time_stands_still_while_nothing_drives_the_run() {
    let played = PlayedRun::until(is_spawned("store"));
    let later = LiveFacts { now_ms: played.history.last_ms() + 60_000, ..LiveFacts::default() };
    let frozen = LiveOverview::new(&played.run, &played.history, &later);
    assert_eq!(frozen.workers[0].lasting_ms, 0);
    let driven = LiveOverview::new(&played.run, &played.history, &played.live(60_000));
    assert_eq!(driven.workers[0].lasting_ms, 60_000);
}

/// A second driver: what a worker of the first was at ended with the last record, and the break counts as no time.
#[test]
fn the_break_between_two_drivers_is_no_work() {
    let mut played = PlayedRun::until(is_spawned("store"));
    let (before, spent) = (played.history.last_ms(), played.history.driven_ms(0));
    let event = Event::Opened { epoch: 2 };
    played.run.apply(&event).expect("it fits");
    played.history.record(before + 3_600_000, &event, &played.run);
    let after = played.history.driven_ms(before + 3_600_500);
    assert!(after >= spent && after < 60_000, "{after}");
    let breaks: Vec<_> = played.history.breaks().collect();
    assert_eq!(breaks, [(before, before + 3_600_000)]);
    let track = played.history.attempts().last().expect("an attempt");
    assert!(track.time_in(SegmentKind::Work, before + 3_600_500) < 60_000);
}

#[test]
fn the_live_region_in_the_middle_of_a_run() {
    let played = PlayedRun::until(is_question);
    let overview = LiveOverview::new(&played.run, &played.history, &played.live(2_000));
    let wide = text(&overview.lines(120, 20));
    let narrow = text(&overview.lines(60, 20));
    assert_snapshot!(format!("{wide}\n---\n{narrow}"));
}

#[test]
fn a_worker_line_shows_what_its_program_reported_last() {
    let played = PlayedRun::until(is_spawned("words"));
    let attempt = played.history.attempts().last().expect("an attempt").id.clone();
    let action = WorkerAction { verb: "Edit".into(), object: "lib/words.sh\x1b[2J".into() };
    let actions = BTreeMap::from([(attempt, action)]);
    let facts = LiveFacts { actions, ..played.live(75_000) };
    let shown = text(&LiveOverview::new(&played.run, &played.history, &facts).lines(110, 20));
    assert!(shown.contains("Edit lib/words.sh\\u{1b}[2J"), "{shown}");
    assert!(shown.contains("1m 15s"), "{shown}");
}

/// 80×24: a small terminal is never filled, and no line is wider than it.
#[test]
fn the_live_region_fits_every_terminal() {
    for event in ["store", "add", "list", "done"] {
        let played = PlayedRun::until(is_spawned(event));
        let overview = LiveOverview::new(&played.run, &played.history, &played.live(90_000));
        for (width, height) in [(20, 1), (40, 3), (80, 8), (200, 20)] {
            let lines = overview.lines(width, height);
            assert!(lines.len() <= height);
            assert!(lines.iter().all(|line| line.width() <= width));
        }
    }
}

#[test]
fn a_timeline_of_characters() {
    let board = PlayedRun::whole().dashboard();
    assert_snapshot!(text(&timeline::lines(&board.timeline, 110)));
}

/// LO-02: the time until a person answers is theirs, while it lasts and afterwards.
#[test]
fn waiting_for_an_answer_is_shown_as_such() {
    let asked = PlayedRun::until(is_question);
    let board = Dashboard::new(&asked.run, &asked.history, &asked.live(60_000));
    let waits = board.timeline.rows.iter().find_map(|row| row.waits);
    let waits = waits.filter(|waits| waits.kind == SegmentKind::Person).expect("one waits");
    assert_eq!(waits.to_ms - waits.from_ms, 60_000);
    let whole = PlayedRun::answered_later(60_000).dashboard();
    let segments =
        whole.timeline.rows.iter().flat_map(|row| &row.attempts).flat_map(|it| &it.segments);
    let person = segments.filter(|segment| segment.kind == SegmentKind::Person);
    let lengths: Vec<i64> = person.map(|segment| segment.to_ms - segment.from_ms).collect();
    assert!(matches!(lengths[..], [length] if length >= 60_000), "{lengths:?}");
    assert!(whole.timeline.rows.iter().all(|row| row.waits.is_none()));
}
