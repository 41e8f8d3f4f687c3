"""PySide6 must not lose references to None and the booleans while it paints.

PySide6 6.12.0 on Python 3.11 lost some with each painter call, and a window that draws all the time died within seconds
(pyproject.toml excludes it). Later Pythons hide such a fault, because there these objects are immortal.
"""

import json
import subprocess
import sys

import pytest

# A widget of our own that is painted 200 times with the calls a live window makes all the time.
PAINT = """
import json, sys
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

class Canvas(QWidget):
    def paintEvent(self, event):
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(QPen(QColor("black"), 1))
        painter.setBrush(QBrush(Qt.BrushStyle.NoBrush))
        painter.fillRect(QRectF(0, 0, 50, 50), QColor("white"))
        painter.setClipRect(QRectF(0, 0, 90, 90))
        for x in range(20):
            painter.drawLine(x, 0, x, 50)
        painter.drawLines([QLineF(0, 0, 9, 9), QLineF(9, 0, 0, 9)])
        painter.drawText(QPointF(5, 20), "barge-in")
        painter.drawPath(QPainterPath(QPointF(1, 1)))
        painter.drawPixmap(QPointF(0, 0), pixmap)
        painter.end()

app = QApplication([])
pixmap = QPixmap(10, 10)
canvas = Canvas()
canvas.resize(100, 100)
canvas.show()
canvas.grab()
before = [sys.getrefcount(thing) for thing in (None, True, False)]
for _ in range(200):
    canvas.grab()
print(json.dumps([sys.getrefcount(thing) - was for thing, was in zip((None, True, False), before)]))
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None, True and False are immortal since Python 3.12")
def test_two_hundred_frames_lose_no_reference_to_none_or_a_boolean() -> None:
    answer = subprocess.run([sys.executable, "-P", "-c", PAINT], capture_output=True, text=True, timeout=60, check=True)
    changes = json.loads(answer.stdout)
    assert min(changes) > -200, f"references to None, True, False changed by {changes}"
