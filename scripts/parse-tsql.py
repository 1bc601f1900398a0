"""parse-tsql.py [FILE...]: whether what is sent to SQL Server is T-SQL, without a server.

dialects/tests/sent/sqlserver/ holds it as a driver sends it and as `tq init --print` prints it; a unit
test keeps it equal to sql/sqlserver/. Each batch, and each of roles.sql and of the container's databases.sql,
  - parses by sqlfluff's grammar of T-SQL;
  - converts each text that it is given, since an ODBC driver may send ntext, which cannot be assigned;
  - declares each variable that it uses, and uses each that it declares;
  - names only tables, functions and keywords that there are: no word is unknown;
  - names only columns that the table has: behind an alias, in INSERT, SET, inserted and deleted, in an index
    and a GRANT;
  - names only indexes that there are, and says the whole predicate of a filtered one, without which
    the server has no plan for it (error 8622);
  - gives as many columns as it stores (INSERT and OUTPUT ... INTO with a list of columns).

Copies of each file are broken, each in one way (BREAKS) that there is something for in it, and every one must be
found. Two ways are for the grammar, the others for what is looked up.
"""
import concurrent.futures
import pathlib
import re
import sys

from sqlfluff.core import FluffConfig, Linter
from sqlfluff.dialects import dialect_tsql_keywords

sys.dont_write_bytecode = True
from tsql_names import Schema, wrong_names  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYWORDS = {word.upper() for word in
            dialect_tsql_keywords.RESERVED_KEYWORDS + dialect_tsql_keywords.UNRESERVED_KEYWORDS}
DIALECT = {"dialect": "tsql", "large_file_skip_byte_limit": 0}
# The grammar lacks this one statement.
UNKNOWN = re.compile(r"^ALTER TABLE [\w.]+ SET \(LOCK_ESCALATION = DISABLE\);?$", re.M)


def without_comments(text, string=r"\g<0>"):
    return re.sub(r"'[^']*'|--[^\n]*", lambda found: found.expand(string) if found[0][0] == "'" else "", text)


def without_strings(text):
    return without_comments(text, "''")


def batches(name, text):
    """The parts that reach the server one by one."""
    text = re.sub(r"\?", lambda _, n=iter(range(1, 100)): f"@P{next(n)}", text)
    if name in ("init.sql", "roles.sql", "databases.sql"):
        # A line with a colon is sqlcmd's.
        text = re.sub(r"^:ON ERROR EXIT$", "", text, flags=re.M)
        return [part for part in re.split(r"^GO$", text, flags=re.M) if part.strip()]
    return [part for part in re.split(r"^-- bound:.*$", text, flags=re.M) if part.strip()]


def wrong_parameters(text):
    header = r"^-- bound: ([^\n]*)\n(.*?)(?=^-- bound:|\Z)"
    for listed, batch in re.findall(header, text, flags=re.M | re.S):
        casts = [bool(cast) for cast in re.findall(r"(CAST\()?\?", batch)]
        types = [] if listed == "nothing" else [field.split()[1] for field in listed.split(", ")]
        if len(casts) != len(types):
            yield f"{len(types)} values are bound to {len(casts)} parameters"
        elif any(type_ == "text" and not cast for type_, cast in zip(types, casts)):
            yield "a parameter is a text and not converted"


def unparsable(batch):
    parsed = Linter(config=FluffConfig(overrides=DIALECT)).parse_string(UNKNOWN.sub("", batch))
    return [str(violation)[:200] for violation in parsed.violations[:2]]


def wrong_commas(text):
    if found := re.search(r",\s*(,|\)|(FROM|WHERE|ORDER)\b)[^\n]*", text):
        yield f"nothing stands between a comma and {found[1]}"


def inconsistent(batch, schema):
    plain = without_strings(batch)
    return [*wrong_commas(plain), *wrong_names(plain, without_comments(batch), schema, KEYWORDS)]


def wrong_in(name, text, schema):
    """What is wrong with a file but for its grammar."""
    return [*wrong_parameters(text), *(one for batch in batches(name, text) for one in inconsistent(batch, schema))]


def unparsable_in(name, text):
    return [one for batch in batches(name, text) for one in unparsable(batch)]


