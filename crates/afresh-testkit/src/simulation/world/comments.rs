//! What workers know of people's comments (BE-12).

use afresh_core::ids::AttemptId;
use afresh_core::input::Input;
use afresh_core::interruption::AttemptResumption;
use afresh_core::run::Run;

use super::SimulatedWorld;
use crate::simulation::random::SeededRandom;

impl SimulatedWorld {
    /// The prompt of a fresh worker has every comment, however often afresh was killed since; that of a conversation
    /// that continues has none that the conversation knows.
    pub(super) fn read_prompt(
        &mut self,
        attempt: &AttemptId,
        resumes: Option<&AttemptResumption>,
        run: &Run,
    ) -> Result<(), String> {
        let Some(state) = run.state_of(&attempt.task) else { return Ok(()) };
        for kept in &state.people.comments {
            let number = kept.comment.number;
            let is_given = kept.read_by.contains(&attempt.number);
            // One that was made in the same turn after the start is sent.
            let is_sent = kept.sent_to == Some(attempt.number);
            if resumes.is_none() && !is_given && !is_sent {
                return Err(format!("BE-12: {attempt} starts without comment {number}"));
            }
            let knows = |of: u32| {
                let earlier = AttemptId { task: attempt.task.clone(), number: of };
                self.confirmed_comments.contains(&(earlier, number))
            };
            if is_given && resumes.is_some_and(|it| state.conversation(it.of).any(knows)) {
                return Err(format!("BE-12: {attempt} is given comment {number} twice"));
            }
            if is_given {
                self.comments.insert((attempt.clone(), number));
            }
        }
        Ok(())
    }

    /// Some programs never ask us anything, so their workers never get it.
    pub(super) fn read_comment(
        &mut self,
        attempt: &AttemptId,
        number: u32,
        random: &mut SeededRandom,
    ) -> Result<Option<Input>, String> {
        if !self.comments.insert((attempt.clone(), number)) {
            return Err(format!("BE-12: {attempt} gets comment {number} twice"));
        }
        Ok(random.chance(700).then(|| Input::CommentRead(attempt.clone(), number)))
    }
}
