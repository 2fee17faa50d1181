// The page: what a person edits becomes a question, the worker answers it, and all of it is in the address.
import facts from "facts";
import { changes, items, problems } from "./answer.js";
import { Asking } from "./asking.js";
import { commandsOf, linkOf, textOf } from "./copy.js";
import { byId, h, picture } from "./dom.js";
import { editorIn } from "./editors.js";
import { fragmentOf, questionOf } from "./fragment.js";

const PASTED = "";
const FIRST = 0;
const DELAY = 150; // milliseconds between the last key and the question

const fields = { machine: byId("machine"), version: byId("version"), level: byId("level"), otherVersion: byId("other-version") };
const editors = {
  machineText: editorIn(byId("machine-editor"), { name: "Machine: YAML, or what lscpu, lstopo or numactl print", onEdit: edited }),
  config: editorIn(byId("config-editor"), { name: "KubeletConfiguration", onEdit: edited }),
  pods: editorIn(byId("pods-editor"), { name: "Pods and steps", onEdit: edited }),
  otherConfig: editorIn(byId("other-editor"), { name: "The other KubeletConfiguration", onEdit: edited }),
};
const beside = byId("beside");
const busy = byId("busy");
const asking = new Asking(new URL("worker.js", import.meta.url).href, { onAnswer: answered, onState: said });
const open = new Set(); // pods whose hints are in sight
let newest = null; // the newest question
let last = null; // the newest question with its answer
let from = null; // what the link says of the answer it was made for
let broken = ""; // why the link cannot be read
let timer = 0;
let slow = 0;

function fill(select, options) {
  select.replaceChildren(...options.map(([value, text]) => h("option", { value }, text)));
}

/** Chooses a value, also one that the page does not offer: the answer then says what is accepted. */
function choose(select, value) {
  if (![...select.options].some((option) => option.value === value)) select.append(h("option", { value }, value));
  select.value = value;
}

function question() {
  const pasted = fields.machine.value === PASTED;
  const asked = {
    machine: pasted ? "" : fields.machine.value,
    machineText: pasted ? editors.machineText.text : "",
    version: fields.version.value,
    level: fields.level.value,
    config: editors.config.text,
    pods: editors.pods.text,
  };
  if (!beside.open) return asked;
  const config = editors.otherConfig.text;
  return { ...asked, otherVersion: fields.otherVersion.value, otherConfig: config.trim() === asked.config.trim() ? "" : config };
}

/** Puts a question of a link, or of an example, on the page. */
function show(asked) {
  choose(fields.machine, asked.machine || PASTED);
  editors.machineText.text = asked.machineText ?? "";
  choose(fields.version, asked.version || facts.versions[0]);
  fields.level.value = asked.level === "documented" ? "documented" : "exact";
  editors.config.text = asked.config ?? "";
  editors.pods.text = asked.pods ?? "";
  choose(fields.otherVersion, asked.otherVersion ?? "");
  editors.otherConfig.text = asked.otherConfig ?? "";
  beside.open = Boolean(asked.otherVersion || asked.otherConfig);
  open.clear();
  from = asked.digest ? { by: asked.by, digest: asked.digest } : null;
  if (from) broken = "";
  update();
}

function update() {
  const pasted = fields.machine.value === PASTED;
  byId("machine-part").hidden = !pasted;
  byId("about-machine").textContent = facts.machines.find(({ name }) => name === fields.machine.value)?.about ?? "";
}

function edited() {
  from = null;
  broken = "";
  byId("linked").replaceChildren();
  clearTimeout(timer);
  timer = setTimeout(ask, DELAY);
}

function ask() {
  clearTimeout(timer);
  update();
  newest = question();
  asking.ask(newest);
}

function said(state, more) {
  clearTimeout(slow);
  const words = {
    loading: "Python is loading …",
    ready: "",
    stopped: "Stopped: the question has no answer. Change it to ask again.",
    broken: `This browser cannot run the page: ${more}`,
    idle: "",
  };
  if (state === "asking") {
    if (asking.ready) slow = setTimeout(() => {
      busy.textContent = "Still answering …";
      byId("stop").hidden = false;
    }, 500);
  } else {
    busy.textContent = words[state] ?? "";
    byId("stop").hidden = true;
  }
  if (state === "ready") document.documentElement.dataset.python = more.image ? "image" : "plain";
}

