/* A shim between your allocator and numa-conformance, over stdio: one JSON-RPC 2.0 message a line, in and out.
 *
 *     cc -o my-allocator numa_target.c -ljansson
 *
 * For an allocator that only chooses CPUs. It takes the lowest ids, and the suite says why that is not enough. Next: ask
 * your allocator in pick(), and add the options that it knows to the features.
 * Every message, with an example: numa-conformance schema examples. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Say who this is and what it claims; only that is tested. "wants": ["host_root"]: machines come as trees too. */
static json_t *describe(json_t *params) {
    (void)params;
    return json_pack("{s:s, s:s, s:s, s:[s], s:[s]}", "name", "my-allocator", "version", "0.1.0", "protocol", "2",
                     "surfaces", "pick", "features", "cpu-manager/static");
}

/* Choose params.count of the CPUs params.available of params.machine. Sets are texts: "0-3,8". */
static json_t *pick(json_t *params) {
    const char *rest = json_string_value(json_object_get(params, "available"));
    json_int_t left = json_integer_value(json_object_get(params, "count"));
    char cpus[65536] = "", *end;
    while (*rest && left > 0) {
        long first = strtol(rest, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        for (rest = *end == ',' ? end + 1 : end; first <= last && left > 0; first++, left--)
            snprintf(cpus + strlen(cpus), sizeof cpus - strlen(cpus), "%s%ld", *cpus ? "," : "", first);
    }
    if (left > 0)
        return json_pack("{s:s, s:s}", "result", "refused", "message", "too few CPUs are free");
    return json_pack("{s:s, s:s}", "result", "picked", "cpus", cpus);
}

static const struct { const char *name; json_t *(*answer)(json_t *params); } methods[] = {
    {"describe", describe}, {"pick", pick},
};

/* -32601 says that a method is not there; -32001 would say that a machine is not supported, and why. */
int main(void) {
    char *line = NULL;
    size_t size = 0, number;
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
