"""The presenter view: one key shows timeline and checks alone, in large type over the whole screen, and back again.

The panels are those of the window: what only the operator needs is hidden, the timeline is drawn larger in its place,
and the strips that tell of something keep their places in larger type. All keys work as ever; one that needs a panel
that is hidden leads back to it (`aside`). Nothing of it is remembered: a window that is closed in this view opens as it
was before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QMainWindow, QSplitter, QTabWidget, QWidget

from simulator.participant.messages import ConnectionState
from ui.actions import Deed
from ui.checks_feed import ChecksFeed
from ui.models.checks_model import CellKey, CellState, title_of
from ui.models.plain import line
from ui.models.speaking import problem_line, speaking_at
from ui.panels.checks import ChecksPanel
from ui.panels.connection import ConnectionPanel
from ui.panels.presenter import PresenterBar, PresenterChecks
from ui.panels.timeline import TimelinePanel
from ui.record_desk import RecordDesk
from ui.session_feed import SessionFeed
from ui.session_sound import SessionSound
from ui.settings import WindowLayout, layout_of
from ui.theme import Theme, ui_font

_SCREEN_PX: Final = (720, 420)
"""The screen on which nothing would be enlarged."""
_STEP: Final = 0.25
"""Enlarged by quarters lines stay sharp on most screens."""
_LEAST_SCALE: Final = 1.25
_STRIP_SHARE: Final = 0.85
"""Size of the type in the strips, beside that of the headline."""
_NO_LIMIT_PX: Final = 16_777_215
"""Qt's own QWIDGETSIZE_MAX."""
_SETTLES_MS: Final = 1_500
"""A window manager gives a window its former size within that time."""


