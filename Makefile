# A newcomer needs run and test.

.PHONY: help run test test-all test-rest test-cluster test-object-store check bench bench-report release

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-13s %s\n", $$1, $$2 }'

run: ## Install what is missing, build, and serve the club's project on http://127.0.0.1:54321
	@scripts/run

test: ## Install what tests need, check, and run the suites of every change
	@scripts/test

test-all: ## The same with all suites: what runs every night and before a release (docs/testing.md)
	@scripts/test full

test-rest: ## The table REST and the real PostgREST on one database, request by request
	@scripts/test-rest

test-cluster: ## Two nodes, Patroni, HAProxy and PgBouncer that lose parts under load
	@scripts/test-cluster

test-object-store: ## The storage suites against a three-node object store that loses a node (a long build)
	@scripts/test-object-store

check: ## Format, imports, lints, types, licences, unused dependencies, known vulnerabilities
	@scripts/check

bench: ## Measure against peers in one interleaved run
	@scripts/bench

bench-report: ## Measure everything and write docs/benchmarks.md
	@scripts/bench-report

release: ## Build the archive, the Debian and npm packages, their bill of materials and checksums
	@scripts/release
