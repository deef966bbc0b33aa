/* Curves: one chart is a plot, its legend with readings, and residuals. */

const DASHES = { silicon: [], model: [6, 4], published: [1.5, 3] };
const POINTS_SHOWN = 80;

/* Powers of two while there are enough of them, else round numbers. */
function splitsLog2(plot, axis, min, max) {
	const first = Math.ceil(Math.log2(min) - 1e-9);
	const last = Math.floor(Math.log2(max) + 1e-9);
	const room = Math.max(2, Math.floor(plot.bbox.width / devicePixelRatio / 70));
	const splits = [];
	if (last - first < 1)
		return [min, (min + max) / 2, max];
	const stride = Math.ceil((last - first + 1) / room);
	for (let power = first; power <= last; power += stride)
		splits.push(2 ** power);
	return splits;
}

/* All places of the curves, and each curve's values at them. */
function joined(curves) {
	const places = curves.map((curve) => curve.columns.x);
	if (places.every((x) => x === places[0]))
		return { x: places[0], rows: curves.map((curve) => curve.columns.y) };
	const x = [...new Set(places.flat())].sort((a, b) => a - b);
	const index = new Map(x.map((value, i) => [value, i]));
	const rows = curves.map((curve) => {
		const row = new Array(x.length).fill(null);
		curve.columns.x.forEach((value, i) => {
			row[index.get(value)] = curve.columns.y[i];
		});
		return row;
	});
	return { x, rows };
}

/* The index of the place nearest to `value` that has a number. */
function nearest(columns, value, log) {
	const distance = (x) =>
		log ? Math.abs(Math.log(x / value)) : Math.abs(x - value);
	let best = -1;
	for (let i = 0; i < columns.x.length; i++)
		if (columns.y[i] !== null &&
			(best < 0 || distance(columns.x[i]) < distance(columns.x[best])))
			best = i;
	return best;
}

function rangeY(log) {
	return (plot, min, max) => {
		if (min === null || max === null)
			return [0, 1];
		if (log)
			return [min / 1.15, max * 1.15];
		if (min >= 0 && (min < max / 2 || min === max))
			return [0, max * 1.05 || 1];
		// Spans 5 % of its values, at least: what hardly differs looks flat.
		const least = Math.max(Math.abs(min), Math.abs(max)) * 0.05;
		const pad = Math.max((max - min) * 0.06,
			(least - (max - min)) / 2) || 1;
		return [min - pad, max + pad];
	};
}

const rangeX = (plot, min, max) =>
	min === max ? [min === 0 ? -1 : min / 2, max === 0 ? 1 : max * 2] : [min, max];

/* Both ends of a strip of errors: 5 percent, or the next 1, 2 or 5 times a power
   of ten. The ends are the labels of its axis. */
function endOfStrip(min, max) {
	const most = Math.max(5, Math.abs(min), Math.abs(max));
	const power = 10 ** Math.floor(Math.log10(most));
	return power * [1, 2, 5, 10].find((step) => power * step >= most);
}

function axisLooks(label) {
	return {
		label,
		labelSize: 16,
		labelGap: 0,
		font: "11px system-ui, sans-serif",
		labelFont: "11px system-ui, sans-serif",
		stroke: colourOf("--soft"),
		grid: { stroke: colourOf("--grid"), width: 1 },
		ticks: { stroke: colourOf("--line"), width: 1, size: 4 },
	};
}

/* The interval of the median, as a band behind the curve. */
function drawIntervals(plot, curves) {
	const context = plot.ctx;
	context.save();
	context.beginPath();
	context.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
	context.clip();
	context.globalAlpha = 0.18;
	curves.forEach((curve, k) => {
		const { x, y, down, up } = curve.columns;
		if (!plot.series[k + 1].show || !up || !down)
			return;
		context.fillStyle = curve.colour;
		context.beginPath();
		const trace = (i, edge) => y[i] !== null &&
			context.lineTo(plot.valToPos(x[i], "x", true),
				plot.valToPos(y[i] + edge, "y", true));
		for (let i = 0; i < x.length; i++)
			trace(i, entry(up, i));
		for (let i = x.length - 1; i >= 0; i--)
			trace(i, -entry(down, i));
		context.fill();
	});
	context.restore();
}

function lineLooks(curve, count) {
	return {
		label: curve.label,
		show: curve.shown,
		stroke: curve.colour,
		width: 1.6,
		dash: DASHES[curve.role],
		spanGaps: true,
		points: {
			show: curve.role !== "model" && count <= POINTS_SHOWN,
			size: 4,
			fill: curve.colour,
			stroke: curve.colour,
		},
	};
}

