"""model-turns.py [RUNS]: the groups of SQL Server's dialect as a model, explored at random.

One group. Producers, claims (with settle), finishes and cancellations of several sessions run statement by
statement in random order, and some roll back. A row has an X or a U lock, the group's key in
tq_job_running one of its own; READPAST passes over, READUNCOMMITTED sees what is not committed. What
must hold at every moment:
  - one job at most has the turn, and only that one runs;
  - whoever waits (gate 2), waits for a job that has the turn and stands before it;
  - a claim takes no job before an earlier one that was there, unlocked, when the claim began;
and at the end, with nobody else about, claims and finishes run every job: no group stands still.
Jobs are numbered in the order of created_at, in which they need not be committed.
"""
import random
import sys


class Conflict(Exception):
    """1222 or 2601 in settle."""


class Database:
    def __init__(self):
        self.rows = {}      # as committed
        self.pending = {}   # job: (transaction, row), X
        self.updating = {}  # job: transaction, U
        self.key = None     # the transaction that holds the group's key in tq_job_running

    def jobs(self):
        return sorted({*self.rows, *self.pending})

    def dirty(self, job):
        return self.pending[job][1] if job in self.pending else self.rows.get(job)


def active(row):
    return row is not None and row["state"] in ("ready", "running")


def has_turn(row):
    return active(row) and row["gate"] == -1


def waits(row):
    return active(row) and row["gate"] == 2


def unsettled(row):
    return row is not None and row["state"] == "ready" and row["gate"] in (0, 1)


class Transaction:
    def __init__(self, database):
        self.database, self.written, self.held = database, set(), set()

    def x_locked(self, job):
        return job in self.database.pending and self.database.pending[job][0] is not self

    def locked(self, job):
        return self.x_locked(job) or self.database.updating.get(job, self) is not self

    def seen(self, job):
        own = job in self.database.pending and not self.x_locked(job)
        return self.database.pending[job][1] if own else self.database.rows.get(job)

    def lock(self, job):
        if self.locked(job):
            return False
        self.database.updating[job] = self
        self.held.add(job)
        return True

    def write(self, job, row):
        """`row` for a job that nobody else has locked: "done", or why not."""
        database = self.database
        if has_turn(self.seen(job)) != has_turn(row):
            if database.key not in (None, self):
                return "wait"
            if has_turn(row) and any(has_turn(self.seen(k)) for k in database.jobs() if k != job):
                return "duplicate"
            database.key = self
        database.pending[job] = (self, row)
        self.written.add(job)
        return "done"

    def change(self, job, **to):
        return self.write(job, {**self.seen(job), **to})

    def end(self, commit):
        for job in self.written:
            _, row = self.database.pending.pop(job)
            if commit:
                self.database.rows[job] = row
        for job in self.held:
            self.database.updating.pop(job, None)
        if self.database.key is self:
            self.database.key = None


def linger():
    return range(random.randrange(4))


# Each session is a generator: a statement lies between two yields.


def produce(database, job, plain, commits):
    transaction = Transaction(database)
    transaction.write(job, {"state": "ready", "gate": 0 if plain else 1})
    for _ in linger():
        yield
    transaction.end(commits)


def give_turn(transaction, job):
    """READPAST: whether the row was to be had."""
    row = transaction.database.rows.get(job)
    if transaction.locked(job) or row is None or row["state"] != "ready" or row["gate"] < 0:
        return False
    if transaction.change(job, gate=-1) != "done":
        raise Conflict
    return True


def swap(database, turn, first):
    transaction = Transaction(database)
    try:
        row = database.rows.get(turn)
        if transaction.locked(turn) or not has_turn(row) or row["state"] != "ready":
            return turn
        if transaction.change(turn, gate=1) != "done":
            raise Conflict
        yield
        if give_turn(transaction, first):
            turn = first
        else:
            assert transaction.change(turn, gate=-1) == "done"
        transaction.end(True)
        return turn
    except Conflict:
        transaction.end(False)
        raise


def mark_followers(database, turn):
    transaction = Transaction(database)
    if transaction.lock(turn) and has_turn(database.rows.get(turn)):
        for job in database.jobs():
            if job > turn and not transaction.locked(job) and unsettled(database.rows.get(job)):
                assert transaction.change(job, gate=2) == "done"
    transaction.end(True)


