//! A part of the program that [`crate::app`] assembles: the paths that it handles, its background tasks, its metrics, and its error response
//! while the database is unavailable.

use std::fmt;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use cloch_http::{ApiRouter, LiveRouter, OutageForms};
use futures_util::future::BoxFuture;
use http::{HeaderMap, StatusCode};
use prometheus_client::registry::Registry;
use tokio::task::JoinSet;

use crate::config::Config;
use crate::error::CommandError;
use crate::live_settings::{Commit, Prepare};

type Handler = Box<dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync>;
/// Function that creates the 503 response to a request while the database is unavailable. The arguments are the path below the service's
/// prefix and the request's headers, which determine the format of the response.
type OutageForm = fn(&str, &HeaderMap) -> Response;

/// A part of the program, such as an API: its routes, background tasks and metrics. The builder methods add to them and can be called
/// several times.
#[derive(Default)]
pub struct Service {
    routers: Vec<Router>,
    handlers: Vec<(&'static str, Handler)>,
    live: Vec<(&'static str, LiveRouter)>,
    changes: Vec<Prepare>,
    tasks: Vec<BoxFuture<'static, ()>>,
    metrics: Vec<fn(&mut Registry)>,
    outage_forms: Vec<(&'static str, OutageForm)>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("routers", &self.routers.len()).finish_non_exhaustive()
    }
}

impl Service {
    /// Adds a router whose routes contain the complete path.
    pub fn routes(mut self, router: Router) -> Self {
        self.routers.push(router);
        self
    }

    /// Adds a router below a path prefix; its routes do not contain the prefix.
    pub fn nest(self, prefix: &str, router: Router) -> Self {
        self.routes(Router::new().nest(prefix, router))
    }

    /// Adds a handler for all paths below a prefix; the prefix is removed from the path. Faster than [`Self::nest`].
    pub fn mount<F>(mut self, prefix: &'static str, handler: impl Fn(Request) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Response> + Send + 'static,
    {
        self.handlers.push((prefix, Box::new(move |request| Box::pin(handler(request)))));
        self
    }

    /// Adds a router for all paths below a prefix. The router can be replaced while the program runs. Its routes contain the complete path.
    pub fn mount_live(mut self, prefix: &'static str, router: LiveRouter) -> Self {
        self.live.push((prefix, router));
        self
    }

    /// Refuses all requests below a prefix with status 404: the API of the prefix is disabled by `setting`, such as
    /// `[api] enabled = false`. Without this handler, the web app would respond to these requests.
    pub fn disabled(self, prefix: &'static str, setting: &'static str) -> Self {
        let message = format!("this API is disabled ({setting} in config.toml)");
        self.mount(prefix, move |_| {
            let body = axum::Json(serde_json::json!({ "message": message }));
            async move { (StatusCode::NOT_FOUND, body).into_response() }
        })
    }

    /// Adds a function that applies changed settings to the service without a restart. `prepare` creates everything that the new
    /// configuration needs, or fails. It must not change the running service. The function that `prepare` returns makes the service use the
    /// new settings, and cannot fail.
    pub fn on_change(
        mut self,
        prepare: impl Fn(&Config) -> Result<Commit, CommandError> + Send + Sync + 'static,
    ) -> Self {
        self.changes.push(Box::new(prepare));
        self
    }

    /// Adds a background task. The task must end by itself when the program stops.
    pub fn task(mut self, task: impl Future<Output = ()> + Send + 'static) -> Self {
        self.tasks.push(Box::pin(task));
        self
    }

    /// Adds the function that registers the service's metrics.
    pub fn metrics(mut self, register: fn(&mut Registry)) -> Self {
        self.metrics.push(register);
        self
    }

    /// Sets the function that creates the 503 response for paths below a prefix while the database is unavailable.
    pub fn during_outage(mut self, prefix: &'static str, form: OutageForm) -> Self {
        self.outage_forms.push((prefix, form));
        self
    }
}

/// The services of the program, in the order in which they were added.
#[derive(Debug, Default)]
pub struct Services(Vec<Service>);

impl Services {
    /// Adds a service.
    pub fn add(&mut self, service: Service) {
        self.0.push(service);
    }

    /// Registers the metrics of all services that have been added so far.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.0.iter().flat_map(|service| &service.metrics).for_each(|register| register(registry));
    }

    /// Removes and returns the functions with which the services apply changed settings.
    pub fn take_changes(&mut self) -> Vec<Prepare> {
        self.0.iter_mut().flat_map(|service| std::mem::take(&mut service.changes)).collect()
    }

    /// Starts the background tasks of all services. Returns the router for the paths of all services, and the functions that create their
    /// 503 responses while the database is unavailable. `web` handles the paths that belong to no service.
    pub fn start(self, web: Router, background: &mut JoinSet<()>) -> (ApiRouter, OutageForms) {
        let (mut router, mut handlers, mut live, mut forms) = (web, Vec::new(), Vec::new(), Vec::new());
        for service in self.0 {
            router = service.routers.into_iter().fold(router, Router::merge);
            handlers.extend(service.handlers);
            live.extend(service.live);
            forms.extend(service.outage_forms);
            for task in service.tasks {
                background.spawn(task);
            }
        }
        let mut apis = ApiRouter::new(router);
        for (prefix, handler) in handlers {
            apis.mount(prefix, handler);
        }
        for (prefix, router) in live {
            apis.mount_live(prefix, router);
        }
        (apis, OutageForms(forms))
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use prometheus_client::metrics::counter::Counter;

    use super::*;

    #[tokio::test]
    async fn every_part_of_a_service_takes_effect() {
        let (ended, end) = tokio::sync::oneshot::channel::<()>();
        let service = Service::default()
            .nest("/auth/v1", Router::new().route("/user", get(async || "auth")))
            .mount("/rest/v1", async |request: Request| request.uri().path().to_owned().into_response())
            .task(async move { ended.send(()).unwrap() })
            .metrics(|registry| registry.register("parts", "Parts", Counter::<u64>::default()))
            .during_outage("/auth/v1", |_, _| "lost".into_response());
        let mut services = Services::default();
        services.add(service);
        let mut registry = Registry::default();
        services.register_metrics(&mut registry);
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).unwrap();
        assert!(text.contains("parts_total 0"), "{text}");
        let mut background = JoinSet::new();
        let (apis, forms) = services.start(Router::new(), &mut background);
        end.await.unwrap();
        assert!(format!("{apis:?}").contains("/rest/v1"), "{apis:?}");
        assert_eq!(forms.0.len(), 1);
    }
}
