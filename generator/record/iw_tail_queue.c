#include "iw_tail_queue.h"

#include <stdlib.h>
#include <string.h>

struct iw_tail_item *iw_tail_queue_add(struct iw_tail_queue *queue, const void *octets, size_t length) {
    struct iw_tail_item *item = malloc(sizeof *item + length);

    if (item == NULL)
        return NULL;
    if (queue->count == 0)
        TAILQ_INIT(&queue->items);
    item->kept = false;
    item->length = length;
    memcpy(item->octets, octets, length);
    TAILQ_INSERT_TAIL(&queue->items, item, others);
    queue->octets += length;
    queue->count++;
    return item;
}

struct iw_tail_item *iw_tail_queue_take(struct iw_tail_queue *queue) {
    struct iw_tail_item *item = queue->count > 0 ? TAILQ_FIRST(&queue->items) : NULL;

    if (item == NULL)
        return NULL;
    TAILQ_REMOVE(&queue->items, item, others);
    queue->octets -= item->length;
    queue->count--;
    return item;
}

void iw_tail_queue_keep(struct iw_tail_queue *queue, uint64_t newer) {
    struct iw_tail_item *item;

    if (newer >= queue->count)
        return;
    item = TAILQ_LAST(&queue->items, iw_tail_items);
    while (newer-- > 0)
        item = TAILQ_PREV(item, iw_tail_items, others);
    item->kept = true;
}

void iw_tail_queue_clear(struct iw_tail_queue *queue) {
    struct iw_tail_item *item;

    while ((item = iw_tail_queue_take(queue)) != NULL)
        free(item);
}
