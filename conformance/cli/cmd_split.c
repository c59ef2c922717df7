#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cmd_confine.h"
#include "iw_check_group.h"
#include "iw_check_split.h"
#include "iw_file_limit.h"
#include "iw_helper.h"
#include "iw_option.h"
#include "iw_shard.h"

struct settings {
    const char *directory;
    bool new_directory; /* it did not exist before */
    unsigned long shards;
    enum cmd_confining confining;
};

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"out", "DIR", 'o', "folder for shard-1.pcapng and so on; created if necessary", iw_option_text,
        AT(directory)},
    {"shards", "N", 'n', "number of shards", IW_OPTION_NUMBER(struct settings, shards, 1, IW_SHARD_MAX)},
    {CMD_OPTION_CONFINE, AT(confining)},
};

static const struct iw_usage usage = {
    .command = "split",
    .arguments = "--out DIR --shards N FILE...",
    .operand = "file",
    .operands = true,
    .summary = "Divides a capture into N captures with whole connections, to check them in parallel.",
    .detail =
        "Several files are one capture, in order of time (tcpdump -C and -W, ring buffers of dumpcap). Each\n"
        "is read once. A TCP connection goes to a shard by its addresses and ports, an SCTP association by\n"
        "its ports. An ICMP error goes to the shard of the connection that it is about, IP fragments and\n"
        "port mappings go to every shard, all other packets to shard 1.\n"
        "Packets keep their time, link type and first comment; packets with a link type that 'check' does\n"
        "not read are only counted. The shards get their names when all are complete; an interrupted run\n"
        "leaves none.\n"
        "\n"
        "Each packet has its frame number in the whole capture as its packet id (epb_packetid, in\n"
        "Wireshark frame.packet_id). 'check' names the original file and frame of each finding, and\n"
        "'report --merge' makes one result of the results of all shards.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck split day.pcapng --out shards --shards 8\n"
                "  warpcheck check --format jsonl shards/shard-1.pcapng >shards/1.jsonl\n"
                "  warpcheck report --merge -o day.jsonl shards/*.jsonl\n",
    .exits = "  0  written\n"
             "  3  usage; a file that cannot be written, or not be read to its end (the shards tell this\n"
             "     error to 'check'). If no file is a capture, nothing is written\n"
             "  4  internal error\n",
};

static enum iw_exit split_files(
    const struct settings *settings, const struct iw_check_groups *groups, size_t count) {
    struct iw_check_split_counts counts = {0};
    struct iw_text diagnostics;
    enum iw_exit exit = IW_EXIT_INTERNAL;

    if (iw_text_open(&diagnostics))
        exit = iw_check_split(
            groups->paths, count, settings->directory, (unsigned)settings->shards, diagnostics.out, &counts);
    if (!cmd_print_diagnostics(&diagnostics))
        return IW_EXIT_INTERNAL;
    if (counts.frames > 0 && counts.everyone > counts.frames / 4)
        cmd_fail(0, "%" PRIu64 " of %" PRIu64 " packets are in every shard: fragments or port mappings",
            counts.everyone, counts.frames);
    return exit;
}

/* From here on only the captures can be read, and only the shards written. */
static int split_confined(
    const struct settings *settings, const struct iw_check_groups *groups, size_t count) {
    struct iw_confine confine;
    int code;

    iw_confine_begin(&confine);
    for (size_t i = 0; i < count; i++)
        iw_confine_read(&confine, groups->paths[i]);
    cmd_confine_write_folder(&confine, settings->confining, settings->directory);
    code = cmd_confine(settings->confining, &confine);
    return code == 0 ? (int)split_files(settings, groups, count) : code;
}

/* Removes what a killed process has left incomplete, and the new folder if it has no shards. */
static int split_clean(void *user, bool ended) {
    const struct settings *settings = user;

    if (!ended)
        iw_check_split_discard(settings->directory, (unsigned)settings->shards);
    if (settings->new_directory)
        rmdir(settings->directory); /* fails if a shard is in it */
    return 0;
}

static int split_supervised(struct settings *settings, const struct iw_check_groups *groups, size_t count) {
    struct iw_helper helper;
    int code, error;

    iw_file_limit_raise(); /* each shard is an open file */
    settings->new_directory = access(settings->directory, F_OK) != 0;
    error = iw_helper_start(&helper, split_clean, settings);
    if (error != 0)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s: no process to remove incomplete shards: %s",
            settings->directory, strerror(error));
    code = split_confined(settings, groups, count);
    iw_helper_order(&helper, true);
    return code;
}

/* Shards of nothing would have to be removed before a corrected name is accepted. One file that can be read
 * is enough: the shards tell the errors of the others to 'check'. */
static int split_find_readable(char *const *paths, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(paths[i], "-") == 0 || access(paths[i], R_OK) == 0)
            return 0;
    for (size_t i = 0; i < count; i++)
        if (access(paths[i], R_OK) != 0)
            cmd_fail(IW_EXIT_ENVIRONMENT, "%s: %s", paths[i], strerror(errno));
    return IW_EXIT_ENVIRONMENT;
}

int cmd_split(int argc, char **argv) {
    struct settings settings = {0};
    struct iw_check_groups groups;
    int code = iw_option_all(&usage, argc, argv, &settings);
    size_t count;

    if (code != IW_OPTION_DONE)
        return code;
    if (settings.directory == NULL || settings.shards == 0)
        return iw_option_error(&usage, "--out DIR and --shards N are required");
    count = (size_t)(argc - optind);
    if ((code = split_find_readable(argv + optind, count)) != 0)
        return code;
    if (!iw_check_groups_make(&groups, argv + optind, count, IW_CHECK_GROUP_ALL))
        return cmd_fail(IW_EXIT_INTERNAL, "out of memory");
    if (groups.pipe != NULL)
        code = cmd_fail(IW_EXIT_ENVIRONMENT, "%s: not a regular file, but one of several files", groups.pipe);
    else
        code = split_supervised(&settings, &groups, count);
    iw_check_groups_clear(&groups);
    return code;
}
