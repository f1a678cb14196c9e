import uPlot from "./uPlot.esm.js";

const WINDOWS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

const at = (name) => document.getElementById(`playground-${name}`);
const form = document.getElementById("playground");

if (form) {
  const place = new URL("worker.js", import.meta.url);
  const worker = new Worker(place, { type: "module" });
  const waiting = new Map();
  let asked = 0;
  let plot = null;

  worker.onmessage = ({ data }) => {
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    data.error === undefined ? resolve(data.played) : reject(new Error(data.error));
  };
  worker.onerror = () => say("The simulator cannot be fetched. Pages from disk may not: serve the site, with python -m http.server.");

  const run = (scenario, seed) =>
    new Promise((resolve, reject) => {
      asked += 1;
      waiting.set(asked, { resolve, reject });
      worker.postMessage({ id: asked, scenario, seed });
    });

  const say = (text) => {
    at("said").textContent = text;
  };

  const flow = (from, to, window) => `
[[flows]]
from = ${from}
to = ${to}
transport = { protocol = "${at("protocol").value}", window_limit_segments = ${window} }
`;

  const scenario = (window = at("window").value) => {
    const hops = Number(at("hops").value);
    const side = hops + 1;
    const begin = `duration_s = ${at("seconds").value}\n\n[topology]\n`;
    if (at("network").value === "chain") return `${begin}kind = "chain"\nhops = ${hops}\n${flow(0, hops, window)}`;
    // From left to right in the first row, the middle one and the last.
    const rows = [...new Set([0, hops >> 1, hops])];
    const flows = rows.map((row) => flow(row * side, row * side + hops, window));
    return `${begin}kind = "grid"\nrows = ${side}\ncolumns = ${side}\n${flows.join("")}`;
  };

  const renew = () => {
    at("scenario").value = scenario();
  };
  for (const name of ["network", "hops", "protocol", "window", "seconds"]) at(name).addEventListener("input", renew);
  renew();

  const draw = (xLabel, yLabel, names, data, stepped) => {
    plot?.destroy();
    const ink = getComputedStyle(document.body).color;
    const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"];
    const axis = (label) => ({ label, stroke: ink, grid: { stroke: "#8884" }, ticks: { stroke: "#8884" } });
    const series = names.map((label, each) => ({
      label,
      stroke: colours[each % colours.length],
      width: 1.5,
      paths: stepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
      points: { show: !stepped },
      spanGaps: true,
    }));
    const options = {
      width: form.clientWidth,
      height: 280,
      scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, (high || 1) * 1.05] } },
      axes: [axis(xLabel), axis(yLabel)],
      series: [{ label: xLabel }, ...series],
    };
    plot = new uPlot(options, data, at("plot"));
  };

  const kbps = (flow) => flow.goodput_bps / 1000;

  const tell = (report) => {
    const table = at("results");
    table.hidden = false;
    table.replaceChildren();
    const row = (kind, cells) => {
      const line = table.insertRow();
      for (const cell of cells) {
        const box = document.createElement(kind);
        box.textContent = cell;
        line.append(box);
      }
    };
    row("th", ["from → to", "goodput (kb/s)", "segments resent", "time-outs", "mean round trip (ms)"]);
    for (const flow of report.flows) {
      const shown = (value, digits = 1) => (value === undefined || value === null ? "" : value.toFixed(digits));
      const round = flow.mean_rtt_s === undefined ? undefined : flow.mean_rtt_s * 1000;
      row("td", [`${flow.from} → ${flow.to}`, shown(kbps(flow)), shown(flow.retransmissions, 0), shown(flow.rto_count, 0), shown(round)]);
    }
  };

  const guarded = async (work) => {
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    try {
      await work();
    } catch (error) {
      say(error.message);
    } finally {
      for (const button of form.querySelectorAll("button")) button.disabled = false;
    }
  };

  const seed = () => Number(at("seed").value);

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(async () => {
      say("running");
      const began = performance.now();
      const { report, windows } = await run(at("scenario").value, seed());
      const took = ((performance.now() - began) / 1000).toFixed(2);
      say(`${report.frames} frames in ${took} s. Fingerprint ${report.fingerprint}, as hopwright run has it.`);
      tell(report);
      const tables = windows.map(({ time_s, segments }) => [time_s, segments]).filter(([times]) => times.length);
      const names = windows.flatMap(({ time_s }, flow) => (time_s.length ? [`flow ${flow}`] : []));
      if (tables.length) draw("time (s)", "window (segments)", names, uPlot.join(tables), true);
    });
  });

  at("sweep").addEventListener("click", () =>
    guarded(async () => {
      const tried = [];
      const sums = [];
      let carried = [];
      for (const window of WINDOWS) {
        say(`a window of ${window}`);
        const { report } = await run(scenario(window), seed());
        const flows = report.flows.map(kbps);
        carried = flows.map((each, number) => [...(carried[number] ?? []), each]);
        tried.push(window);
        sums.push(flows.reduce((sum, each) => sum + each, 0));
        const names = report.flows.map(({ from, to }) => `${from} → ${to}`);
        draw("window limit (segments)", "goodput (kb/s)", names, [tried, ...carried], false);
      }
      const best = WINDOWS[sums.indexOf(Math.max(...sums))];
      say(`In this run a window of ${best} carries most in all. Other seeds may differ: hopwright compare says whether it is sure.`);
    }),
  );

  say("The simulator is being fetched.");
  run(scenario(1).replace(/duration_s = .*/, "duration_s = 1"), 1).then(
    () => say("ready"),
    (error) => say(error.message),
  );
}
