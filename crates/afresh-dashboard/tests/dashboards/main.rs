//! Dashboards of a recorded run: nine tasks by a scripted agent, with rejections, a conflict and a question.

mod pictures;
mod recorded;
mod views;
