#define _GNU_SOURCE /* O_PATH, syscall */
#include "iw_confine_part.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock. The C library has no functions for it, and the headers of the kernel may be older than the
 * kernel: so the numbers of its interface stand here (linux/landlock.h). */

enum { RULE_PATH_BENEATH = 1, RULE_NET_PORT = 2, CREATE_VERSION = 1 };
enum { BIND_TCP = 1 << 0, CONNECT_TCP = 1 << 1, VERSION_OF_TCP = 4 };

#define RIGHT(bit) (UINT64_C(1) << (bit))
#define WRITE_FILE RIGHT(1)
#define READ_FILE RIGHT(2)
#define READ_DIR RIGHT(3)
#define REMOVE_DIR RIGHT(4)
#define REMOVE_FILE RIGHT(5)
#define MAKE_DIR RIGHT(7)
#define MAKE_REG RIGHT(8)
#define TRUNCATE RIGHT(14)

/* All rights of each version. A right that is handled and not granted is denied. */
static const uint64_t rights_of_version[] = {
    0, RIGHT(13) - 1, RIGHT(14) - 1, RIGHT(15) - 1, RIGHT(15) - 1, RIGHT(16) - 1};

struct ruleset {
    uint64_t files;
    uint64_t network; /* since version 4: bind and connect of TCP */
    uint64_t scoped;  /* since version 6: abstract UNIX sockets and signals to processes outside */
};

struct path_rule {
    uint64_t rights;
    int32_t folder;
} __attribute__((packed));

struct port_rule {
    uint64_t rights;
    uint64_t port; /* in host byte order */
};

int iw_confine_files_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

    return version > 0 ? (int)version : 0;
}

static uint64_t files_rights(int version) {
    int known = sizeof rights_of_version / sizeof *rights_of_version - 1;

    return rights_of_version[version < known ? version : known];
}

int iw_confine_files_new(void) {
    int version = iw_confine_files_version();
    struct ruleset ruleset = {.files = files_rights(version),
        .network = version >= VERSION_OF_TCP ? BIND_TCP | CONNECT_TCP : 0,
        .scoped = version >= 6 ? 3 : 0};
    size_t octets = version >= 6 ? sizeof ruleset : version >= 4 ? 16 : 8;

    return version == 0 ? -1 : (int)syscall(SYS_landlock_create_ruleset, &ruleset, octets, 0);
}

/* Rights for folders are invalid for a file. Pipes and the like have no path and need no rule: the kernel
 * rejects one, and lets the process open them again by /dev/fd. */
static void files_allow(const struct iw_confine *confine, const char *path, uint64_t rights) {
    struct path_rule rule = {.rights = rights & files_rights(iw_confine_files_version())};
    struct stat status;

    if (confine->ruleset < 0 || (rule.folder = open(path, O_PATH | O_CLOEXEC)) < 0)
        return;
    if (fstat(rule.folder, &status) == 0 && !S_ISDIR(status.st_mode))
        rule.rights &= READ_FILE | WRITE_FILE | TRUNCATE;
    if (rule.rights != 0)
        syscall(SYS_landlock_add_rule, confine->ruleset, RULE_PATH_BENEATH, &rule, 0);
    close(rule.folder);
}

void iw_confine_read(struct iw_confine *confine, const char *path) {
    files_allow(confine, path, READ_FILE | READ_DIR);
}

void iw_confine_write(struct iw_confine *confine, const char *folder) {
    confine->writes = true;
    files_allow(confine, folder,
        READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | MAKE_REG | MAKE_DIR | REMOVE_FILE | REMOVE_DIR);
}

void iw_confine_remove(struct iw_confine *confine, const char *folder) {
    confine->writes = true;
    files_allow(confine, folder, REMOVE_DIR);
}

void iw_confine_connect(struct iw_confine *confine, uint16_t port) {
    const struct port_rule rule = {.rights = CONNECT_TCP, .port = port};

    if (confine->ruleset >= 0 && iw_confine_files_version() >= VERSION_OF_TCP)
        syscall(SYS_landlock_add_rule, confine->ruleset, RULE_NET_PORT, &rule, 0);
}

bool iw_confine_files_enter(int ruleset) {
    return syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}
