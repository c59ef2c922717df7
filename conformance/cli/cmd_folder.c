#include "cmd_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cmd.h"

int cmd_folder_lock(const char *folder) {
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return descriptor;
    close(descriptor);
    errno = EWOULDBLOCK;
    return -1;
}

int cmd_folder_fail(const char *folder, int error) {
    return cmd_fail(IW_EXIT_ENVIRONMENT, "%s: %s", folder,
        error == EWOULDBLOCK ? "another run is writing there" : strerror(error));
}
