//! What a plan is expected to take, and how good it is, in a line each.

use afresh_app::text::count;
use afresh_core::estimate::forecast::RunForecast;
use afresh_core::estimate::history::MIN_SAMPLES;
use afresh_core::status::forecast::{FigureRange, ForecastStatus, RunForecastStatus};
use afresh_core::status::score::PlanScore;

/// A forecast of a whole run, or why there is none.
pub fn describe_forecast(forecast: Option<&RunForecast>) -> String {
    let Some(status) = forecast.and_then(RunForecastStatus::new) else {
        return format!(
            "no history: it takes {MIN_SAMPLES} finished tasks of the same agent in this repository"
        );
    };
    let samples = count(status.samples, "finished task");
    format!("{}; from {samples}", describe_figures(&status.figures))
}

/// The figures that are known, each with what nine of ten stay below.
pub fn describe_figures(status: &ForecastStatus) -> String {
    let tokens = status.tokens.map_or_else(
        || "tokens unknown".to_owned(),
        |it| format!("{} tokens (P90 {})", round_tokens(it.p50), round_tokens(it.p90)),
    );
    let figure = |range: FigureRange, show: fn(f64) -> String| {
        format!("{} (P90 {})", show(range.p50), show(range.p90))
    };
    let cost = match status.cost_usd {
        Some(range) => figure(range, |dollars| format!("${dollars:.2}")),
        None => "cost unknown: no price of the model".to_owned(),
    };
    let minutes = status.minutes.map(|range| figure(range, show_minutes));
    let context = status
        .context
        .map(|range| format!("{} of the context (P90 {})", percent(range.p50), percent(range.p90)));
    let known = [Some(tokens), Some(cost), minutes, context];
    known.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What the plan covers and proves.
pub fn describe_score(score: &PlanScore) -> String {
    let coverage = score.coverage.map(|it| format!("{} of the requirements served", percent(it)));
    let red = score.red_share.map(|it| format!("{} of the tasks with a red check", percent(it)));
    let ungrounded = score.ungrounded.map(|it| count(it, "ungrounded reference"));
    let parts = [coverage, red, ungrounded];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How its tasks are arranged.
pub fn describe_shape(score: &PlanScore) -> String {
    format!(
        "width {}, critical path {}, {} on the same file, largest context {}",
        score.width,
        score.critical_path,
        count(score.same_file_pairs, "pair"),
        percent(score.largest_context)
    )
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// `950`, `12k`, `3.4M`: nobody plans with single tokens.
fn round_tokens(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", (tokens + 500) / 1_000),
        _ => format!("{}.{}M", tokens / 1_000_000, tokens % 1_000_000 / 100_000),
    }
}

fn show_minutes(minutes: f64) -> String {
    match minutes {
        short if short < 1.0 => format!("{:.0} s", short * 60.0),
        hours if hours >= 120.0 => format!("{:.1} h", hours / 60.0),
        minutes => format!("{minutes:.0} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afresh_core::estimate::forecast::ForecastRange;

    /// PL-20, R14: an unknown price is said, and never zero.
    #[test]
    fn an_unknown_price_is_said() {
        let status = ForecastStatus {
            tokens: Some(ForecastRange { p50: 12_400, p90: 3_450_000 }),
            cost_usd: None,
            minutes: Some(FigureRange { p50: 0.5, p90: 150.0 }),
            context: None,
        };
        assert_eq!(
            describe_figures(&status),
            "12k tokens (P90 3.4M), cost unknown: no price of the model, 30 s (P90 2.5 h)"
        );
    }
}
