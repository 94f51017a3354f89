//! A vector, and the metrics that define the distance between two vectors.

use serde_json::{Map, Value};

/// A vector in a request that writes vectors.
#[derive(Clone, Debug)]
pub(crate) struct Vector {
    pub(crate) key: String,
    pub(crate) embedding: Vec<f32>,
    pub(crate) metadata: Map<String, Value>,
}

/// Metric for the distance between two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Metric {
    Cosine,
    Euclidean,
}

impl Metric {
    /// Returns the metric with the given name, which is stored in `storage.vector_indexes`. `None` if the name is unknown.
    pub(crate) fn of(name: &str) -> Option<Self> {
        [Self::Cosine, Self::Euclidean].into_iter().find(|metric| metric.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cosine => "cosine",
            Self::Euclidean => "euclidean",
        }
    }

    /// Returns the distance between two vectors, computed in double precision. The cosine distance to a vector of zeros is NaN.
    pub(crate) fn distance(self, a: &[f32], b: &[f32]) -> f64 {
        let pairs = a.iter().zip(b).map(|(a, b)| (f64::from(*a), f64::from(*b)));
        match self {
            Self::Euclidean => pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
            Self::Cosine => {
                let (mut product, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
                for (a, b) in pairs {
                    product += a * b;
                    of_a += a * a;
                    of_b += b * b;
                }
                1.0 - (product / (of_a * of_b).sqrt()).clamp(-1.0, 1.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let near = |metric: Metric, a: &[f32], b: &[f32], expected: f64| {
            let distance = metric.distance(a, b);
            assert!((distance - expected).abs() < 1e-7, "{metric:?} {a:?} {b:?}: {distance}");
        };
        near(Metric::Euclidean, &[1.0, 2.0], &[4.0, 6.0], 5.0);
        near(Metric::Euclidean, &[3e38], &[-3e38], f64::from(3e38_f32) * 2.0);
        near(Metric::Cosine, &[1.0, 0.0], &[3.0, 0.0], 0.0);
        near(Metric::Cosine, &[1.0, 0.0], &[0.0, 2.0], 1.0);
        near(Metric::Cosine, &[1.0, 1.0], &[-2.0, -2.0], 2.0);
        assert!(Metric::Cosine.distance(&[0.0, 0.0], &[1.0, 2.0]).is_nan());
        assert_eq!(Metric::of("cosine"), Some(Metric::Cosine));
        assert_eq!(Metric::of("dotproduct"), None);
    }
}
