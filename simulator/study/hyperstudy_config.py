"""The config of a component: what a voice agent can be told and asked of it, in the spelling of the study's questions.

The SDK's factories write `prompt`, `options` and `scalePoints` where the specification has `question`, `choices` and
`scale`; a study's questions understand both, so these stay as they are. What only the platform's designer writes is
brought to the specification's spelling.
"""

from collections.abc import Mapping
from typing import Any, Final

from simulator.study.hyperstudy_json import Node, names
from simulator.study.hyperstudy_notes import Notes
from simulator.study.hyperstudy_text import LONGEST_TEXT, placeholders, plain_text

_WORDS: Final = ("question", "prompt")
_OPTION_TEXTS: Final = ("text", "label", "value")
# Where the designer's name stands for the specification's.
_OTHER_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "minValue": ("min",),
    "maxValue": ("max",),
    "minLabel": ("leftLabel",),
    "maxLabel": ("rightLabel",),
    "label": ("name",),
}
_ASKED: Final[dict[str, tuple[str, ...]]] = {
    "multiplechoice": ("choices", "options", "allowMultiple", "required"),
    "likertscale": ("scale", "scalePoints", "minLabel", "maxLabel", "labels", "required"),
    "vasrating": ("minValue", "maxValue", "step", "minLabel", "maxLabel", "required"),
    "ranking": ("options", "choices", "lowLabel", "highLabel", "required"),
    "textinput": ("required",),
    "rapidrate": ("dimensions", "required"),
    "audiorecording": ("maxRecordingTime", "required"),
}
"""What a question of each component keeps, beside its words."""
_UNSTATED_POINTS: Final = 5
_LONGEST_LINK: Final = 120


