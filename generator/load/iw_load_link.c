#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "iw_hash.h"
#include "iw_load_state.h"
#include "iw_terminate.h"

/* Records what the slot writes. Returns whether to verify it. */
static bool load_link_slot_note_written(struct iw_load_link *link, struct iw_load_slot *slot) {
    slot->written[slot->op] =
        (struct iw_load_written){.dirty = true, .octets = slot->octets, .shift = slot->shift};
    if (link->load->config.verify_every == 0 || --link->until_check > 0)
        return false;
    link->until_check = link->load->config.verify_every;
    return true;
}

static bool link_check_slot(struct iw_load_link *link, unsigned number, enum iw_load_op op) {
    struct iw_load_slot *slot = &link->slots[number];

    slot->op = op;
    slot->octets = slot->written[op].octets;
    slot->shift = slot->written[op].shift;
    slot->checking = true;
    slot->written[op].dirty = false;
    return iw_load_post_check(link, number);
}

static bool load_link_is_dirty(const struct iw_load_slot *slot) {
    return slot->written[IW_LOAD_WRITE].dirty || slot->written[IW_LOAD_ATOMIC_WRITE].dirty;
}

static bool link_check_dirty(struct iw_load_link *link, unsigned number) {
    bool write = link->slots[number].written[IW_LOAD_WRITE].dirty;

    return link_check_slot(link, number, write ? IW_LOAD_WRITE : IW_LOAD_ATOMIC_WRITE);
}

bool iw_load_link_begin(struct iw_load_link *link, uint64_t begun_ns) {
    struct iw_load *load = link->load;
    unsigned number = link->idle[--link->idle_count];
    struct iw_load_slot *slot = &link->slots[number];

    if (link->idle_count + 1 == load->config.depth)
        link->moved_ns = begun_ns;
    slot->op = iw_load_mix_next(&load->config.mix);
    slot->octets = load->config.sizes[load->next_size];
    if (slot->op == IW_LOAD_ATOMIC || slot->op == IW_LOAD_ATOMIC_WRITE)
        slot->octets = sizeof(uint64_t);
    slot->shift = load->shift = (load->shift + IW_LOAD_SHIFT_STEP) % IW_LOAD_SHIFTS;
    slot->begun_ns = begun_ns;
    load->next_size = (load->next_size + 1) % load->config.size_count;
    load->busy++;
    bool back = (slot->op == IW_LOAD_WRITE || slot->op == IW_LOAD_ATOMIC_WRITE) &&
                load_link_slot_note_written(link, slot);
    return iw_load_post_operation(link, number) && (!back || link_check_slot(link, number, slot->op));
}

void iw_load_link_fill(struct iw_load_link *link, uint64_t now_ns) {
    uint64_t begun_ns;

    while (link->phase == IW_LOAD_LINK_READY && link->idle_count > 0 &&
           iw_load_take(link->load, now_ns, &begun_ns))
        if (!iw_load_link_begin(link, begun_ns))
            return;
}

static void link_judge(struct iw_load_link *link, const struct iw_load_slot *slot, bool right) {
    struct iw_load *load = link->load;

    load->result.ops[slot->op].verified++;
    if (right)
        return;
    load->result.wrong++;
    iw_load_fail(load, "%s: wrong payload", iw_load_op_name(slot->op));
}

static void link_compare(
    struct iw_load_link *link, const struct iw_load_slot *slot, const uint8_t *octets, size_t length) {
    const uint8_t *expected = link->load->pattern + slot->shift;
    uint8_t marker[sizeof(uint64_t)];

    if (slot->op == IW_LOAD_ATOMIC_WRITE) {
        iw_load_atomic_value(link->load, slot->shift, marker);
        expected = marker;
    }
    link_judge(link, slot, length == slot->octets && (length == 0 || memcmp(octets, expected, length) == 0));
}

