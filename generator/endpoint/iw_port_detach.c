#include "iw_port_detach.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>

#include "iw_port_state.h"

/* libuv closes its descriptor later, so the caller gets a duplicate. The port counts as over: otherwise it
 * would send a FIN. */
int iw_port_detach(struct iw_port *port) {
    uv_os_fd_t descriptor;
    int detached, error;

    assert(port->kind == &iw_port_tcp && port->open);
    detached = uv_fileno((uv_handle_t *)&port->tcp.socket->tcp, &descriptor) == 0
                   ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                   : -1;
    error = errno;
    port->over = detached >= 0;
    iw_port_free(port);
    errno = error;
    return detached;
}
