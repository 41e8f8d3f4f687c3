"""How tall a dialog is whose texts come and go."""

from PySide6.QtWidgets import QDialog


def fit_height(dialog: QDialog) -> None:
    """Let a dialog grow with what is told in it, and shrink again; its width stays."""
    layout = dialog.layout()
    if layout is not None:
        layout.activate()
        dialog.resize(dialog.width(), layout.totalHeightForWidth(dialog.width()))
