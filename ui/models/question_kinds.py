"""The seven components as forms: the fields of each, the config that they make, and what a config fills them with.

A config keeps what the form does not know, and the spelling that it came in (`prompt` for `question`, `options` for
`choices`); a choice that was an object stays one as long as its text is kept.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.errors import SimulatorError, UsageError
from simulator.profile.answers import judge
from simulator.profile.components import (
    bounds_of,
    check_config,
    check_place,
    dimensions_of,
    number_text,
    options_of,
    prompt_of,
)
from simulator.profile.tools import ARGUMENT_OF, tool_for
from simulator.study.steps import AskQuestion, ShownOn
from ui.models.form_fields import FormField, Values, number, required

ON_SCREEN, IN_PAUSE, OVER_VIDEO = "on a screen", "in a rating pause", "in a rating pause over video"
WHERE = (ON_SCREEN, IN_PAUSE, OVER_VIDEO)
AS_BEFORE, SHOWN, HIDDEN = "as before", "shown", "hidden"
VIDEO_CHAT = FormField(
    "video_chat",
    "Video chat",
    "choice",
    AS_BEFORE,
    choices=(AS_BEFORE, SHOWN, HIDDEN),
    tip="The participant is heard only while the screen shows the video chat.",
)
_VIDEO_CHAT = {AS_BEFORE: None, SHOWN: True, HIDDEN: False}


def video_chat(values: Values) -> bool | None:
    """Return whether the video chat is shown; None leaves it as it is."""
    return _VIDEO_CHAT[str(values["video_chat"])]


def video_chat_word(shown: bool | None) -> str:
    """Return the choice of `VIDEO_CHAT` that means `shown`."""
    return next(word for word, value in _VIDEO_CHAT.items() if value is shown)


@dataclass(frozen=True, slots=True)
class ComponentForm:
    """The fields that a component has beside the question's words, and both ways between them and its config."""

    name: str
    component: str
    fields: tuple[FormField, ...]
    config: Callable[[Values, Mapping[str, Any]], dict[str, Any]]
    """The config's own part: from the values, and the config that they came from."""
    values: Callable[[Mapping[str, Any]], dict[str, Any]]
    where: str = ON_SCREEN


def question_fields(form: ComponentForm) -> tuple[FormField, ...]:
    """Return all fields of a question of this component."""
    return (
        FormField("question", "Question", "text", "How was it?"),
        *form.fields,
        FormField("where", "Where", "choice", form.where, choices=WHERE if form.where is ON_SCREEN else WHERE[1:]),
        VIDEO_CHAT,
        FormField("within_s", "Time limit", "whole", 30, low=1, high=3600, suffix=" s"),
        FormField("attempts", "Asked at most", "whole", 3, low=1, high=10, suffix=" times"),
        FormField("own_answer", "Own answer", _own_kind(form), _own_default(form), tip=_own_tip(form)),
    )


def question_action(form: ComponentForm, values: Values, before: AskQuestion | None) -> AskQuestion:
    """Return the question of these values; `before` is the step that is edited. Raises SimulatorError."""
    old: Mapping[str, Any] = before.config if before is not None and before.component == form.component else {}
    words = required(values, "question", "The question")
    spelling = "prompt" if "prompt" in old and "question" not in old else _spelling(form.component, old)
    kept = {key: value for key, value in old.items() if key not in _KNOWN[form.component]}
    config = {spelling: words, **form.config(values, old), **kept}
    check_config(form.component, config)
    where = str(values["where"])
    shown_on: ShownOn = "screen" if where == ON_SCREEN else "rating pause"
    check_place(form.component, shown_on)
    return AskQuestion(
        form.component,
        config,
        during_video=where == OVER_VIDEO,
        within_s=float(values["within_s"]),
        shown_on=shown_on,
        attempts=int(values["attempts"]),
        video_chat=video_chat(values),
        own_answer=_own_answer(form, config, values["own_answer"]),
    )


def question_values(form: ComponentForm, step: AskQuestion) -> dict[str, Any]:
    """Return what fills the fields for this question."""
    where = ON_SCREEN if step.shown_on == "screen" else OVER_VIDEO if step.during_video else IN_PAUSE
    return {
        "question": prompt_of(step.config),
        **form.values(step.config),
        "where": where if where in WHERE and (form.where is ON_SCREEN or where != ON_SCREEN) else IN_PAUSE,
        "video_chat": video_chat_word(step.video_chat),
        "within_s": round(step.within_s),
        "attempts": step.attempts,
        "own_answer": _own_words(form, step.own_answer),
    }


def _spelling(component: str, old: Mapping[str, Any]) -> str:
    if "question" in old:
        return "question"
    return "prompt" if component in ("rapidrate", "audiorecording") else "question"


def _own_kind(form: ComponentForm) -> Any:
    return "line" if form.component in _ONE_LINE else "lines"


def _own_default(form: ComponentForm) -> Any:
    return "" if form.component in _ONE_LINE else ()


