"""The words for questions: a specification file's where it words them, else this program's own."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from simulator.profile import own_wording
from simulator.profile.components import check_config
from simulator.profile.templates import Template
from simulator.profile.tools import tool_for

Source = Literal["own", "file", "file and own"]
"""Whose words a text is made of."""

Kind = tuple[str, str]
"""A component and the tool that answers it: a multiplechoice of one and of several are worded apart."""


class Wording(msgspec.Struct, frozen=True):
    """The templates of a specification file, by component and tool; what they lack is in this program's words."""

    questions: Mapping[Kind, Template] = {}
    values: Mapping[Kind, Template] = {}

    def question_text(self, component: str, config: Mapping[str, Any]) -> str:
        """Return what the agent is told of a question: its words, its range or choices spelled out, how to answer.

        A file's example has no labels at the ends or points of a scale: where a config has some, a line of our own
        follows the file's text. Raises UnknownName for a component that cannot be answered, UnreadableFile for a config
        that does not fit it.
        """
        check_config(component, config)
        template = self.questions.get(kind_of(component, config))
        if template is None:
            return own_wording.question_text(component, config)
        return "\n".join([template.text(component, config), *own_wording.added_lines(component, config)])

    def value_description(self, component: str, config: Mapping[str, Any]) -> str:
        """Return what the value of an answer is, for its JSON schema. Raises as `question_text` does."""
        check_config(component, config)
        template = self.values.get(kind_of(component, config))
        if template is None:
            return own_wording.value_description(component, config)
        return template.text(component, config)

    def source_of(self, component: str, config: Mapping[str, Any] | None = None) -> Source:
        """Return whose words the text of a question is made of. Raises UnknownName."""
        if kind_of(component, config or {}) not in self.questions:
            return "own"
        return "file and own" if config and own_wording.added_lines(component, config) else "file"


def kind_of(component: str, config: Mapping[str, Any]) -> Kind:
    """Return under which key a question is worded. Raises UnknownName for a component that cannot be answered."""
    return component, tool_for(component, config)


OWN_WORDING = Wording()
"""All in this program's words."""
