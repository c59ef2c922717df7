#define _GNU_SOURCE /* pipe2 */
#include "iw_network_program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROGRAM_WORDS_MAX = 48, PROGRAM_COMMAND_OCTETS = 512, PROGRAM_PASSED = 3 };

extern char **environ;

/* Splits the command at blanks, in place. */
static void program_split(char *command, char *words[PROGRAM_WORDS_MAX + 1]) {
    size_t count = 0;
    char *word;

    while (count < PROGRAM_WORDS_MAX && (word = strsep(&command, " ")) != NULL)
        words[count++] = word;
    words[count] = NULL;
}

/* Starts the program. The PATH of a user often lacks the folders of the administrator, where ip and tc are.
 * Returns 0 or an error number. */
static int program_spawn(const posix_spawn_file_actions_t *actions, char **words, pid_t *child) {
    static const char *const folders[] = {"/usr/sbin", "/sbin"};
    int error = posix_spawnp(child, words[0], actions, NULL, words, environ);

    for (size_t i = 0; error == ENOENT && i < sizeof folders / sizeof *folders; i++) {
        char path[64];

        snprintf(path, sizeof path, "%s/%s", folders[i], words[0]);
        error = posix_spawn(child, path, actions, NULL, words, environ);
    }
    return error;
}

/* Starts the program, whose output goes to `output`. */
static int program_start(char **words, int passed, int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (int to = STDOUT_FILENO; error == 0 && to <= STDERR_FILENO; to++)
        error = posix_spawn_file_actions_adddup2(&actions, output, to);
    if (error == 0 && passed >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, passed, PROGRAM_PASSED);
    if (error == 0)
        error = program_spawn(&actions, words, child);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Reads until the end; keeps the first line. */
static void program_read(int input, char text[IW_NETWORK_TEXT_OCTETS]) {
    char more[512];
    size_t length = 0;
    ssize_t count;

    while ((count = read(input, more, sizeof more)) > 0 || (count < 0 && errno == EINTR)) {
        size_t left = IW_NETWORK_TEXT_OCTETS - 1 - length;
        size_t kept = count < 0 ? 0 : (size_t)count < left ? (size_t)count : left;

        memcpy(text + length, more, kept);
        length += kept;
    }
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

static bool program_succeeds(pid_t child) {
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool iw_network_program_run(const char *command, int passed, char text[IW_NETWORK_TEXT_OCTETS]) {
    char copy[PROGRAM_COMMAND_OCTETS], *words[PROGRAM_WORDS_MAX + 1];
    int ends[2], error;
    pid_t child;

    snprintf(copy, sizeof copy, "%s", command);
    program_split(copy, words);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(text, IW_NETWORK_TEXT_OCTETS, "%s: %s", words[0], strerror(errno));
        return false;
    }
    error = program_start(words, passed, ends[1], &child);
    close(ends[1]);
    if (error != 0)
        snprintf(text, IW_NETWORK_TEXT_OCTETS, "%s: %s%s", words[0], strerror(error),
            error == ENOENT ? "; install iproute2" : "");
    else
        program_read(ends[0], text);
    close(ends[0]);
    return error == 0 && program_succeeds(child);
}
