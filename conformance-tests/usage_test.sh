#!/usr/bin/env bash
# usage_test.sh TQ_CONFORMANCE: what it says of URLs that it cannot use.
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

finish
