"""A state of an experiment as a part of the study: what its screen shows and asks, how long, and who is heard.

A state lasts a given time, or until participants go on. The first is a wait, or the time for an answer; for the second
there is no step: the next part begins with the answer, or after the reply to what was said, or the operator pushes it.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from simulator.profile import context_items
from simulator.profile.components import RATING_PAUSE_COMPONENTS, SCREEN_COMPONENTS, config_error
from simulator.study.hyperstudy_config import Config, milliseconds, shortened
from simulator.study.hyperstudy_json import Node
from simulator.study.hyperstudy_notes import Notes
from simulator.study.hyperstudy_pauses import Pauses, pauses_of
from simulator.study.hyperstudy_text import plain_text
from simulator.study.step_forms import LONGEST_ANSWER_S, LONGEST_WAIT_S
from simulator.study.steps import AskQuestion, EnterPart, PushContext, SetListening, Step, StepAction, Wait, When

COMPONENTS: Final = (
    "showtext",
    "showimage",
    "showvideo",
    "vasrating",
    "textinput",
    "multiplechoice",
    "waiting",
    "code",
    "continuousrating",
    "videochat",
    "textchat",
    "rapidrate",
    "audiorecording",
    "sparserating",
    "trigger",
    "ranking",
    "scannerpulserecorder",
    "likertscale",
    "gazeoverlay",
)
"""The platform's components."""
_UNHEARD: Final = ("code", "trigger", "scannerpulserecorder", "gazeoverlay")
"""Those that neither show nor ask the agent anything."""
_SHOWN: Final = ("showtext", "showimage", "showvideo", "waiting", "videochat", "textchat", "continuousrating")
_HEADINGS: Final = ("title", "heading")
_TEXTS: Final = ("text", "content", "message", "prompt", "question", "caption", "description", "displayText")
_MEDIA: Final = ("url", "imageUrl", "videoUrl", "imageSource", "videoSource", "src")
_STATE_FIELDS: Final = {
    "id",
    "name",
    "order",
    "focusComponent",
    "transitionRules",
    "globalComponentsVisibility",
}
_GUIDANCE: Final = ("agentGuidance", "guidance")
_TIMED: Final = ("timed", "timer", "auto", "duration")
_BY_PARTICIPANTS: Final = ("manual", "participant", "all", "synchronized", "button", "component", "complete")


class Setting(msgspec.Struct, frozen=True):
    """What of the whole experiment a state needs to know."""

    notes: Notes
    video_chat: bool
    """Whether the video chat is shown where a state does not say."""
    video_chat_off: bool
    """Whether the experiment switches it off, whatever a state says."""
    pauses: Mapping[str, Node]
    """The rating pauses of the global component, by the state's id."""
    role: str | None
    """The id of the agent's role."""


class Part(msgspec.Struct, frozen=True):
    """A state as steps."""

    steps: tuple[Step, ...]
    ends_by_participants: bool
    """Whether neither a time nor an answer says when it ends."""
    says_video_chat: bool
    """Whether the state itself says if the video chat is shown."""
    state_id: str
    text_chat: bool | None
    """Whether it shows the text chat; None where it does not say."""


def part_of(node: Node, when: When, setting: Setting) -> Part:
    """Return a state's steps, the first of which begins at the moment `when` names. Raises UnreadableFile."""
    fields = node.fields("a state, as {id, name, focusComponent}")
    if "id" not in fields and "name" not in fields:
        raise node.expected("a state with its id")
    state_id = fields["id"].text("the state's id") if "id" in fields else fields["name"].text("the state's name")
    named = fields["name"].text("the state's name") if "name" in fields and fields["name"].value != "" else state_id
    name = " ".join(plain_text(named)[0].split()) or "Unnamed"
    setting.notes.left_out(name, "the state", sorted(set(fields) - _STATE_FIELDS - set(_GUIDANCE)))
    component, config = _component(fields, name, setting)
    visible = _visible(fields)
    global_chat = visible.get("videochat", setting.video_chat) and not setting.video_chat_off
    video_chat = global_chat or component == "videochat"
    rule_s = _lasts_s(fields, name, setting)
    own_s = config.duration_s(LONGEST_WAIT_S) if config is not None else None
    lasts_s = own_s if rule_s is None else rule_s
    pauses = setting.pauses.get(state_id)
    if pauses is not None and (component != "showvideo" or not visible.get("sparserating", True)):
        setting.notes.of_state(name, "its rating pauses are left out: it shows no video, or hides them.")
        pauses = None
    for other in sorted(set(visible) - {"videochat", "textchat", "sparserating"}):
        if visible[other]:
            setting.notes.of_state(
                name, f"the global component {other}, which it shows, has no meaning for a voice agent."
            )
    shown = _shown(component, config, pauses, name, setting, video_chat=video_chat, lasts_s=lasts_s)
    if config is not None:
        config.say_left_out()
    asks = any(isinstance(action, AskQuestion) and action.shown_on == "screen" for action in shown)
    lasting = lasts_s is not None or any(isinstance(action, Wait) for action in shown)
    begin = Step(EnterPart(name, _guidance(fields, name, setting)), when=when)
    return Part(
        (begin, *map(Step, shown)),
        ends_by_participants=not asks and not lasting,
        says_video_chat="videochat" in visible or component == "videochat",
        state_id=state_id,
        text_chat=True if component == "textchat" else visible.get("textchat"),
    )


