#define _GNU_SOURCE /* POSIX_SPAWN_SETSID */
#include "iw_bundle_signature.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iw_show.h"
#include "iw_text.h"
#include "iw_whole_file.h"

extern char **environ;

enum {
    SIGNATURE_OUTPUT_OCTETS = 32 << 10, /* maximum output of ssh-keygen: a signature has less than 4 KiB */
    SIGNATURE_KEY_OCTETS = 16 << 10,    /* maximum line of a public key */
    SIGNATURE_NOT_RUN = 127,
};

/* The signer's name in the file of allowed signers; only one key is allowed. */
static const char signature_signer[] = "warpcheck";

struct ssh_keygen {
    char output[SIGNATURE_OUTPUT_OCTETS];        /* standard output */
    char error[IW_BUNDLE_SIGNATURE_TEXT_OCTETS]; /* the first line of standard error */
    int code;
};

static void signature_read_output(FILE *from, char *to, size_t octets) {
    rewind(from);
    to[fread(to, 1, octets - 1, from)] = '\0';
}

/* Starts ssh-keygen in its own session, so that it cannot ask for a passphrase on the terminal. Returns 0 or
 * an errno. */
static int signature_spawn(pid_t *process, char *const arguments[], int in, int out, int error) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int wrong;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    wrong = posix_spawnp(process, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return wrong;
}

static int signature_wait(pid_t process) {
    int status;

    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return SIGNATURE_NOT_RUN;
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNATURE_NOT_RUN;
}

/* Runs ssh-keygen with the file `path` as its input. Returns false with the reason in tool->error if it
 * cannot be run. */
static bool signature_run(struct ssh_keygen *tool, char *const arguments[], const char *path) {
    FILE *output = tmpfile(), *error = tmpfile();
    int in = open(path, O_RDONLY | O_CLOEXEC);
    int wrong = output == NULL || error == NULL || in < 0 ? errno : 0;
    pid_t process = 0;

    if (wrong == 0)
        wrong = signature_spawn(&process, arguments, in, fileno(output), fileno(error));
    if (wrong == 0) {
        tool->code = signature_wait(process);
        signature_read_output(output, tool->output, sizeof tool->output);
        signature_read_output(error, tool->error, sizeof tool->error);
        tool->error[strcspn(tool->error, "\r\n")] = '\0';
        iw_show_line(tool->error, sizeof tool->error, tool->error);
    } else {
        snprintf(tool->error, sizeof tool->error, "%s",
            wrong == ENOENT && in >= 0 ? "is not installed (package openssh-client)" : strerror(wrong));
    }
    if (output != NULL)
        fclose(output);
    if (error != NULL)
        fclose(error);
    if (in >= 0)
        close(in);
    return wrong == 0 && tool->code != SIGNATURE_NOT_RUN;
}

static enum iw_status signature_fail(
    FILE *diagnostics, enum iw_status status, const char *what, const char *why) {
    fprintf(diagnostics, "%s: %s\n", what, why);
    return status;
}

static enum iw_status signature_no_memory(FILE *diagnostics) {
    fputs("out of memory\n", diagnostics);
    return IW_ERR_NOMEM;
}

static struct ssh_keygen *signature_tool_new(void) {
    /* ssh-keygen must not open a window for the passphrase. */
    return setenv("SSH_ASKPASS_REQUIRE", "never", 1) == 0 ? calloc(1, sizeof(struct ssh_keygen)) : NULL;
}

/* ---- to sign ---- */

static enum iw_status signature_write(const char *path, const char *text, FILE *diagnostics) {
    struct iw_whole_file output;
    int error = iw_whole_file_open(&output, path);

    if (error == 0) {
        fputs(text, output.out);
        error = iw_whole_file_close(&output, true);
    }
    return error == 0 ? IW_OK : signature_fail(diagnostics, IW_ERR_IO, path, strerror(error));
}

static enum iw_status signature_make(
    struct ssh_keygen *tool, const char *path, const char *key, const char *to, FILE *diagnostics) {
    char *const arguments[] = {
        "ssh-keygen", "-Y", "sign", "-f", (char *)key, "-n", IW_BUNDLE_SIGNATURE_NAMESPACE, NULL};

    if (access(key, R_OK) != 0)
        return signature_fail(diagnostics, IW_ERR_IO, key, strerror(errno));
    if (!signature_run(tool, arguments, path))
        return signature_fail(diagnostics, IW_ERR_IO, "ssh-keygen", tool->error);
    if (tool->code != 0 && strstr(tool->error, "passphrase") != NULL)
        return signature_fail(diagnostics, IW_ERR_IO, key,
            "needs a passphrase: load it into ssh-agent (ssh-add), and give its public key");
    if (tool->code != 0)
        return signature_fail(diagnostics, IW_ERR_IO, key, tool->error[0] ? tool->error : "cannot sign");
    return signature_write(to, tool->output, diagnostics);
}

enum iw_status iw_bundle_sign(const char *path, const char *key, FILE *diagnostics) {
    struct ssh_keygen *tool = signature_tool_new();
    char *to = iw_text_format("%s.sig", path);
    enum iw_status status = tool != NULL && to != NULL ? signature_make(tool, path, key, to, diagnostics)
                                                       : signature_no_memory(diagnostics);

    free(tool);
    free(to);
    return status;
}

/* ---- to verify ---- */