class PresenterDesk(QObject):
    """Switches the view, and keeps what it says up to date. Owns `bar` and `checks`, hidden while it is off."""

    def __init__(
        self,
        window: QMainWindow,
        theme: Theme,
        feed: SessionFeed,
        checks_feed: ChecksFeed,
        player: SessionSound,
        *,
        record: RecordDesk,
        timeline: TimelinePanel,
        connection: ConnectionPanel,
        checks: ChecksPanel,
        tabs: QTabWidget,
        hidden: Sequence[QWidget],
        strips: Sequence[QLabel],
        splitters: dict[str, QSplitter],
    ) -> None:
        """`hidden` is seen by the operator only; `strips` are the texts that stay, and are enlarged."""
        super().__init__(window)
        self._window, self._feed, self._checks_feed, self._player = window, feed, checks_feed, player
        self._record, self._timeline, self._connection, self._tabs = record, timeline, connection, tabs
        self._hidden, self._strips, self._splitters = hidden, strips, splitters
        self.bar = PresenterBar(theme)
        self.checks = PresenterChecks(theme, checks_feed)
        self.bar.hide()
        self.checks.hide()
        self._before: _Before | None = None
        self._scale = 0.0
        self._failed: set[CellKey] = set()
        self._problem = self._failure = self._last = ""
        """The last problem of the record, the check that failed last, and which of both came last."""
        self._restoring: _Before | None = None
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(_SETTLES_MS)
        self._settled.timeout.connect(self._end_restoring)
        self.checks.record_requested.connect(checks.record_requested)
        window.installEventFilter(self)
        for signal in (feed.status_changed, feed.now_changed, feed.entries_added, record.live_shown):
            signal.connect(self._show)
        for signal in (player.moved, player.playing_changed, timeline.canvas.time_chosen):
            signal.connect(self._show)
        for action in (timeline.follow_action, timeline.freeze_action):
            action.toggled.connect(self._show)
        checks_feed.changed.connect(self._look_at_checks)

    def deeds(self) -> list[Deed]:
        """Return the switch for the menu."""
        return [Deed("Pr&esenter view", "F11", self.toggle)]

    @property
    def on(self) -> bool:
        """Whether the window is in this view."""
        return self._before is not None

    @property
    def layout(self) -> WindowLayout:
        """The sizes to be remembered: those of the usual window."""
        return layout_of(self._window, self._splitters) if self._before is None else self._before.layout

    def toggle(self) -> None:
        """Switch to the view, or back to the window exactly as it was."""
        if self.on:
            self.leave()
        else:
            self._enter()

    def leave(self) -> None:
        """Go back to the window as it was; nothing where the view is off."""
        before, self._before = self._before, None
        if before is None:
            return
        self.bar.hide()
        self.checks.hide()
        self._timeline.show_large(None)
        for label in self._strips:
            label.setFont(QFont())
        for widget in self._hidden:
            widget.show()
        self._window.menuBar().setMaximumHeight(_NO_LIMIT_PX)
        self._tabs.setCurrentIndex(before.tab)
        self._window.setWindowState(before.state)
        self._restoring = before
        self._restore_splitters()
        self._settled.start()
        if before.focus is not None and before.focus.isVisible():
            before.focus.setFocus()
        else:
            self._window.setFocus()

    def aside(self, do: Callable[..., None]) -> Callable[..., None]:
        """Return `do` for panels that the view hides: it leaves the view first."""

        def back_and_do(*arguments: object) -> None:
            self.leave()
            do(*arguments)

        return back_and_do

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the window."""
        if watched is self._window and event.type() is QEvent.Type.Resize:
            if self.on:
                self._take_scale()
            self._restore_splitters()
        return False

    def _enter(self) -> None:
        window = self._window
        self._end_restoring()
        state = window.windowState()
        layout = layout_of(window, self._splitters)
        self._before = _Before(layout, state, self._tabs.currentIndex(), window.focusWidget())
        for widget in self._hidden:
            widget.hide()
        # Without any height it is still there: the keys of its entries hold, and Alt opens its menus.
        window.menuBar().setMaximumHeight(0)
        self.bar.show()
        self.checks.show()
        self._scale = 0.0
        self._take_scale()
        self._failed.clear()
        self._problem = self._failure = self._last = ""
        self._look_at_checks()
        self._show()
        window.setWindowState(state | Qt.WindowState.WindowFullScreen)
        self._timeline.canvas.setFocus()

    def _take_scale(self) -> None:
        width, height = self._window.width(), self._window.height()
        exact = min(width / _SCREEN_PX[0], height / _SCREEN_PX[1])
        scale = max(_LEAST_SCALE, exact // _STEP * _STEP)
        if scale == self._scale:
            return
        self._scale = scale
        self._timeline.show_large(scale)
        self.bar.set_scale(scale)
        for label in self._strips:
            label.setFont(ui_font(scale * _STRIP_SHARE))

    def _restore_splitters(self) -> None:
        """Give the splitters their sizes: again with each size that the window has on its way back."""
        if self._restoring is not None:
            for name, splitter in self._splitters.items():
                splitter.restoreState(self._restoring.layout.splitters[name])

    def _end_restoring(self) -> None:
        self._restore_splitters()
        self._settled.stop()
        self._restoring = None

    def _show(self, *_: object) -> None:
        if not self.on:
            return
        view, status = self._record.shown, self._feed.status
        if view is not self._feed.view or self._player.playing:
            cursor_ns = self._timeline.canvas.cursor_ns or 0
            self.bar.show_saved(cursor_ns, playing=self._player.playing)
            self.bar.show_speaking(speaking_at(view, cursor_ns))
        else:
            self.bar.show_live(status, self._connection.engine, view.now_ns, self._timeline.note)
            connected = status.connection is ConnectionState.CONNECTED
            speaking = replace(speaking_at(view, view.now_ns), listening=status.listening) if connected else None
            self.bar.show_speaking(speaking, muted=status.muted)
        problem = problem_line(view)
        if problem != self._problem:
            self._problem = problem
            self._last = problem or self._failure
        self.bar.show_problem(self._last, self._record.shown.problems)

    def _look_at_checks(self) -> None:
        """Take what a check that failed since was failed for."""
        if not self.on:
            return
        cells = self._checks_feed.model.cells
        failed = {key for key, cell in cells.items() if cell.state is CellState.FAILED}
        for key in sorted(failed - self._failed, key=list(cells).index):
            reason = line(cells[key].reasons[0]) if cells[key].reasons else ""
            self._failure = self._last = f"{title_of(key)} failed  {reason}".rstrip()
        if not failed and self._failure:
            self._last = self._problem if self._last == self._failure else self._last
            self._failure = ""
        self._failed = failed
        self.bar.show_checks(self.checks.summary)
        self.bar.show_problem(self._last, self._record.shown.problems)


@dataclass(frozen=True, slots=True)
class _Before:
    """The window as it was."""

    layout: WindowLayout
    state: Qt.WindowState
    tab: int
    focus: QWidget | None
