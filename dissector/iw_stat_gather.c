#include "iw_stat_gather.h"

#include <string.h>

/* An object is in the hash table under each window of 2^WINDOW_BITS positions in which it has octets. */
enum { WINDOW_BITS = 26, CAPACITY_MIN = 256 };

struct place {
    struct iw_stat_gather_key key;
    uint64_t window;
};

struct iw_stat_gather {
    struct iw_stat_gather_limits limits;
    GHashTable *places; /* struct place -> struct iw_stat_gather_object */
    GPtrArray *objects; /* owns the objects */
    uint64_t missing;   /* octets in the gaps of all objects */
    uint64_t moved;     /* octets moved to extend objects at the front */
    uint64_t placed;    /* octets placed so far */
};

static guint stat_gather_hash_place(gconstpointer of) {
    const struct place *place = of;
    uint64_t mixed = place->window * UINT64_C(0x9E3779B97F4A7C15);

    mixed ^= ((uint64_t)place->key.id << 32 | place->key.stream) * UINT64_C(0xC2B2AE3D27D4EB4F);
    mixed ^= (uint64_t)place->key.side << 1 | place->key.tagged;
    return (guint)(mixed ^ mixed >> 32);
}

static gboolean stat_gather_equal_places(gconstpointer left, gconstpointer right) {
    const struct place *a = left, *b = right;

    return a->window == b->window && a->key.id == b->key.id && a->key.stream == b->key.stream &&
           a->key.side == b->key.side && a->key.tagged == b->key.tagged;
}

static struct iw_stat_gather_object *gather_look_up(
    const struct iw_stat_gather *gather, const struct iw_stat_gather_key *key, uint64_t position) {
    struct place place = {*key, position >> WINDOW_BITS};

    return g_hash_table_lookup(gather->places, &place);
}

/* Enters `object` into the hash table for the windows of the octets from `from` to before `to`. */
static void gather_enter_windows(
    struct iw_stat_gather *gather, struct iw_stat_gather_object *object, uint64_t from, uint64_t to) {
    for (uint64_t window = from >> WINDOW_BITS; window <= (to - 1) >> WINDOW_BITS; window++) {
        struct place place = {object->key, window};

        if (g_hash_table_lookup(gather->places, &place) != object)
            g_hash_table_replace(gather->places, g_memdup2(&place, sizeof place), object);
    }
}

/* Marks the octets as present. Returns how many were not present before, or IW_RANGE_FULL if there are too
 * many ranges. iw_array_reserve is not used, as a limit applies to the capacity. */
static uint64_t gather_mark(
    const struct iw_stat_gather *gather, struct iw_stat_gather_object *object, uint64_t from, uint64_t to) {
    if (object->range_count == object->range_capacity && object->range_capacity < gather->limits.ranges) {
        object->range_capacity = MIN(MAX(1, 2 * object->range_capacity), gather->limits.ranges);
        object->ranges = g_renew(struct iw_range, object->ranges, object->range_capacity);
    }
    return iw_range_add(object->ranges, &object->range_count, object->range_capacity, from, to);
}

static void gather_free_object(void *of) {
    struct iw_stat_gather_object *object = of;

    g_free(object->ranges);
    g_free(object);
}

struct iw_stat_gather *iw_stat_gather_new(const struct iw_stat_gather_limits *limits) {
    struct iw_stat_gather *gather = g_new0(struct iw_stat_gather, 1);

    gather->limits = *limits;
    gather->places = g_hash_table_new_full(stat_gather_hash_place, stat_gather_equal_places, g_free, NULL);
    gather->objects = g_ptr_array_new_with_free_func(gather_free_object);
    return gather;
}

void iw_stat_gather_free(struct iw_stat_gather *gather) {
    if (gather == NULL)
        return;
    g_hash_table_destroy(gather->places);
    g_ptr_array_free(gather->objects, TRUE);
    g_free(gather);
}

static struct iw_stat_gather_object *gather_add_object(
    struct iw_stat_gather *gather, const struct iw_stat_gather_key *key, uint64_t position) {
    struct iw_stat_gather_object *object = g_new0(struct iw_stat_gather_object, 1);

    object->key = *key;
    object->position = position;
    g_ptr_array_add(gather->objects, object);
    return object;
}

/* Returns true if the limits let the object grow to hold the octets from `from` to before `to`. */
static bool gather_may_grow(const struct iw_stat_gather *gather, const struct iw_stat_gather_object *object,
    uint64_t from, uint64_t to) {
    const struct iw_stat_gather_limits *limits = &gather->limits;
    uint64_t end = object->position + object->length;
    uint64_t gap = from > end ? from - end : to < object->position ? object->position - to : 0;

    if (gap > limits->gap || gather->missing + gap > limits->gaps)
        return false;
    if (from < object->position && gather->moved + object->length > limits->moves + 8 * gather->placed)
        return false;
    return MAX(end, to) - MIN(object->position, from) <= G_MAXINT32;
}

/* Extends the object to hold the octets from `from` to before `to`; new octets are 0. iw_array_reserve is not
 * used, as Wireshark frees the octets with g_free. */
static void gather_grow(
    struct iw_stat_gather *gather, struct iw_stat_gather_object *object, uint64_t from, uint64_t to) {
    uint64_t front = from < object->position ? object->position - from : 0;
    uint64_t length = MAX(object->position + object->length, to) - MIN(object->position, from);

    if (length > object->capacity) {
        object->capacity = MAX(length, MAX(CAPACITY_MIN, 2 * object->capacity));
        object->octets = g_realloc(object->octets, object->capacity);
    }
    if (front > 0) {
        memmove(object->octets + front, object->octets, object->length);
        memset(object->octets, 0, front);
        gather->moved += object->length;
    }
    memset(object->octets + front + object->length, 0, length - front - object->length);
    object->missing += length - object->length;
    gather->missing += length - object->length;
    object->position -= front;
    object->length = length;
}

/* Returns the object in the window of the first octet, or of the octet before or after all octets; NULL if
 * the limits do not let it grow to hold them, or if the first octet is already present in a Send. */
static struct iw_stat_gather_object *gather_find(
    const struct iw_stat_gather *gather, const struct iw_stat_gather_key *key, uint64_t from, uint64_t to) {
    struct iw_stat_gather_object *object = gather_look_up(gather, key, from);

    if (object == NULL && from > 0)
        object = gather_look_up(gather, key, from - 1);
    if (object == NULL)
        object = gather_look_up(gather, key, to);
    if (object == NULL || !gather_may_grow(gather, object, from, to))
        return NULL;
    return key->tagged || !iw_range_meets(object->ranges, object->range_count, from, from + 1) ? object
                                                                                               : NULL;
}

struct iw_stat_gather_object *iw_stat_gather_place(struct iw_stat_gather *gather,
    const struct iw_stat_gather_key *key, uint64_t position, const uint8_t *octets, uint32_t count) {
    struct iw_stat_gather_object *object;
    uint64_t added, end = position + count;

    if (end < position)
        return NULL;
    object = gather_find(gather, key, position, end);
    added = object == NULL ? IW_RANGE_FULL : gather_mark(gather, object, position, end);
    if (added == IW_RANGE_FULL) {
        object = gather_add_object(gather, key, position);
        added = gather_mark(gather, object, position, end);
    }
    gather_enter_windows(gather, object, position, end);
    gather_grow(gather, object, position, end);
    memcpy(object->octets + (position - object->position), octets, count);
    object->missing -= added;
    gather->missing -= added;
    gather->placed += count;
    object->gaps = object->range_count - 1;
    return object;
}
