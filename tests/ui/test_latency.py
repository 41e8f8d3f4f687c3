"""The latency table: which intervals, how many, median, 95th percentile, last."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableWidget

from simulator.record.measures import Latency, Measures
from ui.panels.latency import LatencyPanel, summaries
from ui.theme import Theme


def _latency(name: str, value_ms: float, to_seq: int = 0) -> Latency:
    return Latency(name, "from", "to", value_ms, 0, to_seq)


def test_median_and_95th_percentile_of_known_values() -> None:
    values = [_latency("first_audio", value) for value in range(1, 101)]
    summary = summaries(values)[0]
    assert (summary.n, summary.median_ms, summary.p95_ms, summary.last_ms) == (100, 50.5, 95, 100)


def test_with_few_values_the_95th_percentile_is_the_largest() -> None:
    summary = summaries([_latency("first_audio", 300), _latency("first_audio", 100)])[0]
    assert (summary.n, summary.median_ms, summary.p95_ms, summary.last_ms) == (2, 200, 300, 100)


def test_rows_keep_their_order_whatever_came_first() -> None:
    names = [s.name for s in summaries([_latency(n, 1) for n in ("other", "barge_in_stop", "response_start")])]
    assert names == ["response_start", "barge_in_stop", "other"]


def test_the_panel_says_what_to_do_then_fills_and_leads_to_the_log(theme: Theme) -> None:
    measures = Measures()
    panel = LatencyPanel(theme)
    panel.set_source(measures)
    panel.show()
    table = panel.findChild(QTableWidget)
    assert table is not None
    assert not table.isVisible()
    measures.latencies.append(Latency("barge_in_stop", "speech_started", "last sound handed over", 12.4, 7, 19))
    panel.refresh()
    assert table.isVisible()
    cells = [table.item(0, column) for column in range(table.columnCount())]
    assert [cell.text().strip() for cell in cells if cell is not None] == [
        "Barge-in stop",
        "speech_started",
        "last sound handed over",
        "1",
        "12 ms",
        "12 ms",
        "12 ms",
    ]
    chosen: list[int] = []
    panel.mark_clicked.connect(chosen.append)
    assert cells[0] is not None
    place = table.visualItemRect(cells[0]).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen == [19]


def test_a_hidden_panel_does_nothing_until_it_is_shown(theme: Theme) -> None:
    measures = Measures()
    panel = LatencyPanel(theme)
    panel.set_source(measures)
    measures.latencies.append(_latency("first_audio", 5))
    panel.refresh()
    assert panel.rows == []
    panel.show()
    assert [row.name for row in panel.rows] == ["first_audio"]
