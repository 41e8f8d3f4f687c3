"""The look of the window: the palette in force (`colours`), fonts, spacing, and the style sheet.

One `Theme` is built where the application is composed and passed to the widgets that paint by themselves. It follows
the system's light or dark setting while the program runs and emits `changed`; ordinary Qt widgets follow by the
application's palette and style sheet.

Style sheet roles, set by ``widget.setProperty("role", …)`` before the widget is shown:
    QPushButton   "primary" (the one action to take next), "danger" (stops something), "quiet" (no frame until hovered)
    QLabel        "heading" (small capitals above a group), "muted", "mono", "figure" (large number), "chip"
    QFrame        "panel" (raised surface), "bar" (strip along an edge)
"""

import enum
from typing import Final

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPainter, QPalette, QPen
from PySide6.QtWidgets import QApplication

from simulator.resources import asset_path
from ui.colours import DARK, LIGHT, Colours, State
from ui.style_sheet import style_sheet

SPACE_PX: Final = 4
"""All distances are multiples of this."""
ROW_HEIGHT_PX: Final = 24
"""Height of a row in tables and lists."""
RADIUS_PX: Final = 4


class Scheme(enum.StrEnum):
    """Light or dark."""

    LIGHT = "light"
    DARK = "dark"


class Theme(QObject):
    """Owns the scheme in force, and dresses the application. GUI thread only."""

    changed = Signal()
    """The scheme changed: `colours` and the icons are others; repaint."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._chosen: Scheme | None = None
        self._chevron = asset_path("chevron.svg").as_posix()
        self._ticks = {
            Scheme.LIGHT: asset_path("check.svg").as_posix(),
            Scheme.DARK: asset_path("check_dark.svg").as_posix(),
        }
        application.setStyle("Fusion")
        application.setFont(ui_font())
        self._scheme = self._system_scheme()
        self._dress()
        application.styleHints().colorSchemeChanged.connect(self._follow)

    @property
    def scheme(self) -> Scheme:
        """The scheme in force."""
        return self._scheme

    @property
    def chosen(self) -> Scheme | None:
        """The scheme that the user chose, or None while following the system."""
        return self._chosen

    @property
    def colours(self) -> Colours:
        """The palette in force."""
        return LIGHT if self._scheme is Scheme.LIGHT else DARK

    def choose(self, scheme: Scheme | None) -> None:
        """Use `scheme`, or follow the system with None."""
        self._chosen = scheme
        self._follow()

    def colour(self, role: str, alpha: float = 1.0) -> QColor:
        """Return the colour of a role of `Colours`, with `alpha` from 0 to 1."""
        colour = QColor(getattr(self.colours, role))
        colour.setAlphaF(alpha)
        return colour

    def _system_scheme(self) -> Scheme:
        system = QGuiApplication.styleHints().colorScheme()
        return Scheme.DARK if system is Qt.ColorScheme.Dark else Scheme.LIGHT

    def _follow(self) -> None:
        scheme = self._chosen or self._system_scheme()
        if scheme is not self._scheme:
            self._scheme = scheme
            self._dress()
            self.changed.emit()

    def _dress(self) -> None:
        self._application.setPalette(qt_palette(self.colours))
        sheet = style_sheet(self.colours, mono_font().family(), self._chevron, self._ticks[self._scheme])
        self._application.setStyleSheet(sheet)


def qt_palette(colours: Colours) -> QPalette:
    """Return the palette that Fusion draws ordinary widgets with."""
    palette = QPalette()
    roles = {
        QPalette.ColorRole.Window: colours.window,
        QPalette.ColorRole.WindowText: colours.text,
        QPalette.ColorRole.Base: colours.sunken,
        QPalette.ColorRole.AlternateBase: colours.panel,
        QPalette.ColorRole.Text: colours.text,
        QPalette.ColorRole.Button: colours.raised,
        QPalette.ColorRole.ButtonText: colours.text,
        QPalette.ColorRole.BrightText: colours.error,
        QPalette.ColorRole.Highlight: colours.selection,
        QPalette.ColorRole.HighlightedText: colours.text,
        QPalette.ColorRole.Link: colours.accent,
        QPalette.ColorRole.LinkVisited: colours.accent,
        QPalette.ColorRole.ToolTipBase: colours.raised,
        QPalette.ColorRole.ToolTipText: colours.text,
        QPalette.ColorRole.PlaceholderText: colours.text_muted,
        QPalette.ColorRole.Accent: colours.accent,
        QPalette.ColorRole.Light: colours.raised,
        QPalette.ColorRole.Midlight: colours.line,
        QPalette.ColorRole.Mid: colours.line_strong,
        QPalette.ColorRole.Dark: colours.line_strong,
        QPalette.ColorRole.Shadow: colours.window,
    }
    for role, colour in roles.items():
        palette.setColor(role, QColor(colour))
    # A disabled control says that it cannot be used now; it may be faint, and its tool tip says why.
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        faint = QColor(colours.text_muted)
        faint.setAlphaF(0.6)
        palette.setColor(QPalette.ColorGroup.Disabled, role, faint)
    return palette


def ui_font(scale: float = 1.0) -> QFont:
    """Return the system's interface font, at least 10 points, with digits of equal width."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPointSizeF(max(font.pointSizeF(), 10.0) * scale)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def mono_font(scale: float = 1.0) -> QFont:
    """Return the system's fixed-width font in the size of `ui_font`, for times, ids and JSON."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(ui_font().pointSizeF() * 0.95 * scale)
    font.setStyleHint(QFont.StyleHint.Monospace)
    return font


def paint_state(painter: QPainter, rect: QRectF, state: State, colours: Colours) -> None:
    """Draw the shape of a state into `rect`: each state differs in shape, whatever fonts the computer has."""
    side = min(rect.width(), rect.height())
    box = QRectF(0, 0, side, side)
    box.moveCenter(rect.center())
    inner = box.adjusted(side * 0.08, side * 0.08, -side * 0.08, -side * 0.08)
    ink = QColor(colours.of_state(state))
    paper = QColor(colours.panel)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    stroke = QPen(paper, side * 0.12, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    outline = QPen(ink, side * 0.11)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)

    def at(x: float, y: float) -> QPointF:
        return QPointF(box.left() + x * side, box.top() + y * side)

    match state:
        case State.PASSED:
            painter.drawEllipse(inner)
            painter.setPen(stroke)
            painter.drawPolyline([at(0.29, 0.52), at(0.44, 0.67), at(0.71, 0.35)])
        case State.FAILED | State.ERROR:
            painter.drawRoundedRect(inner, side * 0.14, side * 0.14)
            painter.setPen(stroke)
            painter.drawLine(at(0.32, 0.32), at(0.68, 0.68))
            painter.drawLine(at(0.68, 0.32), at(0.32, 0.68))
        case State.INCONCLUSIVE:
            painter.drawPolygon([at(0.5, 0.02), at(0.98, 0.5), at(0.5, 0.98), at(0.02, 0.5)])
            font = QFont(painter.font())
            font.setPixelSize(max(6, round(side * 0.62)))
            font.setBold(True)
            painter.setFont(font)
            painter.setPen(paper)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "?")
        case State.WARNING:
            painter.setPen(QPen(ink, side * 0.1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, stroke.joinStyle()))
            painter.drawPolygon([at(0.5, 0.12), at(0.93, 0.88), at(0.07, 0.88)])
            painter.setPen(stroke)
            painter.drawLine(at(0.5, 0.4), at(0.5, 0.6))
            painter.drawPoint(at(0.5, 0.77))
        case State.RUNNING:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(outline)
            painter.drawEllipse(inner)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            painter.drawPolygon([at(0.4, 0.3), at(0.72, 0.5), at(0.4, 0.7)])
        case State.WAITING:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(outline)
            painter.drawEllipse(inner)
            painter.drawPolyline([at(0.5, 0.28), at(0.5, 0.52), at(0.66, 0.62)])
        case State.QUEUED:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(ink, side * 0.09, Qt.PenStyle.DotLine, Qt.PenCapStyle.RoundCap))
            painter.drawEllipse(inner)
    painter.restore()
