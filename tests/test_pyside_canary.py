"""PySide6 must not lose references to None and the booleans while it paints.

PySide6 6.12.0 on Python 3.11 lost one with each painter call, and a window with a live plot died within seconds
(pyproject.toml excludes it). Later Pythons hide such a fault, because there these objects are immortal.
"""

import json
import subprocess
import sys

import pytest

# A widget of our own that is painted 200 times, and a plot: the calls a live window makes all the time.
PAINT = """
import json, sys
import PySide6.QtCore
import pyqtgraph
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QWidget

class Canvas(QWidget):
    def paintEvent(self, event):
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        for x in range(20):
            painter.drawLine(x, 0, x, 50)
        painter.end()

app = QApplication([])
canvas = Canvas()
canvas.resize(100, 100)
plot = pyqtgraph.PlotWidget()
curve = plot.plot([1, 2, 3])
for widget in (canvas, plot):
    widget.show()
    widget.grab()
before = [sys.getrefcount(thing) for thing in (None, True, False)]
for frame in range(200):
    curve.setData([frame, 2, 3])
    canvas.grab()
    plot.grab()
print(json.dumps([sys.getrefcount(thing) - was for thing, was in zip((None, True, False), before)]))
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None, True and False are immortal since Python 3.12")
def test_two_hundred_frames_lose_no_reference_to_none_or_a_boolean() -> None:
    answer = subprocess.run([sys.executable, "-P", "-c", PAINT], capture_output=True, text=True, timeout=60, check=True)
    changes = json.loads(answer.stdout)
    assert min(changes) > -200, f"references to None, True, False changed by {changes}"
