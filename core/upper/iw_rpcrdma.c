#include "iw_rpcrdma.h"

#include <string.h>

#include "iw_upper_words.h"

struct words {
    const uint8_t *data;
    size_t octets;
    size_t at;
    bool failed;
};

static uint32_t rpcrdma_word(struct words *words) {
    if (words->failed || words->octets - words->at < 4) {
        words->failed = true;
        return 0;
    }
    words->at += 4;
    return iw_upper_big32(words->data + words->at - 4);
}

static void rpcrdma_skip(struct words *words, uint64_t octets) {
    if (words->failed || octets > words->octets - words->at)
        words->failed = true;
    else
        words->at += (size_t)octets;
}

static void rpcrdma_segment(
    struct words *words, struct iw_rpcrdma *header, enum iw_rpcrdma_list list, uint32_t position) {
    struct iw_rpcrdma_segment segment = {.list = (uint8_t)list, .position = position};

    segment.handle = rpcrdma_word(words);
    segment.length = rpcrdma_word(words);
    segment.offset = (uint64_t)rpcrdma_word(words) << 32;
    segment.offset |= rpcrdma_word(words);
    if (words->failed)
        return;
    if (header->segment_count < IW_RPCRDMA_SEGMENTS_MAX)
        header->segments[header->segment_count++] = segment;
    header->count[list]++;
}

static void rpcrdma_chunk(struct words *words, struct iw_rpcrdma *header, enum iw_rpcrdma_list list) {
    uint32_t count = rpcrdma_word(words);

    for (uint32_t i = 0; i < count && !words->failed; i++)
        rpcrdma_segment(words, header, list, 0);
}

/* The discriminator of an optional element is 0 or 1 (RFC 4506 4.19). */
static bool rpcrdma_more(struct words *words) {
    uint32_t more = rpcrdma_word(words);

    words->failed |= more > 1;
    return more == 1 && !words->failed;
}

/* Reads the fixed header. Returns false if it is incomplete. */
static bool rpcrdma_fixed(struct words *words, struct iw_rpcrdma *header) {
    memset(header, 0, sizeof *header);
    header->xid = rpcrdma_word(words);
    header->vers = rpcrdma_word(words);
    header->credit = rpcrdma_word(words);
    header->proc = rpcrdma_word(words);
    return !words->failed;
}

/* Reads Read list, Write list and Reply chunk (RFC 8166 4.3). Returns false if one is incomplete or wrong. */
static bool rpcrdma_lists(struct words *words, struct iw_rpcrdma *header) {
    while (rpcrdma_more(words))
        rpcrdma_segment(words, header, IW_RPCRDMA_READ, rpcrdma_word(words));
    while (rpcrdma_more(words)) {
        rpcrdma_chunk(words, header, IW_RPCRDMA_WRITE);
        header->write_chunks++;
    }
    header->reply_chunk = rpcrdma_more(words);
    if (header->reply_chunk)
        rpcrdma_chunk(words, header, IW_RPCRDMA_REPLY);
    header->lists = !words->failed && header->count[IW_RPCRDMA_READ] + header->count[IW_RPCRDMA_WRITE] +
                                              header->count[IW_RPCRDMA_REPLY] ==
                                          header->segment_count;
    header->body = words->at;
    return !words->failed;
}

/* Reads XID and msg_type of the RPC message (RFC 5531 9). Returns false if they are incomplete or wrong. */
static bool rpcrdma_rpc(struct words *words, struct iw_rpcrdma *header) {
    header->rpc_xid = rpcrdma_word(words);
    header->rpc_type = rpcrdma_word(words);
    return !words->failed && header->rpc_type <= 1;
}

static void rpcrdma_error(struct words *words, struct iw_rpcrdma *header) {
    header->err = rpcrdma_word(words);
    if (header->err == IW_RPCRDMA_ERR_VERS) {
        header->low = rpcrdma_word(words);
        header->high = rpcrdma_word(words);
    }
    header->error = !words->failed;
}

