"""Text put into an editor by the program, which Undo takes back."""

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit


def put_text(editor: QPlainTextEdit, text: str) -> None:
    """Put a text in the place of what was typed, which Undo (Ctrl+Z) brings back."""
    cursor = QTextCursor(editor.document())
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.insertText(text)
    editor.moveCursor(QTextCursor.MoveOperation.Start)