/* No message names the region's hash algorithm: the length of the hash determines it. */
static void link_compare_hash(
    struct iw_load_link *link, const struct iw_load_slot *slot, const uint8_t *octets, size_t length) {
    uint8_t expected[IW_HASH_OCTETS_MAX];
    enum iw_hash hash = IW_HASH_CRC32C;

    while (hash < IW_HASH_COUNT && iw_hash_octets(hash) != length)
        hash++;
    link_judge(link, slot,
        hash < IW_HASH_COUNT &&
            iw_hash_compute(hash, link->load->pattern + slot->shift, slot->octets, expected) &&
            memcmp(octets, expected, length) == 0);
}

static void link_count(struct iw_load_link *link, const struct iw_load_slot *slot, uint64_t now_ns) {
    struct iw_load *load = link->load;
    struct iw_load_totals *totals = &load->result.ops[slot->op];

    link->moved_ns = now_ns;
    if (load->result.phase >= IW_LOAD_CHECKING)
        return;
    totals->count++;
    totals->octets += slot->octets;
    iw_histogram_add(&totals->latency_ns, now_ns > slot->begun_ns ? now_ns - slot->begun_ns : 0);
}

static void link_continue(struct iw_load_link *link, unsigned number, uint64_t now_ns) {
    if (link->load->result.phase == IW_LOAD_CHECKING && load_link_is_dirty(&link->slots[number])) {
        link_check_dirty(link, number);
        return;
    }
    link->slots[number].checking = false;
    link->idle[link->idle_count++] = number;
    link->load->busy--;
    iw_load_link_fill(link, now_ns);
    iw_load_idle(link->load);
}

static void link_take_sent(struct iw_load_link *link, uint64_t id) {
    const struct iw_load_slot *slot = &link->slots[(uint32_t)id];

    if (id >> 32 != IW_LOAD_OPERATION ||
        !(slot->op == IW_LOAD_WRITE || (slot->op == IW_LOAD_SEND && link->load->config.no_echo)))
        return;
    uint64_t now_ns = uv_hrtime();
    link_count(link, slot, now_ns);
    if (!slot->checking)
        link_continue(link, (uint32_t)id, now_ns);
}

static void link_take_seed(struct iw_load_link *link) {
    struct iw_load *load = link->load;

    if (memcmp(load->sink->octets, load->pattern, load->layout.area) != 0) {
        load->result.wrong++;
        iw_load_fail(load, "octets written before the operations differ when read back");
    }
    link->phase = IW_LOAD_LINK_READY;
    iw_load_link_opened(link);
}

static void link_take_read(struct iw_load_link *link, uint64_t id) {
    unsigned number = (uint32_t)id;
    const struct iw_load_slot *slot = &link->slots[number];
    uint64_t now_ns = uv_hrtime();

    if (id >> 32 == IW_LOAD_SEED_CHECK) {
        link_take_seed(link);
        return;
    }
    link->moved_ns = now_ns;
    link_compare(link, slot, link->load->sink->octets + iw_load_local_place(link, number), slot->octets);
    if (id >> 32 == IW_LOAD_OPERATION)
        link_count(link, slot, now_ns);
    link_continue(link, number, now_ns);
}

static void link_take_message(struct iw_load_link *link, const struct iw_event *event) {
    uint64_t now_ns = uv_hrtime();

    if (link->echo_count == 0) {
        iw_load_fail(link->load, "an unexpected message");
        return;
    }
    unsigned number = link->echoes[link->echo_first];
    link->echo_first = (link->echo_first + 1) % link->load->config.depth;
    link->echo_count--;
    link_compare(link, &link->slots[number], event->octets, event->octet_count);
    link_count(link, &link->slots[number], now_ns);
    link_continue(link, number, now_ns);
}

static void link_take_response(struct iw_load_link *link, const struct iw_event *event) {
    unsigned number = (uint32_t)event->id;
    struct iw_load_slot *slot = &link->slots[number];
    uint64_t now_ns = uv_hrtime();

    if (event->id >> 32 == IW_LOAD_SEED)
        return;
    if (slot->op == IW_LOAD_VERIFY)
        link_compare_hash(link, slot, event->octets, event->octet_count);
    if (slot->op == IW_LOAD_ATOMIC && slot->counted)
        link_judge(link, slot, event->original == slot->counter);
    if (slot->op == IW_LOAD_ATOMIC) {
        slot->counted = true;
        slot->counter = event->original + 1;
    }
    link_count(link, slot, now_ns);
    if (!slot->checking)
        link_continue(link, number, now_ns);
}