class Config:
    """A component's config. It remembers which of its fields were read, so that the others can be told."""

    def __init__(self, component: str, whole: Node | None, state: str, notes: Notes) -> None:
        self.component = component
        self.whole = whole
        """The config as it stands; None where there is none."""
        self._fields = {} if whole is None else whole.fields("the config of the component")
        self._state = state
        self._notes = notes
        self._read: set[str] = set()

    def say(self, sentence: str) -> None:
        """Note something about the state."""
        self._notes.of_state(self._state, sentence)

    def say_left_out(self) -> None:
        """Note the fields that nothing was made of."""
        self._notes.left_out(self._state, "its component's config", sorted(set(self._fields) - self._read))

    def take_all(self) -> None:
        """Count all fields as read: somebody else says what of them is left out."""
        self._read.update(self._fields)

    def node(self, *names_of: str) -> Node | None:
        """Return the first of these fields that is there."""
        name = next((name for name in names_of if name in self._fields), None)
        if name is None:
            return None
        self._read.add(name)
        return self._fields[name]

    def text(self, *names_of: str) -> str:
        """Return the first of these fields that holds words, as plain text; "" where none does."""
        for name in names_of:
            value = self._fields[name].value if name in self._fields else None
            if value == "":
                self._read.add(name)
            if isinstance(value, str) and value.strip():
                self._read.add(name)
                return self.plain(self._fields[name])
        return ""

    def plain(self, node: Node) -> str:
        """Return a text of the config without markup."""
        text = str(node.value)
        if len(text) > LONGEST_TEXT:
            raise node.wrong(f"this text is longer than {LONGEST_TEXT:,} characters: expected what fits on a screen.")
        text, left_out = plain_text(text)
        if left_out:
            self.say(f"of its text, the HTML elements {names(sorted(left_out))} are not shown.")
        if variables := placeholders(text):
            self.say(f"the platform fills in {names(dict.fromkeys(variables))}, which stays in the text as it is.")
        return text

    def line(self, node: Node) -> str:
        """Return a text of the config as one line, as labels and choices are."""
        return " ".join(self.plain(node).split())

    def images(self) -> list[str]:
        """Return the addresses of the pictures that the component shows, none of which is downloaded."""
        switches = [name for name in self._fields if name.lower().startswith("showstimulus")]
        self._read.update(switches)
        if any(self._fields[name].value is False for name in switches):
            return []
        found = [name for name in self._fields if _names_image(name, self._fields[name].value)]
        self._read.update(found)
        return [shortened(self._fields[name].value) for name in found]

    def duration_s(self, longest_s: float) -> float | None:
        """Return how long the component itself says that it lasts."""
        node = self.node("durationMs")
        return None if node is None else milliseconds(node, longest_s)

    def question(self) -> dict[str, Any]:
        """Return the config of the question that the component asks; what does not fit stays for `config_error`."""
        kept: dict[str, Any] = {}
        words = next((name for name in _WORDS if name in self._fields), None)
        if words is not None:
            kept[words] = self.text(words)
        for name in _ASKED[self.component]:
            node = self.node(name, *_OTHER_NAMES.get(name, ()))
            if node is not None:
                kept[name] = self._kept(name, node)
        if self.component == "likertscale" and not {"scale", "scalePoints"} & set(kept):
            labels = kept.get("labels")
            kept["scale"] = len(labels) if isinstance(labels, list) and labels else _UNSTATED_POINTS
            self.say(f"its scale is not given in points, and taken as one of {kept['scale']}.")
        return kept

    def _kept(self, name: str, node: Node) -> Any:
        if isinstance(node.value, list):
            match name:
                case "choices" | "options":
                    return self._options(node)
                case "dimensions":
                    return self._dimensions(node)
                case "labels":
                    return [self._scalar(label) for label in node.items("a list of labels")]
                case _:
                    pass
        return self._scalar(node)

    def _scalar(self, node: Node) -> Any:
        if isinstance(node.value, Mapping | list):
            raise node.expected("a text, a number, true or false")
        return self.line(node) if isinstance(node.value, str) else node.value

    def _options(self, node: Node) -> list[Any]:
        kept: list[Any] = []
        for option in node.items("a list of choices, as texts or {text, value}"):
            if not isinstance(option.value, Mapping):
                kept.append(self._scalar(option))
                continue
            fields = option.fields("a choice, as {text, value}")
            name = next((name for name in _OPTION_TEXTS if _says_something(fields.get(name))), "")
            text = self.line(fields[name]) if name and isinstance(fields[name].value, str) else None
            text = str(fields[name].value) if text is None and name else text
            kept.append(text or "")
            self._say_of_option(text or "", name, fields)
        return kept

    def _say_of_option(self, text: str, name: str, fields: Mapping[str, Node]) -> None:
        images = [key for key in fields if _names_image(key, fields[key].value)]
        for key in images:
            self.say(f"the picture {shortened(fields[key].value)} of the choice “{text}” is not shown.")
        if "value" in fields and name != "value" and str(fields["value"].value) != text:
            self.say("the agent answers with the texts of the choices, not with their values.")
        if others := sorted(set(fields) - {name, "value", *images}):
            self.say(f"not taken over of the choices: {names(others)}.")

    def _dimensions(self, node: Node) -> list[Any]:
        kept: list[Any] = []
        for dimension in node.items("a list of dimensions, as {label, minLabel, maxLabel}"):
            if not isinstance(dimension.value, Mapping):
                kept.append(self._scalar(dimension))
                continue
            fields = dimension.fields("a dimension, as {label, minLabel, maxLabel}")
            taken = {name: key for name in ("label", "minLabel", "maxLabel") if (key := _key(name, fields)) is not None}
            kept.append({name: self._scalar(fields[key]) for name, key in taken.items()})
            others = sorted(set(fields) - set(taken.values()))
            bounds = [fields[name].value for name in ("min", "max") if name in fields]
            if bounds and bounds != [0, 100][: len(bounds)]:
                self.say("its dimensions are answered from 0 to 100, whatever their min and max say.")
            if others := [name for name in others if name not in ("min", "max")]:
                self.say(f"not taken over of the dimensions: {names(others)}.")
        return kept


def milliseconds(node: Node, longest_s: float) -> float:
    """Return a duration in seconds from one in milliseconds."""
    return node.number(f"milliseconds from 0 to {longest_s * 1000:,.0f}", 0, longest_s * 1000) / 1000


def shortened(link: str) -> str:
    """Return an address as a sentence can hold it."""
    line = " ".join(link.split())
    return line if len(line) <= _LONGEST_LINK else f"{line[: _LONGEST_LINK - 1]}…"


def _key(name: str, fields: Mapping[str, Node]) -> str | None:
    return next((key for key in (name, *_OTHER_NAMES.get(name, ())) if key in fields), None)


def _names_image(name: str, value: Any) -> bool:
    lower = name.lower()
    if not isinstance(value, str) or not value.strip() or not ("image" in lower or lower.startswith("stimulus")):
        return False
    return lower in ("image", "imagesource", "stimulusimage", "stimulus") or "url" in lower or "src" in lower


def _says_something(node: Node | None) -> bool:
    return node is not None and isinstance(node.value, str | int | float) and str(node.value).strip() != ""
