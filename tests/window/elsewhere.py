"""Another program that has the keyboard, on a desktop with notifications: `elsewhere.py`.

Takes the place of the desktop's notification service, opens a window, and says on its standard output "shown" once both
are there, then each notification as a line of JSON, [title, body]. Ends when its standard input closes.
"""

import json
import sys
import threading

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402

SERVICE = Gio.DBusNodeInfo.new_for_xml("""<node><interface name="org.freedesktop.Notifications">
  <method name="Notify">
    <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
    <arg type="a{sv}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/>
  </method>
  <method name="CloseNotification"><arg type="u" direction="in"/></method>
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="GetServerInformation">
    <arg type="s" direction="out"/><arg type="s" direction="out"/>
    <arg type="s" direction="out"/><arg type="s" direction="out"/>
  </method>
</interface></node>""")

ready = set()
count = 0


def say(line):
    print(line, flush=True)


def is_ready(what):
    ready.add(what)
    if ready == {"name", "window"}:
        say("shown")


def called(_bus, _sender, _path, _interface, method, arguments, answer):
    global count
    if method == "Notify":
        _app, _replaces, _icon, title, body, *_rest = arguments.unpack()
        count += 1
        say(json.dumps([title, body]))
        answer.return_value(GLib.Variant("(u)", (count,)))
    elif method == "GetCapabilities":
        answer.return_value(GLib.Variant("(as)", (["body"],)))
    elif method == "GetServerInformation":
        answer.return_value(GLib.Variant("(ssss)", ("elsewhere", "siltstone", "1", "1.2")))
    else:
        answer.return_value(None)


def acquired(bus, _name):
    bus.register_object("/org/freedesktop/Notifications", SERVICE.interfaces[0], called, None, None)


Gio.bus_own_name(
    Gio.BusType.SESSION,
    "org.freedesktop.Notifications",
    Gio.BusNameOwnerFlags.REPLACE | Gio.BusNameOwnerFlags.ALLOW_REPLACEMENT,
    acquired,
    lambda *_: is_ready("name"),
    lambda *_: sys.exit("another notification service is there"),
)
window = Gtk.Window(title="Elsewhere")
window.set_default_size(300, 200)
window.connect("map-event", lambda *_: is_ready("window"))
window.show_all()
threading.Thread(target=lambda: (sys.stdin.read(), GLib.idle_add(Gtk.main_quit)), daemon=True).start()
Gtk.main()
