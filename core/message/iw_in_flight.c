#include "iw_in_flight.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

struct iw_in_flight {
    uint64_t *ends; /* ascending */
    uint32_t capacity;
    uint32_t first;
    uint32_t count;
};

void iw_in_flight_free(struct iw_in_flight *in_flight) {
    if (in_flight != NULL)
        free(in_flight->ends);
    free(in_flight);
}

/* Makes space for one more offset. Moves the offsets to the start of the array before the array grows. */
static bool in_flight_reserve(struct iw_in_flight *in_flight) {
    if (in_flight->first > 0 && in_flight->first + in_flight->count == in_flight->capacity) {
        memmove(in_flight->ends, in_flight->ends + in_flight->first, in_flight->count * sizeof(uint64_t));
        in_flight->first = 0;
    }
    return iw_array_reserve(
        &in_flight->ends, &in_flight->capacity, in_flight->first + in_flight->count + 1, sizeof(uint64_t));
}

bool iw_in_flight_add(struct iw_in_flight **in_flight, uint64_t end, uint32_t limit) {
    struct iw_in_flight *list = *in_flight;

    if (list == NULL)
        list = *in_flight = calloc(1, sizeof *list);
    if (list == NULL || (list->count <= limit && !in_flight_reserve(list)))
        return false;
    assert(list->count == 0 || list->ends[list->first + list->count - 1] <= end);
    if (list->count <= limit)
        list->ends[list->first + list->count++] = end;
    return true;
}

uint32_t iw_in_flight_received(struct iw_in_flight *in_flight, uint64_t up_to) {
    if (in_flight == NULL)
        return 0;
    while (in_flight->count > 0 && in_flight->ends[in_flight->first] <= up_to) {
        in_flight->first++;
        in_flight->count--;
    }
    if (in_flight->count == 0)
        in_flight->first = 0;
    return in_flight->count;
}
