//! The results of a run of the suite.

use std::fmt;

/// The results of a run, in the order of the cases.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// One entry for each case.
    pub cases: Vec<CaseReport>,
}

/// The result of one case.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CaseReport {
    /// `group::behaviour`.
    pub name: String,
    /// Its result.
    pub outcome: Outcome,
}

/// The result of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The behaviour is correct.
    Passed,
    /// Not tested, for this reason.
    Skipped(String),
    /// The behaviour is wrong, or could not be tested.
    Failed(String),
}

impl Report {
    /// Whether at least one case was tested and none failed.
    pub fn passed(&self) -> bool {
        self.cases.iter().any(|case| case.outcome == Outcome::Passed) && self.failures().next().is_none()
    }

    /// The cases that failed.
    pub fn failures(&self) -> impl Iterator<Item = &CaseReport> {
        self.cases.iter().filter(|case| matches!(case.outcome, Outcome::Failed(_)))
    }

    pub(crate) fn push(&mut self, name: impl Into<String>, outcome: Outcome) {
        self.cases.push(CaseReport { name: name.into(), outcome });
    }
}

impl fmt::Display for Report {
    /// A line for each case that failed or was skipped, then the counts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut passed, mut skipped, mut failed) = (0, 0, 0);
        for CaseReport { name, outcome } in &self.cases {
            match outcome {
                Outcome::Passed => passed += 1,
                Outcome::Skipped(reason) => {
                    skipped += 1;
                    writeln!(f, "skipped {name}: {reason}")?;
                }
                Outcome::Failed(message) => {
                    failed += 1;
                    writeln!(f, "FAILED  {name}: {message}")?;
                }
            }
        }
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}
