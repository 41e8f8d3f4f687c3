"""The rating pauses of a video: when it stops, and the question that is then put to everybody.

The platform draws the moments of all but two ways of sampling anew in each room; here they lie where they lie on
average, so that every run has the same ones.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from simulator.profile.components import RATING_PAUSE_COMPONENTS, config_error
from simulator.study.hyperstudy_config import Config, milliseconds
from simulator.study.hyperstudy_json import Node
from simulator.study.hyperstudy_notes import Notes
from simulator.study.step_forms import LONGEST_ANSWER_S, LONGEST_WAIT_S
from simulator.study.steps import AskQuestion, StepAction, Wait

MOST_PAUSES: Final = 500
_USUAL_ANSWER_S: Final = 30.0
_USUAL_BINS: Final = 5
_READ: Final = {
    "stateId",
    "videoDuration",
    "distribution",
    "ratingComponent",
    "responseTimeLimit",
    "seekBackDuration",
    "durationMs",
}
_TIMES: Final = "seconds from the start of the video"


class Pauses(msgspec.Struct, frozen=True):
    """The steps from the video's start to its last rating pause."""

    steps: tuple[StepAction, ...]
    waited_s: float = 0.0
    """How long the steps wait together."""
    video_s: float | None = None
    """How long the video plays, with what is played again."""


def pauses_of(node: Node, state: str, notes: Notes) -> Pauses:
    """Return the rating pauses of a state's video. Raises UnreadableFile."""
    fields = node.fields("the rating pauses of a video, as {distribution, ratingComponent}")
    question = _question(fields, state, notes)
    length_s = milliseconds(fields["videoDuration"], LONGEST_WAIT_S) if "videoDuration" in fields else None
    back_s = milliseconds(fields["seekBackDuration"], LONGEST_WAIT_S) if "seekBackDuration" in fields else 0.0
    notes.left_out(state, "its rating pauses", sorted(set(fields) - _READ))
    if question is None:
        return Pauses((), 0.0, length_s)
    moments = _moments(fields, length_s, state, notes)
    steps: list[StepAction] = []
    position_s = waited_s = 0.0
    for moment_s in moments:
        wait_s = moment_s - position_s
        if wait_s > 0:
            steps.append(Wait(round(wait_s, 3)))
            waited_s += wait_s
        steps.append(question)
        position_s = max(0.0, moment_s - back_s)
    rewound_s = waited_s - position_s
    return Pauses(tuple(steps), round(waited_s, 3), None if length_s is None else round(length_s + rewound_s, 3))


def _question(fields: Mapping[str, Node], state: str, notes: Notes) -> AskQuestion | None:
    if "ratingComponent" not in fields:
        notes.of_state(state, "its rating pauses have no ratingComponent, and are left out.")
        return None
    rating = fields["ratingComponent"].fields("the component of the rating pauses, as {type, config}")
    if "type" not in rating:
        raise fields["ratingComponent"].expected("a component with its type")
    component = rating["type"].text("the type of the component").lower()
    notes.left_out(state, "the component of its rating pauses", sorted(set(rating) - {"type", "config", "id"}))
    if component not in RATING_PAUSE_COMPONENTS:
        notes.of_state(state, f"a {component} cannot be answered in a rating pause: its rating pauses are left out.")
        return None
    config = Config(component, rating.get("config"), state, notes)
    asked = config.question()
    for image in config.images():
        config.say(f"the picture {image} of its rating pauses is not downloaded, and not shown.")
    config.say_left_out()
    if (problem := config_error(component, asked)) is not None:
        notes.of_state(state, f"its rating pauses are left out. {problem}")
        return None
    within_s = _USUAL_ANSWER_S
    if "responseTimeLimit" in fields:
        within_s = min(max(milliseconds(fields["responseTimeLimit"], LONGEST_WAIT_S), 1.0), LONGEST_ANSWER_S)
    return AskQuestion(component, asked, during_video=True, within_s=within_s, shown_on="rating pause")


