/* Distributions: samples in bins, with the modes that were fitted to them. */

function drawModes(plot, parts) {
	const context = plot.ctx;
	const scale = devicePixelRatio;
	context.save();
	context.font = `${11 * scale}px system-ui, sans-serif`;
	context.textAlign = "left";
	parts.forEach((part, k) => part.modes.forEach((mode, number) => {
		const at = plot.valToPos(mode[0], "x", true);
		const top = plot.bbox.top + (k * 16 + 14) * scale;
		context.strokeStyle = context.fillStyle = part.colour;
		context.lineWidth = scale;
		context.setLineDash(DASHES[part.role].map((dash) => dash * scale));
		context.beginPath();
		context.moveTo(at, plot.bbox.top);
		context.lineTo(at, plot.bbox.top + plot.bbox.height);
		context.stroke();
		const text = `${formatNumber(mode[0])} · ${(mode[3] * 100).toFixed(1)} %`;
		const width = context.measureText(text).width + 6 * scale;
		const right = plot.bbox.left + plot.bbox.width;
		context.fillText(text,
			at + width > right ? at - width : at + 4 * scale, top);
	}));
	context.restore();
}

class Histogram {
	constructor(figure, spec) {
		this.figure = figure;
		this.spec = spec;
		this.place = 0;
		this.host = figure.querySelector(".plot");
		this.tools = make("div", { class: "tools" });
		this.canvas = make("div", { class: "canvas" });
		this.table = make("div", { class: "legend", tabindex: "0",
			role: "region", "aria-label": `modes of ${spec.title}` });
		const body = make("div", { class: "body" });
		this.host.replaceWith(body);
		this.host.replaceChildren(this.tools, this.canvas);
		body.append(this.host, this.table);
		this.choose();
	}

	choose() {
		if (this.spec.places.length < 2)
			return;
		const select = make("select", { "aria-label": this.spec.axis },
			...this.spec.places.map((place, i) => make("option",
				{ value: String(i) }, `${this.spec.axis} ${place.x}`)));
		select.addEventListener("change", () => {
			this.place = Number(select.value);
			this.draw();
		});
		this.tools.append(select);
	}

	parts() {
		return this.spec.places[this.place].parts.map((part, i) => ({
			...part,
			number: i,
			colour: colourOf(`--c${i % 8}`),
		}));
	}

	draw() {
		const parts = this.parts();
		const first = parts[0];
		const x = first.counts.map((count, i) => first.first + i * first.width);
		this.plot?.destroy();
		x.push(first.first + first.counts.length * first.width);
		this.plot = new uPlot({
			width: Math.max(260, this.host.clientWidth),
			height: 260,
			legend: { show: false },
			scales: { x: { time: false, range: rangeX }, y: { range: rangeY(false) } },
			axes: [{ ...axisLooks("latency_cycles"), size: 26 },
				{ ...axisLooks("samples, %"), size: 50 }],
			series: [{}, ...parts.map((part) => ({
				label: part.label,
				stroke: part.colour,
				width: 1.2,
				dash: DASHES[part.role],
				fill: part.colour + "2e",
				paths: uPlot.paths.stepped({ align: 1 }),
				points: { show: false },
			}))],
			cursor: { drag: { x: true, y: false }, y: false, points: { size: 5 } },
			hooks: { draw: [(plot) => drawModes(plot, parts)] },
		}, [x, ...parts.map((part) => [...part.counts.map((count) =>
			100 * count / part.total), null])], this.canvas);
		this.fill(parts);
		this.figure.dataset.drawn = "true";
	}

	destroy() {
		this.plot?.destroy();
		this.plot = null;
	}

	fill(parts) {
		const head = make("tr", {}, ...["mode", "cycles", "share"].map((text) =>
			make("th", { scope: "col" }, text)));
		const rows = parts.flatMap((part) => [
			make("tr", {}, make("th", { scope: "rowgroup", colspan: "3" },
				swatch(part.number, part.role), ` ${part.label}, ${part.total} samples` +
				(part.below + part.above
					? `, ${part.below + part.above} outside the bins` : ""))),
			...part.modes.map((mode, i) => make("tr", {},
				make("th", { scope: "row" }, String(i + 1)),
				make("td", {}, formatNumber(mode[0]), make("small", {},
					`${formatNumber(mode[1])}–${formatNumber(mode[2])}`)),
				make("td", {}, mode[3].toFixed(3), make("small", {},
					`${mode[4].toFixed(3)}–${mode[5].toFixed(3)}`)))),
		]);
		this.table.replaceChildren(make("table", {}, make("thead", {}, head),
			make("tbody", {}, ...rows)));
	}
}