bool iw_rpcrdma_decode(const uint8_t *data, size_t octets, struct iw_rpcrdma *header) {
    struct words words = {data, octets, 0, false};

    if (!rpcrdma_fixed(&words, header))
        return false;
    if (header->proc == IW_RPCRDMA_MSG || header->proc == IW_RPCRDMA_NOMSG)
        rpcrdma_lists(&words, header);
    else if (header->proc == IW_RPCRDMA_ERROR)
        rpcrdma_error(&words, header);
    if (header->proc == IW_RPCRDMA_MSG && header->lists)
        header->rpc = rpcrdma_rpc(&words, header);
    return true;
}

bool iw_rpcrdma_is_message(const uint8_t *data, size_t captured, uint64_t octets, struct iw_rpcrdma *header) {
    enum { FIXED = 16, MSGP_WORDS = 8 }; /* octets; rdma_align and rdma_thresh of RDMA_MSGP */
    struct words words = {data, captured, 0, false};

    if (!rpcrdma_fixed(&words, header) || header->vers != 1)
        return false;
    switch (header->proc) {
    case IW_RPCRDMA_MSGP:
        rpcrdma_skip(&words, MSGP_WORDS);
        /* fall through */
    case IW_RPCRDMA_MSG:
        return rpcrdma_lists(&words, header) && rpcrdma_rpc(&words, header) && header->rpc_xid == header->xid;
    case IW_RPCRDMA_NOMSG:
        return rpcrdma_lists(&words, header) && header->body == octets &&
               (header->count[IW_RPCRDMA_READ] > 0 || header->write_chunks > 0 || header->reply_chunk);
    case IW_RPCRDMA_DONE:
        return octets == FIXED;
    case IW_RPCRDMA_ERROR:
        return octets >= FIXED + 4 && captured == octets;
    default:
        return false;
    }
}

/* ---- names of procedures ---- */

enum { NFS = 100003, MOUNT = 100005, NFS_ACL = 100227, NFS_CALLBACK = 0x40000000 };

/* RFC 1813 3.3 */
static const char *const nfs3[] = {"NFS NULL", "NFS GETATTR", "NFS SETATTR", "NFS LOOKUP", "NFS ACCESS",
    "NFS READLINK", "NFS READ", "NFS WRITE", "NFS CREATE", "NFS MKDIR", "NFS SYMLINK", "NFS MKNOD",
    "NFS REMOVE", "NFS RMDIR", "NFS RENAME", "NFS LINK", "NFS READDIR", "NFS READDIRPLUS", "NFS FSSTAT",
    "NFS FSINFO", "NFS PATHCONF", "NFS COMMIT"};

/* RFC 7862 15: operations of a COMPOUND, by number. */
static const char *const nfs4[] = {[3] = "NFS ACCESS",
    [4] = "NFS CLOSE",
    [5] = "NFS COMMIT",
    [6] = "NFS CREATE",
    [8] = "NFS DELEGRETURN",
    [9] = "NFS GETATTR",
    [11] = "NFS LINK",
    [12] = "NFS LOCK",
    [13] = "NFS LOCKT",
    [14] = "NFS LOCKU",
    [15] = "NFS LOOKUP",
    [16] = "NFS LOOKUPP",
    [18] = "NFS OPEN",
    [20] = "NFS OPEN_CONFIRM",
    [21] = "NFS OPEN_DOWNGRADE",
    [25] = "NFS READ",
    [26] = "NFS READDIR",
    [27] = "NFS READLINK",
    [28] = "NFS REMOVE",
    [29] = "NFS RENAME",
    [30] = "NFS RENEW",
    [31] = "NFS RESTOREFH",
    [32] = "NFS SAVEFH",
    [33] = "NFS SECINFO",
    [34] = "NFS SETATTR",
    [35] = "NFS SETCLIENTID",
    [36] = "NFS SETCLIENTID_CONFIRM",
    [38] = "NFS WRITE",
    [41] = "NFS BIND_CONN_TO_SESSION",
    [42] = "NFS EXCHANGE_ID",
    [43] = "NFS CREATE_SESSION",
    [44] = "NFS DESTROY_SESSION",
    [45] = "NFS FREE_STATEID",
    [50] = "NFS LAYOUTGET",
    [52] = "NFS SECINFO_NO_NAME",
    [53] = "NFS SEQUENCE",
    [55] = "NFS TEST_STATEID",
    [57] = "NFS DESTROY_CLIENTID",
    [58] = "NFS RECLAIM_COMPLETE",
    [59] = "NFS ALLOCATE",
    [60] = "NFS COPY",
    [62] = "NFS DEALLOCATE",
    [68] = "NFS READ_PLUS",
    [69] = "NFS SEEK"};

