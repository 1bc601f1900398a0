"""parse-tsql.py: whether what is sent to SQL Server is T-SQL, without a server.

dialects/tests/sent/sqlserver/ holds it as a driver sends it and as `tq init --print` prints it; a unit
test keeps it equal to sql/sqlserver/. Each batch, and each of roles.sql and of the container's databases.sql,
  - parses by sqlfluff's grammar of T-SQL;
  - converts each text that it is given, since an ODBC driver may send ntext, which cannot be assigned;
  - declares each variable that it uses, and uses each that it declares;
  - names only columns that the table has which the alias stands for;
  - names only indexes that there are, and says the whole predicate of a filtered one, without which
    the server has no plan for it (error 8622);
  - gives as many columns as it stores (INSERT and OUTPUT ... INTO with a list of columns).

A copy of each file is broken in each of several ways, every one of which must be found.
"""
import concurrent.futures
import pathlib
import re
import sys

from sqlfluff.core import FluffConfig, Linter

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIALECT = {"dialect": "tsql", "large_file_skip_byte_limit": 0}
# The grammar lacks this one statement.
UNKNOWN = re.compile(r"^ALTER TABLE [\w.]+ SET \(LOCK_ESCALATION = DISABLE\);?$", re.M)
WORD = r"[A-Za-z_]\w*"


def without_strings(text):
    return re.sub(r"'[^']*'", "''", re.sub(r"--[^\n]*", "", text))


def batches(name, text):
    """The parts that reach the server one by one."""
    text = re.sub(r"\?", lambda _, n=iter(range(1, 100)): f"@P{next(n)}", text)
    if name in ("init.sql", "roles.sql", "databases.sql"):
        # A line with a colon is sqlcmd's.
        text = re.sub(r"^:ON ERROR EXIT$", "", text, flags=re.M)
        return [part for part in re.split(r"^GO$", text, flags=re.M) if part.strip()]
    return [part for part in re.split(r"^-- bound:.*$", text, flags=re.M) if part.strip()]


def split_list(text):
    """The items between the commas that stand in no parentheses."""
    items, depth, item = [], 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            items.append(item)
            item = ""
        else:
            item += c
    return [i.strip() for i in items + [item]]