def _component(fields: Mapping[str, Node], name: str, setting: Setting) -> tuple[str | None, Config | None]:
    if "focusComponent" not in fields:
        setting.notes.of_state(name, "it has no component, and so no screen.")
        return None, None
    focus = fields["focusComponent"].fields("the state's component, as {type, config}")
    if "type" not in focus:
        raise fields["focusComponent"].expected("a component with its type")
    component = focus["type"].text("the type of the component").lower()
    setting.notes.left_out(name, "its component", sorted(set(focus) - {"type", "config", "id"}))
    return component, Config(component, focus.get("config"), name, setting.notes)


def _visible(fields: Mapping[str, Node]) -> dict[str, bool]:
    if "globalComponentsVisibility" not in fields:
        return {}
    entries = fields["globalComponentsVisibility"].entries("what is shown in this state, as {videochat: true}")
    return {name.lower(): entry.truth() for name, entry in entries.items()}


def _lasts_s(fields: Mapping[str, Node], name: str, setting: Setting) -> float | None:
    """Return how long the state's transition says that it lasts; None where participants end it."""
    if "transitionRules" not in fields:
        return None
    rules = fields["transitionRules"].fields("how the state ends, as {type, durationMs}")
    setting.notes.left_out(name, "its transition", sorted(set(rules) - {"type", "durationMs"}))
    kind = rules["type"].text("the type of the transition").lower() if "type" in rules else "timed"
    duration_s = milliseconds(rules["durationMs"], LONGEST_WAIT_S) if "durationMs" in rules else None
    if kind not in (*_TIMED, *_BY_PARTICIPANTS):
        setting.notes.of_state(name, f"its transition “{kind}” is not known: what counts is its durationMs, if any.")
    elif kind in _BY_PARTICIPANTS and duration_s is not None:
        setting.notes.of_state(name, f"it ends by “{kind}”, so that the durationMs of its transition is not used.")
        return None
    return duration_s


def _guidance(fields: Mapping[str, Node], name: str, setting: Setting) -> str | None:
    given = next((key for key in _GUIDANCE if key in fields), None)
    if given is None:
        return None
    node = fields[given]
    if isinstance(node.value, Mapping):
        by_role = node.entries("the agent's guidance by role")
        if setting.role not in by_role:
            setting.notes.of_state(name, f"its {given} is for other roles, and not taken over.")
            return None
        node = by_role[str(setting.role)]
    setting.notes.of_state(name, f"its {given} is taken as the agent's guidance in this part.")
    return node.text("the agent's guidance, as a text").strip()


