/* The page's data, and how numbers and elements are made. */

/* JSON as it is or, where there is much of it, gzipped and in base64. */
async function readData() {
	const element = document.getElementById("data");
	const text = element.textContent;
	if (element.type === "application/json")
		return JSON.parse(text);
	const bytes = Uint8Array.fromBase64?.(text) ??
		Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
	const unpacked = new Blob([bytes]).stream()
		.pipeThrough(new DecompressionStream("gzip"));
	return new Response(unpacked).json();
}

const report = await readData();
const settings = { unit: "cycles" };

/* The places of a series: its own, or another series'. */
const placesOf = (series) => typeof series.x === "number"
	? placesOf(report.series[series.x]) : series.x;

/* An array, or the one number that all of its entries are. */
const entry = (values, i) => (Array.isArray(values) ? values[i] : values);

function formatNumber(value) {
	if (value === null || value === undefined || !isFinite(value))
		return "–";
	const size = Math.abs(value);
	if (Number.isInteger(value) && size < 1e9)
		return String(value);
	if (size && (size < 1e-3 || size >= 1e9))
		return value.toExponential(3);
	return value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
}

function formatBytes(value) {
	const units = ["", "KiB", "MiB", "GiB", "TiB"];
	let unit = 0;
	while (Math.abs(value) >= 1024 && unit < 4) {
		value /= 1024;
		unit++;
	}
	return Number(value.toPrecision(4)) + (unit ? " " + units[unit] : "");
}

const formatPlace = (value, bytes) =>
	bytes ? formatBytes(value) : String(Number(value.toPrecision(7)));

/* make("td", {class: "apart"}, "text", element...) */
function make(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value === false || value === undefined)
			continue;
		element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...children.filter((child) => child !== null));
	return element;
}

const colourOf = (name) =>
	getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* A metric as the settings want it: latencies in cycles or in ns. */
const isLatency = (metric) => metric === "latency_cycles";

function metricName(metric) {
	return isLatency(metric) && settings.unit === "ns"
		? "latency_ns" : metric;
}

function scaled(series, metric, values) {
	if (!values || !isLatency(metric) || settings.unit !== "ns")
		return values;
	if (!Array.isArray(values))
		values = placesOf(series).map(() => values);
	return values.map((value, i) =>
		value === null ? null : value * 1000 / entry(series.clock, i));
}

/* {x, y, down, up, n} of a series; null if it lacks the metric. */
function columnsOf(series, metric) {
	const found = series.metrics[metric];
	if (!found)
		return null;
	return {
		x: placesOf(series),
		y: scaled(series, metric, found.y),
		down: scaled(series, metric, found.down),
		up: scaled(series, metric, found.up),
		n: found.n,
	};
}

/* All metrics that the curves of a chart have. */
function metricsOf(spec) {
	const names = new Set();
	for (const curve of spec.curves)
		for (const name in report.series[curve.series].metrics)
			names.add(name);
	return [...names];
}

/* Shares are apart by points, all else by a ratio. */
const isShare = (metric) => metric.startsWith("share_");

/* How far `judged` is from `base`, at the places that both have: percent, or
   points of a share. */
function residualsOf(base, judged, metric) {
	const at = new Map(base.x.map((x, i) => [x, base.y[i]]));
	const found = { x: [], y: [] };
	judged.x.forEach((x, i) => {
		const from = at.get(x), to = judged.y[i];
		if (from === undefined || from === null || to === null)
			return;
		if (!isShare(metric) && !from)
			return;
		found.x.push(x);
		found.y.push(100 * (isShare(metric) ? to - from : to / from - 1));
	});
	return found;
}
