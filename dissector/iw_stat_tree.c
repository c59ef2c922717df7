#include "iw_stat.h"

#include <inttypes.h>

#include "iw_preference.h"
#include "iw_tap.h"
#include "iw_terminate.h"

enum branch {
    STARTUPS,
    OPCODES,
    REQUESTS,
    NOT_JUDGED,
    QUEUES,
    PAYLOADS,
    FPDUS,
    MARKERS,
    CRCS,
    LOSSES,
    TERMINATES,
    FINDINGS,
    BRANCH_COUNT,
};

static const char *const branch_names[BRANCH_COUNT] = {
    [STARTUPS] = "Startup frames",
    [OPCODES] = "DDP Segments by sender and opcode",
    [REQUESTS] = "Requests",
    [NOT_JUDGED] = "FPDUs not judged",
    [QUEUES] = "Queues",
    [PAYLOADS] = "Payload octets",
    [FPDUS] = "FPDU octets",
    [MARKERS] = "Markers",
    [CRCS] = "CRC",
    [LOSSES] = "Octets not read",
    [TERMINATES] = "Terminate errors",
    [FINDINGS] = "Findings",
};

static int branches[BRANCH_COUNT];

#define SIZES                                                                                                \
    "0", "1-15", "16-63", "64-255", "256-1023", "1024-1500", "1501-4095", "4096-9000", "9001-16383",         \
        "16384-32767", "32768-", NULL

static void tree_init(stats_tree *tree) {
    for (enum branch branch = 0; branch < BRANCH_COUNT; branch++)
        if (branch == PAYLOADS || branch == FPDUS)
            branches[branch] = stats_tree_create_range_node(tree, branch_names[branch], 0, SIZES);
        else
            branches[branch] = stats_tree_create_node(tree, branch_names[branch], 0, STAT_DT_INT, true);
}

/* Adds 1 to `name` in the branch, and returns the node of `name`. */
static int tree_count(stats_tree *tree, enum branch branch, const char *name) {
    tick_stat_node(tree, branch_names[branch], 0, true);
    return tick_stat_node(tree, name, branches[branch], true);
}

static void stat_tree_count_octets(stats_tree *tree, enum branch branch, int octets) {
    tick_stat_node(tree, branch_names[branch], 0, true);
    stats_tree_tick_range(tree, branch_names[branch], 0, octets);
}

static void stat_tree_count_startup(stats_tree *tree, const packet_info *pinfo, const struct iw_tap *tap) {
    static const char *const keys[] = {"MPA Request", "MPA Reply"};

    if (tap->key == IW_STARTUP_UNKNOWN)
        tree_count(tree, STARTUPS, "unknown key");
    else
        tree_count(
            tree, STARTUPS, wmem_strdup_printf(pinfo->pool, "%s, revision %u", keys[tap->key], tap->rev));
}

static void stat_tree_count_ddp(stats_tree *tree, const packet_info *pinfo, const struct iw_tap *tap) {
    const struct iw_segment *ddp = &tap->ddp;
    int sender = tree_count(tree, OPCODES, iw_role_name(tap->item->role));
    const char *opcode = ddp->op != NULL
                             ? ddp->op->title
                             : wmem_strdup_printf(pinfo->pool, "opcode 0x%x", (unsigned)ddp->opcode);

    tick_stat_node(tree, opcode, sender, false);
    tree_count(
        tree, QUEUES, ddp->tagged ? "tagged" : wmem_strdup_printf(pinfo->pool, "QN %" PRIu32, ddp->qn));
    stat_tree_count_octets(tree, PAYLOADS, ddp->payload_octets);
}

static void stat_tree_count_markers(stats_tree *tree, const struct iw_item_more *more) {
    int wrong = 0;

    if (more->marker_count == 0)
        return;
    for (uint32_t i = 0; i < more->marker_count; i++)
        wrong += more->markers[i].fpduptr != more->markers[i].expected;
    increase_stat_node(tree, branch_names[MARKERS], 0, true, (int)more->marker_count);
    increase_stat_node(
        tree, "FPDUPTR as expected", branches[MARKERS], false, (int)more->marker_count - wrong);
    if (wrong > 0)
        increase_stat_node(tree, "FPDUPTR not as expected", branches[MARKERS], false, wrong);
}

