//! Byte sizes as text.

const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];

/// `0 bytes`, `12 KiB`, `1.5 GiB`.
pub fn format_bytes(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    // In tenths, without floating point.
    let mut tenths = u128::from(bytes) * 10 / 1024;
    let mut unit = 0;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    let (whole, rest) = (tenths / 10, tenths % 10);
    let number = if whole < 10 && rest > 0 { format!("{whole}.{rest}") } else { whole.to_string() };
    format!("{number} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_as_people_do() {
        let texts = [0, 1023, 1024, 1536, 12 << 20, 3 << 29, 5 << 40].map(format_bytes);
        let wanted = ["0 bytes", "1023 bytes", "1 KiB", "1.5 KiB", "12 MiB", "1.5 GiB", "5 TiB"];
        assert_eq!(texts, wanted);
    }
}
