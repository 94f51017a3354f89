//! Counting guesses: the more of them, the longer the wait.

use std::time::Duration;

use sqlx::PgPool;

use crate::Refusal;
use crate::limits::{Allowance, give_back, take};

/// Wrong tries from one address: five at once, then slower and slower.
const PER_ADDRESS: [(&str, Allowance); 3] = [
    ("minute", Allowance { count: 5, per: Duration::from_mins(1) }),
    ("ten-minutes", Allowance { count: 10, per: Duration::from_mins(10) }),
    ("hour", Allowance { count: 20, per: Duration::from_hours(1) }),
];
/// Wrong tries from everywhere: a password of ten characters outlasts fifty guesses an hour.
const OVERALL: Allowance = Allowance { count: 50, per: Duration::from_hours(1) };
const OVERALL_SUBJECT: &str = "judging/wrong/overall";

/// A guess that has been counted.
pub(super) struct Attempt {
    subjects: Vec<String>,
}

/// Counts a guess as a wrong one, before anybody knows. All counts or none: a refused guess lengthens no wait.
pub(super) async fn count(pool: &PgPool, network: &str) -> Result<Attempt, Refusal> {
    let mut subjects = Vec::new();
    let mut transaction = pool.begin().await?;
    for (window, allowance) in PER_ADDRESS {
        let subject = format!("judging/wrong/{window}/{network}");
        take(&mut *transaction, &subject, allowance).await?;
        subjects.push(subject);
    }
    take(&mut *transaction, OVERALL_SUBJECT, OVERALL).await?;
    subjects.push(OVERALL_SUBJECT.to_owned());
    transaction.commit().await?;
    Ok(Attempt { subjects })
}

impl Attempt {
    /// The guess was right: judges at one table do not lock each other out.
    pub(super) async fn did_not_fail(self, pool: &PgPool) -> Result<(), Refusal> {
        let mut transaction = pool.begin().await?;
        for subject in &self.subjects {
            give_back(&mut *transaction, subject).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}