static void stat_tree_count_terminate(stats_tree *tree, const packet_info *pinfo, const struct iw_tap *tap) {
    struct iw_terminate_message message;
    char triple[IW_ERROR_TEXT_OCTETS];
    const char *name;
    uint16_t error;

    if (!iw_segment_terminate(&tap->ddp, iw_preferences->extensions, &message))
        return;
    error = iw_terminate_error(&message.control);
    name = iw_error_name(tap->tcp ? IW_LLP_MPA : IW_LLP_SCTP, error);
    iw_error_text(error, triple);
    tree_count(
        tree, TERMINATES, wmem_strdup_printf(pinfo->pool, "%s %s", triple, name != NULL ? name : "unknown"));
}

/* A request is counted in "no response known" until its response is complete. */
static void stat_tree_count_operation(stats_tree *tree, const struct iw_tap *tap) {
    static const char no_response[] = "no response known";
    const struct iw_stored_operation *operation = tap->item->message->operation;

    if (operation == NULL)
        return;
    if (iw_opcode_answered(tap->ddp.opcode) == IW_RDMAP_OP_NONE) {
        tree_count(tree, REQUESTS, no_response);
    } else if (operation->complete == tap->item) {
        increase_stat_node(tree, no_response, branches[REQUESTS], true, -1);
        tick_stat_node(tree, "with a response", branches[REQUESTS], true);
    }
}

static void tree_count_fpdu(stats_tree *tree, const packet_info *pinfo, const struct iw_tap *tap) {
    if (tap->tcp) {
        stat_tree_count_octets(tree, FPDUS, (int)tap->item->length);
        tree_count(tree, CRCS, iw_crc_status_name(tap->item->crc));
        stat_tree_count_markers(tree, tap->item->more);
    }
    if (tap->item->judged != IW_FPDU_JUDGED)
        tree_count(tree, NOT_JUDGED, iw_fpdu_not_judged(tap->item->judged));
    if (tap->has_ddp) {
        stat_tree_count_ddp(tree, pinfo, tap);
        stat_tree_count_operation(tree, tap);
        stat_tree_count_terminate(tree, pinfo, tap);
    }
}

static void stat_tree_count_findings(stats_tree *tree, const packet_info *pinfo, const struct iw_tap *tap) {
    for (uint32_t i = 0; i < tap->item->more->finding_count; i++) {
        const struct iw_requirement *requirement = tap->item->more->findings[i].requirement;
        int level = tree_count(tree, FINDINGS, iw_severity_name(iw_requirement_severity(requirement)));

        tick_stat_node(tree, wmem_strdup_printf(pinfo->pool, "%s %s", requirement->id, requirement->words),
            level, false);
    }
}

static tap_packet_status tree_on_packet(
    stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_) {
    const struct iw_tap_list *list = data;

    for (const struct iw_tap *tap = list->first; tap != NULL; tap = tap->next) {
        if (tap->item->kind == IW_LLP_STARTUP)
            stat_tree_count_startup(tree, pinfo, tap);
        if (tap->item->kind == IW_LLP_SEGMENT)
            tree_count_fpdu(tree, pinfo, tap);
        if (tap->item->kind == IW_LLP_LOSS) {
            int octets = (int)MIN(tap->item->more->octets, INT32_MAX);

            avg_stat_node_add_value_int(tree, branch_names[LOSSES], 0, true, octets);
            avg_stat_node_add_value_int(tree, iw_role_name(tap->item->role), branches[LOSSES], false, octets);
        }
        stat_tree_count_findings(tree, pinfo, tap);
    }
    return TAP_PACKET_REDRAW;
}

void iw_stat_tree_register(void) {
    stats_tree_register_plugin(
        "iwarp", "iwarp", "iWARP", TL_REQUIRES_NOTHING, tree_on_packet, tree_init, NULL);
}
