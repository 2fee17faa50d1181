// Makes the image of Python that the page starts from: node image/image.mjs REPOSITORY WHEELS FOLDER small|quick LEFT_OUT...
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";
import { loadPyodide } from "pyodide";
import createModule from "pyodide/pyodide.asm.mjs";
import { differ, memoryOf, startPython, sumOf } from "../page/python.js";

const [repository, wheels, target] = process.argv.slice(2, 5).map((each) => path.resolve(each));
const [care, ...leftOut] = process.argv.slice(5); // rooms of the package
const quick = care === "quick";
const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.dirname(fileURLToPath(import.meta.resolve("pyodide")));
const indexURL = modules + "/";
const EXTENSION = "msgspec/_core.cpython-314-wasm32-emscripten.so";

/** Returns a pack: see filesOf. */
function pack(files) {
  const index = new TextEncoder().encode(JSON.stringify(files.map(([name, bytes]) => [name, bytes.length])));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  return new Uint8Array(Buffer.concat([length, index, ...files.map(([, bytes]) => bytes)]));
}

function filesBelow(folder) {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
    .map((file) => [path.relative(folder, file), fs.readFileSync(file)]);
}

/** Compiles the program and its packages with the Python of the page; where there is time, its standard library too. */
async function stage(folder) {
  const python = await loadPyodide({ indexURL });
  for (const [name, from] of Object.entries({ repository, wheels, modules, image: here, folder })) {
    python.FS.mkdirTree(`/${name}`);
    python.mountNodeFS(`/${name}`, from);
  }
  python.globals.set("left_out", python.toPy(leftOut));
  python.globals.set("quick", quick);
  python.runPython(`
import sys, zipfile
from pathlib import Path
sys.path.insert(0, "/image")
sys.dont_write_bytecode = True
from stage import stage_folder, stage_library, compiled
app = Path("/folder/app")
stage_folder(Path("/repository/src/numa_conformance"), app / "numa_conformance", set(left_out))
stage_folder(Path("/repository/fixtures/topologies"), app / "numa_conformance/fixtures/topologies", set())
for wheel in sorted(Path("/wheels").glob("*.whl")):
    unpacked = Path("/tmp") / wheel.stem
    zipfile.ZipFile(wheel).extractall(unpacked)
    stage_folder(unpacked, app, {"_yaml"})
(app / "ask.pyc").write_bytes(compiled(Path("/repository/playground/ask.py").read_bytes(), "ask.py"))
library = Path("/modules/python_stdlib.zip")
stage_library(library, Path("/folder/python.zip")) if not quick else Path("/folder/python.zip").write_bytes(library.read_bytes())
`);
  return python;
}

/** Overwrites what Python has freed with zeros, which take no room in a compressed image. */
function clearFreed(python) {
  const { _malloc, _free, _sbrk } = python._module;
  const top = _sbrk(0);
  const taken = [];
  for (let size = 1 << 22; size >= 16; size >>= 1) {
    for (;;) {
      const at = _malloc(size);
      if (at + size > top) {
        _free(at);
        break;
      }
      python._module.HEAPU8.fill(0, at, at + size);
      taken.push(at);
    }
  }
  for (const at of taken) _free(at);
}

const COMPRESS = `
from compression import zstd
image = Path("/folder/image.bin").read_bytes()
# Much in a memory is alike over long distances.
options = {zstd.CompressionParameter.compression_level: ${quick ? 1 : 19}, zstd.CompressionParameter.window_log: 25,
           zstd.CompressionParameter.enable_long_distance_matching: 1}
Path("/folder/image.zst").write_bytes(zstd.compress(image, options=options))
`;

/** Writes a file for the page, compressed with gzip. */
function write(name, bytes) {
  fs.writeFileSync(path.join(target, `${name}.gz`), zlib.gzipSync(bytes, { level: quick ? 1 : 9 }));
}

async function main() {
  const folder = path.join(target, "stage");
  fs.mkdirSync(folder, { recursive: true });
  const stager = await stage(folder);
  const files = filesBelow(path.join(folder, "app"));
  const isCode = ([name]) => /\.(pyc|so)$/.test(name);
  const extension = files.find(([name]) => name === EXTENSION)[1];
  // An empty file stands where the extension is looked for: it is linked in already.
  const code = pack(files.filter(isCode).map(([name, bytes]) => [name, name === EXTENSION ? new Uint8Array(0) : bytes]));
  const data = pack(files.filter((each) => !isCode(each)));
  const options = { indexURL, stdLibURL: path.join(folder, "python.zip") };
  const parts = { loadPyodide, createModule, extension, packs: [code, data], options };

  let fresh;
  const onFresh = (each) => (fresh = each);
  const python = await startPython({ ...parts, onFresh, options: { ...options, _makeSnapshot: true } });
  python.FS.mkdirTree("/examples");
  for (const [name, bytes] of filesBelow(path.join(here, "../examples"))) python.FS.writeFile(`/examples/${name}`, bytes);
  const facts = JSON.parse(python.runPython(fs.readFileSync(path.join(here, "warm.py"), "utf8")));
  clearFreed(python);
  const image = python.makeMemorySnapshot();
  const memory = memoryOf(image);
  new Uint32Array(memory.buffer, memory.byteOffset)[fresh.at] = 0;
  const sum = sumOf(memory);
  differ(memory, fresh.memory);

  fs.writeFileSync(path.join(folder, "image.bin"), image);
  stager.runPython(COMPRESS);
  fs.copyFileSync(path.join(folder, "image.zst"), path.join(target, "image.zst"));
  fs.copyFileSync(path.join(folder, "python.zip"), path.join(target, "python.zip"));
  for (const [name, bytes] of Object.entries({ code, data, extension })) write(`${name}.bin`, bytes);
  write("pyodide.asm.wasm", fs.readFileSync(path.join(modules, "pyodide.asm.wasm")));
  const lock = JSON.parse(fs.readFileSync(path.join(modules, "pyodide-lock.json"), "utf8")).info;
  fs.rmSync(folder, { recursive: true });
  fs.writeFileSync(path.join(target, "facts.json"), JSON.stringify({ ...facts, lock, image: { sum, bytes: image.length } }));
}

try {
  await main();
} catch (error) {
  // Node would print the whole line of Pyodide's code that it comes from.
  console.error(String(error.stack ?? error).slice(0, 4000));
  process.exit(1);
}
process.exit(0);
