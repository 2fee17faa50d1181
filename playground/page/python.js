// Starts Python in a worker: from an image of its memory, or, where that does not fit, module by module.
//
// The image is the memory of a Python that has imported all of it and answered questions. Of it only what differs from
// the memory of a Python that has not begun is kept.

const APP = "/app";
const EXTENSION = `${APP}/msgspec/_core.cpython-314-wasm32-emscripten.so`;
const STATIC = 1 << 22; // bytes at the begin of the memory that Python has before it begins

/** Returns the sum of all words of a memory: what an image must come to, to be used. */
export function sumOf(bytes) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
  let sum = 0;
  for (let at = 0; at < words.length; at++) sum = (sum + words[at]) | 0;
  return sum;
}

/** Changes `image` into what differs from `memory`, or back. */
export function differ(image, memory) {
  const words = new Uint32Array(image.buffer, image.byteOffset, image.byteLength >> 2);
  const others = new Uint32Array(memory.buffer, memory.byteOffset, Math.min(memory.byteLength, image.byteLength) >> 2);
  for (let at = 0; at < others.length; at++) words[at] ^= others[at];
}

/** Yields the paths and bytes of a pack: the length of its index, its index as JSON, and the files. */
export function* filesOf(pack) {
  const length = new DataView(pack.buffer, pack.byteOffset).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(pack.subarray(4, 4 + length)));
  let at = 4 + length;
  for (const [path, size] of index) {
    yield [path, pack.subarray(at, at + size)];
    at += size;
  }
}

/** Writes the files of a pack below the folder of the program. */
export function unpack(FS, pack) {
  for (const [path, bytes] of filesOf(pack)) {
    const to = `${APP}/${path}`;
    FS.mkdirTree(to.slice(0, to.lastIndexOf("/")));
    FS.writeFile(to, bytes);
  }
}

/**
 * Makes a Python that has not begun the same everywhere, and returns its memory and where that differs by browser.
 *
 * The extension is linked in before Python runs: its functions then have the same numbers each time. Browsers that know
 * WebAssembly's garbage collection have one function more before them, which Python finds by one word of its memory.
 */
function prepare(module, extension) {
  const at = (module.__PyRuntime + module.HEAP32[module.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET >> 2]) >> 2;
  const trampoline = module.HEAPU32[at];
  if (!trampoline) module.wasmTable.grow(1);
  const memory = module.HEAPU8.slice(0, STATIC);
  new Uint32Array(memory.buffer)[at] = 0;
  const library = module.newDSO(EXTENSION, undefined, "loading");
  library.global = false;
  const flags = { loadAsync: false, global: false, nodelete: true };
  library.exports = module.loadWebAssemblyModule(extension, flags, EXTENSION, {}, 0);
  return { memory, at, trampoline };
}

/** Returns the part of an image that is memory. */
export const memoryOf = (image) => image.subarray(new Uint32Array(image.buffer, image.byteOffset, 2)[1]);

/** Makes an image of what is kept of it, in place. */
function restore(module, { memory, at, trampoline }, image, sum) {
  const restored = memoryOf(image);
  const missing = restored.length > module.HEAPU8.length;
  if (missing && !module._emscripten_resize_heap(restored.length)) throw new Error("the browser gives no memory");
  differ(restored, memory);
  if (sumOf(restored) !== sum) throw new Error("the image of its memory does not fit");
  new Uint32Array(restored.buffer, restored.byteOffset)[at] = trampoline;
}

/**
 * Starts Python.
 *
 * `parts`: `loadPyodide` and `createModule` of Pyodide, `options` for it, `extension` (bytes of msgspec's), `packs` to
 * unpack, and perhaps `image` with its `sum`. `onFresh` hears of what `prepare` returns.
 */
export async function startPython({ loadPyodide, createModule, options, extension, packs, image, sum, onFresh }) {
  const createPyodideModule = async (settings) => {
    let fresh;
    settings.preRun.push((module) => (fresh = prepare(module, extension)));
    const module = await createModule(settings);
    onFresh?.(fresh);
    for (const pack of packs) unpack(module.FS, pack);
    if (image) restore(module, fresh, image, sum);
    return module;
  };
  const more = image ? { _loadSnapshot: image } : {};
  return loadPyodide({ ...options, ...more, _sysExecutable: "/app/python", createPyodideModule });
}
