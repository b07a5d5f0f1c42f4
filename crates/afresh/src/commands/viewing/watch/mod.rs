//! `afresh watch [RUN]`: a run on the whole screen, live, with its questions answered in place.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `reader` | reads journal and files, away from the screen |
//! | `sender` | sends commands to the run, away from the screen |
//! | `keyboard` | keys and sizes of the terminal |

mod keyboard;
mod reader;
mod sender;

use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, Sender, channel};

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::logs::watched_run::WatchedRun;
use afresh_tui::action::LookedAt;
use afresh_tui::draw::{ScreenColors, draw};
use afresh_tui::{ScreenAction, ScreenInput, WatchScreen};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

use crate::exit::Exit;
use crate::terminal::full_screen::{self, FullScreen};
use crate::terminal::output::Output;
use crate::terminal::{completion, foreground};
use reader::RunReader;
use sender::ViewSender;

/// Watch a run on the whole screen, and answer its questions
///
/// What needs you comes first; below are the tasks by wave, with log, diff, prompt, result, attempts and checks of each,
/// the graph, the timeline and the cost. It also shows a run that another process drives, and one that has ended. `?`
/// lists the keys; `q` leaves the view, and never stops the run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run; by default, the last one
    #[arg(add = completion::runs())]
    run: Option<String>,
}

/// What the view waits for.
enum WatchEvent {
    Input(ScreenInput),
    /// Give the terminal back until the shell continues us.
    Suspend,
    /// The terminal is gone, or the run can no longer be read.
    Ended(Option<AppError>),
}

pub(crate) fn watch(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    check_terminal(context, output)?;
    let watched = WatchedRun::open(context, args.run.as_deref())?;
    let run = watched.id().clone();
    let (events, arrived) = channel();
    let (looked_at, requests) = channel();
    RunReader::new(watched, context.clone()).start(requests, events.clone());
    let sender = ViewSender::start(context.clone(), run.clone(), events.clone());
    let colors = if output.is_colored() { ScreenColors::Colored } else { ScreenColors::Plain };
    let is_driven = Viewer { events, arrived, looked_at, sender, colors }.show()?;
    output.note(&if is_driven {
        format!("run {run} goes on; `afresh watch {run}` shows it again")
    } else {
        format!("no process drives run {run}; `afresh status --run {run}` shows where it stands")
    });
    Ok(Exit::Done)
}

fn check_terminal(context: &AppContext, output: &Output) -> Result<(), AppError> {
    let elsewhere = "`afresh status` prints where the run stands, `afresh attach` follows it line by line, \
                     `afresh serve` shows it in a browser";
    if output.json {
        let message = "the full-screen view has no JSON";
        return Err(
            AppError::usage("terminal", message).hint("`afresh status --json` has the same")
        );
    }
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let is_able = context.environment.text("TERM").is_some_and(|term| term != "dumb");
    if !is_terminal || !is_able || foreground::is_taken() {
        let message = "the full-screen view needs a terminal";
        return Err(AppError::usage("terminal", message).hint(elsewhere));
    }
    Ok(())
}

/// The screen, and everything that talks to it.
struct Viewer {
    events: Sender<WatchEvent>,
    arrived: Receiver<WatchEvent>,
    looked_at: Sender<LookedAt>,
    sender: ViewSender,
    colors: ScreenColors,
}

impl Viewer {
    /// Until the user leaves; returns whether the run goes on without the view.
    fn show(self) -> Result<bool, AppError> {
        let failed = |error: std::io::Error| {
            AppError::machine("terminal", "cannot take over the terminal").cause(error.to_string())
        };
        listen_to_signals(self.events.clone()).map_err(failed)?;
        let (columns, rows) = crossterm::terminal::size().map_err(failed)?;
        let mut terminal = FullScreen::enter(columns, rows).map_err(failed)?;
        keyboard::listen(self.events.clone());
        let mut screen = WatchScreen::new(columns, rows);
        let shown = self.react(&mut screen, &mut terminal, failed);
        drop(terminal);
        // A command that was confirmed is sent before we go.
        self.sender.finish();
        shown?;
        Ok(screen.data.is_some_and(|data| data.is_driven))
    }

    fn react(
        &self,
        screen: &mut WatchScreen,
        terminal: &mut FullScreen,
        failed: impl Fn(std::io::Error) -> AppError,
    ) -> Result<(), AppError> {
        loop {
            let mut frame = Buffer::empty(Rect::new(0, 0, screen.columns, screen.rows));
            let cursor = draw(screen, self.colors, &mut frame);
            terminal.show(frame, cursor).map_err(&failed)?;
            let Ok(first) = self.arrived.recv() else { return Ok(()) };
            // What arrived in quick succession is drawn once.
            for event in std::iter::once(first).chain(self.arrived.try_iter()) {
                let actions = match event {
                    WatchEvent::Ended(None) => return Ok(()),
                    WatchEvent::Ended(Some(error)) => return Err(error),
                    WatchEvent::Suspend => vec![ScreenAction::Suspend],
                    WatchEvent::Input(input) => {
                        if let ScreenInput::Resized { columns, rows } = input {
                            terminal.resize(columns, rows);
                        }
                        screen.update(input)
                    }
                };
                for action in actions {
                    match action {
                        ScreenAction::Leave => return Ok(()),
                        ScreenAction::Repaint => terminal.repaint(),
                        ScreenAction::Suspend => self.suspend(terminal).map_err(&failed)?,
                        // The reader ends only after it has said why.
                        ScreenAction::LookAt(looked_at) => drop(self.looked_at.send(looked_at)),
                        action => self.sender.send(action),
                    }
                }
            }
        }
    }

    /// Stops this process as Ctrl-Z does everywhere; continues when the shell does.
    fn suspend(&self, terminal: &mut FullScreen) -> std::io::Result<()> {
        full_screen::give_back();
        signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
        terminal.enter_again()?;
        // The window may have another size by now.
        let (columns, rows) = crossterm::terminal::size()?;
        let resized = ScreenInput::Resized { columns, rows };
        let _ = self.events.send(WatchEvent::Input(resized));
        Ok(())
    }
}

/// Every signal that ends us finds the terminal as it was.
fn listen_to_signals(events: Sender<WatchEvent>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGTSTP])?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGTSTP {
                let _ = events.send(WatchEvent::Suspend);
            } else {
                full_screen::give_back();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        }
    });
    Ok(())
}
