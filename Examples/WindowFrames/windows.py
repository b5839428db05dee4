#!/usr/bin/python3
# Opens an X11 window for each frame, prints the windows' ids, and keeps them open until a signal ends it:
# windows.py X,Y,WIDTH,HEIGHT... X11 coordinates are integers, so the numbers are rounded here, in the last step.
import signal
import sys
from Xlib import X, display

screen = display.Display()
for text in sys.argv[1:]:
    x, y, width, height = [round(float(number)) for number in text.split(",")]
    window = screen.screen().root.create_window(x, y, width, height, 0, X.CopyFromParent)
    window.map()
    screen.sync()
    print(window.id, flush=True)
signal.pause()
