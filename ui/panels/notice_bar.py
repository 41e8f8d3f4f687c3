"""The bar above the timeline for what the user should read: one notice at a time, and how many there are."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from ui.models.notices import Notice, Notices
from ui.panels.notices import SentenceStrip
from ui.theme import Theme


class NoticeBar(SentenceStrip):
    """Shows the most urgent notice until it is dismissed; then the next one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._notices = Notices()
        self.count = QLabel()
        self.count.setProperty("role", "muted")
        self.deed_button = QPushButton()
        self.deed_button.setAccessibleName("What can be done about the notice")
        self.deed_button.clicked.connect(self._do)
        self.other_button = QPushButton()
        self.other_button.setAccessibleName("What else can be done about the notice")
        self.other_button.clicked.connect(self._do_other)
        row = self.layout()
        assert isinstance(row, QHBoxLayout)
        for place, widget in enumerate((self.count, self.deed_button, self.other_button), start=1):
            row.insertWidget(place, widget)
        self._show()

    @property
    def shown(self) -> list[Notice]:
        """What is to be read, the one in sight first."""
        return self._notices.shown

    def tell(self, notice: Notice | str) -> None:
        """Show a notice; a bare sentence is what went wrong in the live session."""
        self._notices.tell(Notice(notice) if isinstance(notice, str) else notice)
        self._show()

    def end(self, notice: Notice) -> None:
        """Take a notice away: what it says does not hold any more."""
        self._notices.end(notice)
        self._show()

    def show_lacks(self, lacks: Sequence[str], *, hints: bool = False) -> None:
        """Show what the computer lacks, until dismissed or until it lacks something else; as `hints` while no session
        suffers from it."""
        if self._notices.show_lacks(lacks, hints=hints):
            self._show()

    def put_on_screen(self, record: str) -> None:
        """Another record is on screen, named by its path, or the live session."""
        self._notices.put_on_screen(record)
        self._show()

    def begin_session(self) -> None:
        """A new session is asked for."""
        self._notices.begin_session()
        self._show()

    def dismiss(self) -> None:
        """Hide what is shown; the next one follows."""
        self._notices.dismiss()
        self._show()

    def _do(self) -> None:
        notice = next(iter(self.shown), None)
        if notice is not None and notice.do is not None:
            notice.do()
            self.end(notice)

    def _do_other(self) -> None:
        notice = next(iter(self.shown), None)
        if notice is not None and notice.do_other is not None:
            notice.do_other()
            self.end(notice)

    def _show(self) -> None:
        shown, colours = self._notices.shown, self._theme.colours
        if not shown:
            self._show_lines("", colours.text)
            return
        first = shown[0]
        sign, colour = ("", colours.text_muted) if first.quiet else ("✕  ", colours.error)
        if first.warning and not first.quiet:
            sign, colour = "⚠  ", colours.warning
        self._show_lines(f"{sign}{first.sentence}", colour)
        self.count.setText(f"1 of {len(shown)}")
        self.count.setVisible(len(shown) > 1)
        self.deed_button.setText(first.deed)
        self.deed_button.setVisible(bool(first.deed))
        self.other_button.setText(first.other)
        self.other_button.setVisible(bool(first.other))