class Chart {
	constructor(figure, spec) {
		this.figure = figure;
		this.spec = spec;
		this.metric = spec.metric;
		this.logY = false;
		this.shown = spec.curves.map((curve) => curve.shown);
		this.host = figure.querySelector(".plot");
		this.figureTools();
	}

	/* ---- the parts around the plot ---- */

	figureTools() {
		const body = make("div", { class: "body" });
		this.tools = make("div", { class: "tools" });
		this.canvas = make("div", {
			class: "canvas", tabindex: "0", role: "group",
			"aria-label": `${this.spec.bench}, ${this.spec.metric} over ` +
				`${this.spec.axis}: arrow keys read, plus and minus zoom, ` +
				"0 shows all",
		});
		this.residualHost = make("div", { class: "residuals", role: "group" });
		this.legend = new Legend(this);
		this.host.replaceWith(body);
		this.host.replaceChildren(this.tools, this.canvas, this.residualHost);
		body.append(this.host, this.legend.element);
		this.fillTools();
		this.canvas.addEventListener("keydown", (event) => this.key(event));
	}

	fillTools() {
		const metrics = metricsOf(this.spec);
		if (metrics.length > 1) {
			const select = make("select", { "aria-label": "metric" },
				...metrics.map((name) => make("option",
					{ value: name, selected: name === this.metric }, name)));
			select.addEventListener("change", () => {
				this.metric = select.value;
				this.draw();
			});
			this.tools.append(select);
		}
		const log = make("input", { type: "checkbox" });
		log.addEventListener("change", () => {
			this.logY = log.checked;
			this.draw();
		});
		this.tools.append(make("label", {}, log, "log y"));
		this.all = make("button", { type: "button", hidden: true }, "show all x");
		this.all.addEventListener("click", () => this.zoomAll());
		this.tools.append(this.all,
			make("span", { class: "hint" }, "drag to zoom"));
	}

	/* ---- drawing ---- */

	curves() {
		return this.spec.curves.map((curve, i) => {
			const series = report.series[curve.series];
			return {
				index: i,
				label: curve.label,
				role: series.role,
				shown: this.shown[i],
				colour: colourOf(`--c${curve.colour % 8}`),
				columns: columnsOf(series, this.metric),
			};
		}).filter((curve) => curve.columns);
	}

	draw() {
		const zoom = this.plot && !this.all.hidden
			? { ...this.plot.scales.x } : null;
		this.destroy();
		this.drawn = this.curves();
		const { x, rows } = joined(this.drawn);
		const data = [x, ...rows.map((row) => !this.logY ? row
			: row.map((value) => value > 0 ? value : null))];
		this.plot = new uPlot(this.options(x.length), data, this.canvas);
		this.drawResiduals();
		this.legend.fill();
		if (zoom)
			this.plot.setScale("x", { min: zoom.min, max: zoom.max });
		this.figure.dataset.drawn = "true";
	}

	destroy() {
		this.plot?.destroy();
		this.residuals?.destroy();
		this.plot = this.residuals = null;
		this.canvas.replaceChildren();
		this.residualHost.replaceChildren();
	}

	axisX(label) {
		const looks = axisLooks(label);
		looks.filter = (plot, splits) => splits;
		looks.values = (plot, splits) => splits.map((value) =>
			formatPlace(value, this.spec.bytes));
		looks.space = 64;
		looks.size = 26;
		if (this.spec.log)
			looks.splits = splitsLog2;
		return looks;
	}

	scaleX() {
		return this.spec.log
			? { time: false, distr: 3, log: 2, range: rangeX }
			: { time: false, range: rangeX };
	}

	width() {
		return Math.max(260, this.host.clientWidth);
	}

	options(count) {
		return {
			width: this.width(),
			height: this.width() < 500 ? 240 : 300,
			legend: { show: false },
			scales: {
				x: this.scaleX(),
				y: { distr: this.logY ? 3 : 1, range: rangeY(this.logY) },
			},
			axes: [this.axisX(this.spec.axis),
				{ ...axisLooks(metricName(this.metric)), size: 58 }],
			series: [{}, ...this.drawn.map((curve) => lineLooks(curve, count))],
			cursor: {
				drag: { x: true, y: false, setScale: true },
				points: { size: 6 },
				y: false,
			},
			hooks: {
				drawAxes: [(plot) => drawIntervals(plot, this.drawn)],
				setCursor: [(plot) => this.read(plot)],
				setScale: [(plot, key) => this.zoomed(plot, key)],
			},
		};
	}

