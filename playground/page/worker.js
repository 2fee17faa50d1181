// The worker: Python, and one question after the other. It asks no other host: fetch below knows the parts alone.
import { decompress } from "fzstd";
import { loadPyodide } from "pyodide";
import createModule from "pyodide/pyodide.asm.mjs";
import { startPython } from "./python.js";
import facts from "facts";

const parts = new URL("./", import.meta.url);
const load = globalThis.fetch.bind(globalThis);

/** Returns a part of the page as a stream: it is kept compressed, so that it is small on any server. */
async function streamOf(name) {
  const response = await load(new URL(name, parts));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return name.endsWith(".gz") ? response.body.pipeThrough(new DecompressionStream("gzip")) : response.body;
}

const bytesOf = async (name) => new Uint8Array(await new Response(await streamOf(name)).arrayBuffer());

/** What Pyodide may load, by the end of its address. */
const LOADED = {
  "pyodide.asm.wasm": async () =>
    new Response(await streamOf("pyodide.asm.wasm.gz"), { headers: { "content-type": "application/wasm" } }),
  "python.zip": async () => new Response(await streamOf("python.zip")),
  "empty.zip": async () => new Response(new Uint8Array([0x50, 0x4b, 5, 6, ...new Array(18).fill(0)])),
};
globalThis.fetch = async (address) => {
  const name = String(address.url ?? address).split("/").pop();
  if (!LOADED[name]) throw new Error(`${name} is no part of this page`);
  return LOADED[name]();
};

const address = (name) => new URL(name, parts).href;
const options = {
  indexURL: parts.href,
  lockFileContents: JSON.stringify({ info: facts.lock, packages: {} }),
};

async function imageOf() {
  const packed = await bytesOf("image.zst");
  return decompress(packed, new Uint8Array(facts.image.bytes));
}

async function start(withImage) {
  const [extension, data, more] = await Promise.all([
    bytesOf("extension.bin.gz"),
    bytesOf("data.bin.gz"),
    withImage ? imageOf() : bytesOf("code.bin.gz"),
  ]);
  const common = { loadPyodide, createModule, extension };
  if (withImage) {
    const image = { image: more, sum: facts.image.sum };
    return startPython({ ...common, ...image, packs: [data], options: { ...options, stdLibURL: address("empty.zip") } });
  }
  const python = await startPython({ ...common, packs: [data, more], options: { ...options, stdLibURL: address("python.zip") } });
  python.runPython("import sys; sys.path.insert(0, '/app'); import ask");
  return python;
}

let python;
let plain = new URL(self.location.href).hash === "#plain";

async function begin() {
  const began = performance.now();
  try {
    python = await start(!plain);
  } catch (error) {
    if (plain) throw error;
    console.warn(`Python starts without its image: ${error.message ?? error}`);
    plain = true;
    python = await start(false);
  }
  postMessage({ ready: true, image: !plain, ms: performance.now() - began });
}

const begun = begin().catch((error) => postMessage({ broken: String(error.message ?? error).slice(0, 500) }));

/** Returns the answer; what the image lacks is there where Python has no image. */
async function answerTo(question) {
  const text = JSON.stringify(question);
  try {
    return python.globals.get("ask").ask_json(text);
  } catch (error) {
    if (plain) throw error;
    plain = true;
    python = await start(false);
    return python.globals.get("ask").ask_json(text);
  }
}

onmessage = async ({ data: { id, question } }) => {
  await begun;
  if (!python) return;
  const began = performance.now();
  try {
    const answer = JSON.parse(await answerTo(question));
    postMessage({ id, answer, ms: performance.now() - began });
  } catch (error) {
    postMessage({ id, error: String(error.message ?? error).slice(0, 4000), ms: performance.now() - began });
  }
};
