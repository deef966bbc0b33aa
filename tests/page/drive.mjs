/*
 * Opens the reports of check.sh in headless Chromium and uses them as a reader
 * would. Prints a line a check, and exits with 1 if one failed; leaves
 * pictures in FOLDER.
 * usage: drive.mjs MODULES FOLDER
 */
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [modules, folder] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(`${modules}/node_modules/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const MOST_BYTES = 15e6;
let failed = 0;

function check(name, good, why = "") {
	console.log(good ? `ok page: ${name}` : `not ok page: ${name}\n  ${why}`);
	failed += !good;
}

const browser = await chromium.launch({
	executablePath: "/usr/bin/chromium",
	args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update",
		"--disable-sync"],
});

/* A page with everything it said and asked for. */
async function open(name, look = {}) {
	const context = await browser.newContext({
		viewport: { width: look.width ?? 1280, height: 900 },
		colorScheme: look.theme ?? "light",
		bypassCSP: false,
	});
	const page = await context.newPage();
	const said = [], asked = [];
	page.on("console", (message) => said.push(message.text()));
	page.on("pageerror", (error) => said.push(error.message));
	page.on("request", (request) => asked.push(request.url()));
	const url = `file://${folder}/${name}`;
	await page.goto(url);
	await page.waitForSelector("html[data-ready]", { state: "attached" });
	return { page, said, asked, url, close: () => context.close() };
}

/* Brings every figure into view, as scrolling does. */
async function scrollThrough(page) {
	await page.evaluate(async () => {
		for (const figure of document.querySelectorAll("figure.chart")) {
			figure.scrollIntoView();
			await new Promise((done) => setTimeout(done, 50));
		}
		scrollTo(0, 0);
	});
}

/* The figures of which no canvas has anything but one colour. */
const blankFigures = (page) => page.evaluate(() =>
	[...document.querySelectorAll("figure.chart")].filter((figure) =>
		![...figure.querySelectorAll("canvas")].some((canvas) => {
			const { width, height } = canvas;
			const copy = new OffscreenCanvas(width, height)
				.getContext("2d", { willReadFrequently: true });
			copy.drawImage(canvas, 0, 0);
			const pixels = new Uint32Array(
				copy.getImageData(0, 0, width, height).data.buffer);
			return pixels.some((pixel) => pixel !== pixels[0]);
		})).map((figure) => figure.id));

