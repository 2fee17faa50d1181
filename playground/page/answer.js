// Shows an answer: pods and steps in their order, with reasons, hints and what would be admitted.
import { h } from "./dom.js";

const UNITS = ["", "Ki", "Mi", "Gi", "Ti"];

function amount(bytes) {
  let unit = 0;
  while (bytes && bytes % 1024 === 0 && unit < UNITS.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${bytes}${UNITS[unit]}`;
}

const nodes = (ids) => (ids === null ? "any NUMA node" : `{${ids.join(",")}}`);

function placement(name, placed, pod) {
  const why = pod.whyShared?.[name] ?? pod.otherAmounts?.[name];
  const parts = [placed.cpus ? `exclusive CPUs ${placed.cpus}` : "shared CPUs"];
  if (why) parts[0] += ` (${why})`;
  for (const block of placed.memory ?? []) {
    parts.push(
      block.bytes
        ? `${amount(block.bytes)} of ${block.type} on NUMA ${block.nodes.length > 1 ? "nodes" : "node"} ${block.nodes.join(",")}`
        : `${block.type}: handed on to later containers`,
    );
  }
  for (const [resource, ids] of Object.entries(placed.devices ?? {})) parts.push(`${resource}: ${ids.join(", ")}`);
  return h("li", {}, h("b", {}, name), " ", parts.join("; "));
}

function hintsOf(hints) {
  if (hints === null) return "no opinion";
  if (Array.isArray(hints.preferred) && !hints.preferred.length && !hints.others) return "no set of NUMA nodes can hold it";
  const shown = hints.preferred.slice(0, 12).map(nodes).join(" ") || "none";
  const more = hints.preferred.length > 12 ? ` and ${hints.preferred.length - 12} more` : "";
  return `prefers ${shown}${more}${hints.others ? `; ${hints.others} wider or fuller would do` : ""}`;
}

function merge(trace) {
  const rows = [];
  for (const [manager, answer] of Object.entries(trace.hints)) {
    if (answer === null || !Object.keys(answer).length) rows.push([manager, "no opinion"]);
    else for (const [resource, hints] of Object.entries(answer)) rows.push([`${manager}, ${resource}`, hintsOf(hints)]);
  }
  const merged = `${nodes(trace.merged.nodes)}${trace.merged.preferred ? "" : " (not preferred)"}`;
  return h(
    "table",
    { class: "hints" },
    h("caption", {}, trace.container === null ? "the pod as a whole" : `container ${trace.container}`),
    h("tbody", {}, ...rows.map(([who, what]) => h("tr", {}, h("th", { scope: "row" }, who), h("td", {}, what)))),
    h(
      "tfoot",
      {},
      h("tr", {}, h("th", { scope: "row" }, "merged"), h("td", {}, h("b", {}, merged), `, ${trace.why}`)),
      h("tr", {}, h("th", { scope: "row" }, "decided by"), h("td", {}, trace.rule)),
    ),
  );
}

function explanation(pod, open) {
  const { merges, taken } = pod.explanation ?? { merges: [], taken: [] };
  const given = taken.filter(({ steps }) => steps.length);
  if (!merges.length && !given.length) return null;
  return h(
    "details",
    { open: open.has(pod.uid), "data-pod": pod.uid },
    h("summary", {}, "Hints and merge"),
    ...merges.map(merge),
    ...given.map(({ container, steps }) => h("p", {}, `${container ?? "the pod"} was given, in this order: ${steps.join(", ")}`)),
  );
}

function advice({ container, asked, refusedBy, room, wouldBeAdmitted }) {
  const amounts = Object.entries(asked).map(([name, value]) => `${value} ${name}`);
  return h(
    "div",
    { class: "advice" },
    amounts.length > 0 && h("p", {}, `${container ? `container ${container}` : "the pod"} asks for ${amounts.join(", ")}`),
    h("p", {}, `refused by ${refusedBy}`),
    room.length > 0 && h("ul", {}, ...room.map((line) => h("li", {}, line))),
    wouldBeAdmitted.length > 0
      ? [
          h("p", { class: "good" }, "Would be admitted, each was tried:"),
          h("ul", { class: "remedies" }, ...wouldBeAdmitted.map(({ text }) => h("li", {}, text))),
        ]
      : amounts.length > 0 && h("p", {}, "Nothing that was tried would have it admitted."),
  );
}

/** Says what became of a pod in a word, and whether that is good. */
function fate(pod) {
  if (pod.result === "resized") return ["resized in place", true];
  if (pod.result === "pending") return ["not resized", false];
  if (pod.endedFor) return [`ended for ${pod.endedFor}`, false];
  if (pod.phase === "Failed" || pod.reason) return [/^Kubelet(Crashes|Hangs)$/.test(pod.reason) ? "no answer" : "refused", false];
  return [pod.held ? "on the node" : "admitted", true];
}

function podItem(pod, behind, open) {
  const [word, good] = fate(pod);
  const containers = Object.entries(pod.containers ?? {});
  return h(
    "li",
    { class: `pod ${good ? "good" : "bad"}` },
    h("h3", {}, h("span", { class: "fate" }, word), " ", pod.pod, h("small", {}, ` ${pod.qos}`)),
    pod.reason && h("p", {}, h("b", {}, pod.reason), `: ${pod.message}`),
    containers.length > 0 && h("ul", { class: "has" }, ...containers.map(([name, placed]) => placement(name, placed, pod))),
    pod.advice && advice(pod.advice),
    ...(pod.departures ?? []).map((name) => h("p", { class: "behind" }, behind[name] ?? name)),
    explanation(pod, open),
  );
}

function stepItem(step) {
  const has = Object.entries(step.has).map(([pod, containers]) => {
    const cpus = Object.entries(containers).map(([name, placed]) => `${name}: ${placed.cpus ? `CPUs ${placed.cpus}` : "shared CPUs"}`);
    return h("li", {}, `${pod} has ${cpus.join("; ")}`);
  });
  const refused = step.pods.filter((pod) => pod.reason).map((pod) => h("li", { class: "bad" }, `${pod.pod}: refused, ${pod.reason}: ${pod.message}`));
  return h(
    "li",
    { class: `step ${step.failure || refused.length ? "bad" : ""}` },
    h("h3", {}, "then ", step.step),
    step.failure && h("p", { class: "bad" }, `the kubelet does not start: ${step.failure}; the node stays as it was`),
    h("ul", { class: "has" }, ...refused, ...(has.length ? has : [h("li", {}, "no pod is on the node")])),
  );
}

/** Returns the pods and steps of an answer as items of a list; `open`: uids of the pods whose hints are in sight. */
export function items({ data, behind }, open) {
  const made = [];
  let at = 0;
  for (const step of data.steps ?? []) {
    for (; at < step.afterPods; at++) made.push(podItem(data.pods[at], behind, open));
    made.push(stepItem(step));
  }
  for (; at < data.pods.length; at++) made.push(podItem(data.pods[at], behind, open));
  return made;
}

/** Returns what is wrong with a question, or why a kubelet does not start. */
export function problems({ faults = [], start }) {
  if (start) {
    return [
      h("p", { class: "bad" }, h("b", {}, "The kubelet does not start"), ` (${start.stage}): ${start.message}`),
      ...start.hints.map((hint) => h("p", {}, hint)),
    ];
  }
  const named = { config: "KubeletConfiguration", otherConfig: "the other KubeletConfiguration", pods: "pods", machine: "machine" };
  return faults.map(({ where, line, text }) =>
    h("p", { class: "bad" }, where && h("b", {}, `${named[where]}${line ? `, line ${line}` : ""}: `), text),
  );
}

/** Returns what differs on a second node, as rows; `pods` as the program compares them. */
export function changes({ data }) {
  const brief = (admission) => {
    if (admission.reason) return `${/^Kubelet/.test(admission.reason) ? "no answer" : "refused"}, ${admission.reason}`;
    return Object.entries(admission.containers ?? {})
      .map(([name, { cpus, affinity }]) => `${name}: ${cpus ? `CPUs ${cpus}` : "shared CPUs"}${affinity?.nodes ? `, NUMA ${affinity.nodes.join(",")}` : ""}`)
      .join("; ");
  };
  return data.pods
    .filter((pod) => pod.changes.length)
    .map((pod) =>
      h("tr", {}, h("th", { scope: "row" }, pod.pod), h("td", {}, pod.changes.join(", ")), h("td", {}, brief(pod.before)), h("td", {}, brief(pod.after))),
    );
}