def _own_tip(form: ComponentForm) -> str:
    how = {
        "multiplechoice": "A choice as it is written; several: one a line.",
        "ranking": "All items, the first place first, one a line.",
        "rapidrate": "A label and its score a line: Calm = 70",
    }.get(form.component, "")
    return f"What the participant answers to the same question, kept in the record. Empty: nothing. {how}".strip()


def _own_answer(form: ComponentForm, config: dict[str, Any], given: Any) -> Any:
    """Return the participant's own answer, judged as the agent's is. Raises UsageError."""
    tool = tool_for(form.component, config)
    if not given or (isinstance(given, str) and not given.strip()):
        return None
    value: Any = given
    if tool == "answer_scale":
        value = number(str(given), "Your own answer")
    elif tool == "answer_choice":
        value = given[0] if len(given) == 1 else given
    elif tool == "answer_dimensions":
        value = {}
        for line in given:
            label, _, score = line.rpartition("=")
            value[label.strip()] = number(score, "The score of a label")
    answer = judge(form.component, config, tool, json.dumps({ARGUMENT_OF[tool]: value}))
    if answer.error is not None:
        raise UsageError(f"Your own answer: {answer.error}")
    return value


def _own_words(form: ComponentForm, value: Any) -> Any:
    if isinstance(value, Mapping):
        return [f"{label} = {number_text(score)}" for label, score in value.items()]
    if form.component in _ONE_LINE:
        return "" if value is None else number_text(value) if isinstance(value, int | float) else str(value)
    return [] if value is None else list(value) if isinstance(value, list | tuple) else [str(value)]


_ONE_LINE = ("likertscale", "vasrating", "textinput", "audiorecording")


