#pragma once

#include <poll.h>

#include "iw_agent_operation.h"
#include "iw_kernel_log.h"
#include "iw_verbs_device.h"

/* One session of the agent of a verbs device (docs/agent.md). Its listener, connections, regions and settings
 * end with the session. */

/* The startup settings of the device, from the command line: verbs can neither query nor change them. */
struct iw_verbs_startup {
    uint8_t revision;
    bool crc, markers;
};

struct iw_verbs_agent_config {
    struct iw_verbs_device *device;
    struct iw_verbs_startup startup;
    struct iw_kernel_log *log;
    uint16_t port; /* of the device's listener; 0: chosen by the system */
    /* Reports an event; the callee owns the object. Called by the functions below. */
    void (*event)(void *user, json_t *event);
    void *user;
};

enum { IW_VERBS_AGENT_FDS = 3 };

/* Starts to listen on the device. Returns NULL with one line in `text`, of IW_VERBS_TEXT_OCTETS octets. */
struct iw_agent *iw_verbs_agent_new(const struct iw_verbs_agent_config *config, char *text);
/* Ends everything that belongs to the session. NULL is allowed. */
void iw_verbs_agent_free(struct iw_agent *agent);

/* Executes the request, which the caller keeps, and returns the answer, as iw_agent_operation_execute does.
 * Reports events before and after the execution. */
json_t *iw_verbs_agent_execute(struct iw_agent *agent, const json_t *request);

/* Reports all events of the device so far. */
void iw_verbs_agent_drain(struct iw_agent *agent);

/* The descriptors that become readable if there is something to report. Sets `busy` if the agent must also be
 * drained every millisecond: a message received without a solicited event wakes no thread. */
void iw_verbs_agent_poll(const struct iw_agent *agent, struct pollfd fds[IW_VERBS_AGENT_FDS], bool *busy);

/* Reports the device's asynchronous events so far, to all sessions that use it: a failure of the device,
 * which ends all connections, or an error of a queue pair. Ignores other events. Sets device->gone if the
 * device has failed or was removed. */
void iw_verbs_agent_read_async(struct iw_verbs_device *device);

/* Ends all connections of the session, with `error` and `closed` for each: the device is gone. */
void iw_verbs_agent_lose_device(struct iw_agent *agent);
