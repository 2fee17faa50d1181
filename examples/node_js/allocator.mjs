// A small CPU allocator in JavaScript, served over stdio: JSON-RPC 2.0, one message a line.
// It packs whole free cores first, then single threads, inside the NUMA node with the fewest free CPUs that suffices.
// Run the suite against it:  pytest --numa-conformance --numa-target-command "node examples/node_js/allocator.mjs"

import { createInterface } from "node:readline";

const DESCRIPTION = {
  name: "node-js-example",
  version: "1.0",
  protocol: "2",
  kubernetes_version: "1.32",
  surfaces: ["pick", "node", "classify"],
  features: ["cpu-manager/none", "cpu-manager/static", "node/qos"],
};

// --- sets of CPU ids -------------------------------------------------------------------------------------------------

function parseSet(text) {
  const ids = new Set();
  for (const item of text ? text.split(",") : []) {
    const [first, last = first] = item.split("-").map(Number);
    for (let id = first; id <= last; id++) ids.add(id);
  }
  return ids;
}

function printSet(ids) {
  const sorted = [...ids].sort((a, b) => a - b);
  const runs = [];
  for (const id of sorted) {
    const run = runs.at(-1);
    if (run && run[1] === id - 1) run[1] = id;
    else runs.push([id, id]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

// --- choosing CPUs ---------------------------------------------------------------------------------------------------

function groupBy(cpus, key) {
  const groups = new Map();
  for (const cpu of cpus) {
    if (!groups.has(key(cpu))) groups.set(key(cpu), []);
    groups.get(key(cpu)).push(cpu);
  }
  return [...groups.values()];
}

const coreOf = (cpu) => (cpu.core === null ? `cpu${cpu.id}` : `${cpu.numa}/${cpu.socket}/${cpu.core}`);

function pick(machine, free, count) {
  if (count > free.size) return null;
  const nodes = groupBy(machine.cpus.filter((cpu) => free.has(cpu.id)), (cpu) => cpu.numa);
  nodes.sort((a, b) => a.length - b.length);
  const fitting = nodes.find((node) => node.length >= count);
  const ordered = fitting ? [fitting] : nodes.reverse();
  const threads = groupBy(machine.cpus, coreOf).reduce((sizes, core) => sizes.set(coreOf(core[0]), core.length), new Map());
  const taken = new Set();
  for (const node of ordered) {
    const cores = groupBy(node, coreOf);
    const whole = cores.filter((core) => core.length === threads.get(coreOf(core[0])));
    for (const core of whole) {
      if (core.length <= count - taken.size) core.forEach((cpu) => taken.add(cpu.id));
    }
    cores.sort((a, b) => a.length - b.length);
    for (const cpu of cores.flat()) if (taken.size < count) taken.add(cpu.id);
  }
  return taken;
}

// --- pods ------------------------------------------------------------------------------------------------------------

const SUFFIX = { n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 };
["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].forEach((suffix, index) => (SUFFIX[suffix] = 1024 ** (index + 1)));

function amount(quantity) {
  if (quantity === undefined) return 0;
  const [, digits, suffix] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$/.exec(String(quantity));
  return Math.ceil(Number(digits) * SUFFIX[suffix] * 1000) / 1000;
}

const containersOf = (pod) => [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
const limitsOf = (container) => container.resources?.limits ?? {};
const requestsOf = (container) => ({ ...limitsOf(container), ...container.resources?.requests });

function qos(pod) {
  if (pod.status?.qosClass) return pod.status.qosClass;
  const amounts = containersOf(pod).flatMap((container) =>
    ["cpu", "memory"].map((name) => [amount(requestsOf(container)[name]), amount(limitsOf(container)[name])]),
  );
  if (amounts.every(([request, limit]) => request === 0 && limit === 0)) return "BestEffort";
  return amounts.every(([request, limit]) => limit > 0 && request === limit) ? "Guaranteed" : "Burstable";
}

function exclusiveCpus(pod, container) {
  const cpus = amount(requestsOf(container).cpu);
  return qos(pod) === "Guaranteed" && Number.isInteger(cpus) ? cpus : 0;
}

// --- one node --------------------------------------------------------------------------------------------------------

class Node {
  constructor({ machine, kubelet }) {
    this.machine = machine;
    this.policy = kubelet.cpuManagerPolicy ?? "none";
    this.pods = new Map();
    this.pool = new Set(this.policy === "static" ? machine.cpus.map((cpu) => cpu.id) : []);
    this.reserved = parseSet(kubelet.reservedSystemCPUs ?? "");
    if (this.policy === "static" && this.reserved.size === 0) {
      const wanted = Math.ceil(amount(kubelet.kubeReserved?.cpu) + amount(kubelet.systemReserved?.cpu));
      if (wanted === 0) this.error = "the static policy needs CPUs reserved for the system";
      const cores = groupBy([...machine.cpus].sort((a, b) => a.id - b.id), coreOf).flat();
      cores.slice(0, wanted).forEach((cpu) => this.reserved.add(cpu.id));
    }
    if (!["none", "static"].includes(this.policy)) this.error = `there is no policy ${this.policy}`;
    const options = Object.keys(kubelet.cpuManagerPolicyOptions ?? {});
    if (options.length) this.error = `there are no options here: ${options}`;
    const stranger = [...this.reserved].find((id) => !machine.cpus.some((cpu) => cpu.id === id));
    if (stranger !== undefined) this.error = `reserved CPU ${stranger} is not online`;
  }

  started() {
    if (this.error) return { result: "failed", stage: "cpumanager", message: this.error };
    const allocatable = new Set(this.machine.cpus.map((cpu) => cpu.id).filter((id) => !this.reserved.has(id)));
    const sets = { reserved_cpus: printSet(this.reserved), allocatable_cpus: printSet(allocatable) };
    return { result: "started", default_cpuset: printSet(this.pool), ...(this.policy === "static" ? sets : {}) };
  }

  admit(pod) {
    const uid = pod.metadata.uid;
    const known = this.pods.get(uid);
    const given = known ?? new Map();
    for (const container of known ? [] : containersOf(pod)) {
      const count = this.policy === "static" ? exclusiveCpus(pod, container) : 0;
      const free = new Set([...this.pool].filter((id) => !this.reserved.has(id)));
      const taken = pick(this.machine, free, count);
      if (taken === null) {
        for (const cpus of given.values()) cpus.forEach((id) => this.pool.add(id));
        const message = `not enough CPUs for ${container.name}: requested ${count}, available ${free.size}`;
        const refused = { result: "rejected", reason: "UnexpectedAdmissionError", message };
        return { ...refused, qos: qos(pod), default_cpuset: printSet(this.pool) };
      }
      taken.forEach((id) => this.pool.delete(id));
      given.set(container.name, taken);
    }
    this.pods.set(uid, given);
    return { result: "admitted", qos: qos(pod), ...this.view(given) };
  }

  view(given) {
    const containers = Object.fromEntries([...given].map(([name, cpus]) => [name, { cpus: printSet(cpus) }]));
    return { default_cpuset: printSet(this.pool), containers };
  }

  run(uid) {
    return this.pods.has(uid) ? { result: "started", ...this.view(this.pods.get(uid)) } : this.unknown();
  }

  remove(uid) {
    if (!this.pods.has(uid)) return this.unknown();
    for (const cpus of this.pods.get(uid).values()) cpus.forEach((id) => this.pool.add(id));
    this.pods.delete(uid);
    return { result: "removed", default_cpuset: printSet(this.pool) };
  }

  unknown() {
    return { result: "unknown", default_cpuset: printSet(this.pool) };
  }

  state() {
    const pods = [...this.pods].map(([uid, given]) => [uid, this.view(given).containers]);
    return { default_cpuset: printSet(this.pool), containers: Object.fromEntries(pods) };
  }
}

// --- the wire --------------------------------------------------------------------------------------------------------

let node = null;

const METHODS = {
  describe: () => DESCRIPTION,
  classify: ({ pod }) => {
    const cpus = containersOf(pod).map((container) => [container.name, exclusiveCpus(pod, container)]);
    let [sidecars, peak] = [0, 0];
    for (const one of pod.spec.initContainers ?? []) {
      if (one.restartPolicy === "Always") sidecars += exclusiveCpus(pod, one);
      peak = Math.max(peak, sidecars + (one.restartPolicy === "Always" ? 0 : exclusiveCpus(pod, one)));
    }
    const apps = pod.spec.containers.reduce((sum, container) => sum + exclusiveCpus(pod, container), 0);
    const podCpus = Math.max(apps + sidecars, peak);
    return { qos: qos(pod), container_cpus: Object.fromEntries(cpus), pod_cpus: podCpus };
  },
  pick: ({ machine, available, count }) => {
    const taken = pick(machine, parseSet(available), count);
    if (taken === null) return { result: "refused", message: `fewer than ${count} CPUs are free` };
    return { result: "picked", cpus: printSet(taken) };
  },
  "node.start": (question) => (node = new Node(question)).started(),
  "node.admit": ({ pod }) => node.admit(pod),
  "node.run": ({ uid }) => node.run(uid),
  "node.remove": ({ uid }) => node.remove(uid),
  "node.state": () => node.state(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "shutdown") break;
  let answer;
  try {
    const known = METHODS[method];
    answer = known ? { result: known(params) } : { error: { code: -32601, message: `no method ${method}` } };
  } catch (error) {
    answer = { error: { code: -32603, message: String(error) } };
  }
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\n");
}
