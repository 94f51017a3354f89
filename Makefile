# The only commands a newcomer needs.

.PHONY: help run test check bench

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-8s %s\n", $$1, $$2 }'

run: ## Install what is missing, build, and serve the club's project on http://127.0.0.1:54321
	@scripts/run

test: ## Install what tests need, and run all of them
	@scripts/test

check: ## Format, lints, types, licences
	@scripts/check

bench: ## Measure against peers in one interleaved run
	@scripts/bench
