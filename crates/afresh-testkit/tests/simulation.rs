//! The core in thousands of simulated runs: R2, R3, R4, R7, R12, R14, R16, ST-02, EX-01 to EX-03, AG-05 to AG-08 and
//! BE-04 and ST-06 after every step.

use afresh_testkit::simulation::{SimulationSummary, simulate};

/// How many seeds every test run plays.
const SEEDS: usize = 3_000;

/// R2, R3, R4, R7, R12, R14, R16, ST-02.
#[test]
fn the_promises_hold_in_every_simulated_run() {
    let mut all = SimulationSummary::default();
    for seed in 0..SEEDS {
        let one = simulate(seed as u64).unwrap_or_else(|broken| panic!("{broken}"));
        all.steps += one.steps;
        all.crashes += one.crashes;
        all.merged += one.merged;
        all.attempts += one.attempts;
        all.edits += one.edits;
        all.reused += one.reused;
        all.halts += one.halts;
        all.budgets += one.budgets;
        all.resumed += one.resumed;
        all.rewound += one.rewound;
        all.model_failures += one.model_failures;
        all.parked += one.parked;
        all.full += one.full;
        all.taken_up += one.taken_up;
        all.not_resumed += one.not_resumed;
        all.warned += one.warned;
        all.drives += one.drives;
        all.by_hand += one.by_hand;
        all.by_hand_merged += one.by_hand_merged;
        all.applied_without_driver += one.applied_without_driver;
    }
    // Simulations in which nothing happens would prove nothing.
    assert!(all.crashes > SEEDS / 2, "{all:?}");
    assert!(all.merged > SEEDS, "{all:?}");
    assert!(all.edits > SEEDS / 4 && all.reused > SEEDS / 2, "{all:?}");
    assert!(all.halts > SEEDS / 4 && all.budgets > SEEDS / 20, "{all:?}");
    assert!(all.resumed > SEEDS / 4 && all.rewound > SEEDS / 100, "{all:?}");
    assert!(all.model_failures > SEEDS / 2 && all.parked > SEEDS / 5, "{all:?}");
    assert!(all.full > SEEDS / 4 && all.warned > SEEDS / 4, "{all:?}");
    assert!(all.taken_up > SEEDS / 4 && all.not_resumed > SEEDS / 100, "{all:?}");
    assert!(all.by_hand > SEEDS / 4 && all.by_hand_merged > SEEDS / 10, "{all:?}");
    println!("{SEEDS} seeds: {all:?}");
}

/// Replays one seed: `AFRESH_SIM_SEED=7 cargo test … one_seed -- --include-ignored`.
#[test]
#[ignore = "replays the seed named by AFRESH_SIM_SEED"]
fn one_seed() {
    let seed =
        std::env::var("AFRESH_SIM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    match simulate(seed) {
        Ok(summary) => println!("seed {seed}: {summary:?}"),
        Err(broken) => panic!("{broken}"),
    }
}

#[test]
fn the_same_seed_plays_the_same_way() {
    for seed in [1, 99, 1234] {
        assert_eq!(simulate(seed).expect("holds"), simulate(seed).expect("holds"));
    }
}
