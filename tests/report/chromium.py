"""A headless Chromium, driven over a pipe by its DevTools protocol. Needs nothing but Python."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
         "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
         "--font-render-hinting=none", "--mute-audio")
START_SECONDS = 120
ANSWER_SECONDS = 120


class BrowserError(Exception):
    pass


def find_program():
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    raise BrowserError("no Chromium found (looked for %s): install the package chromium"
                       % ", ".join(NAMES))


class Chromium:
    """One browser with one page. Use as a context manager."""

    def __init__(self):
        self.events = []
        self._number = 0
        self._pending = b""
        self._profile = tempfile.mkdtemp(prefix="chromium-")
        to_child_read, self._to_child = os.pipe()
        self._from_child, from_child_write = os.pipe()
        sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
        command = [find_program(), *FLAGS, *sandbox, "--user-data-dir=" + self._profile,
                   "about:blank"]
        environment = {**os.environ, "HOME": self._profile}
        environment.pop("LD_PRELOAD", None)
        self._log = open(os.path.join(self._profile, "log"), "w+b")  # pylint: disable=R1732
        # The protocol is spoken on the child's descriptors 3 and 4.
        shell = 'exec 3<&%d 4>&%d; exec "$@"' % (to_child_read, from_child_write)
        self._child = subprocess.Popen(  # pylint: disable=R1732
            ["/bin/bash", "-c", shell, "chromium", *command], stdout=self._log, stderr=self._log,
            env=environment, pass_fds=(to_child_read, from_child_write))
        os.close(to_child_read)
        os.close(from_child_write)
        self._session = None
        self._attach()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.call("Browser.close", whole_browser=True)
        except (BrowserError, OSError):
            pass
        try:
            self._child.wait(10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        os.close(self._to_child)
        os.close(self._from_child)
        self._log.close()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _attach(self):
        targets = self.call("Target.getTargets", whole_browser=True, seconds=START_SECONDS)
        page = next(one for one in targets["targetInfos"] if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", whole_browser=True,
                                  targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def _receive(self, deadline):
        """The next message."""
        while b"\0" not in self._pending:
            ready, _, _ = select.select([self._from_child], [], [],
                                        max(0, deadline - time.monotonic()))
            chunk = os.read(self._from_child, 1 << 20) if ready else b""
            if not chunk:
                self._log.seek(0)
                log = self._log.read().decode(errors="replace")[-2000:]
                raise BrowserError(("Chromium ended" if ready else "Chromium does not answer")
                                   + "; it said:\n" + log)
            self._pending += chunk
        message, self._pending = self._pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, whole_browser=False, seconds=ANSWER_SECONDS, **parameters):
        self._number += 1
        request = {"id": self._number, "method": method, "params": parameters}
        if not whole_browser:
            request["sessionId"] = self._session
        os.write(self._to_child, json.dumps(request).encode() + b"\0")
        deadline = time.monotonic() + seconds
        while True:
            message = self._receive(deadline)
            if message.get("id") == self._number:
                if "error" in message:
                    raise BrowserError("%s: %s" % (method, message["error"]))
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def evaluate(self, script):
        """The value of a JavaScript expression; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError("%s\nin: %s" % (answer["exceptionDetails"], script))
        return answer["result"].get("value")

    def wait_for(self, script, what, seconds=90):
        deadline = time.monotonic() + seconds
        while not self.evaluate(script):
            if time.monotonic() > deadline:
                raise BrowserError("waited %d s in vain for: %s" % (seconds, what))
            time.sleep(0.05)

    def set_size(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=phone)

    def set_dark(self, dark):
        self.call("Emulation.setEmulatedMedia", media="screen", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("document.readyState === 'complete' && "
                      "document.documentElement.dataset.ready === 'true'", "the page's script")
        self.settle()

    def settle(self):
        """Until what was asked for is drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => "
                      "requestAnimationFrame(() => setTimeout(done, 60))))")

    def click(self, script):
        """A real click in the middle of the element that the expression gives."""
        place = self.evaluate(
            "(() => { const e = %s; e.scrollIntoView({block: 'center', behavior: 'instant'}); "
            "const b = e.getBoundingClientRect(); "
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()" % script)
        self.mouse("mousePressed", *place)
        self.mouse("mouseReleased", *place)
        self.settle()

    def mouse(self, kind, x, y, pressed=False):
        """One event of the mouse; pressed is for mouseMoved: the left button is held down."""
        if kind == "mouseMoved" and not pressed:
            button = {"button": "none", "buttons": 0}
        else:
            button = {"button": "left", "buttons": 0 if kind == "mouseReleased" else 1,
                      "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def press(self, key, text=None):
        codes = {"Enter": 13, "Tab": 9}
        more = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        text = "\r" if key == "Enter" else text
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key,
                  **({"text": text} if text else {}), **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more)
        self.settle()

    def screenshot(self, path, top, width, height):
        """A part of the page, which may be beyond what is in sight."""
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        answer = self.call("Page.captureScreenshot", format="png", clip=clip,
                           captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def complaints(self):
        """Errors and warnings on the console, exceptions, and everything asked of a network."""
        found = []
        for event in self.events:
            method, parameters = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append("exception: %s" % details.get("exception", details).get(
                    "description", details))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in (
                    "error", "warning", "assert"):
                found.append("console: %s" % parameters["args"])
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in (
                    "error", "warning"):
                found.append("log: %s" % parameters["entry"])
            elif method == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith(("file:", "data:", "about:")):
                    found.append("request: " + url)
        return found
