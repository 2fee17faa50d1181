// Asks the worker one question at a time: the newest waits, what takes too long can be stopped.

const PATIENCE = 2000; // milliseconds that a newer question waits before the older one is given up

export class Asking {
  #worker = null;
  #asked = null;
  #waiting = null;
  #timer = 0;
  #count = 0;

  constructor(address, { onAnswer, onState }) {
    this.address = address;
    this.onAnswer = onAnswer;
    this.onState = onState;
    this.#begin();
  }

  /** Asks; an earlier question that has not begun is forgotten. */
  ask(question) {
    this.#waiting = { id: ++this.#count, question };
    if (!this.#asked) this.#next();
    else if (!this.#timer && this.ready) this.#timer = setTimeout(() => this.stop(), PATIENCE);
  }

  /** Ends what is being answered; a question that waits is asked of a new worker. */
  stop() {
    this.#worker.terminate();
    this.#asked = null;
    this.#begin();
    if (this.#waiting) this.#next();
    else this.onState("stopped");
  }

  #begin() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.ready = false;
    // A worker from a blob has the page's content security policy; from an address it would have none.
    const text = `import ${JSON.stringify(this.address)};`;
    const blob = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    this.#worker = new Worker(blob + (new URLSearchParams(location.search).has("plain") ? "#plain" : ""), {
      type: "module",
      name: "python",
    });
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = (event) => this.onState("broken", event.message ?? "the worker does not start");
    this.onState("loading");
  }

  #hear(said) {
    if (said.broken) this.onState("broken", said.broken);
    else if (said.ready) {
      this.ready = true;
      this.onState("ready", said);
    } else if (said.id === this.#asked?.id) {
      const { question } = this.#asked;
      this.#asked = null;
      clearTimeout(this.#timer);
      this.#timer = 0;
      if (!this.#waiting || !said.error) this.onAnswer(question, said);
      if (this.#waiting) this.#next();
      else this.onState("idle", said);
    }
  }

  #next() {
    this.#asked = this.#waiting;
    this.#waiting = null;
    this.#worker.postMessage(this.#asked);
    this.onState("asking");
  }
}
