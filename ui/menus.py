"""The window's menus: which entry lies where, and what it asks of whom. A new entry is a line in `_table`, or in the
`deeds` of the desk that does it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from ui.actions import (
    STEP_DEEDS,
    Deed,
    Menus,
    add_menus,
    add_scheme_menu,
    key_groups,
    menu_called,
    push_deeds,
    study_deeds,
)
from ui.dialogs.keys import KeysDialog
from ui.export_desk import EXPORT
from ui.panels.checks import NO_REPORT, why_not_compared

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.main_window import MainWindow
    from ui.theme import Scheme

TABS = ("Log", "Transcript", "Checks", "Latency", "Answers", "Compose")
"""The tabs of the window, in their order."""
_OPEN_MICROPHONE = "&Open or close the microphone"
_COMPARE = "&Compare with an earlier report…"


class WindowMenus:
    """Fills the menu bar of `window`, whose panels and desks stand; `actions` are the entries, by name."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._menus = _table(window, self._show_keys)
        self.actions = add_menus(window, self._menus)
        window.sound.mark(self.actions)
        window.study.deck.offer([None if name is None else self.actions[name] for name in STEP_DEEDS])
        add_scheme_menu(window, window.theme, self._choose_scheme)
        records_menu = menu_called(window, "&Records")
        window.keeping.add_to(records_menu)
        records_menu.aboutToShow.connect(lambda: self.actions[EXPORT].setToolTip(window.sessions.exports.tip))
        voice_menu = menu_called(window, "V&oice")
        window.recognition.add_to(voice_menu)
        window.talking.add_to(voice_menu, self.actions[_OPEN_MICROPHONE])
        window.record.live_shown.connect(lambda live: self.actions["&Back to live"].setEnabled(not live))
        self.count_reports(0)

    def count_reports(self, count: int) -> None:
        """Enable in the menu what the report button of the checks enables, and say why the rest is not."""
        for name in ("&Open the report", "Sa&ve the report…"):
            self.actions[name].setEnabled(count > 0)
            self.actions[name].setToolTip("" if count else NO_REPORT)
        self.actions[_COMPARE].setEnabled(count > 1)
        self.actions[_COMPARE].setToolTip(why_not_compared(count))

    def _show_keys(self) -> None:
        KeysDialog(key_groups(self._menus), self._window).open()

    def _choose_scheme(self, scheme: Scheme | None) -> None:
        self._window.theme.choose(scheme)
        self._window.settings.set_text("scheme", scheme.value if scheme else "")


def _table(window: MainWindow, show_keys: Callable[[], None]) -> Menus:
    commands, panel, aside = window.commands, window.connection, window.presenting.aside
    return {
        "&Session": [
            Deed("&Connect or disconnect", "F5", window.toggle_connection),
            Deed("Stop the &reply", "Esc", window.stop_reply_or_typing),
            Deed("&Listening on or off", "L", commands.toggled("listening", commands.set_listening)),
            *window.marking.deeds(),
            None,
            Deed("&Engines…", "Ctrl+,", window.choices.edit_engines),
            *window.specification.deeds(),
            None,
            Deed("&Quit", "Ctrl+Q", window.quit),
        ],
        "&Records": [
            *window.session_table.deeds(),
            *window.sessions.deeds(),
            *window.replaying.deeds(),
        ],
        "V&oice": [
            Deed("&Mute or unmute", "M", commands.toggled("muted", commands.set_muted)),
            Deed(_OPEN_MICROPHONE, "O", panel.open_button.click),
            None,
            Deed("&Voice from a file…", "Ctrl+Shift+O", window.choices.ask_voice_file),
            Deed("Voice from a &folder…", "", window.choices.ask_voice_folder),
            None,
            Deed("Say a &text, or on a cue", "T", window.voice_desk.bar.open_line),
            Deed("Cancel the cue", "Shift+T", window.voice_desk.cancel_cue),
            Deed("&Impairments of the voice…", "Ctrl+I", window.voice_desk.ask_impairments),
            None,
        ],
        "So&und": [
            *window.volume.deeds(),
            None,
            *window.sound.deeds(),
            None,
            Deed("Sound de&vices…", "D", window.devices.open),
            Deed("Look for sound &devices again", "F4", window.devices_feed.refresh),
        ],
        "S&tudy": study_deeds(window.study_desk, window.study.deck.view),
        "&Push": push_deeds(aside(window.study.choose_push)),
        "C&alls": [*window.calls.deeds()],
        "&Checks": [
            Deed("&Run all checks", "F9", window.run_all_checks),
            Deed("&Stop the checks", "Shift+F9", window.checks_feed.stop),
            None,
            Deed("&Open the report", "Ctrl+R", window.desk.open_report),
            Deed("Sa&ve the report…", "Ctrl+Shift+R", window.desk.save_report),
            Deed(_COMPARE, "", window.desk.compare_reports),
            None,
            Deed("&Faults of the embedded engine…", "Ctrl+F", window.desk.ask_faults),
        ],
        "&View": [
            *[
                Deed(f"&{name}", f"Alt+{place + 1}", aside(partial(window.show_tab, place)))
                for place, name in enumerate(TABS)
            ],
            None,
            *window.presenting.deeds(),
            None,
            Deed("&Filter the log", "/", aside(window.filter_log)),
            Deed("&Problems", "Ctrl+P", aside(window.show_problems)),
            Deed(
                "&Instructions", "I", aside(partial(window.agent.editor.setFocus, Qt.FocusReason.ShortcutFocusReason))
            ),
            Deed("&Back to live", "F8", window.record.show_live),
            None,
        ],
        "&Help": [Deed("&Keys", "F1", show_keys)],
    }
