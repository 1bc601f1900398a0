#!/usr/bin/env bash
# usage_test.sh TQ_CONFORMANCE: what it says of URLs, filters and an output that nobody takes.
# shellcheck source=cli/tests/e2e.sh
. "$(dirname "$0")/../cli/tests/e2e.sh"
unset TQ_REQUIRE TQ_REQUIRE_VERSIONS
suite() { "$tq_program" --report "$folder/report" "$@"; }

# No part of a password is printed, whatever is wrong with the URL.
for url in 'postgresql://plain:p@wort@127.0.0.1:1/db' 'postgresql://plain:wort/p@127.0.0.1:1/db' \
  'postgresql:/plain:wort@127.0.0.1:1/db' 'postgres:plain:wort@host' 'mongodb://plain:wort@host/db' \
  'postgresql://plain:wort@127.0.0.1:1/db'; do
  expect 2 suite --url "$url"
  lacks "$out$err" wort
  contains "$err" tq-conformance:
done

# A filter that picks nothing has tested nothing.
mkdir "$folder/here"
expect 2 suite --url "sqlite:///$folder/here" --gtest_filter='Nope.*'
contains "$err" "Nope.*"
expect 0 suite --url "sqlite:///$folder/here" --gtest_filter='Facts.*'
contains "$out" "pass"

# A table that nobody got is no success.
equal 1 "$(suite --url "sqlite:///$folder/here" --gtest_filter='Facts.*' >/dev/full 2>"$folder/err"; echo $?)"
contains "$(<"$folder/err")" "standard output cannot be written"
equal 1 "$(suite --merge >/dev/full 2>"$folder/err"; echo $?)"
finish
