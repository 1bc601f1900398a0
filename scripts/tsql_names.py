"""tsql_names.py: names that a grammar knows nothing of, looked up in what is sent to SQL Server.

Whether the tables, columns, indexes, variables, functions and keywords are there, and whether lists have the
same length.
"""
import re

WORD = r"[A-Za-z_]\w*"
TABLE = rf"(?:{WORD}\.)?{WORD}"


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


def aliases_of(text, schema):
    """The columns of what each alias stands for, and those of each table, variables too."""
    tables = dict(schema.tables)
    for made in re.finditer(r"DECLARE (@\w+) TABLE \(", text):
        tables[made[1]] = columns_of(in_parentheses(text, made.end() - 1))
    aliases = {}
    for found in re.finditer(rf"(?:FROM|JOIN) ((?:{WORD}\.)?{WORD}|@\w+) AS ({WORD})\b", text):
        table = found[1].split(".")[-1]
        if table in tables:
            aliases.setdefault(found[2], set()).update(tables[table])
    return aliases, tables


def wrong_columns(text, schema):
    aliases, tables = aliases_of(text, schema)
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


# What is no keyword of the grammar's, and that the statements use. A new one is added here, once it is seen to
# be in the manual.
FUNCTIONS = set("""
    CAST COUNT COUNT_BIG DATABASEPROPERTYEX DATABASE_PRINCIPAL_ID DATALENGTH DATEADD DATEDIFF_BIG DB_ID
    ERROR_NUMBER FIRST_VALUE HAS_PERMS_BY_NAME LEN LOWER LTRIM MIN NEWID QUOTENAME RTRIM SCHEMA_ID
    SERVERPROPERTY SESSIONPROPERTY STUFF SYSUTCDATETIME USER_NAME XACT_STATE
    IMMEDIATE ISOLATION LEVEL LOCK_ESCALATION MICROSECOND MINUTE N OUTPUT PARTITION ROLE WITHIN""".split())
GLOBALS = {"LOCK_TIMEOUT", "OPTIONS", "ROWCOUNT", "TRANCOUNT"}
TYPES = {"bigint", "binary", "bit", "char", "datetime2", "int", "nvarchar", "smallint", "varchar"}
OTHERS = TYPES | set("""
    max Latin1_General_100_BIN2 Latin1_General_100_CI_AS_SC inserted deleted jobs sp_getapplock
    tablequeue tablequeue_rcsi tq_producer tq_worker tq_operator
    sys columns databases indexes tables
    allow_page_locks collation_name compatibility_level database_id delayed_durability_desc has_filter index_id
    is_auto_close_on is_disabled is_read_committed_snapshot_on is_unique lock_escalation_desc
    log_reuse_wait_desc name object_id recovery_model_desc snapshot_isolation_state""".split())


def made_names(text):
    """The names that a batch itself gives: aliases, subqueries, constraints, columns of what it makes."""
    names = set(re.findall(rf"\bAS ({WORD})", text)) | set(re.findall(rf"\bCONSTRAINT ({WORD})", text))
    for name, columns in re.findall(rf"(?:\bWITH|\),) ({WORD}) (?:\(([^()]*)\) )?AS \(", text):
        names |= {name, *split_list(columns)}
    for columns in re.findall(rf"\bAS {WORD} \(([^()]*)\)", text):
        names |= set(split_list(columns))
    for made in re.finditer(r"(?:DECLARE @\w+ TABLE|OPENJSON\([^()]*\)\s+WITH) \(", text):
        names |= columns_of(in_parentheses(text, made.end() - 1))
    return names


