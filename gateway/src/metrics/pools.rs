//! Metrics of the database connection pools. The metrics of the table REST API's pool have the same names as PostgREST's. The metrics of
//! all other pools have a label with the name of the pool.

use cloch_sql::Database;
use cloch_sql::client::Pool;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use sqlx::PgPool;

type ByPool = Family<[(&'static str, &'static str); 1], Gauge>;

#[derive(Debug)]
pub(super) struct Pools {
    database: Database,
    rest: Option<Pool>,
    replica: Option<Pool>,
    rest_available: Gauge,
    rest_max: Gauge,
    available: ByPool,
    max: ByPool,
}

impl Pools {
    pub(super) fn new(database: Database, rest: Option<Pool>, replica: Option<Pool>, registry: &mut Registry) -> Self {
        let pools = Self {
            database,
            rest,
            replica,
            rest_available: Gauge::default(),
            rest_max: Gauge::default(),
            available: Family::default(),
            max: Family::default(),
        };
        let rest = "database connections of the table REST";
        registry.register("pgrst_db_pool_available", format!("Free {rest}"), pools.rest_available.clone());
        registry.register("pgrst_db_pool_max", format!("Most {rest}"), pools.rest_max.clone());
        let others = "database connections of auth and upkeep (admin), operators and audits (operators), storage and functions (callers), uploads and downloads (objects), reads (replica)";
        registry.register("cloch_db_pool_available", format!("Free {others}"), pools.available.clone());
        registry.register("cloch_db_pool_max", format!("Most {others}"), pools.max.clone());
        pools
    }

    pub(super) fn measure(&self) {
        if let Some(rest) = &self.rest {
            self.rest_available.set(number(rest.available()));
            self.rest_max.set(number(rest.size()));
        }
        if let Some(replica) = &self.replica {
            self.set("replica", replica.available(), replica.size());
        }
        self.set("objects", self.database.objects().available(), self.database.objects().size());
        let pools = [
            ("admin", self.database.admin()),
            ("operators", self.database.operators()),
            ("auth", self.database.auth()),
            ("owner", self.database.owner()),
            ("callers", self.database.callers()),
        ];
        for (name, pool) in pools {
            let max = usize::try_from(pool.options().get_max_connections()).unwrap_or_default();
            self.set(name, max.saturating_sub(in_use(pool)), max);
        }
    }

    fn set(&self, pool: &'static str, available: usize, max: usize) {
        self.available.get_or_create(&[("pool", pool)]).set(number(available));
        self.max.get_or_create(&[("pool", pool)]).set(number(max));
    }
}

fn in_use(pool: &PgPool) -> usize {
    usize::try_from(pool.size()).unwrap_or_default().saturating_sub(pool.num_idle())
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
