#include "cmd_confine.h"

#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_hash.h"

int cmd_option_confine(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    static const char *const words[] = {
        [CMD_CONFINE_AUTO] = "auto", [CMD_CONFINE_REQUIRED] = "required", [CMD_CONFINE_OFF] = "off"};
    enum cmd_confining *wanted = at;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(optarg, words[i]) == 0) {
            *wanted = (enum cmd_confining)i;
            return 0;
        }
    return cmd_option_not_listed(usage, option);
}

int cmd_confine(enum cmd_confining wanted, struct iw_confine *confine) {
    char text[IW_CONFINE_TEXT_OCTETS];

    if (wanted == CMD_CONFINE_OFF) {
        iw_confine_cancel(confine);
        return 0;
    }
    if (iw_confine_enter(confine, text) || wanted == CMD_CONFINE_AUTO)
        return 0;
    return cmd_fail(IW_EXIT_ENVIRONMENT, "--confine required: %s", text);
}

void cmd_confine_load_hashes(void) {
    uint8_t value[IW_HASH_OCTETS_MAX];
    struct iw_hasher hasher;

    if (iw_hasher_begin(&hasher, IW_HASH_SHA256))
        iw_hasher_end(&hasher, value);
}

/* The right belongs to the folder above. */
void cmd_confine_remove_folder(struct iw_confine *confine, const char *folder) {
    char *copy = strdup(folder);

    if (copy != NULL)
        iw_confine_remove(confine, dirname(copy));
    free(copy);
}

bool cmd_confine_write_folder(struct iw_confine *confine, enum cmd_confining wanted, const char *folder) {
    bool made = wanted != CMD_CONFINE_OFF && mkdir(folder, 0777) == 0;

    iw_confine_write(confine, folder);
    if (made)
        cmd_confine_remove_folder(confine, folder);
    return made;
}

void cmd_confine_write_beside(struct iw_confine *confine, const char *path) {
    char *copy = strdup(path);

    iw_confine_write(confine, path); /* a link may lead to a file elsewhere, or to a device */
    if (copy != NULL)
        iw_confine_write(confine, dirname(copy));
    free(copy);
}
