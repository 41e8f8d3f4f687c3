"""The left column: the deck and the quick pushes as tabs, below them what the participants see."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QTabWidget, QVBoxLayout, QWidget

from ui.models.deck import Deck
from ui.panels.deck import DeckPanel
from ui.panels.preview import PreviewPanel
from ui.panels.pushes import PushPanel
from ui.theme import Theme


class StudyPanel(QFrame):
    """Joins the panels of the study; they are its parts, and say themselves what was asked for."""

    def __init__(self, deck: Deck, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.deck = DeckPanel(deck, theme)
        self.pushes = PushPanel(theme)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.deck, "Study")
        # Its forms are high: they scroll rather than push the preview out of a small window.
        self._pushes_page = QScrollArea()
        self._pushes_page.setFrameShape(QFrame.Shape.NoFrame)
        self._pushes_page.setWidgetResizable(True)
        self._pushes_page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._pushes_page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._pushes_page.setWidget(self.pushes)
        self.tabs.addTab(self._pushes_page, "Quick push")
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.preview = PreviewPanel(theme)
        self.preview.setProperty("role", "")
        for part in (self.tabs, self.preview):
            self.splitter.addWidget(part)
        self.splitter.setChildrenCollapsible(True)
        self.splitter.setSizes([380, 270])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.splitter)

    def choose_push(self, row: int) -> None:
        """Show the form of a kind of quick push and put the cursor into it."""
        self.tabs.setCurrentWidget(self._pushes_page)
        self.pushes.choose(row)
