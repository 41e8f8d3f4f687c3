"""The look of the window: one palette of meanings for light and dark, fonts, spacing, and the style sheet.

Colours carry meanings, never names of hues: a widget asks for `colours.participant`, not for blue. The hues come from
Okabe and Ito's set, which stays apart for colour-blind people; each state has a shape and a word as well, because a
colour alone is no message. Every colour in `TEXT_ROLES` has a contrast of at least 4.5:1 against every background in
`BACKGROUND_ROLES`; `*_fill` colours are for areas, at least 3:1 against the panel.

One `Theme` is built where the application is composed and passed to the widgets that paint by themselves. It follows
the system's light or dark setting while the program runs and emits `changed`; ordinary Qt widgets follow by the
application's palette and style sheet.

Style sheet roles, set by ``widget.setProperty("role", …)`` before the widget is shown:
    QPushButton   "primary" (the one action to take next), "danger" (stops something), "quiet" (no frame until hovered)
    QLabel        "heading" (small capitals above a group), "muted", "mono", "figure" (large number), "chip"
    QFrame        "panel" (raised surface), "bar" (strip along an edge)
"""

import enum
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPainter, QPalette, QPen
from PySide6.QtWidgets import QApplication

from simulator.resources import asset_path
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


class State(enum.StrEnum):
    """States that the whole window shows by the same shape, colour and word."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    RUNNING = "running"
    WAITING = "waiting"
    QUEUED = "queued"
    WARNING = "warning"
    ERROR = "error"

    @property
    def sign(self) -> str:
        """One character with the shape of the state, for text that cannot hold an icon."""
        return _SIGNS[self]


_SIGNS: Final = {
    State.PASSED: "✓",
    State.FAILED: "✕",
    State.INCONCLUSIVE: "?",
    State.RUNNING: "●",
    State.WAITING: "◐",
    State.QUEUED: "○",
    State.WARNING: "⚠",
    State.ERROR: "✕",
}


@dataclass(frozen=True, slots=True)
class Colours:
    """The palette of one scheme, by meaning, as ``#rrggbb``."""

    window: str
    """Behind everything."""
    panel: str
    """Surface of a panel."""
    raised: str
    """Buttons, headers, the selected tab."""
    sunken: str
    """Fields, lists and the timeline's lanes."""
    hover: str
    selection: str
    """Background of a selected row."""
    line: str
    """Between surfaces."""
    line_strong: str
    """Frames of fields and buttons: 3:1 is not needed where the surface differs too."""

    text: str
    text_muted: str
    accent: str
    """Focus, links, the selected tab's mark."""
    primary_fill: str
    primary_text: str

    participant: str
    participant_fill: str
    heard_speech: str
    """What the engine says it heard."""
    heard_speech_fill: str
    agent: str
    agent_fill: str
    never_heard: str
    """Agent audio that was received and never reached the loudspeaker: outline only."""
    response: str
    response_fill: str
    study: str
    listening_off: str
    """Ink of the hatched band and its text."""
    listening_on: str
    recording: str

    passed: str
    failed: str
    inconclusive: str
    running: str
    queued: str
    warning: str
    error: str

    def of_state(self, state: State) -> str:
        """Return the colour of a state."""
        if state is State.WAITING:
            return self.running
        return str(getattr(self, state.value))


TEXT_ROLES: Final = (
    "text",
    "text_muted",
    "accent",
    "participant",
    "heard_speech",
    "agent",
    "never_heard",
    "response",
    "study",
    "listening_off",
    "listening_on",
    "recording",
    "passed",
    "failed",
    "inconclusive",
    "running",
    "queued",
    "warning",
    "error",
)
BACKGROUND_ROLES: Final = ("window", "panel", "raised", "sunken", "hover", "selection")

LIGHT: Final = Colours(
    window="#eceff3",
    panel="#ffffff",
    raised="#f3f5f8",
    sunken="#f8f9fb",
    hover="#e6eaf0",
    selection="#d9e8f6",
    line="#d5dae1",
    line_strong="#b4bcc7",
    text="#171c22",
    text_muted="#4c5663",
    accent="#005a8f",
    primary_fill="#00619a",
    primary_text="#ffffff",
    participant="#005a8f",
    participant_fill="#1580bf",
    heard_speech="#006069",
    heard_speech_fill="#2a99a3",
    agent="#7d4a00",
    agent_fill="#c47a00",
    never_heard="#75501f",
    response="#4c5663",
    response_fill="#79838f",
    study="#8a2f68",
    listening_off="#5a5160",
    listening_on="#00644a",
    recording="#a83200",
    passed="#00644a",
    failed="#a83200",
    inconclusive="#6a5600",
    running="#005a8f",
    queued="#4c5663",
    warning="#6a5600",
    error="#a83200",
)

DARK: Final = Colours(
    window="#101317",
    panel="#181c21",
    raised="#22272e",
    sunken="#13161a",
    hover="#2a3038",
    selection="#1f3a52",
    line="#2b313a",
    line_strong="#47505c",
    text="#e7eaee",
    text_muted="#a7b0bc",
    accent="#6cc0f0",
    primary_fill="#1d76b0",
    primary_text="#ffffff",
    participant="#6cc0f0",
    participant_fill="#56b4e9",
    heard_speech="#5fd0cb",
    heard_speech_fill="#35a9a5",
    agent="#f2b340",
    agent_fill="#e69f00",
    never_heard="#d6b077",
    response="#b3bcc8",
    response_fill="#717c8a",
    study="#e39bc4",
    listening_off="#b9aec2",
    listening_on="#3fcf9f",
    recording="#ff8a5c",
    passed="#3fcf9f",
    failed="#ff8a5c",
    inconclusive="#e8dc5a",
    running="#6cc0f0",
    queued="#a7b0bc",
    warning="#e8dc5a",
    error="#ff8a5c",
)


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast ratio of two ``#rrggbb`` colours, 1 to 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2, 0 to 1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


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
