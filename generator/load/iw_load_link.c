#include <stdio.h>
#include <string.h>

#include "iw_load_state.h"

/* One connection of a load. */

/* What a post is, beside the number of its slot, in its id. */
enum kind { OPERATION, CHECK, SEED, SEED_CHECK };

static uint64_t id_of(enum kind kind, unsigned slot) {
    return (uint64_t)kind << 32 | slot;
}

/* ---- places ---- */

static uint64_t place_of(const struct iw_load_link *link, unsigned slot) {
    return (uint64_t)link->load->largest * (link->number * link->load->config.depth + slot);
}

static uint64_t local_place(const struct iw_load_link *link, unsigned slot) {
    return iw_load_area_octets(&link->load->config) + place_of(link, slot);
}

/* In the peer's region only Writes have places of their own. */
static uint64_t remote_place(const struct iw_load_link *link, unsigned slot) {
    return link->load->config.to + iw_load_area_octets(&link->load->config) + place_of(link, slot);
}

/* ---- posts ---- */

static bool post(struct iw_load_link *link, const struct iw_post *post) {
    if (iw_endpoint_post(link->endpoint, post) == IW_OK)
        return true;
    link->failed = true;
    iw_load_fail(link->load, "out of memory");
    iw_load_link_end(link);
    return false;
}

static bool post_read(
    struct iw_load_link *link, uint64_t id, uint64_t sink_to, uint64_t source_to, uint32_t octets) {
    const struct iw_post read = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .id = id,
        .read = {.sink_stag = link->load->sink->stag,
            .sink_to = sink_to,
            .size = octets,
            .source_stag = link->load->config.stag,
            .source_to = source_to}};

    return post(link, &read);
}

static bool post_write(
    struct iw_load_link *link, uint64_t id, uint64_t to, const uint8_t *octets, uint32_t count) {
    const struct iw_post write = {.opcode = IW_RDMAP_OP_RDMA_WRITE,
        .id = id,
        .payload = octets,
        .payload_octets = count,
        .borrowed = true,
        .stag = link->load->config.stag,
        .to = to};

    return post(link, &write);
}

static bool post_send(struct iw_load_link *link, unsigned number, const uint8_t *octets, uint32_t count) {
    const struct iw_post send = {.opcode = IW_RDMAP_OP_SEND,
        .id = id_of(OPERATION, number),
        .payload = octets,
        .payload_octets = count,
        .borrowed = true};
    unsigned last = (link->echo_first + link->echo_count) % link->load->config.depth;

    if (!link->load->config.no_echo) {
        link->echoes[last] = number;
        link->echo_count++;
    }
    return post(link, &send);
}

static bool post_atomic(struct iw_load_link *link, unsigned number) {
    const struct iw_load_config *config = &link->load->config;
    const struct iw_atomic_request request = {.identifier = number,
        .stag = config->stag,
        .to = iw_load_counters_to(config) + sizeof(uint64_t) * (link->number * config->depth + number),
        .data = 1};
    uint8_t header[iw_atomic_request_octets];
    const struct iw_post atomic = {
        .opcode = IW_RDMAP_OP_ATOMIC_REQUEST, .id = id_of(OPERATION, number), .header = header};

    iw_atomic_request_encode(&request, header);
    return post(link, &atomic);
}

static bool post_flush(struct iw_load_link *link, unsigned number) {
    const struct iw_flush_request request = {.stag = link->load->config.stag,
        .length = link->slots[number].octets,
        .to = remote_place(link, number),
        .g = 1};
    uint8_t header[iw_flush_request_octets];
    const struct iw_post flush = {
        .opcode = IW_RDMAP_OP_FLUSH_REQUEST, .id = id_of(OPERATION, number), .header = header};

    iw_flush_request_encode(&request, header);
    return post(link, &flush);
}

