#include <stdlib.h>
#include <string.h>

#include "iw_endpoint_state.h"

/* The lists of posted messages, and their memory, some of which is kept for reuse. */

void iw_post_list_push(struct iw_post_list *list, struct iw_endpoint_post *post) {
    post->next = NULL;
    *list->last = post;
    list->last = &post->next;
    list->count++;
}

void iw_post_list_push_first(struct iw_post_list *list, struct iw_endpoint_post *post) {
    post->next = list->first;
    list->first = post;
    if (post->next == NULL)
        list->last = &post->next;
    list->count++;
}

struct iw_endpoint_post *iw_post_list_pop(struct iw_post_list *list) {
    struct iw_endpoint_post *post = list->first;

    if (post == NULL)
        return NULL;
    list->first = post->next;
    if (list->first == NULL)
        list->last = &list->first;
    list->count--;
    return post;
}

static void post_list_init(struct iw_post_list *list) {
    *list = (struct iw_post_list){.last = &list->first};
}

static void post_list_free(struct iw_post_list *list) {
    while (list->first != NULL)
        free(iw_post_list_pop(list));
}

void iw_endpoint_posts_init(struct iw_endpoint *endpoint) {
    post_list_init(&endpoint->posts.queued);
    post_list_init(&endpoint->posts.outstanding);
    post_list_init(&endpoint->posts.flushed);
    post_list_init(&endpoint->posts.spare);
}

void iw_endpoint_posts_dispose(struct iw_endpoint *endpoint) {
    post_list_free(&endpoint->posts.queued);
    post_list_free(&endpoint->posts.outstanding);
    post_list_free(&endpoint->posts.flushed);
    post_list_free(&endpoint->posts.spare);
}

bool iw_endpoint_is_request(uint8_t opcode) {
    const struct iw_opcode *op = iw_opcode_find(opcode, IW_EXT_ALL);

    return op != NULL && op->answer != IW_RDMAP_OP_NONE;
}

struct iw_endpoint_post *iw_endpoint_post_new(struct iw_endpoint *endpoint, size_t octets) {
    struct iw_endpoint_post *post = NULL;

    if (octets <= IW_ENDPOINT_SPARE_OCTETS) {
        octets = IW_ENDPOINT_SPARE_OCTETS;
        post = iw_post_list_pop(&endpoint->posts.spare);
    }
    if (post == NULL)
        post = malloc(sizeof *post + octets);
    if (post == NULL)
        return NULL;
    memset(post, 0, sizeof *post);
    post->capacity = octets;
    return post;
}

void iw_endpoint_post_free(struct iw_endpoint *endpoint, struct iw_endpoint_post *post) {
    if (post->capacity == IW_ENDPOINT_SPARE_OCTETS && endpoint->posts.spare.count < IW_ENDPOINT_SPARE_MAX)
        iw_post_list_push(&endpoint->posts.spare, post);
    else
        free(post);
}

static size_t post_header_octets(const struct iw_post *post) {
    const struct iw_opcode *op = iw_opcode_find(post->opcode, IW_EXT_ALL);

    return post->header == NULL || op == NULL || op->header == IW_LAYOUT_NONE ? 0
                                                                              : iw_layouts[op->header].octets;
}

/* Copies the post with its header and payload. A borrowed payload is copied only for a request: the hash of a
 * Verify Request is needed to check the response. */
static struct iw_endpoint_post *copy_post(struct iw_endpoint *endpoint, const struct iw_post *post) {
    size_t header = post_header_octets(post);
    bool borrowed = post->borrowed && !iw_endpoint_is_request(post->opcode);
    size_t payload = borrowed ? 0 : post->payload_octets;
    struct iw_endpoint_post *own = iw_endpoint_post_new(endpoint, payload + header);

    if (own == NULL)
        return NULL;
    own->post = *post;
    if (!borrowed)
        own->post.payload = own->octets;
    own->post.header = header == 0 ? NULL : own->octets + payload;
    if (payload > 0)
        memcpy(own->octets, post->payload, payload);
    if (header > 0)
        memcpy(own->octets + payload, post->header, header);
    return own;
}

enum iw_status iw_endpoint_post(struct iw_endpoint *endpoint, const struct iw_post *post) {
    if (post->payload_octets > UINT32_MAX)
        return IW_ERR_ARGUMENT;
    struct iw_endpoint_post *own = copy_post(endpoint, post);
    if (own == NULL)
        return IW_ERR_NOMEM;
    if (endpoint->phase >= IW_PHASE_OUTSIDE || endpoint->end.fin_wanted || endpoint->end.fin_sent ||
        endpoint->end.fin_by_emit) {
        iw_post_list_push(&endpoint->posts.flushed, own);
    } else {
        iw_post_list_push(&endpoint->posts.queued, own);
        endpoint->posts.unsent += post->payload_octets;
    }
    if (!endpoint->pumping || endpoint->posts.flushed.count > 0)
        iw_endpoint_schedule(endpoint);
    return IW_OK;
}

size_t iw_endpoint_backlog(const struct iw_endpoint *endpoint) {
    size_t queued = endpoint->port == NULL ? 0 : iw_port_queued(endpoint->port);

    if (endpoint->end.fin_by_emit)
        return queued; /* after this FIN, posts are not sent */
    return queued + endpoint->posts.unsent + endpoint->posts.queued.count;
}
