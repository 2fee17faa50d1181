// Keeps the files of the page, so that it opens without a network. It keeps nothing that a person types.
const PARTS = "__PARTS__";
const FILES = __FILES__;

self.addEventListener("install", (event) =>
  event.waitUntil(caches.open(PARTS).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting())),
);
self.addEventListener("activate", (event) =>
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith("numa-playground-") && name !== PARTS).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  ),
);
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const isPage = request.mode === "navigate";
  // The page itself comes from the network where there is one: it names the parts of the newest version.
  event.respondWith(
    isPage
      ? fetch(request).catch(() => caches.match("./index.html"))
      : caches.match(request, { ignoreSearch: true }).then((kept) => kept ?? fetch(request)),
  );
});