static bool check_slot(struct iw_load_link *link, unsigned number) {
    struct iw_load_slot *slot = &link->slots[number];

    slot->op = IW_LOAD_WRITE;
    slot->octets = slot->written_octets;
    slot->shift = slot->written_shift;
    slot->checking = true;
    slot->dirty = false;
    return post_read(
        link, id_of(CHECK, number), local_place(link, number), remote_place(link, number), slot->octets);
}

/* ---- operations ---- */

static uint32_t next_shift(struct iw_load *load) {
    load->shift = (load->shift + IW_LOAD_SHIFT_STEP) % IW_LOAD_SHIFTS;
    return load->shift;
}

static bool begin_write(struct iw_load_link *link, unsigned number) {
    const struct iw_load *load = link->load;
    struct iw_load_slot *slot = &link->slots[number];
    bool check = load->config.verify_every > 0 && --link->until_check == 0;

    slot->dirty = true;
    slot->written_octets = slot->octets;
    slot->written_shift = slot->shift;
    if (!post_write(link, id_of(OPERATION, number), remote_place(link, number), load->pattern + slot->shift,
            slot->octets))
        return false;
    if (!check)
        return true;
    link->until_check = load->config.verify_every;
    return check_slot(link, number);
}

bool iw_load_link_begin(struct iw_load_link *link, uint64_t begun_ns) {
    struct iw_load *load = link->load;
    unsigned number = link->idle[--link->idle_count];
    struct iw_load_slot *slot = &link->slots[number];

    if (link->idle_count + 1 == load->config.depth)
        link->moved_ns = begun_ns;
    slot->op = iw_load_mix_next(&load->config.mix);
    slot->octets = load->config.sizes[load->next_size];
    slot->shift = next_shift(load);
    slot->begun_ns = begun_ns;
    load->next_size = (load->next_size + 1) % load->config.size_count;
    load->busy++;
    switch (slot->op) {
    case IW_LOAD_WRITE:
        return begin_write(link, number);
    case IW_LOAD_READ:
        return post_read(link, id_of(OPERATION, number), local_place(link, number),
            load->config.to + slot->shift, slot->octets);
    case IW_LOAD_SEND:
        return post_send(link, number, load->pattern + slot->shift, slot->octets);
    case IW_LOAD_ATOMIC:
        slot->octets = sizeof(uint64_t);
        return post_atomic(link, number);
    default:
        return post_flush(link, number);
    }
}

void iw_load_link_fill(struct iw_load_link *link, uint64_t now_ns) {
    uint64_t begun_ns;

    while (link->phase == IW_LOAD_LINK_READY && link->idle_count > 0 &&
           iw_load_take(link->load, now_ns, &begun_ns))
        if (!iw_load_link_begin(link, begun_ns))
            return;
}

/* ---- what has ended ---- */

static void release(struct iw_load_link *link, unsigned number) {
    link->slots[number].checking = false;
    link->idle[link->idle_count++] = number;
    link->load->busy--;
}

static void judge(struct iw_load_link *link, const struct iw_load_slot *slot, bool right) {
    struct iw_load *load = link->load;

    load->result.ops[slot->op].verified++;
    if (right)
        return;
    load->result.wrong++;
    iw_load_fail(load, "%s: wrong payload", iw_load_op_name(slot->op));
}

static void compare(
    struct iw_load_link *link, const struct iw_load_slot *slot, const uint8_t *octets, size_t length) {
    const uint8_t *expected = link->load->pattern + slot->shift;

    judge(link, slot, length == slot->octets && (length == 0 || memcmp(octets, expected, length) == 0));
}

/* The operation has ended well. What is read back at the very end was counted before. */
static void count(struct iw_load_link *link, const struct iw_load_slot *slot, uint64_t now_ns) {
    struct iw_load *load = link->load;
    struct iw_load_tally *tally = &load->result.ops[slot->op];

    link->moved_ns = now_ns;
    if (load->result.phase >= IW_LOAD_CHECKING)
        return;
    tally->count++;
    tally->octets += slot->octets;
    iw_histogram_add(&tally->latency_ns, now_ns > slot->begun_ns ? now_ns - slot->begun_ns : 0);
}

