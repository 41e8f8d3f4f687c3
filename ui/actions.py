"""Menus and keys: one table says what can be done, by which key, and fills the menus, the shortcuts and the sheet of
keys, so that none of the three can differ from the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from ui.models.pushes import PUSHES, push_key
from ui.study_desk import StudyDesk
from ui.theme import Scheme, Theme


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that can be done: its name in the menu, its key, and what it does."""

    name: str
    key: str
    do: Callable[[], None]
    on: QWidget | None = None
    """The widget that must have the focus for the key; None: the key works in the whole window."""


@dataclass(frozen=True, slots=True)
class Submenu:
    """A menu in a menu, filled each time it opens."""

    name: str
    fill: Callable[[QMenu], None]


Menus = dict[str, Sequence[Deed | Submenu | None]]
"""Menu title → deeds; None is a separator."""

_PUSH, _PLAY = "Pus&h the selected step", "&Play by time, or stop"
_EDIT, _COPY, _UP, _DOWN, _DELETE = "&Edit the step…", "&Duplicate", "Move &up", "Move do&wn", "De&lete"
STEP_DEEDS = (_PUSH, _PLAY, None, _EDIT, _COPY, _UP, _DOWN, _DELETE)
"""What a right click on a step offers, by name."""

_FURTHER_KEYS = (
    ("Space", "Talk: hold for a microphone, press for a recording"),
    ("F", "Follow the present"),
    ("Z", "Freeze the timeline"),
    ("+  −", "Zoom the timeline"),
    ("Ctrl+Enter", "Apply the instructions; in Compose: send"),
    ("Enter", "Push the selected step, or the quick push"),
    ("Enter", "In the line “Say”: say it, or set the cue"),
    ("Enter", "In the note of a mark: keep it"),
    ("Enter", "In the preview: answer (in its texts Ctrl+Enter)"),
    ("Alt+↑  Alt+↓", "In a ranking of the preview: move the item"),
    ("C", "In the table of sessions: compare two"),
    ("Ctrl+C", "In the log: copy as JSON"),
    ("Ctrl+E", "In the log: edit, then send again"),
    ("Ctrl+Shift+E", "In the log: send again"),
)


def add_menus(window: QMainWindow, menus: Menus) -> dict[str, QAction]:
    """Fill the menu bar; returns the actions by name."""
    actions: dict[str, QAction] = {}
    for title, deeds in menus.items():
        menu = window.menuBar().addMenu(title)
        menu.setToolTipsVisible(True)  # they say why an entry is disabled
        for deed in deeds:
            if deed is None:
                menu.addSeparator()
                continue
            if isinstance(deed, Submenu):
                submenu = menu.addMenu(deed.name)
                submenu.aboutToShow.connect(partial(deed.fill, submenu))
                continue
            action = QAction(deed.name, window)
            if deed.key:
                action.setShortcut(QKeySequence(deed.key))
            if deed.on is not None:
                action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
                deed.on.addAction(action)
            action.setAutoRepeat(False)
            action.triggered.connect(lambda _checked=False, do=deed.do: do())
            menu.addAction(action)
            actions[deed.name] = action
    return actions


def menu_called(window: QMainWindow, title: str) -> QMenu:
    """Return one of the window's menus."""
    return next(menu for menu in window.menuBar().findChildren(QMenu) if menu.title() == title)


def add_scheme_menu(window: QMainWindow, theme: Theme, chosen: Callable[[Scheme | None], None]) -> None:
    """Add View → Colours: light, dark, or as the system."""
    menu = menu_called(window, "&View").addMenu("&Colours")
    group = QActionGroup(window)
    for name, scheme in (("As the &system", None), ("&Light", Scheme.LIGHT), ("&Dark", Scheme.DARK)):
        action = menu.addAction(name)
        action.setCheckable(True)
        action.setChecked(theme.chosen is scheme)
        action.triggered.connect(lambda _checked=False, scheme=scheme: chosen(scheme))
        group.addAction(action)


def key_groups(menus: Menus) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what the sheet of keys shows: a group a menu, and the keys that no menu has."""
    groups = []
    for title, deeds in menus.items():
        keys = [(_shown(deed.key), _words(deed)) for deed in deeds if isinstance(deed, Deed) and deed.key]
        if keys:
            groups.append((title.replace("&", ""), keys))
    groups.append(("Further", list(_FURTHER_KEYS)))
    return groups


def study_deeds(desk: StudyDesk, deck: QWidget) -> list[Deed | Submenu | None]:
    """Return the deeds of the study; keys that change steps work while the list `deck` has the focus."""
    return [
        Deed("&New", "Ctrl+N", desk.new),
        Deed("&Open…", "Ctrl+O", desk.files.ask_open),
        Submenu("Open &recent", desk.offer_recent),
        Submenu("Sa&mples", desk.offer_samples),
        Deed("&Save", "Ctrl+S", desk.files.save),
        Deed("Save &as…", "Ctrl+Shift+S", desk.files.save_as),
        Deed("Settin&gs of the study…", "", desk.editing.edit_settings),
        None,
        Deed(_PUSH, "", desk.push_selected),
        Deed("Push the ne&xt step", "N", desk.push_next),
        Deed(_PLAY, "P", desk.play_or_stop),
        None,
        Deed(_EDIT, "F2", desk.editing.edit, deck),
        Deed(_COPY, "Ctrl+D", desk.editing.duplicate, deck),
        Deed(_UP, "Alt+Up", desk.editing.move_up, deck),
        Deed(_DOWN, "Alt+Down", desk.editing.move_down, deck),
        Deed(_DELETE, "Del", desk.editing.delete, deck),
        Deed("Undo", "Ctrl+Z", desk.editing.undo, deck),
        Deed("Redo", "Ctrl+Shift+Z", desk.editing.redo, deck),
    ]


def push_deeds(push: Callable[[int], None]) -> list[Deed | Submenu | None]:
    """Return a deed for each kind of push."""
    return [Deed(f"{kind.name}…", push_key(row), partial(push, row)) for row, kind in enumerate(PUSHES)]


def _words(deed: Deed) -> str:
    words = deed.name.replace("&", "")
    return words if deed.on is None else f"{words.rstrip('…')}, in the list of steps"


def _shown(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
