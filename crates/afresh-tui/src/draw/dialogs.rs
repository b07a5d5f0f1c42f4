//! Questions, comments, confirmations, help.

use afresh_dashboard::text::{TextLine, TextRole};
use ratatui_core::layout::Rect;

use super::canvas::Canvas;
use crate::dialog::{AnswerDialog, AnswerMode, Confirmation, Dialog, TellDialog};
use crate::screen::WatchScreen;
use crate::typed_text::TypedText;
use crate::wrapped;

const WIDEST: u16 = 100;

/// Draws the dialog; returns where the cursor is, if something is typed in it.
pub(super) fn draw(
    screen: &WatchScreen,
    dialog: &Dialog,
    canvas: &mut Canvas<'_>,
) -> Option<(u16, u16)> {
    match dialog {
        Dialog::Answer(answer) => Some(draw_answer(screen, answer, canvas)),
        Dialog::Tell(tell) => Some(draw_tell(tell, canvas)),
        Dialog::Confirm(confirmation) => {
            draw_confirmation(confirmation, canvas);
            None
        }
        Dialog::Help => {
            draw_help(canvas);
            None
        }
    }
}

/// A frame in the middle of the screen, as high as its contents need; returns its inside.
fn open_frame(title: &TextLine, rows: usize, canvas: &mut Canvas<'_>) -> Rect {
    let whole = canvas.area();
    let height = u16::try_from(rows + 2).unwrap_or(u16::MAX).min(whole.height);
    let width = whole.width.min(WIDEST);
    let area = Rect { x: (whole.width - width) / 2, y: (whole.height - height) / 2, width, height };
    canvas.frame(area, title)
}

fn inner_width(canvas: &Canvas<'_>) -> usize {
    usize::from(canvas.area().width.min(WIDEST)).saturating_sub(4)
}

fn draw_answer(screen: &WatchScreen, answer: &AnswerDialog, canvas: &mut Canvas<'_>) -> (u16, u16) {
    let width = inner_width(canvas);
    let question = question_lines(answer, width);
    let need =
        screen.needs().iter().find(|need| need.question == Some(answer.question.id.to_string()));
    let look = need.and_then(|need| need.look.as_ref());
    let look =
        look.map(|look| TextLine::new().dim(&format!("`{look}` shows what its workers did")));
    let refusal = answer.refusal.as_ref().map(|why| format!("{why} (? shows the question again)"));
    let refusal = TextLine::new().with(TextRole::Bad, &refusal.unwrap_or_default());
    let refused = wrapped::wrap(&refusal, width);
    // Below the question: where to look, what was refused, what is typed, what keys do.
    let below = 2 + refused.len() + usize::from(look.is_some());
    let room = usize::from(canvas.area().height).saturating_sub(2 + below);
    let shown = question.len().min(room);
    let title = TextLine::new()
        .with(TextRole::Warning, &format!(" {} ", answer.question.id))
        .with(TextRole::Strong, &format!("{} ", answer.question.task));
    let inside = open_frame(&title, shown + below, canvas);
    let top = answer.top.min(question.len() - shown);
    canvas.lines(inside, question.iter().skip(top).take(shown));
    let row =
        |at: usize| Rect { y: inside.y + u16::try_from(at).unwrap_or(0), height: 1, ..inside };
    let mut at = shown;
    if let Some(look) = &look {
        canvas.line(row(at), look);
        at += 1;
    }
    for line in &refused {
        canvas.line(row(at), line);
        at += 1;
    }
    let prompt = match answer.mode {
        AnswerMode::Listed => format!("answer {}> ", answer.question.id),
        AnswerMode::OwnWords => format!("{} in your own words> ", answer.question.id),
    };
    let cursor = draw_typed(&prompt, &answer.text, row(at), canvas);
    let how = match (answer.mode, answer.takes_words()) {
        (AnswerMode::Listed, true) => {
            "a number or a word · Tab: your own words · ? again · Esc closes"
        }
        (AnswerMode::Listed, false) => "a number or a word, and Enter · ? again · Esc closes",
        (AnswerMode::OwnWords, _) => "your words, and Enter · Tab: the list · Esc closes",
    };
    let hidden = question.len() - shown;
    let scroll = if hidden > 0 { " · ↑↓ scroll" } else { "" };
    canvas.line(row(at + 1), &TextLine::new().dim(how).dim(scroll));
    cursor
}

