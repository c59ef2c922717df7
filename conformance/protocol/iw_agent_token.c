#include "iw_agent_token.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum iw_status token_trim_line(
    char *line, const char *path, char *token, char *error, size_t error_octets) {
    char *from = line + strspn(line, " \t");
    size_t length = strcspn(from, "\r\n");

    while (length > 0 && (from[length - 1] == ' ' || from[length - 1] == '\t'))
        length--;
    if (length == 0 || length >= IW_AGENT_TOKEN_MAX) {
        snprintf(error, error_octets, "%s: its first line must be a token of 1 to %d octets", path,
            IW_AGENT_TOKEN_MAX - 1);
        return IW_ERR_FORMAT;
    }
    memcpy(token, from, length);
    token[length] = '\0';
    return IW_OK;
}

enum iw_status iw_agent_token_read(
    const char *path, char token[IW_AGENT_TOKEN_MAX], char *error, size_t error_octets) {
    char line[2 * IW_AGENT_TOKEN_MAX] = "";
    FILE *file = fopen(path, "r");

    if (!file || (!fgets(line, sizeof line, file) && ferror(file))) {
        snprintf(error, error_octets, "%s: %s", path, strerror(errno));
        if (file)
            fclose(file);
        return IW_ERR_IO;
    }
    fclose(file);
    return token_trim_line(line, path, token, error, error_octets);
}

bool iw_agent_token_equal(const char *token, const char *given) {
    size_t length = strlen(token), other = given ? strlen(given) : 0;
    volatile unsigned difference = length != other;

    for (size_t i = 0; i < other; i++)
        difference |= (unsigned char)given[i] ^ (unsigned char)token[i % length];
    return difference == 0;
}

const char *iw_agent_lacks(const char *host, bool knows_client, bool encrypted, bool insecure) {
    if (iw_agent_is_loopback(host))
        return NULL;
    if (!knows_client)
        return "--token-file, --tls-psk or --tls-ca";
    return encrypted || insecure ? NULL : "--tls, or --insecure";
}

bool iw_agent_is_loopback(const char *host) {
    return strcmp(host, "::1") == 0 || strcmp(host, "localhost") == 0 ||
           (strncmp(host, "127.", 4) == 0 && host[4 + strspn(host + 4, "0123456789.")] == '\0');
}
