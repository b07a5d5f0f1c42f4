//! What plans and workers write is shown as text (B35).

use std::sync::Arc;

use afresh_app::logs::folded::{FoldedTranscript, TranscriptEntry};
use afresh_core::printable::is_unprintable;
use afresh_core::question::Question;
use afresh_dashboard::data::task_rows::TaskRow;
use afresh_dashboard::data::workers::WorkerAction;
use afresh_tui::draw::ScreenColors;
use afresh_tui::{ScreenInput, ScreenKey, document};

use crate::scene::Scene;

/// Clears the screen, sets a title, writes to the clipboard, moves the cursor, and turns the text around.
const HOSTILE: &str =
    "evil\x1b[2J\x1b]0;title\x07\x1b]52;c;aGk=\x07\u{9b}H\u{202e}\u{2066}\u{200b}\r\n\tend";

/// A scene in which every text that comes from outside is hostile.
fn hostile(mut scene: Scene) -> Scene {
    let mut data = scene.data(scene.looked_at.picture);
    let hostile_row = |row: &TaskRow| {
        let (title, error) = (HOSTILE.to_owned(), Some(HOSTILE.to_owned()));
        TaskRow { title, error, agent: Some(HOSTILE.to_owned()), ..row.clone() }
    };
    data.tasks = data.tasks.iter().map(hostile_row).collect();
    HOSTILE.clone_into(&mut data.plan);
    data.error = Some(HOSTILE.to_owned());
    for need in &mut data.overview.needs_you {
        HOSTILE.clone_into(&mut need.title);
        HOSTILE.clone_into(&mut need.text);
        for option in &mut need.options {
            HOSTILE.clone_into(&mut option.description);
        }
    }
    for question in &mut data.questions {
        let options = question.options.clone().into_iter().map(|mut option| {
            HOSTILE.clone_into(&mut option.description);
            HOSTILE.clone_into(&mut option.key);
            option
        });
        *question =
            Question { text: HOSTILE.to_owned(), options: options.collect(), ..question.clone() };
    }
    for worker in &mut data.overview.workers {
        let (verb, object) = (HOSTILE.to_owned(), HOSTILE.to_owned());
        HOSTILE.clone_into(&mut worker.title);
        worker.action = Some(WorkerAction { verb, object });
    }
    scene.give(ScreenInput::News(Arc::new(data)));
    scene
}

#[track_caller]
fn is_harmless(scene: &Scene, what: &str) {
    let buffer = scene.buffer(ScreenColors::Colored);
    for cell in &buffer.content {
        assert!(!cell.symbol().chars().any(is_unprintable), "{what}: {:?}", cell.symbol());
    }
    assert!(scene.text().contains("evil\\u{1b}[2J"), "{what}: it is shown\n{}", scene.text());
}

/// B35, HU-06: no title, question, action, log or result brings a control character to a cell.
#[test]
fn hostile_texts_are_shown_as_text() {
    for scene in [Scene::asking(), Scene::working(200, 50)] {
        let mut scene = hostile(scene);
        is_harmless(&scene, "the tasks");
        let text = HOSTILE.to_owned();
        let (tool, about, output) = (text.clone(), text.clone(), Some(text.clone()));
        let entries = vec![
            TranscriptEntry::Text { text: text.clone() },
            TranscriptEntry::Tool { tool, about, output, failed: true },
            TranscriptEntry::Notice { text: text.clone() },
            TranscriptEntry::Result { text: text.clone() },
        ];
        let task = scene.wanted().task;
        let folded = FoldedTranscript { entries, ..FoldedTranscript::default() };
        for document in [
            document::transcript(&folded, &task),
            document::prompt(Some(HOSTILE)),
            document::result(None, Some(HOSTILE), Some(HOSTILE)),
        ] {
            scene.bring(document);
            is_harmless(&scene, "a text");
        }
        scene.press(&[ScreenKey::Char('a')]);
        is_harmless(&scene, "the dialog");
        scene.press(&[ScreenKey::Escape]);
        scene.give(ScreenInput::Failed(HOSTILE.to_owned()));
        is_harmless(&scene, "a message");
    }
}
