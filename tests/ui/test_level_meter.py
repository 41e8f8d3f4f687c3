"""The meter shows level, held peak and clipping."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from simulator.units import NS_PER_S
from ui.theme import Theme
from ui.widgets.level_meter import LevelMeter, PeakHold

S = NS_PER_S


def test_a_peak_is_held_for_a_second_and_a_half_and_then_falls_20_db_a_second() -> None:
    hold = PeakHold()
    hold.feed(-10, 1 * S)
    hold.feed(-40, 2 * S)
    hold.feed(-40, round(2.5 * S))
    assert hold.dbfs == -10
    hold.feed(-40, 3 * S)
    assert hold.dbfs == pytest.approx(-20)
    hold.feed(-15, round(3.1 * S))
    assert hold.dbfs == -15
    hold.feed(-80, 30 * S)
    assert hold.dbfs == -60


def test_full_scale_counts_as_clipped_until_it_is_cleared() -> None:
    hold = PeakHold()
    seen = []
    for t_ns, peak_dbfs in enumerate((-0.2, 0.0, -50.0)):
        hold.feed(peak_dbfs, t_ns)
        seen.append(hold.clipped)
    hold.clear_clip()
    assert [*seen, hold.clipped] == [False, True, True, False]


def test_another_session_begins_with_no_peak() -> None:
    hold = PeakHold()
    hold.feed(-3, 50 * S)
    hold.feed(-45, 1 * S)
    assert hold.dbfs == -45


def test_the_number_is_in_dbfs_and_silence_is_a_word(theme: Theme) -> None:
    meter = LevelMeter(theme)
    meter.set_level(-18.4, -9.0, 1)
    assert meter.text == "−18 dBFS"
    meter.set_level(-120.0, -120.0, 2)
    assert meter.text == "silent"


def test_a_click_clears_the_clip_mark(theme: Theme) -> None:
    meter = LevelMeter(theme)
    meter.show()
    meter.set_level(-3, 0, 1)
    assert meter.clipped
    QTest.mouseClick(meter, Qt.MouseButton.LeftButton)
    assert not meter.clipped


@pytest.mark.parametrize("width_px", [400, 150])
def test_a_louder_voice_makes_a_longer_bar(theme: Theme, width_px: int) -> None:
    meter = LevelMeter(theme)
    meter.setMinimumWidth(0)
    meter.resize(width_px, 24)
    ink = theme.colour("participant_fill")

    def length(dbfs: float) -> int:
        meter.clear()
        meter.set_level(dbfs, -60, 1)
        image = meter.grab().toImage()
        return sum(image.pixelColor(x, image.height() // 2) == ink for x in range(image.width()))

    assert length(-60) == 0
    quiet, loud = length(-40), length(-20)
    # 20 and 40 of 60 dB, less a line at each mark of the scale.
    assert loud == pytest.approx(2 * quiet, abs=6)
