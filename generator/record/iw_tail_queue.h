#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/* A queue of octet strings in memory: the newest part of a file whose size is limited. A zeroed struct is an
 * empty queue. */

struct iw_tail_item {
    TAILQ_ENTRY(iw_tail_item) others;
    bool kept; /* matters, so it is not left out once it is no longer among the newest */
    size_t length;
    uint8_t octets[];
};

struct iw_tail_queue {
    TAILQ_HEAD(iw_tail_items, iw_tail_item) items; /* oldest first */
    size_t octets;
    uint64_t count;
};

/* Appends a copy. Returns NULL if memory runs out. */
struct iw_tail_item *iw_tail_queue_add(struct iw_tail_queue *queue, const void *octets, size_t length);

/* Removes and returns the oldest item, which the caller frees; NULL if the queue is empty. */
struct iw_tail_item *iw_tail_queue_take(struct iw_tail_queue *queue);

/* Marks as kept the item that has `newer` items after it, if the queue has it. */
void iw_tail_queue_keep(struct iw_tail_queue *queue, uint64_t newer);

void iw_tail_queue_clear(struct iw_tail_queue *queue);
