/* Tables, drawn when they are opened. */

const ROWS_AT_ONCE = 500;
let tableCount = 0;

/* `rows(i)` is an array of cells; cells may be elements. */
function tableOf(heads, keys, count, rows, words) {
	const body = make("tbody");
	const more = make("button", { type: "button" });
	const box = make("div", { class: words ? "scroll words" : "scroll",
		tabindex: "0", role: "region", "aria-label": `table ${++tableCount}` },
	make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) =>
		make("th", { scope: "col" }, head)))), body));
	let drawn = 0;
	const add = () => {
		const last = Math.min(count, drawn + ROWS_AT_ONCE);
		const lines = [];
		for (; drawn < last; drawn++)
			lines.push(make("tr", {}, ...rows(drawn).map((cell, k) =>
				k < keys ? make("th", { scope: "row" }, cell)
					: cell instanceof Element ? cell : make("td", {}, cell))));
		body.append(...lines);
		more.textContent = `${count - drawn} more rows`;
		more.hidden = drawn === count;
	};
	more.addEventListener("click", add);
	add();
	return [box, more];
}

function whenOpened(summary, fill) {
	const details = make("details", {}, make("summary", {}, ...summary));
	details.addEventListener("toggle", () => {
		if (details.open && details.children.length === 1)
			details.append(...fill());
	});
	return details;
}

/* The numbers of a chart: a row a place and curve. */
function numbersOf(spec) {
	return whenOpened(["Numbers"], () => {
		const metrics = metricsOf(spec);
		const rows = [];
		spec.curves.forEach((curve) => {
			const series = report.series[curve.series];
			placesOf(series).forEach((x, i) => rows.push([curve, series, x, i]));
		});
		const marked = rows.some(([, series]) => Object.keys(series.marks).length);
		const heads = ["curve", spec.axis, ...metrics.flatMap((metric) =>
			metric === spec.metric ? [metric, "low", "high", "n"] : [metric]),
		...(marked ? ["marks"] : [])];
		return tableOf(heads, 2, rows.length, (k) => {
			const [curve, series, x, i] = rows[k];
			return [`${curve.label} · ${series.role}`, formatPlace(x, spec.bytes),
				...metrics.flatMap((metric) => numbersAt(series, metric, i,
					metric === spec.metric)),
				...(marked ? [series.marks[i] ?? ""] : [])];
		});
	});
}

function numbersAt(series, metric, i, all) {
	const found = series.metrics[metric];
	if (!found)
		return all ? ["–", "–", "–", "–"] : ["–"];
	const y = found.y[i];
	const skipped = y === null;
	if (!all || !found.up)
		return all ? [formatNumber(y), "–", "–", "–"] : [formatNumber(y)];
	return [formatNumber(y),
		skipped ? "–" : formatNumber(y - entry(found.down, i)),
		skipped ? "–" : formatNumber(y + entry(found.up, i)),
		skipped ? "–" : String(entry(found.n, i))];
}

function cellsOf(table) {
	const differ = table.other
		? `, ${table.differing} of ${table.compared} cells differ` : "";
	return whenOpened([make("h3", {}, `${table.bench} over ${table.axis}`),
		make("span", {}, ` ${table.rows.length} row${
			table.rows.length === 1 ? "" : "s"}${differ}: ${table.who}` +
			(table.other ? ` | ${table.other}` : ""))],
	() => tableOf([...table.keys, ...table.columns], table.keys.length,
		table.rows.length, (i) => table.rows[i].map((cell, k) =>
			k >= table.keys.length && cell.includes(" | ")
				? make("td", { class: "apart" }, cell) : cell), true));
}
