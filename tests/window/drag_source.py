"""A window to drag a folder out of, as a file manager's is: `drag_source.py PATH`.

Says "shown", "drag" and "end" on its standard output; ends when its standard input closes.
"""

import sys
import threading
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

uri = Path(sys.argv[1]).as_uri()


def say(word):
    print(word, flush=True)


window = Gtk.Window(title="Files", type_hint=Gdk.WindowTypeHint.UTILITY, decorated=False)
window.set_default_size(100, 60)
window.set_keep_above(True)
area = Gdk.Display.get_default().get_monitor(0).get_geometry()
window.move(area.width - 110, area.height - 70)
box = Gtk.EventBox()
box.add(Gtk.Label(label=Path(sys.argv[1]).name[:10]))
window.add(box)

targets = [Gtk.TargetEntry.new("text/uri-list", 0, 0)]
box.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, targets, Gdk.DragAction.COPY)
box.connect("drag-begin", lambda *_: say("drag"))
box.connect("drag-data-get", lambda _box, _context, data, _info, _time: data.set_uris([uri]))
box.connect("drag-end", lambda *_: say("end"))
window.connect("map-event", lambda *_: say("shown"))
window.show_all()


def until_closed():
    sys.stdin.read()
    GLib.idle_add(Gtk.main_quit)


threading.Thread(target=until_closed, daemon=True).start()
Gtk.main()
