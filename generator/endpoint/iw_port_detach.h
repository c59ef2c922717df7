#pragma once

#include "iw_port.h"

/* Frees an open port on a socket, and returns its descriptor, which does not block and which the caller
 * closes; -1, with errno, if the system has no descriptor left: the connection is then closed. Before the
 * first handlers of an accepted port, and within `connected`, the port has read nothing yet. */
int iw_port_detach(struct iw_port *port);
