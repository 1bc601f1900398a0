# What people type. Each target installs what it needs on Debian and Ubuntu (scripts/bootstrap).
.DEFAULT_GOAL := help
.PHONY: help build demo test test-asan lint format package test-packages scale bench bench-quick clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the program (build/tq), the libraries, the tests and the examples
	@scripts/build dev

demo: ## the main job on real input: every file under /usr/share/doc, in SQLite
	@scripts/build dev tq demo
	@examples/demo/run

test: ## all tests, on SQLite and on throwaway PostgreSQL, MySQL and MariaDB servers
	@scripts/build dev
	@scripts/test dev

test-asan: ## what needs no server, under the address and undefined-behaviour sanitizers
	@scripts/build asan
	@ctest --test-dir build-asan --output-on-failure --no-tests=error -j $$(($$(nproc) + 1)) \
	  -L 'unit|cli|_sqlite$$'

lint: ## formatting, clang-tidy, the rules for SQL, for the tree and for shell scripts
	@scripts/bootstrap build lint
	@scripts/lint

format: ## format all C++ files in place
	@scripts/bootstrap lint
	@scripts/cpp-files | xargs clang-format -i

package: ## Debian packages, in build-release/packages
	@scripts/package

test-packages: ## by hand, as root: the packages in a bare Debian 12, on all engines
	@scripts/test-packages

scale: ## by hand: millions of rows on all engines, then the tests under the thread sanitizer
	@scripts/build release
	@scripts/test release -C scale -L scale
	@scripts/build tsan
	@scripts/test tsan -LE examples

bench: ## by hand: every figure of docs/benchmarks.md, for hours on a quiet machine
	@scripts/bootstrap build bench
	@scripts/build release tq tq-ceiling
	@bench/run

bench-quick: ## by hand: rough figures
	@scripts/bootstrap build bench
	@scripts/build release tq tq-ceiling
	@bench/run --quick

clean: ## remove everything that was built
	rm -rf build build-asan build-release build-tsan