def in_parentheses(text, start):
    """What stands between the parenthesis at `start` and the one that closes it."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return text[start + 1:at]
    return text[start + 1:]


def columns_of(body):
    names = {found.group() for found in (re.match(WORD, item) for item in split_list(body)) if found}
    return names - {"CONSTRAINT", "PRIMARY"}


class Schema:
    def __init__(self, script):
        self.tables, self.filters = {}, {}
        for made in re.finditer(rf"CREATE TABLE (?:{WORD}\.)?({WORD}) \(", script):
            body = in_parentheses(script, made.end() - 1)
            self.tables[made[1]] = columns_of(body)
            for key in re.findall(rf"CONSTRAINT ({WORD}) PRIMARY KEY", body):
                self.filters[key] = []
        for made in re.finditer(rf"INDEX ({WORD})\s+ON [^;]*?(?:WHERE ([^;]*?))?\s+WITH", script):
            self.filters[made[1]] = (made[2] or "").split(" AND ") if made[2] else []


def wrong_variables(text):
    declared = set(re.findall(r"DECLARE (@\w+)", text))
    # What sp_getapplock calls its parameters is no variable.
    used = re.findall(r"(?<!@)@\w+", re.sub(r"@(Resource|Lock\w+) =", "", text))
    for name in sorted(set(used) - declared):
        if not re.fullmatch(r"@P\d+", name):
            yield f"{name} is not declared"
    for name in sorted(declared):
        # One is read for what reading does to the transaction.
        if text.count(name) < 2 and name != "@version":
            yield f"{name} is declared and not used"


def wrong_columns(text, schema):
    tables = dict(schema.tables)
    for made in re.finditer(r"DECLARE (@\w+) TABLE \(", text):
        tables[made[1]] = columns_of(in_parentheses(text, made.end() - 1))
    aliases = {}
    for found in re.finditer(rf"(?:FROM|JOIN) ((?:{WORD}\.)?{WORD}|@\w+) AS ({WORD})\b", text):
        table = found[1].split(".")[-1]
        if table in tables:
            aliases.setdefault(found[2], set()).update(tables[table])
    # Names that stand for a subquery or a CTE somewhere in the batch as well.
    others = set(re.findall(rf"\) AS ({WORD})", text))
    ours = "|".join(map(re.escape, tables))
    others |= set(re.findall(rf"(?:FROM|JOIN) (?!{ours})[\w.]+ AS ({WORD})", text))
    for alias, column in sorted(set(re.findall(rf"(?<![\w.@])({WORD})\.({WORD})\b(?!\.)(?!\()", text))):
        if alias in aliases and alias not in others and column not in aliases[alias]:
            yield f"{alias} has no column {column}"
    for table, listed in re.findall(rf"INSERT INTO ((?:{WORD}\.)?{WORD}|@\w+) \(([^)]*)\)", text):
        known = tables.get(table.split(".")[-1], set())
        for column in split_list(listed):
            if column not in known:
                yield f"{table} has no column {column}"


def wrong_indexes(text, schema):
    for hint in re.finditer(rf"AS ({WORD})\s+WITH \([^()]*INDEX \(({WORD})\)", text):
        alias, index = hint.groups()
        if index not in schema.filters:
            yield f"there is no index {index}"
            continue
        end = text.find(";", hint.end())
        behind = text[hint.end():end if end >= 0 else None]
        for condition in schema.filters[index]:
            if f"{alias}.{condition}" not in re.sub(r"\s+", " ", behind):
                yield f"{index} is asked for without {alias}.{condition}"


def wrong_counts(text):
    insert = rf"INSERT INTO (?:{WORD}\.)?@?{WORD} \(([^)]*)\)\s+(?:OUTPUT [^\n]*\n\s+)?(SELECT\b.*?)(?=;|\Z)"
    for listed, select in re.findall(insert, text, flags=re.S):
        chosen, depth = select[len("SELECT"):], 0
        for at in range(len(chosen)):
            depth += (chosen[at] == "(") - (chosen[at] == ")")
            if depth == 0 and re.match(r"\s(FROM|WHERE)\b", chosen[at:]):
                chosen = chosen[:at]
                break
        given, wanted = len(split_list(re.sub(r"^\s*DISTINCT", "", chosen))), len(split_list(listed))
        if given != wanted:
            yield f"an INSERT of {wanted} columns is given {given}"
    tables = {made[1]: columns_of(in_parentheses(text, made.end() - 1))
              for made in re.finditer(r"DECLARE (@\w+) TABLE \(", text)}
    for output, table in re.findall(r"OUTPUT((?:\s+inserted\.\w+,?|\s+deleted\.\w+,?)+)\s+INTO (@\w+)", text):
        given, wanted = len(split_list(output)), len(tables.get(table, ()))
        if given != wanted:
            yield f"OUTPUT INTO {table} gives {given} of {wanted} columns"


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
    return [*wrong_commas(plain), *wrong_variables(plain), *wrong_columns(plain, schema),
            *wrong_indexes(re.sub(r"--[^\n]*", "", batch), schema), *wrong_counts(plain)]


def check(name, text, script):
    """What is wrong with a file."""
    schema = Schema(script)
    found = list(wrong_parameters(text))
    for batch in batches(name, text):
        found += inconsistent(batch, schema) + unparsable(batch)
    return [f"{name}: {one}" for one in found]


# What to break, where it stands in a file at all: the first match of the one becomes the other.
BREAKS = {
    "a word": (r"\b(SELECT|UPDATE|CREATE TABLE|GRANT)\b", "SELCT"),
    "a parenthesis": (r"\)(?!.*\))", ""),
    "a comma": (r",\n", ",,\n"),
    "a variable": (r"(?<!@)@(?!P\d|version|R)\w+(?=[,;)]| [<>=/%+-]+ )", "@nobody"),
    "a conversion": (r"CAST\(\? AS nvarchar\(\w+\)\)", "?"),
    "a column": (r"\bj\.job_id\b", "j.jobid"),
    "an index": (r"INDEX \((\w+)\)", "INDEX (tq_job_nothing)"),
    "a predicate": (r"\w\.(gate = 2(?=\s+AND \w\.finished_at)|gate >= 0(?=\s+AND \w\.gate <= 1)"
                    r"|gate <= 0(?=\s+(ORDER|AND \w\.run_at))|finished_at IS NOT NULL)", "1 = 1"),
    "a list": (r"(INSERT INTO [@\w.]+ \()\w+, ", r"\1"),
}


def survives(name, text, script, what):
    """What check() does not see, of a file broken in that way."""
    pattern, instead = BREAKS[what]
    text = re.sub(r"^--(?! bound).*\n", "", text, flags=re.M)
    broken = re.sub(pattern, instead, text, count=1, flags=re.S)
    if broken == text:
        return []
    schema = Schema(script)
    found = any(wrong_parameters(broken)) or any(
        inconsistent(batch, schema) or unparsable(batch) for batch in batches(name, broken))
    if found:
        return []
    return [f"{name}: {what} was broken, and nothing was found"]


def main():
    folder = ROOT / "dialects/tests/sent/sqlserver"
    script = (folder / "init.sql").read_text()
    scripts = ["sql/sqlserver/roles.sql", "conformance-tests/docker/databases.sql"]
    files = [*folder.glob("*.sql"), *(ROOT / script for script in scripts)]
    texts = {file.name: file.read_text() for file in sorted(files, key=lambda f: -f.stat().st_size)}
    work = [(check, name, text, script) for name, text in texts.items()]
    work += [(survives, name, text, script, what) for name, text in texts.items() for what in BREAKS]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        found = [one for job in [pool.submit(*each) for each in work] for one in job.result()]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
