// Judges texts in a format against the lists that they were made from: node check.mjs PARSER, in the folder of
// the packages, with the cases of tests/diagrams.rs on standard input.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/package.json`);
const { JSDOM } = require("jsdom");

/** Throws where what was read is not what is wanted, and says the first that differs. */
function differs(read, wanted) {
  const [a, b] = [read, wanted].map((values) => values.map((value) => JSON.stringify(value)));
  const at = a.length < b.length ? b.findIndex((text, i) => text !== a[i]) : a.findIndex((text, i) => text !== b[i]);
  if (at >= 0) throw new Error(`read ${a[at]?.slice(0, 500)}\nnot  ${b[at]?.slice(0, 500)}`);
}

/** Where mermaid runs: what a browser has, and sizes that are made up. */
function browser() {
  const { window } = new JSDOM("", { pretendToBeVisual: true });
  const { document, CSSStyleSheet, Element } = window;
  Object.assign(globalThis, { window, document, CSSStyleSheet, Element });
  window.SVGElement.prototype.getBBox = () => ({ x: 0, y: 0, width: 100, height: 20 });
  window.SVGElement.prototype.getComputedTextLength = () => 100;
  return window;
}

/** Drawing takes most of the time, so only the first are drawn. */
const DRAWN = 100;

async function mermaidJudge(name) {
  const window = browser();
  const entry = `${process.cwd()}/node_modules/${name}/dist/mermaid.core.mjs`;
  const { default: mermaid } = await import(pathToFileURL(entry));
  mermaid.initialize({ startOnLoad: false, maxTextSize: Infinity, maxEdges: Infinity });
  const allowed = new Set(["DIV", "SPAN", "P", "G", "RECT", "FOREIGNOBJECT", "TEXT", "TSPAN"]);
  let drawn = 0;
  return async ({ text, whole, tasks }) => {
    await mermaid.parse(text);
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    const names = [...db.getVertices().keys()];
    const kept = tasks.map((task, place) => [`t${place}`, task]).filter(([name]) => whole || names.includes(name));
    const places = kept.map(([name]) => name);
    const wanted = kept.map(([name, task]) => [name, task.subject.trim(), [task.state]]);
    if (!whole) wanted.push(["more", `${tasks.length - kept.length} more`, []]);
    const edges = kept.flatMap(([name, task]) =>
      task.from.map((from) => [`t${from}`, name]).filter(([from]) => places.includes(from)));

    const decoded = (label) => {
      const element = window.document.createElement("textarea");
      element.innerHTML = label.replace(/ﬂ°°/g, "&#").replace(/ﬂ°/g, "&").replace(/¶ß/g, ";");
      return element.value;
    };
    differs([...db.getVertices().values()].map((v) => [v.id, decoded(v.text), v.classes]), wanted);
    differs(db.getEdges().map((edge) => [edge.start, edge.end]), edges);
    differs(db.getSubGraphs(), []);

    if (drawn === DRAWN) return wanted.length;
    const { svg } = await mermaid.render(`m${drawn++}`, text);
    const page = new window.DOMParser().parseFromString(svg, "text/html");
    const nodes = [...page.querySelectorAll("g.node")];
    differs(nodes.map((node) => [node.id.match(/(t\d+|more)-\d+$/)[1], node.textContent.trim()]),
      wanted.map(([name, label]) => [name, label]));
    for (const node of nodes) {
      const parts = [...node.querySelectorAll("*")].map((part) => part.tagName.toUpperCase());
      differs(parts.filter((part) => !allowed.has(part)), []);
    }
    differs([page.querySelectorAll("path.flowchart-link").length], [edges.length]);
    return wanted.length;
  };
}

async function markdownJudge() {
  const { window } = new JSDOM();
  const at = (name) => import(pathToFileURL(`${process.cwd()}/node_modules/${name}/index.js`));
  const [{ micromark }, { gfm, gfmHtml }] = await Promise.all([at("micromark"), at("micromark-extension-gfm")]);
  // HTML replaces control characters, and shows a run of spaces as one.
  const plain = (text) => text.replace(/[\p{Cc}\u2028\u2029\ufffd]/gu, " ").replace(/ +/g, " ");
  return ({ text, whole, tasks }) => {
    const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
    const body = new window.DOMParser().parseFromString(`<body>${html}`, "text/html").body;
    const items = [...body.querySelectorAll("li")];
    const read = items.map((item) => {
      const box = item.querySelector("input");
      const mark = box ? (box.checked ? "[x]" : "[ ]") : "";
      const inside = [...item.querySelectorAll("*")].filter((part) => part !== box);
      // An address that is a link to itself is no forgery.
      const other = inside.filter((part) => part.tagName !== "A" ||
        !["", "http://", "mailto:"].some((scheme) => part.getAttribute("href") === encodeURI(scheme + part.textContent)));
      differs(other.map((part) => part.outerHTML), []);
      return plain(mark + item.textContent);
    });
    const marks = { completed: "[x]", in_progress: "[-]" };
    const lines = tasks.map(({ subject, id, status, after }) =>
      plain([`${marks[status] ?? "[ ]"} ${subject} {#${id}}`, ...after.map((id) => `{after #${id}}`)].join(" ")));
    let next = 0;
    const kept = whole ? lines : read.map((line) => {
      const found = lines.indexOf(line, next);
      next = found + 1;
      return lines[found];
    });
    differs(read, kept);
    differs([...body.children].map((part) => part.tagName), items.length ? ["UL"] : []);
    const comments = [...body.childNodes].filter((node) => node.nodeType === 8).map((node) => node.data);
    differs(comments, whole ? [] : [` ${lines.length - kept.length} more `]);
    return items.length;
  };
}

const parser = process.argv[2];
const judge = await (parser === "micromark" ? markdownJudge() : mermaidJudge(parser));
const cases = JSON.parse(readFileSync(0, "utf8"));
let [labels, failed] = [0, 0];
for (const given of cases) {
  try {
    labels += await judge(given);
  } catch (error) {
    failed += 1;
    if (failed <= 20) console.error(`${error.message}\nin ${JSON.stringify(given.text.slice(-300))}\n`);
  }
}
console.log(`${parser}: ${cases.length} texts, ${labels} labels, ${failed} differ`);
process.exit(failed ? 1 : 0);
