"""What several runs of a study have in common, and how the results of two versions differ. Pure.

A result is what `run` prints. Answers belong together by part, component and question; where a study asks the same
twice, by their order too. Of numbers the spread is n, mean, sample standard deviation, smallest and largest; of choices
how often each was made; of rankings each item's mean place; of texts all of them; of latencies n, median and p95.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simulator.record.figures import p95
from simulator.record.measures.titles import title

Spread = dict[str, Any]


def spread(runs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the spread of each answer and of each latency over the runs of a result."""
    answers: dict[tuple[Any, ...], list[Any]] = {}
    latencies: dict[str, list[float]] = {}
    count = 0
    for run in runs:
        count += 1
        for key, value in _answers(run):
            answers.setdefault(key, []).append(value)
        for name, values in run.get("latencies", {}).items():
            latencies.setdefault(name, []).extend(values)
    return {
        "runs": count,
        "answers": [
            {"part": part, "component": component, "question": question, "number": number, **_of(component, values)}
            for (part, component, question, number), values in answers.items()
        ],
        "latencies": [{"name": name, **_of_latency(values)} for name, values in latencies.items() if values],
    }


def comparison(this: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return two spreads side by side: what stands in one of them only has None for the other."""
    return {
        "runs": {"this": this["runs"], "other": other["runs"]},
        "answers": _side_by_side(this["answers"], other["answers"], ("part", "component", "question", "number")),
        "latencies": _side_by_side(this["latencies"], other["latencies"], ("name",)),
    }


def spread_text(whole: Mapping[str, Any]) -> str:
    """Return a spread for a person to read, a line an answer and a latency."""
    lines = [f"{_heading(each)}: {summary(each)}" for each in whole["answers"]]
    lines += [f"{title(each['name'])}: {summary(each)}" for each in whole["latencies"]]
    return "\n".join([f"{_runs(whole['runs'])}:", *(f"  {line}" for line in lines)])


def comparison_text(compared: Mapping[str, Any], other: str) -> str:
    """Return a comparison for a person to read: under each answer and latency this result and the other's."""
    name = f"{other}:"
    width = max(len(name), len("this run:"))
    lines = [
        f"{'this run:':{width}} {_runs(compared['runs']['this'])}",
        f"{name:{width}} {_runs(compared['runs']['other'])}",
    ]
    for each in [*compared["answers"], *compared["latencies"]]:
        lines.append(title(each["name"]) if "name" in each else _heading(each))
        lines.append(f"  {'this run:':{width}} {summary(each['this'])}")
        lines.append(f"  {name:{width}} {summary(each['other'])}")
    return "\n".join(lines)


def summary(of: Mapping[str, Any] | None) -> str:
    """Return one spread in a line."""
    if of is None:
        return "–"
    if "medianMs" in of:
        return f"n {of['n']}, median {of['medianMs']:g} ms, p95 {of['p95Ms']:g} ms"
    if "mean" in of:
        sd = "" if of["sd"] is None else f", sd {of['sd']:.3g}"
        return f"n {of['n']}, mean {of['mean']:.4g}{sd}, {of['min']:g} to {of['max']:g}"
    for name in ("counts", "meanRanks"):
        if name in of:
            return f"n {of['n']}, " + ", ".join(f"{item} {number:g}" for item, number in of[name].items())
    if "scores" in of:
        return "; ".join(f"{label}: {summary(score)}" for label, score in of["scores"].items())
    return f"n {of['n']}, " + " | ".join(map(str, of["texts"]))


def _answers(run: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the values of a run's answers, each with what it belongs to."""
    seen: Counter[tuple[Any, ...]] = Counter()
    for answer in run.get("answers", []):
        key = (answer.get("part"), answer["component"], answer.get("question", ""))
        seen[key] += 1
        yield (*key, seen[key]), answer["value"]


def _of(component: str, values: list[Any]) -> Spread:
    if component == "ranking":
        return _of_rankings(values)
    if component == "multiplechoice":
        chosen = Counter(each for value in values for each in (value if isinstance(value, list) else [value]))
        return {"n": len(values), "counts": dict(sorted(chosen.items(), key=lambda item: (-item[1], item[0])))}
    if component == "rapidrate":
        labels = dict.fromkeys(label for value in values for label in value)
        return {
            "n": len(values),
            "scores": {label: _of_numbers([value[label] for value in values if label in value]) for label in labels},
        }
    if all(isinstance(value, int | float) for value in values):
        return _of_numbers(values)
    return {"n": len(values), "texts": values}


def _of_numbers(values: list[float]) -> Spread:
    return {
        "n": len(values),
        "mean": statistics.fmean(values),
        "sd": statistics.stdev(values) if len(values) > 1 else None,
        "min": min(values),
        "max": max(values),
    }


def _of_rankings(values: list[list[str]]) -> Spread:
    places: dict[str, list[int]] = {}
    for ranking in values:
        for place, item in enumerate(ranking, start=1):
            places.setdefault(item, []).append(place)
    means = {item: round(statistics.fmean(each), 3) for item, each in places.items()}
    return {"n": len(values), "meanRanks": dict(sorted(means.items(), key=lambda item: (item[1], item[0])))}


def _of_latency(values: list[float]) -> Spread:
    return {"n": len(values), "medianMs": round(statistics.median(values), 1), "p95Ms": round(p95(values), 1)}


def _side_by_side(
    this: Iterable[Mapping[str, Any]], other: Iterable[Mapping[str, Any]], names: tuple[str, ...]
) -> list[dict[str, Any]]:
    sides = [{tuple(each.get(name) for name in names): each for each in side} for side in (this, other)]
    pairs = []
    for key in dict.fromkeys(key for side in sides for key in side):
        found = [side.get(key) for side in sides]
        values = [None if each is None else {name: each[name] for name in each if name not in names} for each in found]
        pairs.append({**dict(zip(names, key, strict=True)), "this": values[0], "other": values[1]})
    return pairs


def _heading(answer: Mapping[str, Any]) -> str:
    question = answer["question"] or "a question"
    where = f", {answer['part']}" if answer["part"] else ""
    again = f", number {answer['number']}" if answer["number"] > 1 else ""
    return f"“{question}” ({answer['component']}{where}{again})"


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"
