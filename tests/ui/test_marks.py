"""Timeline, transcript and latencies lead to the log, whichever tab is in front."""

import pytest

from tests.ui.window_rig import WindowRig, wait_until
from ui.models.log_model import Column


@pytest.mark.parametrize("panel", ["timeline", "transcript", "latency"])
def test_a_chosen_mark_opens_its_row_in_the_log(rig: WindowRig, panel: str) -> None:
    rig.connect_session()
    window = rig.window
    wait_until(lambda: window.log.model.rowCount() == 4)
    window.tabs.setCurrentWidget(window.latency)
    getattr(window, panel).mark_clicked.emit(1)
    assert window.tabs.currentWidget() is window.log
    assert window.log.table.currentIndex().siblingAtColumn(Column.TYPE).data() == "session.created"