static void go_on(struct iw_load_link *link, unsigned number, uint64_t now_ns) {
    release(link, number);
    iw_load_link_fill(link, now_ns);
    iw_load_idle(link->load);
}

static void take_sent(struct iw_load_link *link, uint64_t id) {
    const struct iw_load_slot *slot = &link->slots[(uint32_t)id];
    uint64_t now_ns;

    if (id >> 32 != OPERATION ||
        !(slot->op == IW_LOAD_WRITE || (slot->op == IW_LOAD_SEND && link->load->config.no_echo)))
        return;
    now_ns = iw_load_now_ns();
    count(link, slot, now_ns);
    if (!slot->checking)
        go_on(link, (uint32_t)id, now_ns);
}

static const uint8_t *local(const struct iw_load *load, uint64_t place) {
    return load->sink->octets + place;
}

static void take_seed(struct iw_load_link *link) {
    struct iw_load *load = link->load;

    if (memcmp(local(load, 0), load->pattern, iw_load_area_octets(&load->config)) != 0) {
        load->result.wrong++;
        iw_load_fail(load, "what was written before the first Read does not read back");
    }
    link->phase = IW_LOAD_LINK_READY;
    iw_load_link_opened(link);
}

static void take_read(struct iw_load_link *link, uint64_t id) {
    unsigned number = (uint32_t)id;
    const struct iw_load_slot *slot = &link->slots[number];
    uint64_t now_ns = iw_load_now_ns();

    if (id >> 32 == SEED_CHECK) {
        take_seed(link);
        return;
    }
    link->moved_ns = now_ns;
    compare(link, slot, local(link->load, local_place(link, number)), slot->octets);
    if (id >> 32 == OPERATION)
        count(link, slot, now_ns);
    go_on(link, number, now_ns);
}

static void take_message(struct iw_load_link *link, const struct iw_event *event) {
    uint64_t now_ns = iw_load_now_ns();
    unsigned number;

    if (link->echo_count == 0) {
        iw_load_fail(link->load, "a message that nobody waits for");
        return;
    }
    number = link->echoes[link->echo_first];
    link->echo_first = (link->echo_first + 1) % link->load->config.depth;
    link->echo_count--;
    compare(link, &link->slots[number], event->octets, event->octet_count);
    count(link, &link->slots[number], now_ns);
    go_on(link, number, now_ns);
}

static void take_answer(struct iw_load_link *link, const struct iw_event *event) {
    unsigned number = (uint32_t)event->id;
    struct iw_load_slot *slot = &link->slots[number];
    uint64_t now_ns = iw_load_now_ns();

    if (slot->op == IW_LOAD_ATOMIC && slot->counted)
        judge(link, slot, event->original == slot->counter);
    if (slot->op == IW_LOAD_ATOMIC) {
        slot->counted = true;
        slot->counter = event->original + 1;
    }
    count(link, slot, now_ns);
    go_on(link, number, now_ns);
}

/* ---- beginning and end ---- */

static void take_established(struct iw_load_link *link, const struct iw_terms *terms) {
    struct iw_load *load = link->load;
    uint32_t area = (uint32_t)iw_load_area_octets(&load->config);

    load->result.crc = terms->crc;
    link->moved_ns = iw_load_now_ns();
    if (link->number > 0 || area == 0) {
        link->phase = IW_LOAD_LINK_READY;
        iw_load_link_opened(link);
        return;
    }
    link->phase = IW_LOAD_LINK_SEEDING;
    if (post_write(link, id_of(SEED, 0), load->config.to, load->pattern, area))
        post_read(link, id_of(SEED_CHECK, 0), 0, load->config.to, area);
}

static void fail_once(struct iw_load_link *link, const char *what, const char *text) {
    if (link->failed)
        return;
    link->failed = true;
    iw_load_fail(link->load, "%s%s%s", what, text[0] != '\0' ? ": " : "", text);
}