def _moments(fields: Mapping[str, Node], length_s: float | None, state: str, notes: Notes) -> list[float]:
    kind, parameters = "stratified", dict[str, Node]()
    if "distribution" in fields:
        distribution = fields["distribution"].fields("when the video stops, as {type, parameters}")
        kind = distribution["type"].text("the kind of sampling").lower() if "type" in distribution else kind
        if "parameters" in distribution:
            parameters = distribution["parameters"].fields("the parameters of the sampling")
    if kind == "manual":
        return _given(fields, parameters, length_s, state, notes)
    if length_s is None:
        notes.of_state(state, "its rating pauses have no videoDuration to lie in: one stands at the start.")
        return [0.0]
    match kind:
        case "stratified":
            moments, drawn = _stratified(parameters, length_s)
        case "uniform":
            moments, drawn = _every(_mean_interval_s(parameters, fields), length_s), True
        case "poisson":
            rate = parameters["lambda"].number("events a minute", 0.01, 60) if "lambda" in parameters else 1.0
            moments, drawn = _every(60.0 / rate, length_s), True
        case _:
            notes.of_state(state, f"the sampling “{kind}” of its rating pauses is not known: one stands at the start.")
            return [0.0]
    if drawn:
        notes.of_state(state, "the platform draws the moments of its rating pauses; here each has the average one.")
    return moments


def _given(
    fields: Mapping[str, Node], parameters: Mapping[str, Node], length_s: float | None, state: str, notes: Notes
) -> list[float]:
    if "times" not in parameters:
        raise fields["distribution"].expected("times, in seconds, for the sampling “manual”")
    moments = sorted(each.number(_TIMES, 0, LONGEST_WAIT_S) for each in parameters["times"].items("a list of times"))
    if len(moments) > MOST_PAUSES:
        raise parameters["times"].wrong(f"expected {MOST_PAUSES} times at most.")
    late = [moment for moment in moments if length_s is not None and moment > length_s]
    if late:
        notes.of_state(state, "rating pauses behind the end of its video are left out.")
    return moments[: len(moments) - len(late)]


def _stratified(parameters: Mapping[str, Node], length_s: float) -> tuple[list[float], bool]:
    bins = _count(parameters, "numBins", _USUAL_BINS)
    samples = _count(parameters, "samplesPerBin", 1)
    bin_s = length_s / bins
    centred = "binSamplingType" in parameters and parameters["binSamplingType"].value == "center"
    moments = [bin_s * (at + (each + 1) / (samples + 1)) for at in range(bins) for each in range(samples)]
    return [round(moment, 3) for moment in moments[:MOST_PAUSES]], not centred or samples > 1


def _count(parameters: Mapping[str, Node], name: str, otherwise: int) -> int:
    return int(parameters[name].number("a number from 1 to 100", 1, 100)) if name in parameters else otherwise


def _mean_interval_s(parameters: Mapping[str, Node], fields: Mapping[str, Node]) -> float:
    if "minInterval" not in parameters or "maxInterval" not in parameters:
        raise fields["distribution"].expected("minInterval and maxInterval, for the sampling “uniform”")
    ends = [milliseconds(parameters[name], LONGEST_WAIT_S) for name in ("minInterval", "maxInterval")]
    return max(sum(ends) / 2, 1.0)


def _every(interval_s: float, length_s: float) -> list[float]:
    count = min(int(length_s / interval_s), MOST_PAUSES)
    return [round(interval_s * (number + 1), 3) for number in range(count)]


def configurations(node: Node, notes: Notes) -> dict[str, Node]:
    """Return the rating pauses by the id of their state, from the global component."""
    fields = node.fields("the global component sparserating, as {enabledStates, stateConfigurations}")
    listed: dict[str, Any] = {}
    if "stateConfigurations" in fields:
        listed = fields["stateConfigurations"].entries("rating pauses by state, as {state: {distribution, …}}")
    if "enabledStates" in fields:
        enabled = {each.text("the id of a state") for each in fields["enabledStates"].items("a list of states")}
        listed = {state: each for state, each in listed.items() if state in enabled}
    notes_of = sorted(set(fields) - {"enabledStates", "stateConfigurations", "enabled", "type", "id"})
    if notes_of:
        notes.add(f"Not taken over of the global component sparserating: {', '.join(notes_of)}.")
    off = "enabled" in fields and fields["enabled"].value is False
    return {} if off else listed