/* axe runs outside of the page's policy: through the debugger. */
async function violations(page) {
	await page.evaluate(axe);
	const { violations: found, passes } = await page.evaluate(() => axe.run());
	if (passes.length < 20)
		return `axe looked at ${passes.length} rules only`;
	return found.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)} ` +
		one.nodes[0].failureSummary).join("\n  ");
}

const silent = ({ said, asked, url }) => check("it says nothing and asks for " +
	"nothing but itself", !said.length && asked.every((one) => one === url),
[...said, ...asked].join("\n  "));

/* ---- the demo's page, in each look ---- */

for (const look of [{ theme: "light" }, { theme: "dark" },
	{ theme: "light", width: 390 }, { theme: "dark", width: 390 }]) {
	const name = `${look.theme}${look.width ? ", a phone" : ""}`;
	const opened = await open("demo/report.html", look);
	await scrollThrough(opened.page);
	const blank = await blankFigures(opened.page);
	check(`${name}: every chart is drawn`, !blank.length, blank.join(" "));
	const strips = await opened.page.evaluate(() =>
		[...document.querySelectorAll(".residuals:has(canvas)")].map((strip) =>
			strip.getAttribute("aria-label")));
	check(`${name}: strips of errors have a scale`, strips.length > 3 &&
		strips.every((text) => /^error, from -(\S+) to \1 (%|points)$/.test(text)),
	strips.join(" | "));
	const wide = await opened.page.evaluate(() =>
		document.documentElement.scrollWidth - innerWidth);
	check(`${name}: nothing is wider than the window`, wide <= 0, `${wide} px`);
	const found = await violations(opened.page);
	check(`${name}: axe finds no violation`, !found, found);
	await opened.page.screenshot({ fullPage: true,
		path: `${folder}/${look.theme}${look.width ?? ""}.png` });
	silent(opened);
	await opened.close();
}

/* ---- what a reader does ---- */

{
	const opened = await open("demo/report.html");
	const { page } = opened;
	const chart = page.locator("figure[data-chart]").first();
	const plot = chart.locator(".canvas .u-over");
	const readings = () => chart.locator(".legend tbody td").allInnerTexts();
	await chart.scrollIntoViewIfNeeded();
	await plot.waitFor();

	await plot.hover({ position: { x: 60, y: 60 } });
	const left = await readings();
	await plot.hover({ position: { x: 500, y: 60 } });
	const right = await readings();
	check("hovering reads every curve", left.length >= 2 &&
		left.every((text) => /^\d/.test(text)) && left[0] !== right[0],
	`${left} / ${right}`);

	const labels = await chart.locator(".legend tbody label").allInnerTexts();
	check("silicon and model lie over each other",
		labels.some((text) => text.includes("silicon")) &&
		labels.some((text) => text.includes("model")), labels.join(" | "));

	const inked = () => chart.locator(".canvas canvas").evaluate((canvas) => {
		const copy = new OffscreenCanvas(canvas.width, canvas.height)
			.getContext("2d", { willReadFrequently: true });
		copy.drawImage(canvas, 0, 0);
		return copy.getImageData(0, 0, canvas.width, canvas.height).data
			.filter((value, i) => i % 4 === 3 && value).length;
	});
	const both = await inked();
	await chart.locator(".legend input[type=checkbox]").first().click();
	await page.waitForTimeout(100);
	check("a curve can be hidden", await inked() < both);
	await chart.locator(".legend input[type=checkbox]").first().click();

	const box = await plot.boundingBox();
	await page.mouse.move(box.x + 200, box.y + 80);
	await page.mouse.down();
	await page.mouse.move(box.x + 400, box.y + 80, { steps: 4 });
	await page.mouse.up();
	const all = chart.getByRole("button", { name: "show all x" });
	check("dragging zooms", await all.isVisible());
	await all.click();
	check("and all can be shown again", !await all.isVisible());

	await chart.locator(".canvas").focus();
	await page.keyboard.press("Home");
	const first = await readings();
	await page.keyboard.press("End");
	const last = await readings();
	await page.keyboard.press("+");
	check("keys read and zoom", first[0] !== last[0] && await all.isVisible(),
		`${first} / ${last}`);

	await page.getByRole("button", { name: "ns", exact: true }).click();
	await chart.locator(".canvas").focus();
	await page.keyboard.press("End");
	const ns = parseFloat((await readings())[0]);
	check("cycles become ns", Math.abs(parseFloat(last[0]) / 1.98 - ns) < ns / 50,
		`${last[0]} cycles, ${ns} ns`);

	const paper = () => page.evaluate(() =>
		getComputedStyle(document.body).backgroundColor);
	const light = await paper();
	await page.locator("#theme").click();
	check("the theme changes", await paper() !== light);
	const dark = await blankFigures(page).then((blank) =>
		blank.includes("chart-0"));
	check("and the charts are drawn in it", !dark);

	await chart.locator("summary").click();
	await chart.locator("details tbody tr").first().waitFor();
	const rows = await chart.locator("details tbody tr").count();
	check("the numbers are a table when opened", rows > 20, `${rows} rows`);
	await page.locator("#cells summary").first().click();
	await page.locator("#cells tbody tr").first().waitFor();
	check("so are the levels", await page.locator("#cells tbody tr").count() > 0);

	await page.locator("figure[data-map]").first().scrollIntoViewIfNeeded();
	const map = page.locator("canvas.heat").first();
	await map.hover({ position: { x: 40, y: 40 } });
	const cell = await page.locator(".reading").first().innerText();
	check("the map reads a cell", /^SM \d+ of side A.* \d+ cycles$/.test(cell),
		cell);
	silent(opened);
	await opened.close();
}

/* ---- what must not run, and what must not be slow ---- */

{
	const opened = await open("hostile.html");
	await scrollThrough(opened.page);
	const state = await opened.page.evaluate(() => ({
		ran: window.ran,
		scripts: document.scripts.length,
		images: document.images.length,
		text: document.querySelector("h1").innerText,
		inline: document.querySelectorAll("[onerror], [style]:not(.uplot *)")
			.length,
	}));
	await opened.page.locator("summary").first().click();
	check("names, paths and notes are text", !state.ran && !state.images &&
		state.scripts === 2 && state.text.includes("</script>"),
	JSON.stringify(state));
	check("and nothing is blocked, for nothing tried", !opened.said.length,
		opened.said.join("\n  "));
	await opened.close();
}

{
	const bytes = statSync(`${folder}/large.html`).size;
	const opened = await open("large.html");
	await opened.page.waitForSelector("figure[data-drawn]");
	const drawn = await opened.page.evaluate(() => performance.now());
	check(`50 series of 10,000 points: ${(bytes / 1e6).toFixed(1)} MB, drawn ` +
		`after ${(drawn / 1e3).toFixed(2)} s`, bytes < MOST_BYTES);
	await opened.page.screenshot({ path: `${folder}/large.png` });
	silent(opened);
	await opened.close();
}

await browser.close();
process.exit(failed ? 1 : 0);
