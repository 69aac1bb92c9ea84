//! Data that is the same in each run.

use std::fmt::Write;
use std::path::Path;

/// Numbers that are the same in each run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }
}

/// Writes `rows.csv` and `rows.json`, 20,000 sales of 100 shops.
pub(crate) fn sales(place: &Path) {
    let (mut csv, mut json) = ("shop,day,amount,note\n".to_owned(), "[".to_owned());
    let mut random = Random(3);
    for row in 0..20_000 {
        let shop = format!("shop-{:02}", random.below(100));
        let day = format!("2026-{:02}-{:02}", 1 + random.below(12), 1 + random.below(28));
        let amount = 1 + random.below(1000);
        let note = format!("paid {} with card {}", random.below(9), random.below(99_999));
        let comma = if row == 0 { "" } else { "," };
        writeln!(csv, "{shop},{day},{amount},{note}").expect("a string takes it");
        write!(json, r#"{comma}{{"shop":"{shop}","day":"{day}","amount":{amount},"note":"{note}"}}"#)
            .expect("a string takes it");
    }
    json.push(']');
    std::fs::write(place.join("rows.csv"), csv).expect("a file");
    std::fs::write(place.join("rows.json"), json).expect("a file");
}

/// Writes `access.log`, 100,000 lines of a web server.
pub(crate) fn log(place: &Path) {
    let (mut text, mut random) = (String::new(), Random(4));
    for line in 0..100_000 {
        writeln!(
            text,
            r#"10.0.{}.{} - - [28/Nov/2026:{:02}:{:02}:{:02} +0000] "GET /page/{}/{} HTTP/1.1" {} {} "-" "agent/1.0""#,
            random.below(8),
            random.below(250),
            line / 3600 % 24,
            line / 60 % 60,
            line % 60,
            random.below(20),
            random.below(40),
            [200, 200, 200, 304, 404][random.below(5) as usize],
            random.below(90_000),
        )
        .expect("a string takes it");
    }
    std::fs::write(place.join("access.log"), text).expect("a file");
}
