"""Menus and keys: one table says what can be done, by which key, and fills the menus, the shortcuts and the sheet of
keys, so that none of the three can differ from the others."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from ui.models.pushes import PUSHES, push_key
from ui.theme import Scheme, Theme


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that can be done: its name in the menu, its key, and what it does."""

    name: str
    key: str
    do: Callable[[], None]


Menus = dict[str, list[Deed | None]]
"""Menu title → deeds; None is a separator."""

_FURTHER_KEYS = (
    ("Space", "Talk: hold for a microphone, press for a recording"),
    ("F", "Follow the present"),
    ("Z", "Freeze the timeline"),
    ("+  −", "Zoom the timeline"),
    ("Ctrl+Enter", "Apply the instructions being edited"),
    ("Enter", "In the study panel: push"),
    ("Ctrl+C", "In the log: copy the selected events as JSON"),
    ("Ctrl+E", "In the log: edit the selected event and send it again"),
    ("Ctrl+Shift+E", "In the log: send the selected events again"),
    ("Ctrl+Enter", "In Compose: send"),
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
            action = QAction(deed.name, window)
            if deed.key:
                action.setShortcut(QKeySequence(deed.key))
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
        keys = [(_shown(deed.key), deed.name.replace("&", "")) for deed in deeds if deed is not None and deed.key]
        if keys:
            groups.append((title.replace("&", ""), keys))
    groups.append(("Further", list(_FURTHER_KEYS)))
    return groups


def push_deeds(push: Callable[[int], None]) -> list[Deed | None]:
    """Return a deed for each kind of push."""
    return [Deed(f"{kind.name}…", push_key(row), partial(push, row)) for row, kind in enumerate(PUSHES)]


def _shown(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