/* Reads "TYPE BASE64" of the first key in the file. */
static bool signature_read_key(FILE *in, char key[SIGNATURE_KEY_OCTETS]) {
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+/=@.";
    char line[SIGNATURE_KEY_OCTETS];

    while (fgets(line, sizeof line, in) != NULL) {
        size_t type = strspn(line, word), octets;

        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (type == 0 || line[type] != ' ' ||
            (strncmp(line, "ssh-", 4) != 0 && strncmp(line, "ecdsa-", 6) != 0 &&
                strncmp(line, "sk-", 3) != 0))
            return false;
        octets = strspn(line + type + 1, word);
        snprintf(key, SIGNATURE_KEY_OCTETS, "%.*s", (int)(type + 1 + octets), line);
        return octets > 0;
    }
    return false;
}

/* Writes the file of allowed signers, and its path to `path`. Returns false with errno. */
static bool signature_write_signers(char **path, const char *key) {
    const char *above = getenv("TMPDIR");
    FILE *out;
    int file;

    *path = iw_text_format("%s/warpcheck-signers.XXXXXX", above != NULL && above[0] != '\0' ? above : "/tmp");
    file = *path != NULL ? mkstemp(*path) : -1;
    out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out == NULL)
        return false;
    fprintf(out, "%s namespaces=\"%s\" %s\n", signature_signer, IW_BUNDLE_SIGNATURE_NAMESPACE, key);
    return fclose(out) == 0;
}

/* Describes the key from the output: Good "..." signature for warpcheck with ED25519 key SHA256:... */
static void signature_describe(const struct ssh_keygen *tool, const char *key, char *text) {
    const char *with = strstr(tool->output, " with ");
    char shown[IW_BUNDLE_SIGNATURE_TEXT_OCTETS / 2];

    snprintf(shown, sizeof shown, "%s", with != NULL ? with + strlen(" with ") : "a key");
    shown[strcspn(shown, "\n")] = '\0';
    snprintf(text, IW_BUNDLE_SIGNATURE_TEXT_OCTETS, "signed by %s (%.160s): valid", shown, key);
}

static enum iw_status signature_compare(struct ssh_keygen *tool, enum iw_bundle_signature *found,
    const char *const files[3], const char *key, char *text, FILE *diagnostics) {
    char *const arguments[] = {"ssh-keygen", "-Y", "verify", "-f", (char *)files[2], "-I",
        (char *)signature_signer, "-n", IW_BUNDLE_SIGNATURE_NAMESPACE, "-s", (char *)files[1], NULL};

    if (!signature_run(tool, arguments, files[0]))
        return signature_fail(diagnostics, IW_ERR_IO, "ssh-keygen", tool->error);
    *found = tool->code == 0 ? IW_BUNDLE_SIGNED : IW_BUNDLE_FORGED;
    if (tool->code == 0)
        signature_describe(tool, key, text);
    else
        snprintf(text, IW_BUNDLE_SIGNATURE_TEXT_OCTETS, "is not valid for this bundle and %.160s", key);
    return IW_OK;
}

static enum iw_status signature_verify_by(enum iw_bundle_signature *found, const char *path,
    const char *signature, const char *key, char *text, FILE *diagnostics) {
    FILE *in = fopen(key, "r");
    char line[SIGNATURE_KEY_OCTETS], *signers = NULL;
    bool good = in != NULL && signature_read_key(in, line);
    struct ssh_keygen *tool = signature_tool_new();
    enum iw_status status;

    if (in == NULL)
        status = signature_fail(diagnostics, IW_ERR_IO, key, strerror(errno));
    else if (!good)
        status =
            signature_fail(diagnostics, IW_ERR_FORMAT, key, "is not a public key of OpenSSH (a .pub file)");
    else if (tool == NULL)
        status = signature_no_memory(diagnostics);
    else if (!signature_write_signers(&signers, line))
        status = signature_fail(diagnostics, IW_ERR_IO, "cannot write a file of signers", strerror(errno));
    else
        status = signature_compare(
            tool, found, (const char *const[]){path, signature, signers}, key, text, diagnostics);
    if (in != NULL)
        fclose(in);
    if (signers != NULL)
        unlink(signers);
    free(signers);
    free(tool);
    return status;
}

enum iw_status iw_bundle_signature_verify(enum iw_bundle_signature *found, const char *path,
    const char *signature, const char *key, char text[IW_BUNDLE_SIGNATURE_TEXT_OCTETS], FILE *diagnostics) {
    char *beside = iw_text_format("%s.sig", path);
    const char *file = signature != NULL ? signature : beside;
    enum iw_status status = IW_OK;

    *found = IW_BUNDLE_UNSIGNED;
    snprintf(text, IW_BUNDLE_SIGNATURE_TEXT_OCTETS, "unsigned");
    if (file == NULL) {
        status = signature_no_memory(diagnostics);
    } else if (access(file, R_OK) != 0) {
        if (signature != NULL)
            status = signature_fail(diagnostics, IW_ERR_IO, file, strerror(errno));
    } else if (key == NULL) {
        *found = IW_BUNDLE_UNCHECKED;
        snprintf(text, IW_BUNDLE_SIGNATURE_TEXT_OCTETS, "signed, but not verified: give --key");
    } else {
        status = signature_verify_by(found, path, file, key, text, diagnostics);
    }
    free(beside);
    return status;
}
