#include "iw_load.h"

#include <inttypes.h>

#include "iw_json.h"

static const struct share {
    const char *name, *key;
    double share;
} shares[] = {
    {"p50", "p50_ns", 0.5},
    {"p90", "p90_ns", 0.9},
    {"p99", "p99_ns", 0.99},
    {"p99.9", "p999_ns", 0.999},
    {"max", "max_ns", 1},
};

enum { SHARES = sizeof shares / sizeof *shares };

static double load_report_to_seconds(uint64_t ns) {
    return (double)ns / 1e9;
}

static double load_report_rate_of(double what, uint64_t ns) {
    return ns == 0 ? 0 : what / load_report_to_seconds(ns);
}

static void load_report_print_op(FILE *out, enum iw_load_op op, const struct iw_load_result *result) {
    const struct iw_load_totals *totals = &result->ops[op];

    fprintf(out, "%-12s %12" PRIu64 " %12.0f %10.1f ", iw_load_op_name(op), totals->count,
        load_report_rate_of((double)totals->count, result->running_ns),
        load_report_rate_of((double)totals->octets / 1048576, result->running_ns));
    for (size_t i = 0; i < SHARES; i++)
        fprintf(out, " %9.1f", (double)iw_histogram_at(&totals->latency_ns, shares[i].share) / 1000);
    fputc('\n', out);
}

static void load_report_print_verified(
    FILE *out, const struct iw_load_config *config, const struct iw_load_result *result) {
    const char *separator = "";

    fputs("verified: ", out);
    for (int i = 0; i < IW_LOAD_OP_COUNT; i++) {
        static const char *const how[IW_LOAD_OP_COUNT] = {[IW_LOAD_WRITE] = "Writes read back",
            [IW_LOAD_READ] = "Reads",
            [IW_LOAD_SEND] = "Sends echoed",
            [IW_LOAD_ATOMIC] = "Atomic Operations",
            [IW_LOAD_VERIFY] = "hashes",
            [IW_LOAD_ATOMIC_WRITE] = "Atomic Writes read back"};

        if (config->mix.weights[i] == 0 || how[i] == NULL)
            continue;
        fprintf(out, "%s%" PRIu64 " %s", separator, result->ops[i].verified, how[i]);
        separator = ", ";
    }
    fprintf(out, "; %" PRIu64 " wrong\n", result->wrong);
}

static void load_report_print_errors(FILE *out, const struct iw_load_result *result) {
    if (result->abandoned > 0)
        fprintf(out, "never finished: %" PRIu64 " operation%s\n", result->abandoned,
            result->abandoned == 1 ? "" : "s");
    if (result->error_count == 0)
        fputs("errors: none\n", out);
    for (unsigned i = 0; i < result->error_kinds; i++)
        fprintf(out, "%s%10" PRIu64 "  %s\n", i == 0 ? "errors:\n" : "", result->errors[i].count,
            result->errors[i].text);
}

void iw_load_report_text(
    FILE *out, const struct iw_load_config *config, const struct iw_load_result *result) {
    fprintf(out, "%u of %u connection%s to %s:%u in %.2f s, depth %u, CRC %s; ran for %.2f s\n",
        result->opened, config->connections, config->connections == 1 ? "" : "s", config->host, config->port,
        load_report_to_seconds(result->opening_ns), config->depth, result->crc ? "on" : "off",
        load_report_to_seconds(result->running_ns));
    fprintf(out, "%-12s %12s %12s %10s  us:", "", "operations", "per second", "MiB/s");
    for (size_t i = 0; i < SHARES; i++)
        fprintf(out, "%*s", i == 0 ? 6 : 10, shares[i].name);
    fputc('\n', out);
    for (int i = 0; i < IW_LOAD_OP_COUNT; i++)
        if (config->mix.weights[i] > 0)
            load_report_print_op(out, (enum iw_load_op)i, result);
    load_report_print_verified(out, config, result);
    load_report_print_errors(out, result);
}

static void load_report_set_number(json_t *object, const char *key, double value) {
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static json_t *load_report_op_object(const struct iw_load_totals *totals, uint64_t running_ns) {
    json_t *object = json_object();

    load_report_set_number(object, "count", (double)totals->count);
    load_report_set_number(object, "octets", (double)totals->octets);
    load_report_set_number(object, "verified", (double)totals->verified);
    load_report_set_number(object, "per_second", load_report_rate_of((double)totals->count, running_ns));
    load_report_set_number(
        object, "octets_per_second", load_report_rate_of((double)totals->octets, running_ns));
    load_report_set_number(object, "mean_ns", iw_histogram_mean(&totals->latency_ns));
    for (size_t i = 0; i < SHARES; i++)
        load_report_set_number(
            object, shares[i].key, (double)iw_histogram_at(&totals->latency_ns, shares[i].share));
    return object;
}

static json_t *load_errors(const struct iw_load_result *result) {
    json_t *array = json_array();

    for (unsigned i = 0; i < result->error_kinds; i++) {
        json_t *object = json_object();

        iw_json_set_text(object, "text", result->errors[i].text);
        load_report_set_number(object, "count", (double)result->errors[i].count);
        json_array_append_new(array, object);
    }
    return array;
}

bool iw_load_report_json(
    FILE *out, const struct iw_load_config *config, const struct iw_load_result *result) {
    json_t *object = iw_json_object("load", NULL, 0);
    json_t *ops = json_object();

    iw_json_set_text(object, "host", config->host);
    load_report_set_number(object, "port", config->port);
    load_report_set_number(object, "connections", (double)config->connections);
    load_report_set_number(object, "opened", (double)result->opened);
    load_report_set_number(object, "opening_ms", (double)result->opening_ns / 1e6);
    load_report_set_number(object, "depth", (double)config->depth);
    json_object_set_new(object, "crc", json_boolean(result->crc));
    load_report_set_number(object, "running_ms", (double)result->running_ns / 1e6);
    for (int i = 0; i < IW_LOAD_OP_COUNT; i++)
        if (config->mix.weights[i] > 0)
            json_object_set_new(ops, iw_load_op_name((enum iw_load_op)i),
                load_report_op_object(&result->ops[i], result->running_ns));
    json_object_set_new(object, "operations", ops);
    load_report_set_number(object, "wrong", (double)result->wrong);
    load_report_set_number(object, "abandoned", (double)result->abandoned);
    json_object_set_new(object, "errors", load_errors(result));
    return iw_json_line(out, object);
}

void iw_load_report_progress(
    FILE *out, const struct iw_load_result *result, struct iw_load_progress *before, uint64_t passed_ns) {
    struct iw_load_progress now = {0, 0};

    if (result->phase == IW_LOAD_OPENING) {
        fprintf(out, "%u connections open", result->opened);
        return;
    }
    for (int i = 0; i < IW_LOAD_OP_COUNT; i++) {
        now.count += result->ops[i].count;
        now.octets += result->ops[i].octets;
    }
    fprintf(out, "%.1f s: %.0f operations/s, %.1f MiB/s, %" PRIu64 " errors",
        load_report_to_seconds(result->running_ns),
        load_report_rate_of((double)(now.count - before->count), passed_ns),
        load_report_rate_of((double)(now.octets - before->octets) / 1048576, passed_ns), result->error_count);
    *before = now;
}
