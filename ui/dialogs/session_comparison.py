"""Two sessions beside each other, in a window of their own that stays open beside the main one."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QTextCursor, QTextDocument
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QLabel, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from simulator.cli.session_table import comparison_text
from simulator.record.atomic import write_whole
from simulator.record.session_comparison import Comparison
from ui.colours import LIGHT
from ui.dialogs.comparison_page import sections, write_page
from ui.models.plain import line
from ui.theme import SPACE_PX, Theme
from ui.widgets.copied import say_copied

_TEXT_COLUMNS = 120
_FORMS = ("Page (*.html)", "Text (*.txt)")


class SessionComparisonDialog(QDialog):
    """A page to scroll through, with a button to each of its sections. Show it with `show()`."""

    def __init__(self, comparison: Comparison, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._comparison, self._theme = comparison, theme
        self.setWindowTitle(f"{line(comparison.first.name, 60)}  beside  {line(comparison.second.name, 60)}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(1180, 740)
        self.page = QTextBrowser()
        self.page.setAccessibleName("Comparison")
        self.page.setOpenLinks(False)
        self.page.document().setDocumentMargin(4 * SPACE_PX)
        top = QHBoxLayout()
        top.setSpacing(2 * SPACE_PX)
        self.section_buttons: list[QPushButton] = []
        for number, section in enumerate(sections(comparison), start=1):
            verdict = f": {section.verdict}" if section.verdict else ""
            button = self._button(f"{section.name}{verdict}", partial(self._show_section, section.anchor))
            button.setToolTip(f"Alt+{number}")
            self._add_key(f"Alt+{number}", button)
            self.section_buttons.append(button)
            top.addWidget(button)
        top.addStretch(1)
        self.copy_button = self._button("Copy as text", self.copy)
        self.copy_button.setToolTip("The whole comparison; Ctrl+C copies what is selected")
        self.save_button = self._button("Save…", self._ask_file)
        self.save_button.setToolTip("As a page or a text (Ctrl+S)")
        self._add_key("Ctrl+S", self.save_button)
        for button in (self.copy_button, self.save_button, self._button("Close", self.reject)):
            top.addWidget(button)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(3 * SPACE_PX, 3 * SPACE_PX, 3 * SPACE_PX, 3 * SPACE_PX)
        rows.setSpacing(2 * SPACE_PX)
        rows.addLayout(top)
        rows.addWidget(self.page, 1)
        self.told = QLabel()
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.told.setWordWrap(True)
        self.told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.told.hide()
        rows.addWidget(self.told)
        theme.changed.connect(self._write)
        self._write()
        self.page.setFocus()

    @property
    def text(self) -> str:
        """The comparison as text, as the command prints it."""
        return "\n".join(comparison_text(self._comparison, _TEXT_COLUMNS)) + "\n"

    def copy(self) -> None:
        """Put the comparison on the clipboard as text."""
        QGuiApplication.clipboard().setText(self.text)
        say_copied(self.copy_button)

    def save(self, path: Path) -> None:
        """Write the comparison: a page where the name ends so, else a text; what came of it is told below."""
        if path.suffix.lower() in (".html", ".htm"):
            document = QTextDocument()
            write_page(document, self._comparison, LIGHT)
            content = document.toHtml()
        else:
            content = self.text
        try:
            write_whole(path, content.encode(errors="replace"))
        except OSError as error:
            self._tell(f"✕  {path} cannot be written: {error.strerror or error}.", self._theme.colours.error)
        else:
            self._tell(f"✓  Written to {path}", self._theme.colours.text_muted)

    def _tell(self, sentence: str, colour: str) -> None:
        self.told.setText(sentence)
        self.told.setStyleSheet(f"color: {colour};")
        self.told.show()

    def _write(self) -> None:
        place = self.page.verticalScrollBar().value()
        self.page.clear()
        write_page(self.page.document(), self._comparison, self._theme.colours)
        self.page.moveCursor(QTextCursor.MoveOperation.Start)
        self.page.verticalScrollBar().setValue(place)

    def _show_section(self, anchor: str) -> None:
        self.page.scrollToAnchor(anchor)
        self.page.setFocus()

    def _ask_file(self) -> None:
        name = f"{self._comparison.first.name} beside {self._comparison.second.name}.html"
        dialog = QFileDialog(self, "Save the comparison", str(Path.home() / name.replace("/", " ")))
        dialog.setNameFilters(_FORMS)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda chosen: self.save(Path(chosen)))
        dialog.open()

    def _button(self, text: str, do: Callable[[], None]) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: do())
        return button

    def _add_key(self, key: str, button: QPushButton) -> None:
        action = QAction(self)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(button.click)
        self.addAction(action)