enum { OP_PUTFH = 22, OP_PUTROOTFH = 24, OP_SAVEFH = 32, OP_SEQUENCE = 53, OPERATIONS_MAX = 8 };
enum { SEQUENCE_OCTETS = 32 }; /* session id, sequence id, slot, highest slot, cachethis (RFC 8881 18.46) */

static void rpcrdma_skip_opaque(struct words *words) {
    uint32_t octets = rpcrdma_word(words);

    rpcrdma_skip(words, ((uint64_t)octets + 3) / 4 * 4);
}

/* The first operation that does not only prepare the next: SEQUENCE, PUTFH and the like do. */
static const char *rpcrdma_compound(struct words *words) {
    uint32_t count, operation = 0;

    rpcrdma_skip_opaque(words); /* tag */
    rpcrdma_word(words);        /* minorversion */
    count = rpcrdma_word(words);
    for (uint32_t i = 0; i < count && i < OPERATIONS_MAX; i++) {
        operation = rpcrdma_word(words);
        if (words->failed)
            break;
        if (operation == OP_SEQUENCE && count > 1)
            rpcrdma_skip(words, SEQUENCE_OCTETS);
        else if (operation == OP_PUTFH)
            rpcrdma_skip_opaque(words);
        else if (operation != OP_PUTROOTFH && operation != OP_SAVEFH)
            break;
    }
    if (words->failed || operation >= sizeof nfs4 / sizeof *nfs4 || nfs4[operation] == NULL)
        return "NFS COMPOUND";
    return nfs4[operation];
}

static const char *rpcrdma_nfs(struct words *words, uint32_t version, uint32_t procedure) {
    if (procedure == 0)
        return "NFS NULL";
    rpcrdma_word(words); /* flavor of the credential */
    rpcrdma_skip_opaque(words);
    rpcrdma_word(words); /* flavor of the verifier */
    rpcrdma_skip_opaque(words);
    if (version == 3 && procedure < sizeof nfs3 / sizeof *nfs3)
        return nfs3[procedure];
    return version == 4 && procedure == 1 ? rpcrdma_compound(words) : "NFS call";
}

static bool rpcrdma_procedure(struct words *words, struct iw_rpc_procedure *procedure) {
    uint32_t rpc_version;

    rpcrdma_skip(words, 8); /* XID and msg_type */
    rpc_version = rpcrdma_word(words);
    procedure->program = rpcrdma_word(words);
    procedure->version = rpcrdma_word(words);
    procedure->number = rpcrdma_word(words);
    return !words->failed && rpc_version == 2;
}

bool iw_rpc_procedure_decode(const uint8_t *data, size_t octets, struct iw_rpc_procedure *procedure) {
    struct words words = {data, octets, 0, false};

    return rpcrdma_procedure(&words, procedure);
}

const char *iw_rpcrdma_operation(const uint8_t *data, size_t octets) {
    struct words words = {data, octets, 0, false};
    struct iw_rpc_procedure procedure;

    if (!rpcrdma_procedure(&words, &procedure))
        return "RPC call";
    if (procedure.program == NFS)
        return rpcrdma_nfs(&words, procedure.version, procedure.number);
    return procedure.program == MOUNT          ? "MOUNT call"
           : procedure.program == NFS_ACL      ? "NFSACL call"
           : procedure.program == NFS_CALLBACK ? "NFS callback"
                                               : "RPC call";
}
