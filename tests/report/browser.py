#!/usr/bin/env python3
"""The page of `longshore report` in a real browser: browser.py [SCREENSHOT_FOLDER].

Made-up results of every kind become a page, which a headless Chromium opens from the disk: all
charts are drawn, nothing is said on the console and nothing asked of the network, links lead
somewhere, tables sort by mouse and by key, the timeline zooms, nothing is wider than a phone, text
has contrast in both colour schemes, it prints, and text from files stays text.
LONGSHORE_CLI names the command. With a folder, screenshots are left there.
"""

import os
import re
import subprocess
import sys
import tempfile

import samples
from chromium import BrowserError, Chromium

POISON = "</script><script>window.harmed=1</script><img src=x onerror=window.harmed=1>\"'&{{body}}"
KINDS = {"bars": "bar", "lines": "line", "heat": "cell", "ratios": "dot", "timeline": "bar"}
PHONE = 375
CASES = []


def case(function):
    CASES.append(function)
    return function


def make_page(folder, poison=""):
    page = os.path.join(folder, "page.html")
    title = ["--title", "Samples" + poison]
    done = subprocess.run([os.environ["LONGSHORE_CLI"], "report", "-o", page, *title,
                           *samples.write_all(folder, poison)],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return page


def open_folds(browser):
    browser.evaluate("document.querySelectorAll('details').forEach((fold) => fold.open = true)")
    browser.settle()


def no_complaints(browser):
    complaints = browser.complaints()
    assert not complaints, "\n".join(complaints)


@case
def charts_are_drawn(browser, page):
    browser.open(page)
    open_folds(browser)
    found = browser.evaluate("""(() => {
      const charts = JSON.parse(document.getElementById('charts').textContent);
      return [...document.querySelectorAll('figure[data-chart]')].map((figure) => {
        const svg = figure.querySelector('.plot svg');
        const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
        const marks = {};
        for (const name of ['bar', 'line', 'cell', 'dot']) {
          marks[name] = svg ? svg.querySelectorAll(`g[aria-label="${name}"] > *`).length : 0;
        }
        return {type: charts[figure.dataset.chart].type, marks, width: box.width,
                height: box.height, label: figure.querySelector('.plot').ariaLabel,
                broken: svg ? /NaN|undefined/.test(svg.outerHTML) : true};
      });
    })()""")
    assert {chart["type"] for chart in found} == set(KINDS), found
    for chart in found:
        assert chart["marks"][KINDS[chart["type"]]] > 0, chart
        assert chart["width"] > 250 and chart["height"] > 60, chart
        assert chart["label"] and not chart["broken"], chart
    no_complaints(browser)


@case
def bars_have_the_values(browser, page):
    """The lengths of bars are as their values."""
    browser.open(page)
    pairs = browser.evaluate("""(() => {
      const charts = JSON.parse(document.getElementById('charts').textContent);
      const index = charts.findIndex((chart) => chart.type === 'bars');
      const values = charts[index].groups.flatMap((group) => group.bars)
        .map((bar) => bar.value).filter((value) => value !== null);
      const bars = document.querySelectorAll(
        `figure[data-chart="${index}"] g[aria-label="bar"] rect`);
      return [values, [...bars].map((bar) => Number(bar.getAttribute('width')))];
    })()""")
    values, widths = (sorted(one) for one in pairs)
    assert len(values) == len(widths) > 3, pairs
    scale = widths[-1] / values[-1]
    for value, width in zip(values, widths):
        assert abs(value * scale - width) < 2, (value, width, scale)


@case
def lines_go_to_the_right(browser, page):
    """Whatever order the results are in."""
    browser.open(page)
    open_folds(browser)
    paths = browser.evaluate("[...document.querySelectorAll('g[aria-label=\"line\"] path')]"
                             ".map((path) => path.getAttribute('d'))")
    assert len(paths) > 3, paths
    for path in paths:
        places = [float(point.split(",")[0]) for point in re.split("[ML]", path) if "," in point]
        assert places == sorted(places), path


@case
def links_lead_somewhere(browser, page):
    browser.open(page)
    links = browser.evaluate("[...document.links].map((link) => link.getAttribute('href'))")
    assert len(links) > 5, links
    for link in links:
        assert link.startswith("#"), link
        assert browser.evaluate("document.getElementById('%s') !== null" % link[1:]), link
    browser.click("document.querySelector('nav li:last-child a')")
    assert browser.evaluate("location.hash") == links[-1]
    browser.wait_for("document.querySelector(location.hash).getBoundingClientRect().top < "
                     "innerHeight", "the last section to be in sight")


COLUMN = """(() => {
  const table = [...document.querySelectorAll('table')].find((one) =>
    [...one.tHead.rows[0].cells].some((cell) => cell.textContent === '%(title)s'));
  const index = [...table.tHead.rows[0].cells].findIndex((cell) =>
    cell.textContent === '%(title)s');
  return %(what)s;
})()"""


def column(browser, title, what):
    return browser.evaluate(COLUMN % {"title": title, "what": what})


def values_of(browser, title):
    return column(browser, title, "[...table.tBodies[0].rows].map((row) => "
                                  "row.cells[index].dataset.value ?? row.cells[index].textContent)")


def sort_of(browser, title):
    return column(browser, title, "table.tHead.rows[0].cells[index].getAttribute('aria-sort')")


@case
def tables_sort(browser, page):
    browser.open(page)
    open_folds(browser)
    button = COLUMN % {"title": "to stock", "what": "table.tHead.rows[0].cells[index]"
                                                    ".querySelector('button')"}
    before = values_of(browser, "to stock")
    assert "-" in before, "one launch of stock did not end"
    browser.click(button)
    numbers = [float(one) for one in values_of(browser, "to stock") if one != "-"]
    assert numbers == sorted(numbers) and len(numbers) > 5, numbers
    assert values_of(browser, "to stock")[-1] == "-", "what is missing comes last"
    assert sort_of(browser, "to stock") == "ascending"
    # The same button again, by key.
    browser.evaluate(button + ".focus()")
    browser.press("Enter")
    numbers = [float(one) for one in values_of(browser, "to stock") if one != "-"]
    assert numbers == sorted(numbers, reverse=True), numbers
    assert values_of(browser, "to stock")[-1] == "-"
    assert sort_of(browser, "to stock") == "descending"
    assert sorted(before) == sorted(values_of(browser, "to stock")), "no row is lost"
    # Words, in numeric order: rule 2 before rule 10.
    browser.click(COLUMN % {"title": "rule", "what": "table.tHead.rows[0].cells[index]"
                                                     ".querySelector('button')"})
    rules = [one.split()[0] for one in values_of(browser, "rule")]
    assert rules == sorted(rules, key=int) and "10" in rules, rules
    no_complaints(browser)


@case
def tables_filter(browser, page):
    browser.open(page)
    browser.evaluate("""(() => {
      const input = [...document.querySelectorAll('input[type=search]')][0];
      input.value = 'FAIL stock';
      input.dispatchEvent(new Event('input'));
    })()""")
    shown = browser.evaluate("""document.querySelector('input[type=search]').parentElement
      .nextElementSibling.querySelectorAll('tbody tr:not([hidden])').length""")
    assert shown == 4, shown


@case
def timeline_zooms(browser, page):
    browser.open(page)
    figure = "document.querySelector('button[aria-label=\"Zoom in\"]').closest('figure')"
    domain = figure + ".querySelector('.plot svg').scale('x').domain"
    whole = browser.evaluate(domain)
    browser.click(figure + ".querySelector('button[aria-label=\"Zoom in\"]')")
    half = browser.evaluate(domain)
    assert abs((half[1] - half[0]) / (whole[1] - whole[0]) - 0.5) < 0.01, (whole, half)
    browser.click(figure + ".querySelector('button[aria-label=\"Later\"]')")
    assert browser.evaluate(domain)[0] > half[0]
    browser.evaluate(figure + ".querySelector('.plot').focus()")
    browser.press("0", "0")
    assert browser.evaluate(domain) == whole
    box = browser.evaluate("(() => { const p = %s.querySelector('.plot'); "
                           "p.scrollIntoView({block: 'center', behavior: 'instant'}); const b = "
                           "p.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()"
                           % figure)
    y = box[1] + box[3] / 2
    # As by hand: the mouse comes first, and with it the tip, which wants the press for itself.
    browser.mouse("mouseMoved", box[0] + 0.4 * box[2], y)
    browser.mouse("mouseMoved", box[0] + 0.5 * box[2], y)
    browser.wait_for(figure + ".querySelector('g[aria-label=\"tip\"] > *') !== null", "the tip")
    browser.mouse("mousePressed", box[0] + 0.5 * box[2], y)
    browser.mouse("mouseMoved", box[0] + 0.6 * box[2], y, pressed=True)
    browser.mouse("mouseReleased", box[0] + 0.7 * box[2], y)
    browser.settle()
    marked = browser.evaluate(domain)
    assert marked[1] - marked[0] < 0.3 * (whole[1] - whole[0]), (whole, marked)
    no_complaints(browser)


@case
def fits_a_phone(browser, page):
    browser.set_size(PHONE, 740, phone=True)
    browser.open(page)
    open_folds(browser)
    wide = browser.evaluate("document.documentElement.scrollWidth")
    culprits = browser.evaluate("""[...document.body.querySelectorAll('*')].filter((one) =>
      one.getBoundingClientRect().right > %d + 1 && !one.closest('.skip'))
      .map((one) => one.tagName + ' ' + one.textContent.slice(0, 60)).slice(0, 10)""" % PHONE)
    assert wide <= PHONE and not culprits, (wide, culprits)
    # Each cell tells what it is, and no text of a chart is cut at its edges.
    assert browser.evaluate("getComputedStyle(document.querySelector('td'), '::before').content"
                            ) not in ("none", "normal", '""')
    cut = browser.evaluate("""[...document.querySelectorAll('.plot svg')].flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      return [...svg.querySelectorAll('text')].filter((text) => {
        const box = text.getBoundingClientRect();
        return box.width > 0 && (box.left < frame.left - 3 || box.right > frame.right + 3);
      }).map((text) => svg.closest('figure').innerText.slice(0, 40) + ': ' + text.textContent);
    })""")
    assert not cut, cut
    no_complaints(browser)


CONTRAST = """(() => {
  const probe = document.body.appendChild(document.createElement('i'));
  const light = (name) => {
    probe.style.color = `var(--${name})`;
    const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  return %s.map(([front, back, least]) => [front, back, contrast(front, back), least])
    .filter(([, , is, least]) => is < least);
})()"""
TEXTS = [[front, back, 4.5] for front, back in (
    ("text", "page"), ("text", "card"), ("soft", "page"), ("soft", "card"), ("link", "page"),
    ("pass", "pass-back"), ("fail", "fail-back"), ("undecided", "undecided-back"),
    ("heat-low-text", "heat-low"), ("heat-high-text", "heat-high"))]
GRAPHICS = [[front, "page", 3] for front in (
    "stock", "longshore", "limit", "pass", "fail", "undecided", *("c%d" % i for i in range(8)))]


@case
def colours_have_contrast(browser, page):
    backgrounds = []
    for dark in (False, True):
        browser.set_dark(dark)
        browser.open(page)
        backgrounds.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
        low = browser.evaluate(CONTRAST % (TEXTS + GRAPHICS))
        assert not low, ("dark" if dark else "light", low)
    assert backgrounds[0] != backgrounds[1], backgrounds


@case
def prints(browser, page):
    browser.open(page)
    assert browser.evaluate("document.querySelectorAll('details:not([open])').length") > 0
    document = browser.pdf()
    assert document.startswith(b"%PDF") and len(document) > 50000, len(document)
    no_complaints(browser)


@case
def text_stays_text(browser, page):
    folder = os.path.join(os.path.dirname(page), "poisoned")
    os.makedirs(folder, exist_ok=True)
    poisoned = make_page(folder, POISON)
    browser.open(poisoned)
    open_folds(browser)
    assert browser.evaluate("window.harmed === undefined"), "a script from a file has run"
    assert browser.evaluate("document.scripts.length") == 4
    assert browser.evaluate("document.images.length") == 0
    assert POISON in browser.evaluate("document.querySelector('#summary').innerText")
    assert POISON in browser.evaluate("document.title")
    assert browser.evaluate("document.querySelectorAll('.plot svg').length") > 5
    no_complaints(browser)


def take_screenshots(browser, page, folder):
    """The whole page, in parts, wide and narrow, light and dark."""
    for width, name, part in ((1280, "wide", 1500), (PHONE, "narrow", 1500)):
        for dark in (False, True):
            browser.set_size(width, 900, phone=width == PHONE)
            browser.set_dark(dark)
            browser.open(page)
            height = browser.evaluate("document.documentElement.scrollHeight")
            for number, top in enumerate(range(0, height, part), 1):
                browser.screenshot(os.path.join(folder, "%s-%s-%02d.png" % (
                    name, "dark" if dark else "light", number)), top, width,
                    min(part, height - top))


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Chromium() as browser:
        page = make_page(folder)
        for run in CASES:
            browser.set_size(1280, 900)
            browser.set_dark(False)
            try:
                run(browser, page)
            except (AssertionError, BrowserError) as error:
                failed += 1
                print("failed: %s\n%s" % (run.__name__, error))
        if len(sys.argv) > 1:
            take_screenshots(browser, page, sys.argv[1])
    print("%d passed, %d failed" % (len(CASES) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrowserError as error:
        sys.exit("browser.py: %s" % error)
