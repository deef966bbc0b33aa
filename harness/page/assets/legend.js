/* The legend of a chart: which curves are shown, and what they read. */

const FILTER_FROM = 10; /* curves */

function swatch(colour, role) {
	const ns = "http://www.w3.org/2000/svg";
	const svg = document.createElementNS(ns, "svg");
	const line = document.createElementNS(ns, "line");
	svg.setAttribute("viewBox", "0 0 26 8");
	svg.setAttribute("width", "26");
	svg.setAttribute("height", "8");
	svg.setAttribute("aria-hidden", "true");
	line.setAttribute("class", `swatch c${colour % 8} ${role}`);
	for (const [name, value] of [["x1", 0], ["x2", 26], ["y1", 4], ["y2", 4]])
		line.setAttribute(name, value);
	svg.append(line);
	return svg;
}

/* [1] [2]: links to the notes at the end. */
const noteLinks = (notes) => notes.map((number) => make("a",
	{ href: `#note-${number}`, "aria-label": `note ${number}` }, ` [${number}]`));

class Legend {
	constructor(chart) {
		this.chart = chart;
		this.head = make("th", { scope: "col" }, "");
		this.body = make("tbody");
		this.rows = [];
		this.element = make("div", { class: "legend", tabindex: "0",
			role: "region", "aria-label": `curves of ${chart.spec.bench}, ` +
			`${chart.spec.metric} over ${chart.spec.axis}` });
		if (chart.spec.curves.length >= FILTER_FROM)
			this.element.append(this.filterTools());
		this.element.append(make("table", {},
			make("thead", {}, make("tr", {},
				make("th", { scope: "col" }, "curve"), this.head)),
			this.body));
	}

	filterTools() {
		const filter = make("input", { type: "search", size: "14",
			placeholder: "filter", "aria-label": "filter the curves" });
		filter.addEventListener("input", () => {
			for (const row of this.rows)
				row.element.hidden = !row.label.includes(filter.value);
		});
		const set = (shown) => () => {
			for (const row of this.rows)
				if (!row.element.hidden) {
					row.box.checked = shown;
					this.chart.show(row.curve.index, shown);
				}
		};
		const all = make("button", { type: "button" }, "all");
		const none = make("button", { type: "button" }, "none");
		all.addEventListener("click", set(true));
		none.addEventListener("click", set(false));
		return make("div", { class: "tools" }, filter, all, none);
	}

	row(curve) {
		const spec = this.chart.spec.curves[curve.index];
		const series = report.series[spec.series];
		const box = make("input", { type: "checkbox", checked: curve.shown });
		const value = make("td", {}, "");
		const element = make("tr", {},
			make("th", { scope: "row" },
				make("label", {}, box, swatch(spec.colour, series.role),
					make("span", {}, `${curve.label} · ${series.role}`,
						...noteLinks(series.notes)))),
			value);
		box.addEventListener("change", () =>
			this.chart.show(curve.index, box.checked));
		return { curve, box, value, element, label: curve.label };
	}

	fill() {
		this.rows = this.chart.drawn.map((curve) => this.row(curve));
		this.body.replaceChildren(...this.rows.map((row) => row.element));
		this.read(null);
	}

	/* The values at a place, with their intervals. */
	read(place) {
		const { spec } = this.chart;
		this.head.textContent = place === null
			? metricName(this.chart.metric)
			: `at ${formatPlace(place, spec.bytes)}`;
		this.chart.drawn?.forEach((curve, k) => {
			const cell = this.rows[k]?.value;
			if (!cell)
				return;
			cell.replaceChildren();
			if (place === null)
				return;
			const { x, y, down, up } = curve.columns;
			const i = nearest(curve.columns, place, spec.log);
			if (i < 0)
				return;
			cell.append(formatNumber(y[i]));
			if (up && (entry(up, i) || entry(down, i)))
				cell.append(make("small", {},
					`${formatNumber(y[i] - entry(down, i))}–` +
					formatNumber(y[i] + entry(up, i))));
			if (x[i] !== place)
				cell.append(make("small", {},
					`at ${formatPlace(x[i], spec.bytes)}`));
			const error = this.errorAt(curve.index, place);
			if (error !== null)
				cell.append(make("small", {}, error));
		});
	}

	/* "+1.2 %" of a curve that is judged; null elsewhere. */
	errorAt(index, place) {
		const { residualCurves, metric } = this.chart;
		const curve = residualCurves?.find((one) => one.index === index);
		const at = curve ? curve.columns.x.indexOf(place) : -1;
		if (at < 0)
			return null;
		const error = curve.columns.y[at];
		return `${error > 0 ? "+" : ""}${formatNumber(error)} ` +
			(isShare(metric) ? "points" : "%");
	}
}