def settle(database):
    nobody = Transaction(database)
    found = [j for j in database.jobs() if not nobody.x_locked(j) and unsettled(database.rows.get(j))]
    if not found:
        return
    yield
    turn = next((j for j in database.jobs() if has_turn(database.dirty(j))), None)
    ready = turn is not None and database.dirty(turn)["state"] == "ready"
    yield
    try:
        if ready and found[0] < turn:
            turn = yield from swap(database, turn, found[0])
        elif turn is None:
            transaction = Transaction(database)
            try:
                turn = found[0] if give_turn(transaction, found[0]) else None
            finally:
                transaction.end(turn is not None)
        yield
        if turn is not None:
            mark_followers(database, turn)
    except Conflict:
        pass


def claim(database, commits, claimed):
    there = [j for j in database.jobs() if active(database.rows.get(j))]
    yield from settle(database)
    yield
    transaction = Transaction(database)
    for job in database.jobs():
        row = database.rows.get(job)
        if transaction.locked(job) or not has_turn(row) or row["state"] != "ready":
            continue
        if any(unsettled(database.rows.get(k)) and not transaction.x_locked(k)
               for k in database.jobs() if k < job):
            continue
        assert transaction.change(job, state="running") == "done"
        early = [k for k in there if k < job and active(database.rows.get(k)) and not transaction.locked(k)]
        assert not early, f"{job} was taken before {early}"
        for _ in linger():
            yield
        if commits:
            claimed.append(job)
        break
    transaction.end(commits)


def hand_on(transaction):
    database = transaction.database
    while True:
        entries = [j for j in database.jobs() if waits(database.rows.get(j)) or waits(database.dirty(j))]
        entry = next((j for j in entries if transaction.x_locked(j) or waits(transaction.seen(j))), None)
        if entry is None:
            return
        yield
        if not transaction.locked(entry) and waits(transaction.seen(entry)):
            assert transaction.change(entry, gate=-1) == "done"
            return


def end_job(database, job, wanted, becomes, commits):
    """finish and cancel."""
    transaction = Transaction(database)
    while not transaction.lock(job):
        yield
    row = database.rows.get(job)
    if row is not None and row["state"] == wanted:
        yield
        while transaction.change(job, state=becomes) == "wait":
            yield
        yield
        if becomes == "done" and row["gate"] == -1:
            yield from hand_on(transaction)
        for _ in linger():
            yield
    transaction.end(commits)


def check(database):
    turns = [j for j, row in database.rows.items() if has_turn(row)]
    assert len(turns) <= 1, f"{turns} have the turn"
    for job, row in database.rows.items():
        assert row["state"] != "running" or job in turns, f"{job} runs without the turn"
        assert not waits(row) or (turns and turns[0] < job), f"{job} waits for nobody: {turns}"


def new_session(database, number):
    kind, commits = random.random(), random.random() > 0.15
    running = [j for j, row in database.rows.items() if row["state"] == "running"]
    present = [j for j, row in database.rows.items() if active(row)]
    if kind < 0.35:
        # Its created_at may be earlier than that of some that are committed already.
        early = random.choice([0, 0, 0, 5.5, 15.5, 25.5])
        return produce(database, 10 * number - early + number / 1000, random.random() < 0.3, commits)
    if kind < 0.7:
        return claim(database, commits, [])
    if kind < 0.9 and running:
        return end_job(database, running[0], "running", random.choice(["done", "done", "ready"]), commits)
    if present:
        return end_job(database, random.choice(present), "ready", "done", commits)
    return claim(database, commits, [])


def run_all(database):
    while any(active(row) for row in database.rows.values()):
        claimed = []
        for job in [j for j, row in database.rows.items() if row["state"] == "running"]:
            list(end_job(database, job, "running", "done", True))
            claimed.append(job)
        list(claim(database, True, claimed))
        check(database)
        assert claimed, f"the group stands still: {database.rows}"


def explore(seed):
    random.seed(seed)
    database, sessions = Database(), []
    opened, most, steps = 0, random.randrange(20, 60), 0
    while opened < most or sessions:
        steps += 1
        assert steps < 20000, "sessions wait for each other"
        if opened < most and len(sessions) < 5:
            opened += 1
            sessions.append(new_session(database, opened))
        session = random.choice(sessions)
        if next(session, session) is session:
            sessions.remove(session)
        check(database)
    run_all(database)


def main():
    for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3000):
        try:
            explore(seed)
        except AssertionError as failure:
            sys.exit(f"model-turns: run {seed}: {failure}")


if __name__ == "__main__":
    main()
