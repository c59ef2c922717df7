#include "iw_check_result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_plural.h"

void iw_check_unread(const struct iw_check_counts *counts, struct iw_check_unread rows[IW_CHECK_UNREAD]) {
    const struct iw_check_contents *contents = &counts->contents;
    struct iw_check_unread all[IW_CHECK_UNREAD] = {
        {"links", "packet", "of ", counts->links.packets},
        {"fragments", "frame", "with a fragment of an IP packet that could not be reassembled",
            counts->fragments},
        {"differing", "frame", "with a fragment whose octets differ from those of earlier fragments",
            counts->differing},
        {"cut", "frame", "truncated within the headers", counts->cut},
        {"malformed", "frame", "with lengths that contradict each other", counts->malformed},
        {"tags", "packet", "with a Verification Tag of another association", counts->tags},
        {"encrypted", "frame", "of encrypted packets (ESP, WireGuard, MACsec or IEEE 802.11)",
            contents->frames[IW_CONTENT_ESP] + contents->frames[IW_CONTENT_WIREGUARD] +
                contents->frames[IW_CONTENT_MACSEC] + contents->frames[IW_CONTENT_WIRELESS]},
        {"too_deep", "frame", "with more than 8 tunnels inside each other",
            contents->frames[IW_CONTENT_TOO_DEEP]},
        {"tunnels", "frame", "with an unknown tunnel payload", contents->frames[IW_CONTENT_TUNNEL]},
        {"dropped", "packet", "beyond the limits of this program", counts->dropped},
        {"lost", "packet", "dropped by the system before this program got them", counts->lost},
        {"mappings", "port mapping", "forgotten at a limit before a connection used them", counts->mappings},
    };

    iw_capture_unread_text(&counts->links, all[0].which + 3, sizeof all[0].which - 3);
    memcpy(rows, all, sizeof all);
}

const char *iw_check_unread_text(const struct iw_check_unread *row, char text[IW_CHECK_UNREAD_OCTETS]) {
    snprintf(text, IW_CHECK_UNREAD_OCTETS, "%" PRIu64 " %s%s %s", row->count, row->what,
        iw_plural(row->count), row->which);
    return text;
}

void iw_check_result_add_connection(struct iw_check_result *result, struct iw_check_connection *connection) {
    if (connection == NULL ||
        !iw_array_grow(&result->connections, result->connection_count, sizeof connection)) {
        iw_check_connection_free(connection);
        result->incomplete = true;
        return;
    }
    result->connections[result->connection_count++] = connection;
}

void iw_check_result_add_file(struct iw_check_result *result, const struct iw_check_file_result *file) {
    bool reserved = iw_array_grow(&result->files, result->file_count, sizeof *file);
    struct iw_check_file_result row = *file;

    row.path = strdup(file->path);
    row.error = file->error == NULL ? NULL : strdup(file->error);
    if (!reserved || row.path == NULL || (file->error != NULL && row.error == NULL)) {
        result->incomplete = true;
        free(row.path);
        free(row.error);
        return;
    }
    result->files[result->file_count++] = row;
    result->unread_count += row.unread;
    result->without_iwarp_count += row.error != NULL && !row.unread;
}

void iw_check_result_clear(struct iw_check_result *result) {
    for (size_t i = 0; i < result->connection_count; i++)
        iw_check_connection_free(result->connections[i]);
    for (size_t i = 0; i < result->file_count; i++) {
        free(result->files[i].path);
        free(result->files[i].error);
    }
    free(result->connections);
    free(result->files);
    memset(result, 0, sizeof *result);
}
