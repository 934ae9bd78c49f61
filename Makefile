# The house's commands. Each is one script, which says at its top what it does and needs.

.PHONY: help setup test test-slow quick msrv features example python python-test test-fanout test-engines python-bench compare dist test-dist demo site servers servers-down test-stores fuzz fire bench peers deny clean

help: ## Say what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

setup: ## Install what building and testing need (Debian packages, toolchain parts)
	@scripts/setup test

test: setup ## Everything that must hold before a change lands, on all servers
	@scripts/test

test-slow: setup ## The tests as on a machine three times slower, with a busy disk (FILTER=word for some of them, TIMES=20)
	@scripts/setup slow
	@scripts/test slow $(FILTER)

quick: ## The part of it that needs no server: format, lints, tidy
	@scripts/test quick

msrv: ## Check that the oldest promised Rust (rust-version) is enough
	@scripts/msrv

features: ## Check that the library compiles with few features, and without the crates of the others
	@scripts/features all

example: setup ## Check the programs in examples: format, lints, their tests on all servers
	@scripts/example

python: ## Build the Python package as a wheel with the command in it, and test it in fresh environments
	@scripts/python make

python-test: ## Test the Python package from the working tree, on all servers
	@scripts/python test
	@scripts/python check

test-fanout: ## Test the package with Spark, Ray and Dask (large downloads, kept in the cache; Java 17)
	@scripts/fanout

python-bench: ## Measure the Python package beside pandas, polars and others
	@scripts/python bench

test-engines: ## Test every engine that speaks MySQL's protocol, one after the other (docs/engines.md; TiDB is built: Go, some minutes)
	@scripts/engines test

test-stores: ## Test object stores with all emulators, Google's too (it is built: Go, some minutes)
	@scripts/stores up --google
	@INRUSH_TEST_GOOGLE=1 cargo test --locked --workspace --test load -- stores::

demo: ## Load a real data set into a real server and look at it
	@scripts/setup demo
	@scripts/demo

compare: ## Measure the tools that people load files with: time, what a kill leaves, bad values (packages by pip)
	@scripts/servers up --bench
	@benches/compare/run

dist: ## Build what a release consists of: a Debian package, a tarball, wheels, crates, an SBOM, checksums (target/dist)
	@scripts/dist

test-dist: ## Install what `make dist` built in a fresh Debian root, and use it there
	@scripts/dist test

site: ## Build the documentation site from docs/ (mdBook, which is installed into the cache), and check its links
	@scripts/site

servers: ## Start the test servers and say where they are
	@scripts/servers up
	@scripts/servers status

servers-down: ## Stop them and remove their data
	@scripts/servers down

fuzz: ## Fuzz every decoder for a while each (FUZZ_SECONDS, default 30)
	@scripts/fuzz

fire: ## Loads under fire, the long form: kills, networks, servers; then a soak and a cluster
	@scripts/fire
	@scripts/fire soak
	@scripts/fire engine galera group-replication seekdb

bench: ## Measure against tuned servers; the numbers belong in docs/notes
	@scripts/servers up --bench
	@scripts/bench

peers: ## Build the programs that `inrush bench insert --peers` measures inrush against
	@benches/peers/build

deny: ## Check licences, sources and known holes of all dependencies with cargo-deny
	cargo deny check

clean: ## Remove what was built here (the servers' cache stays: scripts/servers down, then remove its folder)
	cargo clean
