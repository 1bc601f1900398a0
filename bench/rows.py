"""What is measured against what: the rows of docs/benchmarks.md."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Side:
    """One program of a comparison. `command` takes {url}; its last line of output is JSON with a "value"."""

    name: str
    command: list[str]


@dataclass(frozen=True)
class Row:
    """`a` against `b`, by turns; without `b`, the value of `a` itself."""

    name: str
    engine: str  # of ENGINES
    goal: str  # ">= 0.90", "<= 1.5", or "" for what is only stated
    a: Side
    b: Side | None = None
    rounds: int = 5
    unit: str = "ratio"
    quick: bool = True  # part of `make bench-quick`


ENGINES = ["sqlite", "postgresql-15", "postgresql-18", "mysql-9", "mariadb-10.11"]


def tq(workload: str, *options: str, scheme: str = "") -> Side:
    return Side(f"tq{'+' + scheme if scheme else ''}", ["tq", "bench", workload, "--json", "--db", "{url}", *options])


def ceiling(workload: str, *options: str) -> Side:
    return Side("bare client", ["tq-ceiling", "bench", workload, "--json", "--db", "{url}", *options])


def peer(script: str, *options: str) -> Side:
    return Side(script, ["peer", script, "{url}", *options])


def rows(quick: bool) -> list[Row]:
    """Every row, at a size that gives a figure (`quick`) or a result."""
    rounds = 3 if quick else 5
    few = "2000" if quick else "6000"
    many = {"sqlite": "20000", "postgresql-15": "60000", "postgresql-18": "60000"}
    beside = "100000" if quick else "1000000"
    result: list[Row] = []

    def size(engine: str) -> str:
        jobs = int(many.get(engine, "30000"))
        return str(jobs // 3 if quick else jobs)

    for engine in ENGINES:
        result.append(Row("drain ÷ ceiling", engine, ">= 0.90", tq("drain", "--jobs", size(engine)),
                          ceiling("drain", "--jobs", size(engine)), rounds))
        result.append(Row("drain-one ÷ ceiling", engine, ">= 0.95", tq("drain-one", "--jobs", few),
                          ceiling("drain-one", "--jobs", few), rounds))
        result.append(Row("enqueue-one ÷ ceiling", engine, "", tq("enqueue-one", "--jobs", few),
                          ceiling("enqueue-one", "--jobs", few), rounds))
        result.append(Row("enqueue-bulk ÷ ceiling", engine, "", tq("enqueue-bulk", "--jobs", size(engine)),
                          ceiling("enqueue-bulk", "--jobs", size(engine)), rounds))
    for engine in ["postgresql-15", "postgresql-18"]:
        jobs = size(engine)
        result.append(Row("drain ÷ graphile-worker, batched", engine, ">= 3", tq("drain", "--jobs", jobs),
                          peer("graphile-worker.mjs", "batched", jobs), rounds))
        result.append(Row("drain-one ÷ graphile-worker, unbatched", engine, ">= 1.5", tq("drain-one", "--jobs", few),
                          peer("graphile-worker.mjs", "unbatched", few), rounds))
        result.append(Row("drain ÷ pg-boss, batches of 500", engine, ">= 3", tq("drain", "--jobs", jobs),
                          peer("pg-boss.mjs", jobs), rounds))
    result.append(Row("drain ÷ plainjob", "sqlite", ">= 10", tq("drain", "--jobs", size("sqlite")),
                      peer("plainjob.mjs", few), rounds))
    for engine in ENGINES:
        for workload in ["backlog", "finished", "future"]:
            result.append(Row(f"{workload}: claim of 10", engine, "" if engine == "mariadb-10.11" else "<= 1.5",
                              tq(workload, "--jobs", beside), None, 1 if quick else 3, quick=False))
    for engine in ENGINES[1:]:
        result.append(Row("snapshot: drain after churn", engine, ">= 0.7",
                          tq("snapshot", "--jobs", "20000", "--seconds", "300"), None, 1, quick=False))
    for engine in ["postgresql-15", "postgresql-18"]:
        result.append(Row("latency ÷ bare NOTIFY", engine, "<= 2", tq("latency"), ceiling("latency"), rounds))
    for engine in ENGINES:
        goal = "<= 5" if engine == "sqlite" else ""
        result.append(Row("latency p50", engine, goal, tq("latency"), None, rounds, "ms"))
    for engine in ENGINES:
        result.append(Row("groups: a tenth blocked ÷ none", engine, ">= 0.9",
                          tq("groups", "--jobs", "8000" if quick else "40000"), None, rounds))
    for engine, schemes in [("sqlite", ["soci", "odbc"]), ("postgresql-18", ["soci", "odbc"]),
                            ("mysql-9", ["soci", "odbc"]), ("mariadb-10.11", ["soci", "odbc"])]:
        for scheme in schemes:
            result.append(Row(f"drain, {scheme} ÷ native", engine, "", tq("drain", "--jobs", size(engine), scheme=scheme),
                              tq("drain", "--jobs", size(engine)), rounds, quick=False))
    for engine in ENGINES:
        result.append(Row("processes: drain by 4 ÷ by 1", engine, "",
                          tq("drain", "--jobs", size(engine), "--processes", "4"), tq("drain", "--jobs", size(engine)),
                          rounds, quick=False))
        result.append(Row("memory", engine, "<= 64", tq("memory", "--jobs", "50000" if quick else "1000000"), None, 1,
                          "MiB", quick=False))
    return [row for row in result if row.quick or not quick]