fn question_lines(answer: &AnswerDialog, width: usize) -> Vec<TextLine> {
    let text = answer.question.text.lines();
    let mut lines: Vec<TextLine> =
        text.flat_map(|line| wrapped::wrap(&TextLine::new().plain(line), width)).collect();
    for (number, option) in (1..).zip(&answer.question.options) {
        let line = TextLine::new()
            .with(TextRole::Strong, &format!("{number:>2}  {}", option.key))
            .plain(": ")
            .plain(&option.description);
        lines.extend(wrapped::wrap(&line, width));
    }
    lines
}

/// What is typed, with its end in sight; returns where the cursor is.
fn draw_typed(prompt: &str, text: &TypedText, area: Rect, canvas: &mut Canvas<'_>) -> (u16, u16) {
    let prompt = TextLine::new().with(TextRole::Active, prompt);
    let room = usize::from(area.width).saturating_sub(prompt.width() + 1);
    let mut before = text.before_cursor();
    while TextLine::new().plain(&before).width() > room {
        before.remove(0);
    }
    let line = prompt.plain(&before);
    let column = area.x + u16::try_from(line.width()).unwrap_or(0);
    canvas.line(area, &line.plain(&text.after_cursor()));
    (column.min(area.right()), area.y)
}

fn draw_tell(tell: &TellDialog, canvas: &mut Canvas<'_>) -> (u16, u16) {
    let title = TextLine::new().with(TextRole::Strong, &format!(" Tell {} ", tell.task));
    let inside = open_frame(&title, 3, canvas);
    let about = "for the worker that is at it, and for every later one";
    canvas.line(inside, &TextLine::new().dim(about));
    let row = |at: u16| Rect { y: inside.y + at, height: 1, ..inside };
    canvas.line(row(2), &TextLine::new().dim("Enter sends it · Esc closes"));
    draw_typed("> ", &tell.text, row(1), canvas)
}

fn draw_confirmation(confirmation: &Confirmation, canvas: &mut Canvas<'_>) {
    let title = TextLine::new().with(TextRole::Strong, &format!(" {} ", confirmation.title));
    let mut lines = wrapped::wrap(&TextLine::new().plain(&confirmation.about), inner_width(canvas));
    lines.push(TextLine::new());
    for choice in &confirmation.choices {
        let line = TextLine::new().with(TextRole::Warning, &format!("{}  ", choice.key));
        lines.push(line.plain(&choice.label));
    }
    lines.push(TextLine::new().with(TextRole::Strong, "n  ").dim("or any other key: no"));
    let inside = open_frame(&title, lines.len(), canvas);
    canvas.lines(inside, &lines);
}

/// Keys, and what they do.
const HELP: [(&str, &str); 18] = [
    ("1 2 3 4", "tasks, graph, timeline, cost"),
    ("Tab Shift-Tab", "next pane: what needs you, tasks, text"),
    ("↑ ↓ j k", "move; PageUp, PageDown, Home, End move further"),
    ("Enter", "answer the question; read about the task"),
    ("← → [ ]", "next text: log, diff, prompt, result, attempts, checks"),
    (", .", "earlier and later attempt of the task"),
    ("< >", "scroll a diff sideways"),
    ("Esc", "back"),
    ("/", "filter tasks by id, title, state or agent"),
    ("a", "answer with a number or a word"),
    ("w", "answer in your own words"),
    ("r", "retry the task with fresh workers"),
    ("s", "skip the task"),
    ("t", "tell its workers something"),
    ("h", "halt the run, or clear its halt"),
    ("Ctrl-L", "draw everything again"),
    ("Ctrl-Z", "suspend the view"),
    ("q Ctrl-C", "leave the view; the run goes on"),
];

const STATES: [&str; 2] = [
    "· pending   ○ ready   ▶ running   ◎ checking   ⇥ merging   ✓ done",
    "✗ failed   ⊘ skipped   ? waits for you   ⊟ blocked",
];

fn draw_help(canvas: &mut Canvas<'_>) {
    let title = TextLine::new().with(TextRole::Strong, " Keys (any key closes this) ");
    let inside = open_frame(&title, HELP.len() + 2, canvas);
    let mut lines: Vec<TextLine> = HELP
        .iter()
        .map(|(keys, what)| TextLine::new().column(TextRole::Strong, keys, 15).plain(what))
        .collect();
    lines.extend(STATES.map(|states| TextLine::new().dim(states)));
    canvas.lines(inside, &lines);
}