def wrong_words(text, with_strings, schema, keywords):
    """Words that are nothing. A grammar takes them for names, or for aliases."""
    columns = set().union(*schema.tables.values())
    known = {*schema.tables, *schema.filters, *columns, *made_names(text), *OTHERS}
    for word in sorted(set(re.findall(rf"(?<![@\w]){WORD}", text))):
        if word not in (keywords | FUNCTIONS if word.isupper() else known):
            yield f"nothing is named {word}"
    for word in sorted(set(re.findall(r"@@(\w+)", text)) - GLOBALS):
        yield f"nothing is named @@{word}"
    for word in sorted(set(re.findall(r"\btq_\w+", with_strings)) - known):
        yield f"nothing is named {word}"
    for cast in re.finditer(r"\bCAST\(", text):
        body = in_parentheses(text, cast.end() - 1)
        if (kind := re.search(rf" AS ({WORD})(?:\([^()]*\))?$", body)) and kind[1] not in TYPES:
            yield f"{kind[1]} is no type"


def wrong_tables(text, schema):
    made = made_names(text)
    named = re.findall(rf"\b(?:FROM|JOIN|INTO|UPDATE)\s+((?:{WORD}\.)?[a-z_]\w*)", text)
    named += re.findall(rf"\bCREATE (?:UNIQUE )?INDEX {WORD}\s+ON ({TABLE})", text)
    for name in named:
        if re.sub(r"^jobs\.", "", name) not in {*schema.tables, *made} and not name.startswith("sys."):
            yield f"there is no table {name}"


def wrong_changes(text, schema, aliases):
    """Columns that an UPDATE sets, and those of inserted and deleted."""
    every = set().union(*schema.tables.values())
    for found in re.finditer(rf"\bUPDATE ({TABLE})\s+(?:WITH \([^()]*\)\s+)?SET\s", text):
        table = found[1].split(".")[-1]
        known = schema.tables.get(table) or aliases.get(table) or every
        for item in split_list(text[found.end():]):
            if not (column := re.match(rf"({WORD})\s*=", item)):
                break
            if column[1] not in known:
                yield f"{table} has no column {column[1]}"
            if re.search(r"\s(OUTPUT|FROM|WHERE)\s|;", re.sub(r"\(.*?\)", "", item, flags=re.S)):
                break
    for column in re.findall(rf"\b(?:inserted|deleted)\.({WORD})", text):
        if column not in every:
            yield f"no table has a column {column}"


def wrong_definitions(text, schema):
    """Columns of indexes, and tables and columns of grants."""
    for made in re.finditer(rf"\bINDEX ({WORD})\s+ON (?:{WORD}\.)?({WORD}) \(([^()]*)\)"
                            r"(?:\s+INCLUDE \(([^()]*)\))?", text):
        for column in split_list(made[3]) + split_list(made[4] or made[3]):
            if re.sub(r" (ASC|DESC)$", "", column) not in schema.tables.get(made[2], set()):
                yield f"{made[1]}: {made[2]} has no column {column}"
    for grant in re.findall(r"\bGRANT\b([^;]*);", text):
        found = re.fullmatch(r"\s*(.*) ON jobs\.(\w+) TO [\w, ]+", grant, flags=re.S)
        if not found or found[2] not in schema.tables:
            yield f"GRANT{grant} is on none of the tables"
            continue
        rights, table = found.groups()
        for right in split_list(rights):
            kind, _, columns = right.partition(" ")
            if kind not in ("SELECT", "INSERT", "UPDATE", "DELETE"):
                yield f"{kind} is no right"
            for column in split_list(columns.strip("()")):
                if column and column not in schema.tables.get(table, set()):
                    yield f"{table} has no column {column}"


def wrong_names(text, with_strings, schema, keywords):
    """What is wrong with a batch, given without comments and without what stands in its strings, and with it."""
    aliases, _ = aliases_of(text, schema)
    return [*wrong_variables(text), *wrong_columns(text, schema), *wrong_indexes(with_strings, schema),
            *wrong_counts(text), *wrong_words(text, with_strings, schema, keywords), *wrong_tables(text, schema),
            *wrong_changes(text, schema, aliases), *wrong_definitions(text, schema)]
