//! The scripted agent with the real program: every act, every way to end, every misbehaviour.

mod actions;
mod by_hand;
mod endings;
mod lies;
mod noise;
mod scene;
mod scripts;
