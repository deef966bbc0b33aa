/* Puts the parts to work: what comes into view is drawn. */

const canDraw = typeof uPlot !== "undefined";
const drawings = [];

function drawingOf(figure) {
	const { chart, histogram, map } = figure.dataset;
	if (map !== undefined)
		return new Heat(figure, report.maps[map]);
	if (!canDraw)
		return null;
	if (histogram !== undefined)
		return new Histogram(figure, report.histograms[histogram]);
	return new Chart(figure, report.charts[chart]);
}

function drawFigure(figure) {
	if (figure.drawing)
		return;
	figure.drawing = drawingOf(figure);
	if (!figure.drawing)
		return;
	figure.drawing.draw();
	drawings.push(figure.drawing);
}

const redraw = () => drawings.forEach((drawing) => drawing.draw());

/* ---- the bar ---- */

function themeButton() {
	const root = document.documentElement;
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const button = make("button", { type: "button", id: "theme" });
	const isDark = () => root.dataset.theme
		? root.dataset.theme === "dark" : dark.matches;
	const name = () => {
		button.textContent = isDark() ? "light" : "dark";
	};
	button.addEventListener("click", () => {
		root.dataset.theme = isDark() ? "light" : "dark";
		name();
		redraw();
	});
	dark.addEventListener("change", () => {
		name();
		redraw();
	});
	name();
	return button;
}

function unitButtons() {
	const buttons = ["cycles", "ns"].map((unit) => {
		const button = make("button", { type: "button", id: `unit-${unit}`,
			"aria-pressed": String(unit === settings.unit) }, unit);
		button.addEventListener("click", () => {
			settings.unit = unit;
			buttons.forEach((other) => other.setAttribute("aria-pressed",
				String(other === button)));
			redraw();
		});
		return button;
	});
	return buttons;
}

function fillBar() {
	const nav = document.getElementById("nav");
	const controls = document.getElementById("controls");
	for (const head of document.querySelectorAll("main > section > h2"))
		nav.append(make("a", { href: `#${head.parentElement.id}` },
			head.textContent));
	if (canDraw && report.charts.some((chart) => isLatency(chart.metric)))
		controls.append(...unitButtons());
	controls.append(themeButton());
}

/* ---- figures ---- */

function watch() {
	const figures = document.querySelectorAll("figure.chart");
	for (const figure of figures)
		if (figure.dataset.chart !== undefined)
			figure.append(numbersOf(report.charts[figure.dataset.chart]));
	const seen = new IntersectionObserver((entries) => {
		for (const entered of entries)
			if (entered.isIntersecting) {
				seen.unobserve(entered.target);
				drawFigure(entered.target);
			}
	}, { rootMargin: "300px" });
	figures.forEach((figure) => seen.observe(figure));
	addEventListener("beforeprint", () => figures.forEach(drawFigure));
	let width = innerWidth;
	addEventListener("resize", () => {
		if (innerWidth === width)
			return;
		width = innerWidth;
		redraw();
	});
}

function fillCells() {
	const section = document.getElementById("cells");
	section?.append(...report.cells.map(cellsOf));
}

fillBar();
fillCells();
watch();
document.documentElement.dataset.ready = "true";
