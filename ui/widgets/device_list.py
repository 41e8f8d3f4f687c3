"""A list of microphones or loudspeakers: what each is, which is the system's default, and which is chosen."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from ui.models.devices import Device, Direction
from ui.theme import ROW_HEIGHT_PX

_HEADERS = ("Name", "Interface", "Rate", "Channels")
_WIDTHS_PX = (0, 96, 78, 74)


class DeviceList(QTableWidget):
    """The system's default on top, then every device of one direction."""

    pointed = Signal()
    """Another device is selected."""
    taken = Signal()
    """The selected device was double-clicked, or Enter was pressed."""

    def __init__(self, name: str, direction: Direction) -> None:
        super().__init__(0, len(_HEADERS))
        self._direction = direction
        self._devices: list[Device | None] = []
        self.setAccessibleName(name)
        self.setHorizontalHeaderLabels(_HEADERS)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_PX)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width_px in enumerate(_WIDTHS_PX):
            if width_px:
                self.setColumnWidth(column, width_px)
        self.itemSelectionChanged.connect(self.pointed)
        self.activated.connect(lambda _index: self.taken.emit())

    @property
    def device(self) -> Device | None:
        """The device that is selected; None is the system's default."""
        row = self.currentRow()
        return self._devices[row] if 0 <= row < len(self._devices) else None

    @property
    def default(self) -> Device | None:
        """What the system's default is at present."""
        return next((each for each in self._devices if each is not None and each.is_default(self._direction)), None)

    def show_devices(self, devices: Sequence[Device], name: str | None, host_api: str | None, *, used: bool) -> None:
        """Show these; the one of that name (None: the default) is marked where it is `used`, and selected at first."""
        before = self.device if self._devices else None
        first = not self._devices
        self._devices = [None, *devices]
        self.blockSignals(True)
        self.setRowCount(len(self._devices))
        chosen = None if name is None else Device(name, host_api or "")
        for row, device in enumerate(self._devices):
            is_chosen = _same(device, chosen)
            self._show_row(row, device, marked=used and is_chosen)
            if is_chosen if first else _same(device, before):
                self.selectRow(row)
        if self.currentRow() < 0:
            self.selectRow(0)
        self.blockSignals(False)
        self.pointed.emit()

    def _show_row(self, row: int, device: Device | None, *, marked: bool) -> None:
        shown = device or self.default
        name = "System default" if device is None else device.name
        if device is None and shown is not None:
            name += f": {shown.name}"
        cells = [
            f"{'●' if marked else '   '} {name}",
            shown.host_api if shown is not None else "",
            f"{shown.default_rate_hz / 1000:g} kHz" if shown is not None and shown.default_rate_hz else "",
            str(shown.channels(self._direction)) if shown is not None else "",
        ]
        for column, text in enumerate(cells):
            item = QTableWidgetItem(text)
            item.setToolTip(f"{name}{', used now' if marked else ''}" if column == 0 else text)
            self.setItem(row, column, item)


def _same(one: Device | None, other: Device | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.name == other.name and one.host_api == other.host_api