def _shown(
    component: str | None,
    config: Config | None,
    pauses: Node | None,
    name: str,
    setting: Setting,
    *,
    video_chat: bool,
    lasts_s: float | None,
) -> list[StepAction]:
    """Return the steps of a state behind its first."""
    silent: list[StepAction] = [SetListening(video_chat), *_rest(lasts_s, 0.0)]
    if component is None or config is None:
        return silent
    if component in _UNHEARD:
        config.say(f"the component {component} has no meaning for a voice agent, and is left out.")
        return silent
    if component in SCREEN_COMPONENTS:
        asked = _asked(component, config, video_chat, lasts_s)
        if asked:
            return asked
    if component == "sparserating":
        return _rating_pauses(config, name, setting, video_chat, lasts_s)
    if component not in COMPONENTS:
        config.say(f"its component “{component}” is not known: of it, only the text is shown.")
    if component in RATING_PAUSE_COMPONENTS and component not in SCREEN_COMPONENTS:
        config.say(
            f"a voice agent answers the component {component} in a rating pause only: it is shown, and not asked."
        )
    if component == "continuousrating":
        config.say("a voice agent gives no continuous rating: it is shown, and not asked.")
    steps: list[StepAction] = [_screen(component, config, video_chat)]
    if pauses is not None:
        stops = pauses_of(pauses, name, setting.notes)
        return [*steps, *stops.steps, *_after_pauses(stops, lasts_s)]
    return [*steps, *_timer(config, lasts_s), *_rest(lasts_s, 0.0)]


def _rest(lasts_s: float | None, waited_s: float) -> list[StepAction]:
    left_s = 0.0 if lasts_s is None else round(lasts_s - waited_s, 3)
    return [Wait(left_s)] if left_s > 0 else []


def _after_pauses(stops: Pauses, lasts_s: float | None) -> list[StepAction]:
    return _rest(stops.video_s if lasts_s is None else lasts_s, stops.waited_s)


def _timer(config: Config, lasts_s: float | None) -> list[StepAction]:
    countdown = config.node("showCountdown")
    if countdown is None or countdown.value is not True or not lasts_s:
        return []
    return [PushContext(context_items.timer(max(1, round(lasts_s))))]


def _asked(component: str, config: Config, video_chat: bool, lasts_s: float | None) -> list[StepAction]:
    """Return the steps of a question on the screen; none where it cannot be asked."""
    asked = config.question()
    if (problem := config_error(component, asked)) is not None:
        config.say(f"its question is not asked. {problem}")
        return []
    steps: list[StepAction] = []
    if images := config.images():
        words = str(asked.get("question") or asked.get("prompt"))
        steps.append(PushContext(context_items.screen(component, words), video_chat=video_chat))
        _say_images(config, images)
    within_s = 30.0
    if lasts_s is not None:
        within_s = min(max(lasts_s, 1.0), LONGEST_ANSWER_S)
        config.say("on the platform it lasts its whole time; here the study goes on once its question is answered.")
    steps += _timer(config, lasts_s)
    steps.append(AskQuestion(component, asked, within_s=within_s, video_chat=video_chat))
    return steps


def _rating_pauses(
    config: Config, name: str, setting: Setting, video_chat: bool, lasts_s: float | None
) -> list[StepAction]:
    """Return the steps of a state whose component is the rating pauses themselves."""
    steps: list[StepAction] = [PushContext(context_items.screen("sparserating", ""), video_chat=video_chat)]
    if config.whole is None:
        config.say("its rating pauses have no ratingComponent, and are left out.")
        return [*steps, *_rest(lasts_s, 0.0)]
    config.take_all()
    stops = pauses_of(config.whole, name, setting.notes)
    return [*steps, *stops.steps, *_after_pauses(stops, lasts_s)]


def _screen(component: str, config: Config, video_chat: bool) -> PushContext:
    texts = [text for text in (config.text(*_HEADINGS), config.text("instructions"), _body(config)) if text]
    images = config.images()
    if component == "showvideo":
        media = config.node(*_MEDIA)
        if media is not None and isinstance(media.value, str):
            config.say(f"the video {shortened(media.value)} is not played: a voice agent is told that one is shown.")
    elif component == "showimage":
        media = config.node(*_MEDIA)
        images = [shortened(media.value)] if media is not None and isinstance(media.value, str) else images
    _say_images(config, images)
    return PushContext(context_items.screen(component, "\n\n".join(texts)), video_chat=video_chat)


def _body(config: Config) -> str:
    """Return the words below the headings: the text itself, and a caption or description where there is one."""
    found = [text for name in _TEXTS if (text := config.text(name))]
    alternative = "" if found else config.text("altText")
    return "\n\n".join(dict.fromkeys([*found, alternative])).strip()


def _say_images(config: Config, images: list[str]) -> None:
    for image in images:
        config.say(f"the picture {image} is not downloaded: drag a copy of it onto the screen in the deck.")
