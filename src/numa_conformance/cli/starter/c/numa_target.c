/* A shim between your allocator and numa-conformance, over stdio: one JSON-RPC 2.0 message a line, in and out.
 *
 *     cc -o my-allocator numa_target.c -ljansson
 *
 * It claims policy none, which gives no exclusive CPUs. Next: ask your allocator in admit(), add "cpu-manager/static" to
 * the features, and read what the suite says. An allocator that only chooses CPUs answers "pick" in place of "node.*".
 * Every message, with an example: numa-conformance schema examples. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *pods; /* uid to container to what it holds */

/* Say who this is and what it claims; only that is tested. */
static json_t *describe(json_t *params) {
    (void)params;
    return json_pack("{s:s, s:s, s:s, s:[s], s:[s]}", "name", "my-allocator", "version", "0.1.0", "protocol", "2",
                     "surfaces", "node", "features", "cpu-manager/none");
}

/* Come up on params.machine, under the KubeletConfiguration params.kubelet. Sets are texts: "0-3,8". */
static json_t *start(json_t *params) {
    (void)params;
    json_object_clear(pods);
    return json_pack("{s:s, s:s}", "result", "started", "default_cpuset", "");
}

/* Place params.pod, a v1 Pod, or refuse it: {"result": "rejected", "reason": ..., "message": ...}. */
static json_t *admit(json_t *params) {
    static const char *const lists[] = {"initContainers", "containers"};
    const char *uid = "";
    json_t *spec, *one, *held = json_object();
    size_t list, index;
    json_unpack(params, "{s:{s:{s:s}, s:o}}", "pod", "metadata", "uid", &uid, "spec", &spec);
    for (list = 0; list < 2; list++)
        json_array_foreach(json_object_get(spec, lists[list]), index, one)
            json_object_set_new(held, json_string_value(json_object_get(one, "name")), json_pack("{s:s}", "cpus", ""));
    json_object_set(pods, uid, held);
    return json_pack("{s:s, s:s, s:o}", "result", "admitted", "default_cpuset", "", "containers", held);
}

/* Start the containers of a pod; one that was refused is not here. */
static json_t *run(json_t *params) {
    json_t *held = json_object_get(pods, json_string_value(json_object_get(params, "uid")));
    if (!held)
        return json_pack("{s:s, s:s}", "result", "unknown", "default_cpuset", "");
    return json_pack("{s:s, s:s, s:O}", "result", "started", "default_cpuset", "", "containers", held);
}

/* Forget a pod; what it held is free again. */
static json_t *drop(json_t *params) {
    json_object_del(pods, json_string_value(json_object_get(params, "uid")));
    return json_pack("{s:s, s:s}", "result", "removed", "default_cpuset", "");
}

/* Tell what everybody holds. */
static json_t *state(json_t *params) {
    (void)params;
    return json_pack("{s:s, s:O}", "default_cpuset", "", "containers", pods);
}

static const struct { const char *name; json_t *(*answer)(json_t *params); } methods[] = {
    {"describe", describe}, {"node.start", start},   {"node.admit", admit},
    {"node.run", run},      {"node.remove", drop},   {"node.state", state},
};

int main(void) {
    char *line = NULL;
    size_t size = 0, number;
    pods = json_object();
    while (getline(&line, &size, stdin) > 0) {
        json_t *message = json_loads(line, 0, NULL), *result = NULL, *reply;
        const char *method = json_string_value(json_object_get(message, "method"));
        if (!method || !strcmp(method, "shutdown"))
            break;
        for (number = 0; number < sizeof methods / sizeof *methods; number++)
            if (!strcmp(method, methods[number].name))
                result = methods[number].answer(json_object_get(message, "params"));
        reply = result ? json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", json_object_get(message, "id"), "result", result)
                       : json_pack("{s:s, s:O, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", json_object_get(message, "id"),
                                   "error", "code", -32601, "message", "no such method");
        json_dumpf(reply, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
        json_decref(reply);
        json_decref(message);
    }
    return EXIT_SUCCESS;
}
