//! Rewrites the texts of a plan that people and workers read, never what is carried out.

use super::{Plan, Task};

impl Plan {
    /// Applies `f` to every text that is only read. Ids, files, checks and dependencies stay.
    pub fn reword(&mut self, f: impl Fn(&str) -> String) {
        self.name = f(&self.name);
        for task in &mut self.tasks {
            task.reword(&f);
        }
        for requirement in &mut self.requirements {
            requirement.text = f(&requirement.text);
            requirement.note = requirement.note.as_deref().map(&f);
        }
    }
}

impl Task {
    fn reword(&mut self, f: &impl Fn(&str) -> String) {
        let own = [&mut self.title, &mut self.instructions];
        let steps = self.steps.iter_mut().flat_map(|step| [&mut step.name, &mut step.instructions]);
        let reasons = [&mut self.no_check, &mut self.done_before].into_iter().flatten();
        let asked = self.checkpoint.iter_mut().flat_map(|asked| {
            let options = asked.options.iter_mut().map(|option| &mut option.description);
            std::iter::once(&mut asked.text).chain(options)
        });
        for text in own.into_iter().chain(steps).chain(reasons).chain(asked) {
            *text = f(text);
        }
    }
}