def _options(values: Values, old: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the options in the spelling that they came in; objects whose text is kept stay objects."""
    spelled = next((each for each in ("choices", "options") if old.get(each)), key)
    objects: dict[str, Any] = dict(zip(_option_lines(old), old.get(spelled) or (), strict=False))
    texts = [str(text) for text in values["options"]]
    return {spelled: [objects.get(text, text) for text in texts]}


def _option_lines(config: Mapping[str, Any]) -> list[str]:
    try:
        return options_of(config)
    except SimulatorError:
        return []


def _ends(values: Values, low: str, high: str) -> dict[str, Any]:
    return {key: text for key in (low, high) if (text := str(values[key]).strip())}


def _choice_config(values: Values, old: Mapping[str, Any]) -> dict[str, Any]:
    config = _options(values, old, "choices")
    if values["several"]:
        config["allowMultiple"] = True
    return config | _required(values)


def _required(values: Values) -> dict[str, Any]:
    return {} if values["required"] else {"required": False}


def _likert_config(values: Values, old: Mapping[str, Any]) -> dict[str, Any]:
    points = int(values["scale"])
    spelled = "scalePoints" if "scalePoints" in old and "scale" not in old else "scale"
    config: dict[str, Any] = {spelled: points, **_ends(values, "minLabel", "maxLabel")}
    labels = [str(label) for label in values["labels"]]
    if labels:
        if len(labels) != points:
            raise UsageError(f"A scale of {points} points has {len(labels)} labels: give one a point, or none.")
        config["labels"] = labels
    return config


def _range_config(values: Values, _old: Mapping[str, Any]) -> dict[str, Any]:
    config: dict[str, Any] = {
        "minValue": number(str(values["minValue"]), "The lowest value"),
        "maxValue": number(str(values["maxValue"]), "The highest value"),
    }
    if str(values["step"]).strip():
        config["step"] = number(str(values["step"]), "The step")
    return config | _ends(values, "minLabel", "maxLabel")


def _ranking_config(values: Values, old: Mapping[str, Any]) -> dict[str, Any]:
    config = _options(values, old, "options")
    if len(values["options"]) < 2:
        raise UsageError("A ranking needs two items at least: write one a line.")
    return config | _ends(values, "lowLabel", "highLabel")


def _rapid_config(values: Values, old: Mapping[str, Any]) -> dict[str, Any]:
    known = dict(zip(_dimension_labels(old), old.get("dimensions") or (), strict=False))
    dimensions: list[dict[str, Any]] = []
    for label, low, high in values["dimensions"]:
        if not label.strip():
            raise UsageError("A dimension has no label: write one, or delete the row.")
        before = known.get(label.strip())
        extra = {k: v for k, v in before.items() if k not in _DIMENSION} if isinstance(before, Mapping) else {}
        ends = {key: text.strip() for key, text in (("minLabel", low), ("maxLabel", high)) if text.strip()}
        dimensions.append({"label": label.strip(), **ends, **extra})
    return {"dimensions": dimensions}


_DIMENSION = ("label", "minLabel", "maxLabel", "text", "value")


def _dimension_labels(config: Mapping[str, Any]) -> list[str]:
    try:
        return dimensions_of(config)
    except SimulatorError:
        return []


def _rapid_values(config: Mapping[str, Any]) -> dict[str, Any]:
    labels = _dimension_labels(config)
    rows = []
    for label, each in zip(labels, config.get("dimensions") or (), strict=False):
        own = each if isinstance(each, Mapping) else {}
        rows.append((label, str(own.get("minLabel") or ""), str(own.get("maxLabel") or "")))
    return {"dimensions": rows}


def _longest(values: Values, old: Mapping[str, Any]) -> dict[str, Any]:
    seconds = int(values["longest"])
    return {"maxRecordingTime": seconds} if seconds else {}


def _words(config: Mapping[str, Any], *keys: str) -> dict[str, str]:
    return {key: "" if config.get(key) is None else str(config[key]) for key in keys}


def _whole(config: Mapping[str, Any], key: str, default: int) -> int:
    value = config.get(key, default)
    return int(value) if isinstance(value, int | float) else default


def _points(config: Mapping[str, Any]) -> int:
    try:
        return round(bounds_of("likertscale", config)[1])
    except SimulatorError:
        return 7


_REQUIRED = FormField("required", "Must be answered", "yes", True)
_CHOICES = FormField("options", "Choices", "lines", ("Yes", "No"), tip="One a line.")


def _labels(low: str, high: str, low_word: str = "Low end", high_word: str = "High end") -> tuple[FormField, FormField]:
    return FormField(low, low_word, "line", ""), FormField(high, high_word, "line", "")


COMPONENT_FORMS: tuple[ComponentForm, ...] = (
    ComponentForm(
        "Multiple choice",
        "multiplechoice",
        (_CHOICES, FormField("several", "Several may be chosen", "yes", False), _REQUIRED),
        _choice_config,
        lambda config: {
            "options": _option_lines(config),
            "several": bool(config.get("allowMultiple")),
            "required": config.get("required") is not False,
        },
    ),
    ComponentForm(
        "Likert scale",
        "likertscale",
        (
            FormField("scale", "Points", "whole", 7, low=2, high=11),
            *_labels("minLabel", "maxLabel"),
            FormField(
                "labels", "All labels", "lines", (), tip="One a point and line, instead of the two ends; or none."
            ),
        ),
        _likert_config,
        lambda config: {
            "scale": _points(config),
            **_words(config, "minLabel", "maxLabel"),
            "labels": [str(each) for each in config.get("labels") or ()],
        },
    ),
    ComponentForm(
        "Visual analog scale",
        "vasrating",
        (
            FormField("minValue", "Lowest value", "line", "0"),
            FormField("maxValue", "Highest value", "line", "100"),
            FormField("step", "Step", "line", "", tip="Empty: any value."),
            *_labels("minLabel", "maxLabel"),
        ),
        _range_config,
        lambda config: {
            "minValue": f"{config.get('minValue', 0)}",
            "maxValue": f"{config.get('maxValue', 100)}",
            **_words(config, "step", "minLabel", "maxLabel"),
        },
    ),
    ComponentForm(
        "Ranking",
        "ranking",
        (
            FormField("options", "Items", "lines", ("Reading", "Hiking", "Cooking"), tip="One a line."),
            *_labels("lowLabel", "highLabel", "First place", "Last place"),
        ),
        _ranking_config,
        lambda config: {"options": _option_lines(config), **_words(config, "lowLabel", "highLabel")},
    ),
    ComponentForm(
        "Text input",
        "textinput",
        (_REQUIRED,),
        lambda values, _old: _required(values),
        lambda config: {"required": config.get("required") is not False},
    ),
    ComponentForm(
        "Rapid rating",
        "rapidrate",
        (
            FormField(
                "dimensions",
                "Dimensions",
                "table",
                (("Calm", "", ""), ("Happy", "", "")),
                columns=("Label", "Low end", "High end"),
                tip="Each is rated from 0 to 100.",
            ),
        ),
        _rapid_config,
        _rapid_values,
        where=IN_PAUSE,
    ),
    ComponentForm(
        "Voice recording",
        "audiorecording",
        (FormField("longest", "Longest", "whole", 0, high=3600, suffix=" s", tip="0: no limit."),),
        _longest,
        lambda config: {"longest": _whole(config, "maxRecordingTime", 0)},
        where=IN_PAUSE,
    ),
)

_ALWAYS = {"question", "prompt"}
_KNOWN: dict[str, set[str]] = {
    "multiplechoice": {*_ALWAYS, "choices", "options", "allowMultiple", "required"},
    "likertscale": {*_ALWAYS, "scale", "scalePoints", "minLabel", "maxLabel", "labels"},
    "vasrating": {*_ALWAYS, "minValue", "maxValue", "step", "minLabel", "maxLabel"},
    "ranking": {*_ALWAYS, "choices", "options", "lowLabel", "highLabel"},
    "textinput": {*_ALWAYS, "required"},
    "rapidrate": {*_ALWAYS, "dimensions"},
    "audiorecording": {*_ALWAYS, "maxRecordingTime"},
}
"""The keys of a config that its form speaks for; all others are kept as they are."""


def form_of(component: str) -> ComponentForm | None:
    """Return the form of a component; None for one that cannot be answered."""
    return next((form for form in COMPONENT_FORMS if form.component == component), None)
