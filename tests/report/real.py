#!/usr/bin/env python3
"""What bench, check, statistics, a trace and tune of this build write, as one page in a browser.

Quick runs make the files; browser.py has made-up ones, with every case that the page knows. All charts
are drawn, the console is silent, links lead somewhere, each table sorts by its first column, and the
footer names this machine.
"""

import json
import os
import pathlib
import platform
import subprocess
import sys

import browser as page_test
from chromium import BrowserError, Chromium

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import launch  # noqa: E402  pylint: disable=wrong-import-position

MPI = os.environ["LONGSHORE_MPI"]
WORKLOAD = pathlib.Path(os.environ["LONGSHORE_BUILD_DIR"]) / "bin" / "longshore-workload"


def make_files():
    """Runs each once, small; returns the names of what they wrote."""
    launch.longshore("bench", "contiguous", "sparse_64", "-n", "1,2", "--mpi", MPI, "--repetitions", 2,
                     "--scale", 0.02, "--dir", ".", "--json", "bench.json")
    # Nothing need be decided, and a rule may fail on a busy machine.
    launch.longshore("check", "--mpi", MPI, "-n", 2, "--rules", "1,10", "--sizes", "512,16384",
                     "--budget", 16, "--dir", ".", "--json", "check.json", code=None)
    launch.longshore("run", *launch.MPIRUN, "-n", 2, WORKLOAD, "tile_256", "--bytes", 1 << 20,
                     LONGSHORE_STATS=os.path.abspath("stats"),
                     LONGSHORE_TRACE=os.path.abspath("trace.json"))
    launch.longshore("tune", "--seconds", 1, "--output", "site.profile")
    results = json.loads(pathlib.Path("check.json").read_text(encoding="utf-8"))["results"]
    assert {one["mpi_io"] for one in results} == {"stock", "longshore"}, results
    assert any(one["trials"] > 0 for one in results), results
    return ["check.json", "bench.json", "stats", "trace.json", "site.profile"]


def every_kind_has_a_section(browser):
    titles = browser.evaluate("[...document.querySelectorAll('main h2')]"
                              ".map((title) => title.textContent)")
    for kind in ("Check: check.json", "Bench: bench.json", "Statistics: stats",
                 "Timeline: trace.json", "Site profile: site.profile"):
        assert any(kind in title for title in titles), (kind, titles)


def charts_are_drawn(browser):
    found = browser.evaluate("""[...document.querySelectorAll('figure[data-chart]')].map((figure) => {
      const svg = figure.querySelector('.plot svg');
      const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
      return [figure.innerText.slice(0, 60), box.width, box.height,
              svg ? svg.querySelectorAll('rect, circle, path').length : 0,
              svg ? /NaN|undefined/.test(svg.outerHTML) : true];
    })""")
    assert len(found) >= 7, found
    for title, width, height, marks, broken in found:
        assert width > 250 and height > 60 and marks > 0 and not broken, (title, width, height, marks)


def links_lead_somewhere(browser):
    links = browser.evaluate("[...document.links].map((link) => link.getAttribute('href'))")
    assert len(links) >= 5, links
    for link in links:
        assert link.startswith("#"), link
        assert browser.evaluate("document.getElementById('%s') !== null" % link[1:]), link


def tables_sort(browser):
    """By the first column, up and down: the rows are the same ones, in the order that is said."""
    count = browser.evaluate("document.querySelectorAll('table').length")
    assert count >= 4, count
    for number in range(count):
        table = "document.querySelectorAll('table')[%d]" % number
        rows = "[...%s.tBodies[0].rows].map((row) => row.textContent)" % table
        head = table + ".tHead.rows[0].cells[0]"
        before = browser.evaluate(rows)
        orders = []
        for wanted in ("ascending", "descending"):
            browser.click(head + ".querySelector('button')")
            assert browser.evaluate(head + ".getAttribute('aria-sort')") == wanted, number
            orders.append(browser.evaluate("[...%s.tBodies[0].rows].map((row) => "
                                           "row.cells[0].textContent)" % table))
            assert sorted(browser.evaluate(rows)) == sorted(before), "no row is lost"
        assert orders[0] == orders[1][::-1], (number, orders)


def footer_names_the_machine(browser):
    footer = browser.evaluate("document.querySelector('footer').innerText")
    assert footer.count(platform.node()) == 2 and "does not say" not in footer, footer


CASES = (every_kind_has_a_section, charts_are_drawn, links_lead_somewhere, tables_sort,
         footer_names_the_machine)


def main():
    files = make_files()
    done = subprocess.run([launch.CLI, "report", "-o", "page.html", *files], text=True,
                          env=launch.environment(), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    failed = 0
    with Chromium() as browser:
        browser.set_size(1280, 900)
        browser.open("page.html")
        page_test.open_folds(browser)
        for run in (*CASES, page_test.no_complaints):
            try:
                run(browser)
            except (AssertionError, BrowserError) as error:
                failed += 1
                print("failed: %s\n%s" % (run.__name__, error))
    print("%d passed, %d failed" % (len(CASES) + 1 - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
