// The address of a question: all of it is in the fragment, which no browser sends to a server.

const FORMAT = "1.";
const MOST = 1 << 20; // bytes of a question; a small fragment may unpack to much more

async function passed(bytes, stream, most = Infinity) {
  const chunks = [];
  let length = 0;
  for await (const chunk of iterated(new Blob([bytes]).stream().pipeThrough(stream))) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw new Error("the question of this link is too long");
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

async function* iterated(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Returns the fragment of a question, without the sign #. */
export async function fragmentOf(question) {
  const given = Object.fromEntries(Object.entries(question).filter(([, value]) => value));
  const text = new TextEncoder().encode(JSON.stringify(given));
  const packed = await passed(text, new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return FORMAT + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the question of a fragment, null for none; throws where it cannot be read. */
export async function questionOf(fragment) {
  const text = fragment.replace(/^#/, "");
  if (!text) return null;
  if (!text.startsWith(FORMAT)) throw new Error("this link is of another format: its page may be newer than this one");
  let question;
  try {
    const binary = atob(text.slice(FORMAT.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const bytes = await passed(packed, new DecompressionStream("deflate-raw"), MOST);
    question = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new Error(error.message.includes("too long") ? error.message : "this link is not whole: copy it again");
  }
  if (typeof question !== "object" || question === null) throw new Error("this link has no question");
  return Object.fromEntries(Object.entries(question).filter(([, value]) => typeof value === "string"));
}