static void take_terminate(struct iw_load_link *link, const struct iw_terminate_message *message) {
    char text[IW_LOAD_TEXT_OCTETS] = "", triple[IW_ERROR_TEXT_OCTETS];

    if (message != NULL) {
        uint16_t error = iw_terminate_error(&message->control);
        const char *name = iw_error_name(IW_LLP_MPA, error);

        iw_error_text(error, triple);
        snprintf(text, sizeof text, "%s%s%s", triple, name == NULL ? "" : " ", name == NULL ? "" : name);
    }
    fail_once(link, "Terminate from the peer", text);
}

static void drop(struct iw_load_link *link) {
    struct iw_load *load = link->load;
    uint64_t open = load->config.depth - link->idle_count;

    iw_endpoint_free(link->endpoint);
    link->endpoint = NULL;
    link->phase = IW_LOAD_LINK_ENDED;
    link->idle_count = load->config.depth;
    load->busy -= open;
    load->result.abandoned += open;
    iw_load_link_gone(link);
}

void iw_load_link_end(struct iw_load_link *link) {
    if (link->endpoint == NULL)
        return;
    iw_endpoint_reset(link->endpoint);
    drop(link);
}

static void take_closed(struct iw_load_link *link, const struct iw_event *event) {
    if (link->load->result.phase < IW_LOAD_CLOSING)
        fail_once(
            link, link->phase == IW_LOAD_LINK_OPENING ? "not connected" : "connection lost", event->text);
    drop(link);
}

static void take_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct iw_load_link *link = user;

    (void)endpoint;
    switch (event->kind) {
    case IW_EVENT_ESTABLISHED:
        take_established(link, event->terms);
        break;
    case IW_EVENT_SENT:
        take_sent(link, event->id);
        break;
    case IW_EVENT_READ_DONE:
        take_read(link, event->id);
        break;
    case IW_EVENT_MESSAGE:
        take_message(link, event);
        break;
    case IW_EVENT_ANSWERED:
        take_answer(link, event);
        break;
    case IW_EVENT_TERMINATE:
        take_terminate(link, event->terminate);
        break;
    case IW_EVENT_ERROR:
        fail_once(link, "wrong from the peer", event->text);
        break;
    case IW_EVENT_REJECTED:
        fail_once(link, "the peer rejects the connection", "");
        iw_load_link_end(link);
        break;
    case IW_EVENT_CLOSED:
        take_closed(link, event);
        break;
    default:
        break;
    }
}

void iw_load_link_check(struct iw_load_link *link) {
    for (unsigned number = 0; number < link->load->config.depth && link->phase == IW_LOAD_LINK_READY;
         number++) {
        if (!link->slots[number].dirty)
            continue;
        for (unsigned i = 0; i < link->idle_count; i++)
            if (link->idle[i] == number)
                link->idle[i] = link->idle[link->idle_count - 1];
        link->idle_count--;
        link->load->busy++;
        if (!check_slot(link, number))
            return;
    }
}

void iw_load_link_open(struct iw_load_link *link) {
    const struct iw_load_config *load = &link->load->config;
    struct iw_endpoint_config config = iw_endpoint_config_default(true);
    char text[IW_PORT_TEXT_OCTETS];

    config.revision = load->revision;
    config.enhanced = load->revision > 1;
    config.no_crc = load->no_crc;
    config.markers = load->markers;
    config.ord = load->ord;
    config.mulpdu = load->mulpdu;
    config.emss_of_tcp = true;
    config.joined = !load->aligned;
    config.receive_count = IW_RECEIVES_ENDLESS;
    config.receive_octets = link->load->largest;
    config.memory = link->load->memory;
    config.extensions = IW_EXT_ALL;
    link->phase = IW_LOAD_LINK_OPENING;
    link->moved_ns = iw_load_now_ns();
    link->until_check = load->verify_every;
    link->endpoint = iw_endpoint_connect(load->loop, load->host, load->port, &config, take_event, link, text);
    if (link->endpoint != NULL)
        return;
    link->phase = IW_LOAD_LINK_ENDED;
    fail_once(link, "not connected", text);
    iw_load_link_gone(link);
}
