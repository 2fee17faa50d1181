// What is copied: a link, commands for a shell, and a text for an issue.
import { fragmentOf } from "./fragment.js";

/** Returns a file as a shell writes it; the word that ends it is in none of its lines. */
function file(name, text) {
  let end = "EOF";
  while (text.split("\n").includes(end)) end += "F";
  return `cat > ${name} <<'${end}'\n${text.replace(/\n*$/, "\n")}${end}\n`;
}

/** Returns the commands that ask the same question. */
export function commandsOf(question) {
  const written = [];
  let machine = question.machine;
  if (question.machineText) {
    machine = "machine.txt";
    written.push(file(machine, question.machineText));
  }
  const options = [`--machine ${machine}`, `--kubernetes-version ${question.version}`];
  if (question.level === "documented") options.push("--level documented");
  if (question.config?.trim()) {
    written.push(file("kubelet.yaml", question.config));
    options.push("--config kubelet.yaml");
  }
  written.push(file("pods.yaml", question.pods));
  if (question.otherConfig?.trim()) {
    written.push(file("other.yaml", question.otherConfig));
    options.push("--compare other.yaml");
  }
  if (question.otherVersion) options.push(`--compare-version ${question.otherVersion}`);
  if (!question.otherConfig?.trim() && !question.otherVersion) options.push("--explain");
  return `${written.join("")}numa-conformance simulate ${options.join(" ")} pods.yaml\n`;
}

/** Returns the address of a question, with the version that answered it and a digest of its answer. */
export async function linkOf(question, answer) {
  const answered = answer?.digest ? { by: answer.by, digest: answer.digest } : {};
  return `${location.href.replace(/[?#].*/, "")}#${await fragmentOf({ ...question, ...answered })}`;
}

const fenced = (language, text) => `\`\`\`${language}\n${text.replace(/\n*$/, "\n")}\`\`\`\n`;

/** Returns question and answer as a text for an issue. */
export async function textOf(question, answer) {
  const node = `Kubernetes ${question.version}, ${question.machineText ? "the machine below" : `machine ${question.machine}`}`;
  const said = answer.text ?? (answer.start ? `the kubelet does not start (${answer.start.stage}): ${answer.start.message}` : (answer.faults ?? []).map(({ text }) => text).join("\n"));
  return [
    `${node}${question.level === "documented" ? ", as documented" : ""}:\n`,
    question.machineText && fenced("yaml", question.machineText),
    question.config?.trim() && fenced("yaml", question.config),
    fenced("yaml", question.pods),
    `numa-conformance ${answer.by ?? ""} answers:\n`.replace("  ", " "),
    fenced("text", said),
    answer.other?.text && `Compared:\n\n${fenced("text", answer.other.text)}`,
    `${await linkOf(question, answer)}\n`,
  ]
    .filter(Boolean)
    .join("\n");
}
