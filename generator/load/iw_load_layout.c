#include "iw_load_state.h"

static uint32_t load_layout_largest_of(const struct iw_load_config *config) {
    uint32_t largest = 0;

    for (unsigned i = 0; i < config->size_count; i++)
        if (config->sizes[i] > largest)
            largest = config->sizes[i];
    return largest;
}

static uint64_t load_layout_slots_of(const struct iw_load_config *config) {
    return (uint64_t)config->connections * config->depth;
}

static uint64_t load_layout_numbers_octets(const struct iw_load_config *config, enum iw_load_op op) {
    return config->mix.weights[op] > 0 ? sizeof(uint64_t) * load_layout_slots_of(config) : 0;
}

/* Places the 8-octet operands of Atomic Operations and Atomic Writes after the other octets of the peer's
 * region. Aligns them (RFC 7306 5.1), whatever Tagged Offset the region begins at. */
static void load_layout_place_numbers(const struct iw_load_config *config, struct iw_load_layout *layout) {
    uint64_t counters = load_layout_numbers_octets(config, IW_LOAD_ATOMIC);
    uint64_t numbers = counters + load_layout_numbers_octets(config, IW_LOAD_ATOMIC_WRITE);
    bool writes = config->mix.weights[IW_LOAD_WRITE] + config->mix.weights[IW_LOAD_FLUSH] > 0;
    uint64_t written = layout->area + (writes ? layout->largest * load_layout_slots_of(config) : 0);
    uint64_t most = sizeof(uint64_t) - 1;

    layout->counters_to = (config->to + written + most) / sizeof(uint64_t) * sizeof(uint64_t);
    layout->atomic_writes_to = layout->counters_to + counters;
    layout->region = written + numbers + (numbers > 0 ? most : 0);
}

struct iw_load_layout iw_load_layout_of(const struct iw_load_config *config) {
    const unsigned *weights = config->mix.weights;
    bool fetched = weights[IW_LOAD_READ] + weights[IW_LOAD_VERIFY] > 0;
    bool read_back = weights[IW_LOAD_READ] + weights[IW_LOAD_WRITE] + weights[IW_LOAD_ATOMIC_WRITE] > 0;
    struct iw_load_layout layout = {.largest = load_layout_largest_of(config)};

    layout.area = fetched ? (uint64_t)layout.largest + IW_LOAD_SHIFTS : 0;
    layout.slot_octets = layout.largest;
    if (layout.slot_octets < sizeof(uint64_t) && weights[IW_LOAD_ATOMIC_WRITE] > 0)
        layout.slot_octets = sizeof(uint64_t);
    layout.local_octets = layout.area + (read_back ? layout.slot_octets * load_layout_slots_of(config) : 0);
    load_layout_place_numbers(config, &layout);
    return layout;
}

uint64_t iw_load_region_octets(const struct iw_load_config *config) {
    return iw_load_layout_of(config).region;
}
