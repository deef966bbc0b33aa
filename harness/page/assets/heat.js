/* The map of a chip: an SM a row, a line a column, ordered by side. */

/* From dark to light through blue, green and yellow; even in lightness. */
const HEAT = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98],
	[253, 231, 37]];

function heatColour(unit) {
	const at = Math.min(0.9999, Math.max(0, unit)) * (HEAT.length - 1);
	const from = HEAT[Math.floor(at)], to = HEAT[Math.floor(at) + 1];
	return from.map((value, i) =>
		Math.round(value + (to[i] - value) * (at - Math.floor(at))));
}

class Heat {
	constructor(figure, spec) {
		const host = figure.querySelector(".plot");
		this.figure = figure;
		this.spec = spec;
		this.rows = spec.sms.length;
		this.columns = spec.lines.length;
		this.at = [0, 0];
		this.findScale();
		this.canvas = make("canvas", { class: "heat", tabindex: "0", role: "img",
			"aria-label": `latency of ${this.rows} SMs to ${this.columns} lines, ` +
				"ordered by side: arrow keys read a cell",
			width: String(this.columns), height: String(this.rows * 3) });
		this.reading = make("output", { class: "reading" });
		host.replaceChildren(this.canvas, this.reading, this.scaleLine());
		this.canvas.addEventListener("mousemove", (event) => this.hover(event));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
	}

	/* All but the outermost hundredths have a colour of their own. */
	findScale() {
		const sorted = Float64Array.from(this.spec.cycles).sort();
		this.low = sorted[Math.floor(sorted.length * 0.01)];
		this.high = sorted[Math.floor(sorted.length * 0.99)];
	}

	scaleLine() {
		const bar = make("canvas", { width: "120", height: "8",
			"aria-hidden": "true" });
		const context = bar.getContext("2d");
		for (let i = 0; i < 120; i++) {
			context.fillStyle = `rgb(${heatColour(i / 119).join(",")})`;
			context.fillRect(i, 0, 1, 8);
		}
		return make("div", { class: "tools" }, `${this.low}`, bar,
			`${this.high} cycles`, make("span", { class: "hint" },
				"rows: SMs, columns: lines, each of side A, then B"));
	}

	draw() {
		const context = this.canvas.getContext("2d");
		const image = context.createImageData(this.columns, this.rows * 3);
		const span = this.high - this.low || 1;
		for (let row = 0; row < this.rows * 3; row++)
			for (let column = 0; column < this.columns; column++) {
				const sm = Math.floor(row / 3);
				const colour = heatColour((this.spec.cycles[
					sm * this.columns + column] - this.low) / span);
				image.data.set([...colour, 255],
					(row * this.columns + column) * 4);
			}
		context.putImageData(image, 0, 0);
		context.fillStyle = "#ffffff";
		context.fillRect(0, this.firstOfB("sms") * 3, this.columns, 1);
		context.fillRect(this.firstOfB("lines"), 0, 1, this.rows * 3);
		this.figure.dataset.drawn = "true";
	}

	destroy() {}

	firstOfB(which) {
		const index = this.spec[`${which}_side`].indexOf("B");
		return index < 0 ? -9 : index;
	}

	read(row, column) {
		const { spec } = this;
		row = Math.min(this.rows - 1, Math.max(0, row));
		column = Math.min(this.columns - 1, Math.max(0, column));
		this.at = [row, column];
		const line = spec.lines[column];
		this.reading.textContent = `SM ${spec.sms[row]} of side ` +
			`${spec.sms_side[row]}, line at ${formatBytes((line + 1) * spec.stride)}, ` +
			`home ${spec.lines_side[column]}: ` +
			`${spec.cycles[row * this.columns + column]} cycles`;
	}

	hover(event) {
		const box = this.canvas.getBoundingClientRect();
		this.read(Math.floor((event.clientY - box.top) / box.height * this.rows),
			Math.floor((event.clientX - box.left) / box.width * this.columns));
	}

	key(event) {
		const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1],
			ArrowRight: [0, 1] };
		const step = steps[event.key];
		if (!step)
			return;
		this.read(this.at[0] + step[0], this.at[1] + step[1]);
		event.preventDefault();
	}
}
