"""Writes the tables and plots of docs/benchmarks.md from the results of runs."""

import json
import pathlib
import re

import rows as table


def met(result: dict) -> bool | None:
    """Whether the goal is met; None where there is none."""
    if not result["goal"]:
        return None
    sign, bound = result["goal"].split()
    return result["ratio"] >= float(bound) if sign == ">=" else result["ratio"] <= float(bound)


def verdict(result: dict) -> str:
    said = met(result)
    return "" if said is None else ("met" if said else "**not met**")


def spread(result: dict) -> str:
    if result["rounds"] == 1:
        return f"{result['ratio']:.2f}"
    return f"{result['ratio']:.2f} ({result['least']:.2f} to {result['most']:.2f})"


def line(result: dict) -> str:
    unit = "" if result["unit"] == "ratio" else " " + result["unit"]
    goal = f"  goal {result['goal']}: {verdict(result).strip('*')}" if result["goal"] else ""
    return f"{result['engine']:<14} {result['name']:<42} {spread(result)}{unit}{goal}"


def goals(results: list[dict]) -> str:
    lines = ["| figure | engine | goal | measured: median (least to most) | rounds | |", "|---|---|---|---|---|---|"]
    for one in results:
        unit = "" if one["unit"] == "ratio" else f" {one['unit']}"
        lines.append(
            f"| {one['name']} | {one['engine']} | {one['goal'].replace('>=', '≥').replace('<=', '≤')} "
            f"| {spread(one)}{unit} | {one['rounds']} | {verdict(one)} |")
    return "\n".join(lines)


def durability(results: list[dict]) -> str:
    seen: dict[str, str] = {}
    for one in results:
        seen.setdefault(one["engine"], one["durability"])
    lines = ["| engine | settings of both sides |", "|---|---|"]
    return "\n".join(lines + [f"| {engine} | `{settings}` |" for engine, settings in seen.items() if settings])


def replace(text: str, name: str, body: str) -> str:
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
    if not pattern.search(text):
        raise ValueError(f"docs/benchmarks.md has no place for {name}")
    return pattern.sub(lambda found: found.group(1) + body + "\n" + found.group(2), text)


def plot(results: list[dict], file: pathlib.Path) -> None:
    """Ratios with their goals, as bars from least to most."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tablequeue"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 0.34 * len(results) + 1.2))
    for place, one in enumerate(reversed(results)):
        bound = float(one["goal"].split()[1])
        share = one["ratio"] / bound
        good = met(one)
        axes.barh(place, share, color="#3a7d44" if good else "#c0562f", height=0.6)
        axes.plot([one["least"] / bound, one["most"] / bound], [place, place], color="black", linewidth=1)
    axes.axvline(1, color="black", linestyle="--", linewidth=1)
    axes.set_yticks(range(len(results)), [f"{one['name']} · {one['engine']}" for one in reversed(results)], fontsize=7)
    axes.set_xlabel("measured ÷ goal")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def write(folder: pathlib.Path, docs: pathlib.Path) -> None:
    order = {name: place for place, name in enumerate(table.ENGINES)}
    names = {row.name: place for place, row in enumerate(table.rows(False))}
    results = [json.loads(file.read_text()) for file in folder.glob("*.json")]
    results = sorted((one for one in results if one["name"] in names),
                     key=lambda one: (names[one["name"]], order[one["engine"]]))
    page = docs / "benchmarks.md"
    text = replace(page.read_text(), "goals", goals(results))
    page.write_text(replace(text, "durability", durability(results)))
    for sign, name in ((">=", "more"), ("<=", "less")):
        chosen = [one for one in results if one["goal"].startswith(sign)]
        if chosen:
            plot(chosen, docs / f"benchmarks-{name}.svg")
