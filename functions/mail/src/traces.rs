//! Stores the trace contexts of requests that queued mails, so that the delivery of a mail is part of the request's trace. The contexts are
//! stored in memory. Therefore a mail has no trace if another node delivers it, or if it is delivered after a restart.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cloch_core::trace_context::TraceContext;
use uuid::Uuid;

/// Maximum number of mails whose trace context is stored. If the number is reached, the oldest trace context is discarded.
const MAX_MAILS: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Traces(Mutex<VecDeque<(Uuid, TraceContext)>>);

impl Traces {
    pub(crate) fn remember(&self, mail: Uuid, trace: TraceContext) {
        let mut traces = self.traces();
        if traces.len() == MAX_MAILS {
            traces.pop_front();
        }
        traces.push_back((mail, trace));
    }

    /// Returns the trace context of a mail; `None` if it is not stored. The context remains stored for further delivery attempts.
    pub(crate) fn of(&self, mail: Uuid) -> Option<TraceContext> {
        self.traces().iter().find(|(known, _)| *known == mail).map(|(_, trace)| *trace)
    }

    fn traces(&self) -> MutexGuard<'_, VecDeque<(Uuid, TraceContext)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten() {
        let (traces, first) = (Traces::default(), Uuid::new_v4());
        traces.remember(first, TraceContext::begin());
        assert!(traces.of(first).is_some());
        (0..MAX_MAILS).for_each(|_| traces.remember(Uuid::new_v4(), TraceContext::begin()));
        assert!(traces.of(first).is_none());
        assert_eq!(traces.traces().len(), MAX_MAILS);
    }
}
