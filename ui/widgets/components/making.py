"""Which widget shows which component."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from ui.models.preview import Question, question_problem
from ui.theme import Theme
from ui.widgets.components.answer import AnswerWidget
from ui.widgets.components.likertscale import LikertScale
from ui.widgets.components.multiplechoice import MultipleChoice
from ui.widgets.components.ranking import Ranking
from ui.widgets.components.rapidrate import RapidRate
from ui.widgets.components.text_field import AudioRecording, TextField
from ui.widgets.components.vasrating import VasRating

_WIDGETS: Final[dict[str, Callable[[Theme, Mapping[str, Any]], AnswerWidget]]] = {
    "multiplechoice": MultipleChoice,
    "likertscale": LikertScale,
    "vasrating": VasRating,
    "ranking": Ranking,
    "textinput": TextField,
    "rapidrate": RapidRate,
    "audiorecording": AudioRecording,
}


def answer_widget(theme: Theme, question: Question) -> AnswerWidget | str:
    """Return the widget that answers a question, or in a sentence why it has none."""
    problem = question_problem(question)
    return _WIDGETS[question.component](theme, question.config) if problem is None else problem