async function answered(asked, { answer, error, ms }) {
  if (error) {
    byId("summary").textContent = "This is a bug of numa-conformance: please report it with this link.";
    byId("pods").replaceChildren(h("li", {}, h("pre", {}, error)));
    return;
  }
  last = { asked, answer };
  const whole = Boolean(answer.data);
  byId("answer").classList.toggle("stale", !whole);
  byId("problems").replaceChildren(...problems(answer));
  showFaults(answer);
  if (whole) {
    byId("summary").textContent = answer.summary;
    byId("summary").className = answer.well ? "good" : "bad";
    byId("notices").replaceChildren(...answer.notices.map((text) => h("li", {}, text)));
    byId("pods").replaceChildren(...items(answer, open));
    byId("picture").replaceChildren(picture(answer.svg));
    byId("states").replaceChildren(...Object.entries(answer.stateFiles).flatMap(([name, text]) => [h("h3", {}, name), h("pre", {}, text)]));
    byId("text").textContent = answer.text;
  } else {
    byId("summary").textContent = answer.start ? "the kubelet does not start" : "the question is not whole: below is the answer before";
    byId("summary").className = "bad";
  }
  byId("time").textContent = `answered in ${Math.round(ms)} ms in this browser`;
  compared(answer.other);
  linked(answer);
  document.documentElement.dataset.answers = Number(document.documentElement.dataset.answers ?? 0) + 1;
  const fragment = await fragmentOf(asked);
  if (last.asked === asked) history.replaceState(null, "", `#${fragment}`);
}

function showFaults(answer) {
  const every = [...(answer.faults ?? []), ...(answer.other?.faults ?? [])];
  for (const [name, where] of [["machineText", "machine"], ["config", "config"], ["pods", "pods"], ["otherConfig", "otherConfig"]]) {
    editors[name].faults(every.filter((fault) => fault.where === where));
  }
}

function compared(other) {
  byId("compared").hidden = !other;
  if (!other) return;
  byId("other-problems").replaceChildren(...problems(other));
  const rows = other.data ? changes(other) : [];
  byId("changes").hidden = rows.length === 0;
  byId("changed-pods").replaceChildren(...rows);
  byId("difference").textContent = !other.data ? "" : other.changed ? "What fares otherwise on the other node:" : "All pods fare alike on both nodes.";
  byId("other-picture").replaceChildren(...(other.svg ? [picture(other.svg)] : []));
}

/** Says whether the answer is the one that the link was made for. */
function linked(answer) {
  const { by } = answer;
  const says = () => {
    if (broken) return h("p", { class: "bad" }, `${broken}. Below is an example.`);
    if (!from || !answer.digest) return "";
    if (from.digest === answer.digest) return h("p", {}, `The answer is the one that this link was made for, by version ${from.by}.`);
    return h("p", { class: "mid" }, `This link was made by version ${from.by}, which answered otherwise; this is version ${by}.`);
  };
  byId("linked").replaceChildren(says());
}

async function copied(make) {
  if (!last) return;
  const text = await make(last.asked, last.answer);
  try {
    await navigator.clipboard.writeText(text);
    byId("copied").textContent = "copied";
  } catch {
    byId("to-copy").value = text;
    byId("by-hand").hidden = false;
    byId("to-copy").select();
    byId("copied").textContent = "the browser lets no page copy here: copy it below";
  }
}

async function follow() {
  try {
    const asked = await questionOf(location.hash);
    byId("problems").replaceChildren();
    if (asked) {
      byId("example").value = "";
      show(asked);
    }
    return Boolean(asked);
  } catch (error) {
    broken = error.message;
    linked({});
    return false;
  }
}

fill(fields.machine, [...facts.machines.map(({ name }) => [name, name]), [PASTED, "paste a machine …"]]);
fill(fields.version, facts.versions.map((version) => [version, version]));
fill(fields.otherVersion, [["", "the same version"], ...facts.versions.map((version) => [version, version])]);
fill(byId("example"), [["", "a question of your own"], ...facts.examples.map(({ title }, index) => [String(index), title])]);
byId("example").onchange = ({ target }) => {
  if (target.value === "") return;
  const { why, question: asked } = facts.examples[Number(target.value)];
  show(asked);
  byId("why").textContent = why;
  ask();
};
for (const select of Object.values(fields)) select.onchange = edited;
beside.ontoggle = () => {
  if (beside.open && !editors.otherConfig.text.trim()) editors.otherConfig.text = editors.config.text;
  const asked = question();
  // An example that opens it has been asked already.
  if (asked.otherVersion !== newest?.otherVersion || asked.otherConfig !== newest?.otherConfig) ask();
};
byId("stop").onclick = () => asking.stop();
byId("copy-link").onclick = () => copied(linkOf);
byId("copy-commands").onclick = () => copied((asked) => commandsOf(asked));
byId("copy-text").onclick = () => copied(textOf);
byId("pods").addEventListener("toggle", ({ target }) => open[target.open ? "add" : "delete"](target.dataset.pod), true);
window.onhashchange = async () => (await follow()) && ask();
byId("version-of-page").textContent = facts.version;

if (!(await follow())) {
  byId("example").value = String(FIRST);
  show(facts.examples[FIRST].question);
  byId("why").textContent = facts.examples[FIRST].why;
}
ask();
if ("serviceWorker" in navigator) navigator.serviceWorker.register("sw.js").catch(() => {}); // without it: no reload offline
