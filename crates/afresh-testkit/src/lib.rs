//! For tests only: the simulated world, test repositories, fault injection.

pub mod simulation;