static void link_take_established(struct iw_load_link *link, const struct iw_terms *terms) {
    struct iw_load *load = link->load;
    uint32_t area = (uint32_t)load->layout.area;

    load->result.crc = terms->crc;
    link->moved_ns = uv_hrtime();
    if (link->number > 0 || area == 0) {
        link->phase = IW_LOAD_LINK_READY;
        iw_load_link_opened(link);
        return;
    }
    link->phase = IW_LOAD_LINK_SEEDING;
    iw_load_post_seed(link, area);
}

static void link_fail_once(struct iw_load_link *link, const char *what, const char *text) {
    if (link->failed)
        return;
    link->failed = true;
    iw_load_fail(link->load, "%s%s%s", what, text[0] != '\0' ? ": " : "", text);
}

static void link_take_terminate(struct iw_load_link *link, const struct iw_terminate_message *message) {
    char text[IW_LOAD_TEXT_OCTETS] = "", triple[IW_ERROR_TEXT_OCTETS];

    if (message != NULL) {
        uint16_t error = iw_terminate_error(&message->control);
        const char *name = iw_error_name(IW_LLP_MPA, error);

        iw_error_text(error, triple);
        snprintf(text, sizeof text, "%s%s%s", triple, name == NULL ? "" : " ", name == NULL ? "" : name);
    }
    link_fail_once(link, "Terminate from the peer", text);
}

static void link_drop(struct iw_load_link *link) {
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
    link_drop(link);
}

static void link_take_closed(struct iw_load_link *link, const struct iw_event *event) {
    if (link->load->result.phase < IW_LOAD_CLOSING)
        link_fail_once(
            link, link->phase == IW_LOAD_LINK_OPENING ? "not connected" : "connection lost", event->text);
    link_drop(link);
}

static void link_take_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct iw_load_link *link = user;

    (void)endpoint;
    switch (event->kind) {
    case IW_EVENT_ESTABLISHED:
        link_take_established(link, event->terms);
        break;
    case IW_EVENT_SENT:
        link_take_sent(link, event->id);
        break;
    case IW_EVENT_READ_DONE:
        link_take_read(link, event->id);
        break;
    case IW_EVENT_MESSAGE:
        link_take_message(link, event);
        break;
    case IW_EVENT_ANSWERED:
        link_take_response(link, event);
        break;
    case IW_EVENT_TERMINATE:
        link_take_terminate(link, event->terminate);
        break;
    case IW_EVENT_ERROR:
        link_fail_once(link, "fault of the peer", event->text);
        break;
    case IW_EVENT_REJECTED:
        link_fail_once(link, "the peer rejects the connection", "");
        iw_load_link_end(link);
        break;
    case IW_EVENT_CLOSED:
        link_take_closed(link, event);
        break;
    default:
        break;
    }
}

void iw_load_link_check(struct iw_load_link *link) {
    for (unsigned number = 0; number < link->load->config.depth && link->phase == IW_LOAD_LINK_READY;
         number++) {
        if (!load_link_is_dirty(&link->slots[number]))
            continue;
        for (unsigned i = 0; i < link->idle_count; i++)
            if (link->idle[i] == number)
                link->idle[i] = link->idle[link->idle_count - 1];
        link->idle_count--;
        link->load->busy++;
        if (!link_check_dirty(link, number))
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
    config.receives.count = IW_RECEIVES_ENDLESS;
    config.receives.octets = link->load->layout.largest;
    config.memory = link->load->memory;
    config.extensions = IW_EXT_ALL;
    link->phase = IW_LOAD_LINK_OPENING;
    link->moved_ns = uv_hrtime();
    link->until_check = load->verify_every;
    link->endpoint =
        iw_endpoint_connect(load->loop, load->host, load->port, &config, link_take_event, link, text);
    if (link->endpoint != NULL)
        return;
    link->phase = IW_LOAD_LINK_ENDED;
    link_fail_once(link, "not connected", text);
    iw_load_link_gone(link);
}