	drawResiduals() {
		const drawn = (index) => this.drawn.find((one) => one.index === index);
		const curves = this.spec.residuals.filter((pair) =>
			drawn(pair.base) && drawn(pair.new)).map((pair) => ({
			...drawn(pair.new),
			columns: residualsOf(drawn(pair.base).columns,
				drawn(pair.new).columns, this.metric),
		})).filter((curve) => curve.columns.x.length > 1);
		this.residualCurves = curves;
		if (!curves.length)
			return;
		const { x, rows: values } = joined(curves);
		const unit = isShare(this.metric) ? "points" : "%";
		this.residuals = new uPlot({
			width: this.width(),
			height: 110,
			legend: { show: false },
			scales: { x: this.scaleX(), y: {
				range: (plot, min, max) => {
					const end = endOfStrip(min, max);
					this.residualHost.setAttribute("aria-label",
						`error, from -${end} to ${end} ${unit}`);
					return [-end, end];
				},
			} },
			axes: [this.axisX(""), { ...axisLooks(`error, ${unit}`), size: 58,
				splits: (plot) => [plot.scales.y.min, 0, plot.scales.y.max] }],
			series: [{}, ...curves.map((curve) =>
				({ ...lineLooks(curve, Infinity), dash: [] }))],
			cursor: { drag: { x: true, y: false, setScale: true }, y: false,
				points: { size: 5 } },
			hooks: {
				setCursor: [(plot) => this.read(plot)],
				setScale: [(plot, key) => this.zoomed(plot, key)],
			},
		}, [x, ...values], this.residualHost);
	}

	/* ---- zoom ---- */

	zoomed(plot, key) {
		if (key !== "x" || this.zooming || !this.plot)
			return;
		this.zooming = true;
		const { min, max } = plot.scales.x;
		for (const other of [this.plot, this.residuals])
			if (other && other !== plot)
				other.setScale("x", { min, max });
		const x = this.plot.data[0];
		this.all.hidden = min <= x[0] && max >= x[x.length - 1];
		this.zooming = false;
	}

	zoomAll() {
		const x = this.plot.data[0];
		this.plot.setScale("x", { min: x[0], max: x[x.length - 1] });
	}

	zoomBy(factor) {
		const warp = this.spec.log ? Math.log2 : (value) => value;
		const back = this.spec.log ? (value) => 2 ** value : (value) => value;
		const { min, max } = this.plot.scales.x;
		const x = this.plot.data[0];
		const middle = warp(this.place ?? back((warp(min) + warp(max)) / 2));
		const half = (warp(max) - warp(min)) / 2 * factor;
		this.plot.setScale("x", {
			min: Math.max(x[0], back(middle - half)),
			max: Math.min(x[x.length - 1], back(middle + half)),
		});
	}

	/* ---- reading ---- */

	read(plot) {
		const index = plot.cursor.idx;
		if (this.reading)
			return;
		this.reading = true;
		this.place = index === null || index === undefined || plot.cursor.left < 0
			? null : plot.data[0][index];
		for (const other of [this.plot, this.residuals])
			if (other && other !== plot)
				other.setCursor(this.place === null
					? { left: -10, top: -10 }
					: { left: other.valToPos(this.place, "x"), top: 10 });
		this.legend.read(this.place);
		this.reading = false;
	}

	moveTo(index) {
		const x = this.plot.data[0];
		const place = x[Math.min(x.length - 1, Math.max(0, index))];
		this.plot.setCursor({ left: this.plot.valToPos(place, "x"), top: 10 });
	}

	key(event) {
		const at = this.plot.cursor.idx ?? 0;
		const keys = {
			ArrowRight: () => this.moveTo(at + 1),
			ArrowLeft: () => this.moveTo(at - 1),
			Home: () => this.moveTo(0),
			End: () => this.moveTo(this.plot.data[0].length - 1),
			"+": () => this.zoomBy(0.5),
			"-": () => this.zoomBy(2),
			0: () => this.zoomAll(),
		};
		if (!keys[event.key])
			return;
		keys[event.key]();
		event.preventDefault();
	}

	/* ---- which curves ---- */

	show(index, shown) {
		this.shown[index] = shown;
		this.drawn.forEach((curve, k) => {
			if (curve.index === index)
				this.plot.setSeries(k + 1, { show: shown });
		});
		this.residualCurves?.forEach((curve, k) => {
			if (curve.index === index && this.residuals)
				this.residuals.setSeries(k + 1, { show: shown });
		});
	}
}
