"""The style sheet of the window: flat surfaces, thin lines, one accent. Roles are explained in ui/theme.py."""

from ui.colours import Colours


def style_sheet(c: Colours, mono_family: str, chevron: str, tick: str) -> str:
    """Return the application's style sheet for a palette; `chevron` and `tick` are the paths of the arrow of a
    drop-down list and of the sign in a ticked box.

    There are deliberately no `::item` rules for tables and lists: Qt then asks the style sheet for every cell, which
    costs more than the rest of a log's frame.
    """
    return f"""
QWidget {{ color: {c.text}; }}
QMainWindow, QDialog {{ background: {c.window}; }}
QToolTip {{ background: {c.raised}; color: {c.text}; border: 1px solid {c.line_strong}; padding: 4px 6px; }}

QFrame[role="panel"] {{ background: {c.panel}; border: 1px solid {c.line}; border-radius: 4px; }}
QFrame[role="bar"] {{ background: {c.panel}; border: none; border-bottom: 1px solid {c.line}; }}
QFrame[role="form"] {{ background: {c.panel}; border: none; }}
QFrame[role="sheet"] {{ background: {c.window}; border: none; }}
QLabel {{ background: transparent; }}
QLabel[role="heading"] {{ color: {c.text_muted}; font-weight: 600; letter-spacing: 1px; }}
QLabel[role="muted"] {{ color: {c.text_muted}; }}
QLabel[role="mono"] {{ font-family: "{mono_family}"; }}
QLabel[role="figure"] {{ font-size: 18pt; font-weight: 600; }}
QLabel[role="chip"] {{ background: {c.raised}; border: 1px solid {c.line}; border-radius: 9px; padding: 1px 8px; }}

QPushButton, QToolButton {{
    background: {c.raised}; border: 1px solid {c.line_strong}; border-radius: 4px;
    padding: 4px 10px; min-height: 18px; }}
QToolButton {{ padding: 3px 6px; }}
QPushButton:hover, QToolButton:hover {{ background: {c.hover}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {c.line}; }}
QPushButton:checked, QToolButton:checked {{ background: {c.selection}; border-color: {c.accent}; }}
QPushButton:focus, QToolButton:focus {{ border: 1px solid {c.accent}; }}
QPushButton:disabled, QToolButton:disabled {{
    color: {c.text_muted}; background: transparent; border: 1px solid {c.line}; }}
QPushButton[role="primary"] {{ background: {c.primary_fill}; color: {c.primary_text}; border-color: {c.primary_fill};
    font-weight: 600; }}
QPushButton[role="primary"]:hover {{ border-color: {c.text}; }}
QPushButton[role="primary"]:focus {{ border-color: {c.text}; }}
QPushButton[role="primary"]:disabled {{ background: transparent; color: {c.text_muted}; border-color: {c.line}; }}
QPushButton[role="danger"] {{ color: {c.error}; border-color: {c.error}; }}
QPushButton[role="danger"]:disabled {{ color: {c.text_muted}; border-color: {c.line}; }}
QPushButton[role="quiet"], QToolButton[role="quiet"] {{ background: transparent; border-color: transparent; }}
QPushButton[role="quiet"]:hover, QToolButton[role="quiet"]:hover {{ background: {c.hover}; }}
QPushButton[role="quiet"]:checked, QToolButton[role="quiet"]:checked {{
    background: {c.selection}; border-color: {c.accent}; }}
QPushButton[role="quiet"]:focus, QToolButton[role="quiet"]:focus {{ border-color: {c.accent}; }}
QPushButton[role="menu"] {{ padding-right: 22px; }}
QPushButton::menu-indicator {{ subcontrol-position: right center; right: 6px; }}

QLineEdit, QPlainTextEdit, QTextEdit {{
    background: {c.sunken}; border: 1px solid {c.line_strong}; border-radius: 4px; padding: 3px 6px;
    selection-background-color: {c.selection}; selection-color: {c.text};
    placeholder-text-color: {c.text_muted}; }}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus {{ border-color: {c.accent}; }}
QLineEdit:disabled, QPlainTextEdit:disabled {{ background: transparent; border-color: {c.line};
    color: {c.text_muted}; }}

QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}

QComboBox {{ background: {c.raised}; border: 1px solid {c.line_strong}; border-radius: 4px;
    padding: 3px 0 3px 6px; min-height: 18px; }}
QComboBox:hover {{ background: {c.hover}; }}
QComboBox:focus, QComboBox:on {{ border-color: {c.accent}; }}
QComboBox:disabled {{ color: {c.text_muted}; background: transparent; border-color: {c.line}; }}
QComboBox:editable {{ background: {c.sunken}; }}
QComboBox::drop-down {{ border: none; width: 18px; }}
QComboBox::down-arrow {{ image: url("{chevron}"); width: 12px; height: 12px; margin-right: 4px; }}
QComboBox QLineEdit {{ border: none; padding: 0; background: transparent; }}

QCheckBox, QRadioButton {{ spacing: 6px; }}
QCheckBox::indicator {{ width: 12px; height: 12px; border: 2px solid {c.line_strong}; border-radius: 3px;
    background: {c.sunken}; }}
QCheckBox::indicator:checked {{ background: {c.accent}; border-color: {c.accent}; image: url("{tick}"); }}
QCheckBox::indicator:focus, QCheckBox::indicator:checked:focus {{ border-color: {c.text}; }}
QRadioButton::indicator {{ width: 12px; height: 12px; border: 2px solid {c.line_strong}; border-radius: 8px;
    background: {c.sunken}; }}
QRadioButton::indicator:checked {{ width: 6px; height: 6px; border: 5px solid {c.accent}; background: {c.panel}; }}
QRadioButton::indicator:focus {{ border-color: {c.text}; }}
QRadioButton::indicator:disabled {{ background: transparent; border-color: {c.line}; }}
QCheckBox::indicator:disabled {{ background: transparent; border-color: {c.line}; }}
QCheckBox::indicator:checked:disabled {{ background: {c.text_muted}; }}
QMenu::indicator {{ width: 12px; height: 12px; left: 4px; border: 1px solid {c.line_strong}; border-radius: 3px; }}
QMenu::indicator:checked {{ background: {c.accent}; border-color: {c.accent}; image: url("{tick}"); }}

QTableView[role="ticks"]::indicator {{ width: 12px; height: 12px; border: 2px solid {c.line_strong};
    border-radius: 3px; background: {c.sunken}; }}
QTableView[role="ticks"]::indicator:checked {{ background: {c.accent}; border-color: {c.accent};
    image: url("{tick}"); }}

QTabWidget::pane {{ border: none; border-top: 1px solid {c.line}; }}
QTabBar {{ background: transparent; }}
QTabBar::tab {{ background: transparent; color: {c.text_muted}; border: none; border-bottom: 2px solid transparent;
    padding: 5px 12px; }}
QTabBar::tab:hover {{ color: {c.text}; background: {c.hover}; }}
QTabBar::tab:selected {{ color: {c.text}; border-bottom: 2px solid {c.accent}; }}

QAbstractItemView {{ background: {c.sunken}; border: none; outline: none; gridline-color: {c.line};
    selection-background-color: {c.selection}; selection-color: {c.text}; }}
QComboBox QAbstractItemView {{ background: {c.panel}; border: none; border-left: 1px solid {c.line_strong};
    border-right: 1px solid {c.line_strong}; }}
QComboBoxPrivateContainer {{ background: {c.panel}; border: 1px solid {c.line_strong}; }}
QComboBoxPrivateScroller {{ background: {c.panel}; }}
QHeaderView {{ background: {c.panel}; }}
QHeaderView::section {{ background: {c.panel}; color: {c.text_muted}; border: none;
    border-bottom: 1px solid {c.line}; padding: 4px 6px; }}

QScrollBar:vertical {{ background: transparent; width: 11px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 11px; margin: 0; }}
QScrollBar::handle {{ background: {c.line_strong}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 28px; }}
QScrollBar::handle:horizontal {{ min-width: 28px; }}
QScrollBar::handle:hover {{ background: {c.text_muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}

QSplitter::handle {{ background: {c.line}; }}
QSplitter::handle:hover {{ background: {c.accent}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:vertical {{ height: 1px; }}
QStatusBar {{ background: {c.panel}; border-top: 1px solid {c.line}; color: {c.text_muted}; }}
QStatusBar::item {{ border: none; }}
QMenuBar {{ background: {c.panel}; border-bottom: 1px solid {c.line}; }}
QMenuBar::item {{ padding: 4px 9px; background: transparent; }}
QMenuBar::item:selected {{ background: {c.hover}; }}
QMenu {{ background: {c.panel}; border: 1px solid {c.line_strong}; padding: 4px 0; }}
QMenu::item {{ padding: 4px 24px 4px 24px; }}
QMenu::item:selected {{ background: {c.selection}; }}
QMenu::item:disabled {{ color: {c.text_muted}; }}
QMenu::separator {{ height: 1px; background: {c.line}; margin: 4px 0; }}
QProgressBar {{ background: {c.sunken}; border: 1px solid {c.line}; border-radius: 4px; text-align: center; }}
QProgressBar::chunk {{ background: {c.participant_fill}; border-radius: 3px; }}
"""
