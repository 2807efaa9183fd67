"""What another program has copied: `clipboard.py text` (from standard input, up to its end) or `clipboard.py PICTURE`.

Says "copied" on its standard output, and holds the clipboard until it is killed, as X wants it.
"""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GdkPixbuf, Gtk  # noqa: E402

clipboard = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD)
if sys.argv[1] == "text":
    clipboard.set_text(sys.stdin.read(), -1)
else:
    clipboard.set_image(GdkPixbuf.Pixbuf.new_from_file(sys.argv[1]))
print("copied", flush=True)
Gtk.main()
