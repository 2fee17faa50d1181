// Bundles the page around its parts: node image/bundle.mjs PARTS FOLDER
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const [parts, target] = process.argv.slice(2).map((each) => path.resolve(each));
const page = path.join(path.dirname(fileURLToPath(import.meta.url)), "../page");
const options = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  external: ["node:*"],
  loader: { ".json": "json" },
  legalComments: "none", // licences.txt has them all
  logLevel: "warning",
};

const { examples, machines, versions, version, lock, image } = JSON.parse(fs.readFileSync(path.join(parts, "facts.json"), "utf8"));
const halves = { main: { examples, machines, versions, version }, worker: { lock, image } };
fs.rmSync(target, { recursive: true, force: true });
const making = path.join(target, "making");
fs.mkdirSync(making, { recursive: true });
for (const [name, facts] of Object.entries(halves)) {
  const file = path.join(target, `${name}.json`);
  fs.writeFileSync(file, JSON.stringify(facts));
  const entry = { entryPoints: [path.join(page, `${name}.js`)], outfile: path.join(making, `${name}.js`) };
  await build({ ...options, ...entry, alias: { facts: file } });
  fs.rmSync(file);
}
await build({ ...options, entryPoints: [path.join(page, "page.css")], outfile: path.join(making, "page.css") });
for (const name of fs.readdirSync(parts)) {
  if (!["facts.json", "fingerprint"].includes(name)) fs.writeFileSync(path.join(making, name), fs.readFileSync(path.join(parts, name)));
}

// The folder of the parts is named by their content: none is ever taken for one of another version.
const names = fs.readdirSync(making).sort();
const hash = createHash("sha256");
for (const name of names) hash.update(name).update(fs.readFileSync(path.join(making, name)));
const folder = `parts-${hash.digest("hex").slice(0, 12)}`;
fs.renameSync(making, path.join(target, folder));

const index = fs.readFileSync(path.join(page, "index.html"), "utf8").replaceAll("PARTS", folder);
fs.writeFileSync(path.join(target, "index.html"), index);
// What is loaded only where the image does not fit is not kept in advance.
const seldom = ["code.bin.gz", "python.zip"];
const kept = ["./index.html", ...names.filter((name) => !seldom.includes(name)).map((name) => `${folder}/${name}`)];
const worker = fs.readFileSync(path.join(page, "sw.js"), "utf8");
fs.writeFileSync(path.join(target, "sw.js"), worker.replace("__PARTS__", `numa-playground-${folder}`).replace("__FILES__", JSON.stringify(kept)));