# What to break, where it stands in a file at all: the first match of the one becomes the other, and what is said
# then has the third in it. Without a third it is the grammar that refuses it.
BREAKS = {
    "a word": (r"\b(SELECT|UPDATE|CREATE TABLE|GRANT)\b", "SELCT", ""),
    "a parenthesis": (r"\)(?!.*\))", "", ""),
    "a comma": (r",\n", ",,\n", "nothing stands between a comma"),
    "a variable": (r"(?<!@)@(?!P\d|version|R)\w+(?=[,;)]| [<>=/%+-]+ )", "@nobody", "declared"),
    "a conversion": (r"CAST\(\? AS nvarchar\(\w+\)\)", "?", "is a text and not converted"),
    "a column": (r"\bj\.job_id\b", "j.jobid", "has no column jobid"),
    "an index": (r"INDEX \((\w+)\)", "INDEX (tq_job_nothing)", "there is no index tq_job_nothing"),
    "a predicate": (r"\w\.(gate = 2(?=\s+AND \w\.finished_at)|gate >= 0(?=\s+AND \w\.gate <= 1)"
                    r"|gate <= 0(?=\s+(ORDER|AND \w\.run_at))|finished_at IS NOT NULL)", "1 = 1", "is asked for without"),
    "a list": (r"(INSERT INTO [@\w.]+ \()\w+, (?=[^()]*\)\s+(?:OUTPUT [^\n]*\s+)?SELECT)", r"\1", "an INSERT of"),
    "a table": (r"\b(FROM|JOIN|UPDATE|INTO) (jobs\.)?tq_\w+", r"\1 \2tq_jobs", "there is no table"),
    "what is set": (r"(UPDATE \w+\s+SET\s+)\w+", r"\1nothing", "has no column nothing"),
    "what was changed": (r"\b(inserted|deleted)\.\w+", r"\1.nothing", "no table has a column nothing"),
    "what is indexed": (r"(\bON [\w.]+ \()\w+(?=[^()]*\)\s+(INCLUDE|WHERE))", r"\1nothing", "has no column nothing"),
    "what is included": (r"(\bINCLUDE \()\w+", r"\1nothing", "has no column nothing"),
    "a grant's column": (r"((?m:^)GRANT [^;(]*\()\w+", r"\1nothing", "has no column nothing"),
    "a grant's table": (r"((?m:^)GRANT [^;]* ON jobs\.)\w+", r"\1nothing", "is on none of the tables"),
    "a function": (r"\b(SYSUTCDATETIME|DATEADD|OBJECT_ID|COALESCE|DB_ID)\(", r"\1X(", "nothing is named"),
    "a statement": (r"\b(BREAK|THROW|END TRY|END CATCH)\b", r"\1X", "nothing is named"),
}


def broken_copies(text):
    text = re.sub(r"^--(?! bound).*\n", "", text, flags=re.M)
    copies = ((what, re.sub(pattern, instead, text, count=1, flags=re.S), said)
              for what, (pattern, instead, said) in BREAKS.items())
    return [copy for copy in copies if copy[1] != text]


def survives(name, text, schema, what, said):
    found = wrong_in(name, text, schema) if said else unparsable_in(name, text)
    if any(said in one for one in found):
        return []
    return [f"{name}: {what} was broken, and that was not found"]


def check(name, text, schema):
    """What is wrong with a file, or with the check of it."""
    found = wrong_in(name, text, schema) or unparsable_in(name, text)
    if not found and not broken_copies(text):
        found = ["there is nothing in it to break, so nothing shows that it is checked"]
    return [f"{name}: {one}" for one in found]


def main():
    folder = ROOT / "dialects/tests/sent/sqlserver"
    schema = Schema((folder / "init.sql").read_text())
    scripts = [ROOT / "sql/sqlserver/roles.sql", ROOT / "conformance-tests/docker/databases.sql"]
    files = [pathlib.Path(name) for name in sys.argv[1:]] or [*folder.glob("*.sql"), *scripts]
    texts = {file.name: file.read_text() for file in sorted(files, key=lambda f: -f.stat().st_size)}
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        checks = [pool.submit(check, name, text, schema) for name, text in texts.items()]
        found = [one for job in checks for one in job.result()]
        copies = [] if found else [(name, copy) for name, text in texts.items() for copy in broken_copies(text)]
        checks = [pool.submit(survives, name, broken, schema, what, said) for name, (what, broken, said) in copies]
        found += [one for job in checks for one in job.result()]
    print("\n".join(found), end="\n" if found else "")
    print(f"{len(texts)} files, {len(copies)} broken copies")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
