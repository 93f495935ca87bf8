// Draws the charts that the page's JSON describes, and makes its tables sort. All words and figures
// are in the page without it. A chart is {type, ...}; lib/report_chart.h has the fields.
"use strict";
(() => {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const kFont = 12;
  const kPrintWidth = 660;
  let printing = false;

  const known = { stock: "var(--stock)", longshore: "var(--longshore)", limit: "var(--limit)",
    pass: "var(--pass)", fail: "var(--fail)", undecided: "var(--undecided)",
    census: "var(--c0)", "begin exchange": "var(--c1)", write: "var(--c2)",
    "end exchange": "var(--c3)", read: "var(--c5)", plan: "var(--c6)",
    "wait for ranks": "var(--c7)", exchange: "var(--c1)", wait: "var(--c7)",
    storage: "var(--c2)" };
  const others = [4, 5, 2, 3, 0, 6, 1, 7];  // the order in which names get what is left
  // A colour that a name keeps within its chart.
  const colours = (names) => {
    const free = names.filter((name) => !known[name]);
    return (name) => known[name] || `var(--c${others[free.indexOf(name) % others.length]})`;
  };
  const unique = (values) => [...new Set(values)];
  const format = (value) => {
    if (value === null || value === undefined) return "-";
    const size = Math.abs(value);
    const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
    return value.toLocaleString("en", { maximumFractionDigits: digits });
  };
  const bytes = (value) => {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit += 1;
    }
    return `${format(value)} ${units[unit]}`;
  };
  const range = (one) => one.low === undefined || one.low === null
    ? "" : ` (${format(one.low)} to ${format(one.high)})`;
  const shorten = (text, width) => {
    const most = Math.max(8, Math.floor(width / (0.56 * kFont)));
    return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
  };
  // Room for the longest of these.
  const widest = (texts) => 14 + 0.56 * kFont * Math.max(0, ...texts.map((text) => text.length));
  // 1048576 is 1M.
  const shortValue = (text) => {
    const value = /^\d{4,15}$/.test(text) ? Number(text) : 0;
    for (const [unit, size] of [["G", 1 << 30], ["M", 1 << 20], ["K", 1 << 10]]) {
      if (value >= size && value % size === 0) return `${value / size}${unit}`;
    }
    return text;
  };
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // What all plots have in common. Colours come from the style sheet by name.
  const draw = (options, width) => Plot.plot({
    width, style: { fontSize: `${kFont}px`, background: "none", color: "inherit" }, ...options });

  // --- bars with intervals: a group of bars for each case
  const bars = (chart, width) => {
    const rows = chart.groups.flatMap((group) => group.bars.map((bar) => ({
      ...bar, group: group.label, text: bar.value === null ? bar.note || "no figure"
        : format(bar.value) })));
    const colour = colours(chart.series);
    const left = Math.min(110, 14 + 7 * Math.max(...chart.series.map((name) => name.length)));
    const most = Math.max(...rows.map((row) => row.high ?? row.value ?? 0), 0) || 1;
    const groups = chart.groups.map((group) => group.label);
    const title = "\u0000";
    return draw({
      marginLeft: left, marginRight: 48, marginTop: 8, marginBottom: 34,
      height: 44 + groups.length * (20 + 17 * chart.series.length),
      x: { label: chart.unit, domain: [0, most], grid: true, ticks: Math.max(3, width / 110),
        labelArrow: "none" },
      y: { domain: [title, ...chart.series], label: null, padding: 0.12,
        tickFormat: (name) => (name === title ? "" : shorten(name, left)), tickSize: 0 },
      fy: { domain: groups, axis: null, padding: 0.04 },
      marks: [
        Plot.barX(rows.filter((row) => row.value !== null), { x: "value", y: "series", fy: "group",
          fill: (row) => colour(row.series), insetTop: 1, insetBottom: 1 }),
        Plot.ruleY(rows.filter((row) => row.high > row.low), { x1: "low", x2: "high", y: "series",
          fy: "group", stroke: "var(--text)", strokeWidth: 1.5, marker: "tick" }),
        Plot.text(rows, { x: (row) => row.high ?? row.value ?? 0, y: "series", fy: "group",
          text: "text", dx: 6, textAnchor: "start", fill: "currentColor" }),
        Plot.ruleX([0], { stroke: "var(--soft)" }),
        Plot.text(groups, { fy: (label) => label, text: (label) => shorten(label, width),
          frameAnchor: "top-left", dx: -left + 2, dy: 2, fontWeight: 600, fill: "currentColor",
          stroke: "var(--page)", strokeWidth: 5 }),
        Plot.tip(rows, Plot.pointerY({ x: (row) => row.value ?? 0, y: "series", fy: "group",
          title: (row) => `${row.group}\n${row.series}: ${row.text} ${chart.unit}${range(row)}` +
            (row.note ? `\n${row.note}` : "") })),
      ],
    }, width);
  };

  // Where a ratio's axis has ticks, which are given to axes as data: as ticks of a logarithmic scale
  // some would have no label.
  const ratioTicks = (low, high) => [0.001, 0.01, 0.1, 0.25, 0.5, 0.8, 1, 1.25, 2, 4, 10, 100, 1000]
    .filter((tick) => tick >= low && tick <= high && (high / low < 20 ||
      Number.isInteger(Math.log10(tick))));

  // --- lines over ranks or sizes, a panel beside another
  const lines = (chart, width) => {
    const series = unique(chart.points.map((point) => point.series));
    const colour = colours(unique(chart.points.map((point) => point.colour)));
    const xs = unique(chart.points.map((point) => point.x)).sort((a, b) => a - b);
    const panels = unique(chart.points.map((point) => point.panel));
    const inBytes = chart.x === "bytes";
    const lowest = Math.min(...chart.points.map((point) => point.low ?? point.y));
    const highest = Math.max(...chart.points.map((point) => point.high ?? point.y));
    const ticks = ratioTicks(lowest, highest);
    const every = Math.max(1, Math.ceil(xs.length * panels.length * 34 / width));
    const common = { x: "x", fx: "panel", stroke: (point) => colour(point.colour) };
    return draw({
      height: 230, marginLeft: 46, marginBottom: 36, marginTop: 26,
      x: { type: "log", base: 2, label: chart.x, axis: null, inset: 12 },
      y: chart.ratio ? { type: "log", label: "ratio", axis: null }
        : { label: chart.unit, grid: true, ticks: 5, domain: [Math.min(0, lowest), highest],
          labelArrow: "none" },
      fx: { label: null, domain: panels, padding: 0.12, axis: panels.length > 1 ? "top" : null },
      marks: [
        Plot.axisX(xs.filter((_, i) => i % every === 0), {
          text: (x) => shortValue(String(x)), labelArrow: "none" }),
        chart.ratio ? Plot.gridY(ticks) : null,
        chart.ratio ? Plot.axisY(ticks, { text: format, labelArrow: "none" }) : null,
        chart.ratio ? Plot.ruleY([1], { stroke: "var(--soft)" }) : null,
        chart.ratio && chart.tolerance ? Plot.ruleY([1 + chart.tolerance],
          { stroke: "var(--fail)", strokeDasharray: "4 3" }) : null,
        Plot.ruleX(chart.points.filter((point) => point.high > point.low),
          { ...common, y1: "low", y2: "high", strokeOpacity: 0.7 }),
        ...series.map((name) => {
          // Results come in any order: of check, in that of the verdicts.
          const own = chart.points.filter((point) => point.series === name)
            .sort((a, b) => a.x - b.x);
          return Plot.line(own, { ...common, y: "y", strokeWidth: 2,
            strokeDasharray: own[0].dashed ? "5 3" : null });
        }),
        Plot.dot(chart.points, { ...common, y: "y", r: 3, fill: (point) => colour(point.colour) }),
        Plot.tip(chart.points, Plot.pointer({ x: "x", y: "y", fx: "panel",
          title: (point) => `${point.series}, ${inBytes ? bytes(point.x) : `${point.x} ${chart.x}`}` +
            `\n${format(point.y)} ${chart.unit}${range(point)}` })),
      ],
    }, width);
  };
  const linesLegend = (chart) => {
    const colour = colours(unique(chart.points.map((point) => point.colour)));
    return unique(chart.points.map((point) => point.series)).map((name) => {
      const point = chart.points.find((one) => one.series === name);
      return { name, colour: colour(point.colour), dashed: point.dashed };
    });
  };

  // --- a heat map: how each value of a hint does, as a share of the best in its case
  const heat = (chart, width) => {
    const longest = Math.max(...chart.ys.map((name) => name.length));
    const left = Math.min(width * 0.46, 16 + 6.8 * longest);
    const step = (width - left - 8) / chart.xs.length;
    const head = 7 * Math.max(...chart.xs.map((name) => shortValue(name).length));
    const turned = head > step;
    const top = turned ? Math.min(head, 120) + 30 : 44;
    const shade = (cell) => `color-mix(in srgb, var(--heat-high) ${Math.round(100 *
      Math.max(0, Math.min(1, cell.share)))}%, var(--heat-low))`;
    return draw({
      marginLeft: left, marginRight: 8, marginTop: top, marginBottom: 8,
      height: 8 + top + 30 * chart.ys.length,
      x: { type: "band", domain: chart.xs, label: chart.x, axis: "top", labelAnchor: "center",
        labelArrow: "none", padding: 0.04, tickRotate: turned ? -90 : 0, tickSize: 0,
        tickFormat: (name) => shorten(shortValue(name), turned ? 120 : step + 20) },
      y: { type: "band", domain: chart.ys, label: null, padding: 0.06, tickSize: 0,
        tickFormat: (name) => shorten(name, left) },
      marks: [
        Plot.cell(chart.cells, { x: "x", y: "y",
          fill: (cell) => (cell.value === null ? "none" : shade(cell)),
          stroke: (cell) => (cell.value === null ? "var(--fail)" : "none"),
          strokeDasharray: "3 3" }),
        Plot.text(chart.cells, { x: "x", y: "y",
          text: (cell) => (cell.value === null ? shorten(cell.note || "-", step)
            : format(cell.value)),
          fill: (cell) => (cell.value !== null && cell.share > 0.6 ? "var(--heat-high-text)"
            : "var(--heat-low-text)"),
          fontWeight: (cell) => (cell.share >= 1 ? 700 : 400) }),
        Plot.tip(chart.cells, Plot.pointer({ x: "x", y: "y",
          title: (cell) => `${cell.y}\n${chart.x}=${cell.x}\n` + (cell.value === null ? cell.note
            : `${format(cell.value)} ${chart.unit}${range(cell)}\n${format(100 * cell.share)}% of ` +
              "the best") })),
      ],
    }, width);
  };

  // --- ratios of a check: a row for each rule, a dot for each result
  const ratios = (chart, width) => {
    const left = Math.min(width * 0.42, widest(chart.rules));
    const symbol = { pass: "circle", undecided: "diamond", fail: "times" };
    const values = chart.dots.flatMap((dot) => [dot.ratio, dot.low, dot.high])
      .filter((value) => value > 0);
    const low = Math.min(0.8, ...values) / 1.05;
    const high = Math.max(1.25, ...values) * 1.05;
    return draw({
      marginLeft: left, marginRight: 16, marginTop: 10, marginBottom: 36,
      height: 50 + 26 * chart.rules.length,
      x: { type: "log", label: "ratio of times",
        domain: [low, high],
        axis: null },
      y: { type: "band", domain: chart.rules, label: null, tickSize: 0,
        tickFormat: (name) => shorten(name, left) },
      symbol: { domain: Object.keys(symbol), range: Object.values(symbol) },
      marks: [
        Plot.gridX(ratioTicks(low, high)),
        Plot.axisX(ratioTicks(low, high), { text: format, labelArrow: "none" }),
        Plot.ruleX([1], { stroke: "var(--soft)" }),
        Plot.ruleX([1 + chart.tolerance], { stroke: "var(--fail)", strokeDasharray: "4 3" }),
        Plot.ruleY(chart.dots.filter((dot) => dot.high > dot.low), { x1: "low", x2: "high",
          y: "rule", stroke: (dot) => known[dot.verdict], strokeOpacity: 0.6 }),
        Plot.dot(chart.dots, { x: "ratio", y: "rule", r: 4, symbol: "verdict",
          stroke: (dot) => known[dot.verdict],
          fill: (dot) => (dot.verdict === "fail" ? "none" : known[dot.verdict]),
          strokeWidth: 2 }),
        Plot.tip(chart.dots, Plot.pointer({ x: "ratio", y: "rule",
          title: (dot) => `${dot.rule}\n${dot.text}\n${format(dot.ratio)}${range(dot)}: ` +
            dot.verdict })),
      ],
    }, width);
  };
  const ratiosLegend = (chart) => ["pass", "undecided", "fail"]
    .filter((name) => chart.dots.some((dot) => dot.verdict === name))
    .map((name) => ({ name, colour: known[name],
      mark: { pass: "●", undecided: "◆", fail: "✕" }[name] }));

  // --- a timeline: a row for each rank and lane; view is the part that is shown, in microseconds
  const timeUnit = (span) => (span >= 2e6 ? [1e6, "s"] : span >= 2e3 ? [1e3, "ms"] : [1, "µs"]);
  // Blocks narrower than a pixel that follow each other in a row are drawn once.
  const visible = (chart, view, pixels) => {
    const grain = (view[1] - view[0]) / pixels;
    const last = new Map();
    return chart.events.filter(([lane, name, begin, duration]) => {
      if (begin > view[1] || begin + duration < view[0]) return false;
      const key = lane * chart.names.length + name;
      if (duration < grain && begin < (last.get(key) ?? -Infinity) + grain) return false;
      last.set(key, begin);
      return true;
    });
  };
  // How many events of its row each event lies within, in the order of the events.
  const depthsOf = (chart) => {
    const open = chart.lanes.map(() => []);
    return chart.events.map(([lane, , begin, duration]) => {
      const ends = open[lane].filter((end) => end > begin);
      const depth = ends.filter((end) => end >= begin + duration).length;
      open[lane] = [...ends, begin + duration];
      return Math.min(depth, 2);
    });
  };
  const timeline = (chart, width, view) => {
    if (!chart.depths) {
      chart.events.sort((a, b) => a[2] - b[2] || b[3] - a[3]);
      const depths = depthsOf(chart);
      chart.depths = new Map(chart.events.map((event, i) => [event, depths[i]]));
    }
    const row = Math.max(12, Math.min(24, 900 / chart.lanes.length));
    const colour = colours(chart.names);
    const left = Math.min(width * 0.35, 14 + 6.6 * Math.max(...chart.lanes.map((l) => l.length)));
    const [scale, unit] = timeUnit(view[1] - view[0]);
    const grain = (view[1] - view[0]) / width;
    const rows = visible(chart, view, width - left).map((event) => {
      const [lane, name, begin, duration, count] = event;
      return { lane: chart.lanes[lane], name: chart.names[name], begin, duration, count,
        depth: chart.depths.get(event),
        from: Math.max(begin, view[0]) / scale,
        to: Math.min(Math.max(begin + duration, begin + grain), view[1]) / scale };
    });
    return draw({
      marginLeft: left, marginRight: 12, marginTop: 8, marginBottom: 36,
      height: 48 + row * chart.lanes.length,
      x: { domain: view.map((time) => time / scale), label: `time (${unit})`, grid: true,
        ticks: Math.max(3, width / 110), labelArrow: "none" },
      y: { type: "band", domain: chart.lanes, label: null, padding: 0.1, tickSize: 0,
        tickFormat: (name) => shorten(name, left) },
      marks: [
        ...[0, 1, 2].map((depth) => Plot.barX(rows.filter((one) => one.depth === depth), {
          x1: "from", x2: "to", y: "lane", fill: (one) => colour(one.name),
          insetTop: depth * row / 5 })),
        Plot.tip(rows, Plot.pointer({ x: (row) => (row.from + row.to) / 2, y: "lane",
          title: (row) => `${row.lane}\n${row.name}${row.count > 1 ? ` (${row.count} events)` : ""}` +
            `\nat ${format(row.begin / 1e3)} ms, ${format(row.duration / 1e3)} ms long` })),
      ],
    }, width);
  };
  const timelineLegend = (chart) => {
    const colour = colours(chart.names);
    return chart.names.map((name) => ({ name, colour: colour(name) }));
  };

  // Moves and narrows the view: by buttons, keys (arrows, +, -, 0) and by marking a part.
  const makeZoom = (chart, place, redraw) => {
    const whole = [0, chart.span_us];
    const state = { view: whole };
    const show = (from, to) => {
      const span = Math.min(Math.max(to - from, chart.span_us * 1e-5), chart.span_us);
      const begin = Math.max(0, Math.min(from, chart.span_us - span));
      state.view = [begin, begin + span];
      redraw();
    };
    const zoom = (factor) => {
      const [from, to] = state.view;
      const half = (to - from) * factor / 2;
      show((from + to) / 2 - half, (from + to) / 2 + half);
    };
    const move = (part) => {
      const step = (state.view[1] - state.view[0]) * part;
      show(state.view[0] + step, state.view[1] + step);
    };
    const acts = [["+", "Zoom in", () => zoom(0.5)], ["−", "Zoom out", () => zoom(2)],
      ["◀", "Earlier", () => move(-0.4)], ["▶", "Later", () => move(0.4)],
      ["All", "Show all", () => show(...whole)]];
    const tools = element("div", { className: "tools" }, ...acts.map(([text, label, act]) => {
      const button = element("button", { type: "button", textContent: text, onclick: act });
      button.setAttribute("aria-label", label);
      return button;
    }), element("span", { className: "note hint", textContent: "or drag over a part" }));
    place.before(tools);
    place.tabIndex = 0;
    const keys = { "+": 0, "=": 0, "-": 1, ArrowLeft: 2, ArrowRight: 3, 0: 4 };
    place.addEventListener("keydown", (event) => {
      if (event.key in keys && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        acts[keys[event.key]][2]();
      }
    });
    addMarking(place, state, show);
    return state;
  };
  const addMarking = (place, state, show) => {
    const timeAt = (event) => {
      const svg = place.querySelector("svg");
      const scale = svg && svg.scale("x");
      if (!scale) return null;
      const box = svg.getBoundingClientRect();
      const x = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
      return scale.invert(x) * timeUnit(state.view[1] - state.view[0])[0];
    };
    let start = null;
    // In the capturing phase: a press while a tip is shown pins the tip, and Plot stops it there.
    place.addEventListener("pointerdown", (event) => {
      start = event.pointerType === "touch" ? null : { x: event.clientX, time: timeAt(event) };
    }, { capture: true });
    place.addEventListener("pointerup", (event) => {
      const end = timeAt(event);
      if (start && end !== null && Math.abs(event.clientX - start.x) > 8) {
        show(Math.min(start.time, end), Math.max(start.time, end));
      }
      start = null;
    });
  };

  const kinds = { bars: { draw: bars }, lines: { draw: lines, legend: linesLegend },
    heat: { draw: heat }, ratios: { draw: ratios, legend: ratiosLegend },
    timeline: { draw: timeline, legend: timelineLegend, zooms: true } };

  const makeLegend = (entries) => element("ul", { className: "legend" }, ...entries.map((entry) => {
    if (entry.mark) {
      const mark = element("b", { textContent: entry.mark });
      mark.style.color = entry.colour;
      return element("li", {}, mark, entry.name);
    }
    const swatch = d3.create("svg").attr("width", 18).attr("height", 10).attr("aria-hidden", true);
    swatch.append("line").attr("x1", 0).attr("x2", 18).attr("y1", 5).attr("y2", 5)
      .attr("stroke-width", 5).attr("stroke-dasharray", entry.dashed ? "5 3" : null)
      .style("stroke", entry.colour);
    return element("li", {}, swatch.node(), entry.name);
  }));

  const setUp = (figure) => {
    const chart = charts[figure.dataset.chart];
    const place = figure.querySelector(".plot");
    const kind = kinds[chart.type];
    let drawn = 0;
    let zoom = null;
    const redraw = () => {
      const width = printing ? kPrintWidth : Math.floor(place.clientWidth);
      if (width < 50) return;  // in a closed fold
      drawn = width;
      const svg = kind.draw(chart, width, zoom && zoom.view);
      svg.setAttribute("aria-hidden", "true");  // the place around it has the words
      place.replaceChildren(svg);
    };
    if (kind.legend) place.before(makeLegend(kind.legend(chart)));
    if (kind.zooms) zoom = makeZoom(chart, place, redraw);
    new ResizeObserver(() => {
      if (!printing && Math.floor(place.clientWidth) !== drawn) redraw();
    }).observe(place);
    redraw();
    return redraw;
  };

  // --- tables
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    const number = text === "" ? NaN : Number(text);
    return Number.isNaN(number) ? text : number;
  };
  // Numbers before words, what is missing last whichever way.
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b, "en", { numeric: true });
  };
  const missing = (value) => value === "" || value === "-";
  const sortTable = (table, column) => {
    const heads = [...table.tHead.rows[0].cells];
    const down = heads[column].getAttribute("aria-sort") === "ascending";
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
    rows.sort(([a], [b]) => (missing(a) - missing(b)) || (down ? compare(b, a) : compare(a, b)));
    body.append(...rows.map(([, row]) => row));
  };
  const kFilterFrom = 12;
  const addFilter = (table) => {
    const input = element("input", { type: "search", placeholder: "Show rows with …" });
    input.setAttribute("aria-label", "Show only rows that have all of these words");
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    table.parentElement.before(element("div", { className: "tools" }, input));
  };
  const setUpTable = (table) => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = element("button", { type: "button", textContent: head.textContent,
        onclick: () => sortTable(table, column) });
      head.replaceChildren(button);
    });
    if (table.tBodies[0].rows.length >= kFilterFrom) addFilter(table);
  };

  const redraws = [...document.querySelectorAll("figure[data-chart]")].map(setUp);
  document.querySelectorAll("table.sortable").forEach(setUpTable);
  let folded = [];
  window.addEventListener("beforeprint", () => {
    printing = true;
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((fold) => { fold.open = true; });
    redraws.forEach((redraw) => redraw());
  });
  window.addEventListener("afterprint", () => {
    printing = false;
    folded.forEach((fold) => { fold.open = false; });
    redraws.forEach((redraw) => redraw());
  });
  document.documentElement.dataset.ready = "true";
})();
