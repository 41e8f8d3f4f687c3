"""The pickers of the top bar: engine, voice, loudspeaker. The lists have entries that ask for something else."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStyle, QStyleOptionComboBox, QStylePainter

from simulator.participant.messages import VoiceKind
from ui.models.conformance import Conformance
from ui.models.devices import SILENT, Output
from ui.models.voices import Voice, grouped
from ui.theme import Theme
from ui.widgets.engine_delegate import STATUS_ROLE, EngineDelegate

_ADDRESS = "address"
_EDIT = "edit"
_FILE = "file"
_FOLDER = "folder"
_ADD = "add"
_BESIDE_NAMES_PX = 44
"""Margins and scroll bar of a list."""
_BESIDE_TEXT_PX = 24
"""Padding and arrow of a closed picker."""


class Picker(QComboBox):
    """A narrow picker whose list is as wide as its names."""

    def __init__(self, name: str, width_px: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMinimumWidth(width_px)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._instead = ""

    def show_instead(self, text: str) -> None:
        """Show another text than the choice, which stays what it is; an empty one shows the choice again."""
        self._instead = text
        self.setAccessibleDescription(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the choice, or what is shown instead of it."""
        if not self._instead:
            super().paintEvent(event)
            return
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        # The style sheet has the drawing cut a text too long without a sign that it did.
        room_px = option.rect.width() - _BESIDE_TEXT_PX
        option.currentText = self.fontMetrics().elidedText(self._instead, Qt.TextElideMode.ElideRight, room_px)
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def widen_list(self) -> None:
        """Let the list be as wide as its names are now."""
        # Not the view's own hint: that knows only the rows that it has shown.
        metrics = self.view().fontMetrics()
        names = [metrics.horizontalAdvance(self.itemText(row)) for row in range(self.count())]
        hint = self.view().sizeHintForColumn(0)
        self.view().setMinimumWidth(max([hint, *names]) + _BESIDE_NAMES_PX)


class EnginePicker(Picker):
    """Offers engines and addresses."""

    engine_chosen = Signal(str)
    address_requested = Signal()
    edit_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__("Engine", 120)
        self.engine = ""
        """Name or address of the engine chosen."""
        self.setItemDelegate(EngineDelegate(theme, self))
        self.activated.connect(self._activated)

    def offer(self, names: Sequence[str], chosen: str) -> None:
        """Offer these engines and addresses; the chosen one is added where it is not among them."""
        self.blockSignals(True)
        self.clear()
        for name in names:
            self.addItem(name, name)
        if chosen and chosen not in names:
            self.addItem(chosen, chosen)
        self.insertSeparator(self.count())
        self.addItem("An address…", (_ADDRESS,))
        self.addItem("Edit engines…", (_EDIT,))
        self.engine = chosen or (names[0] if names else "")
        self._show_chosen()
        self.blockSignals(False)

    def show_conformance(self, conformance: Conformance) -> None:
        """Mark the engines by what the stored reports say about them."""
        for row in range(self.count()):
            engine = self.itemData(row)
            if isinstance(engine, str):
                self.setItemData(row, conformance.status(engine), STATUS_ROLE)
        self.widen_list()

    def _activated(self) -> None:
        data = self.currentData()
        if isinstance(data, str):
            self.engine = data
            self.engine_chosen.emit(data)
            return
        self._show_chosen()
        (self.address_requested if data[0] == _ADDRESS else self.edit_requested).emit()

    def _show_chosen(self) -> None:
        self.setCurrentIndex(max(0, self.findData(self.engine)))


class VoicePicker(Picker):
    """Offers microphones, recordings and silence."""

    voice_chosen = Signal(Voice)
    file_requested = Signal()
    folder_requested = Signal()
    recording_requested = Signal()

    def __init__(self) -> None:
        super().__init__("Voice", 160)
        # Without this property the list of some fifty recordings would cover the screen.
        self.setStyleSheet("QComboBox { combobox-popup: 0; }")
        self.setMaxVisibleItems(20)
        self.view().setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.activated.connect(self._activated)

    @property
    def voice(self) -> Voice:
        """The voice chosen."""
        data = self.currentData()
        return data if isinstance(data, Voice) else Voice(VoiceKind.SILENCE)

    def offer(self, voices: list[Voice], chosen: Voice) -> None:
        """Offer these voices; the chosen one is added where it is not among them."""
        self.blockSignals(True)
        self.clear()
        known = voices if chosen in voices else [*voices, chosen]
        unrecorded, own, others = grouped(known)
        self._add(unrecorded)
        self.insertSeparator(self.count())
        self.addItem("Recording from a file…", (_FILE,))
        self.addItem("Folder of recordings…", (_FOLDER,))
        self.addItem("Add recording…", (_ADD,))
        for group in (own, others):
            if group:
                self.insertSeparator(self.count())
                self._add(group)
        self.show_voice(chosen)
        self.widen_list()
        self.blockSignals(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the list on an arrow: a step through the closed one would stumble into what asks for a file."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.showPopup()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change nothing by the wheel, for the same reason."""
        event.ignore()

    def _add(self, voices: list[Voice]) -> None:
        for voice in voices:
            self.addItem(voice.label, voice)
            self.setItemData(self.count() - 1, voice.told, Qt.ItemDataRole.ToolTipRole)

    def show_voice(self, voice: Voice) -> None:
        """Show a voice that is offered."""
        places = (place for place in range(self.count()) if self.itemData(place) == voice)
        self.setCurrentIndex(next(places, 0))

    def _activated(self) -> None:
        data = self.currentData()
        if isinstance(data, Voice):
            self.voice_chosen.emit(data)
            return
        asked = {_ADD: self.recording_requested, _FILE: self.file_requested, _FOLDER: self.folder_requested}
        asked[data[0]].emit()


class OutputPicker(Picker):
    """Offers output devices: `Output`s, of which the default and the silent clock are always there."""

    output_chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__("Loudspeaker", 124)
        self.activated.connect(lambda: self.output_chosen.emit(self.currentData()))

    def offer(self, outputs: Sequence[Output], chosen: Output) -> None:
        """Offer these devices; the chosen one is added where it is not among them."""
        self.blockSignals(True)
        self.clear()
        self.addItem("System default", Output())
        silent = Output(SILENT)
        for output in dict.fromkeys([*outputs, *([chosen] if chosen not in (Output(), silent) else [])]):
            alone = sum(output.name == each.name for each in outputs) + (output not in outputs) == 1
            self.addItem(output.name or "" if alone else f"{output.name} ({output.host_api})", output)
            self.setItemData(self.count() - 1, f"{output.name} ({output.host_api})", Qt.ItemDataRole.ToolTipRole)
        self.insertSeparator(self.count())
        self.addItem("Silent (no sound)", silent)
        self.setCurrentIndex(next(place for place in range(self.count()) if self.itemData(place) == chosen))
        self.widen_list()
        self.blockSignals(False)
