//! Metrics of Realtime. At each scrape, their values are read from the counters of the crate cloch_realtime.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use cloch_realtime::counters::COUNTERS;

#[derive(Debug)]
struct Realtime;

pub(super) fn register(registry: &mut Registry) {
    registry.register_collector(Box::new(Realtime));
}

impl Collector for Realtime {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        for (name, help, value) in [
            ("realtime_connections_connected", "Open sockets", &COUNTERS.sockets),
            ("cloch_realtime_channels", "Joined channels", &COUNTERS.channels),
            (
                "cloch_realtime_slot_lag_bytes",
                "WAL that the replication slot was not read to",
                &COUNTERS.slot_lag_bytes,
            ),
        ] {
            let gauge = ConstGauge::new(i64::try_from(value.get()).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        for (name, help, value) in [
            ("realtime_channel_joins", "Joins, refused ones included", &COUNTERS.joins),
            ("realtime_channel_input_bytes", "Bytes from clients", &COUNTERS.bytes_in),
            ("realtime_channel_output_bytes", "Bytes to clients", &COUNTERS.bytes_out),
            ("cloch_realtime_messages_in", "Frames from clients", &COUNTERS.messages_in),
            ("cloch_realtime_messages_out", "Frames to clients", &COUNTERS.messages_out),
            ("realtime_channel_db_events", "Changes of subscribed tables", &COUNTERS.changes),
            ("cloch_realtime_policy_checks", "Evaluations of a table's policies", &COUNTERS.policy_checks),
            ("cloch_realtime_dropped_sockets", "Sockets that were cut off", &COUNTERS.dropped_sockets),
            (
                "cloch_realtime_dropped_subscriptions",
                "Subscriptions that missed changes",
                &COUNTERS.dropped_subscriptions,
            ),
            (
                "cloch_realtime_project_refusals",
                "Sockets, joins and messages beyond the project's limits",
                &COUNTERS.project_refusals,
            ),
            ("cloch_realtime_bus_messages_in", "Messages from other nodes", &COUNTERS.bus_in),
            ("cloch_realtime_bus_messages_out", "Messages to other nodes", &COUNTERS.bus_out),
            (
                "cloch_realtime_bus_messages_dropped",
                "Messages to other nodes that were not sent",
                &COUNTERS.bus_dropped,
            ),
            ("cloch_realtime_bus_messages_lost", "Messages of other nodes that did not arrive", &COUNTERS.bus_lost),
            ("cloch_realtime_bus_messages_refused", "Forged and repeated messages on the bus", &COUNTERS.bus_refused),
        ] {
            let counter = ConstCounter::new(value.get());
            counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
        }
        Ok(())
    }
}
