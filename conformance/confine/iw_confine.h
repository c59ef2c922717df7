#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes rights away from this process before it reads foreign files: an error in a decoder that such a file
 * exploits must not reach more than that file and the output. Landlock limits the files, seccomp the system
 * calls. A rejected call fails with EPERM or EACCES instead of ending the process: a library that tries an
 * unusual call at first then does without it, and the report is not lost.
 *
 * Usage: iw_confine_begin; the paths; iw_confine_enter, before any other thread exists. */

enum { IW_CONFINE_TEXT_OCTETS = 160 };

struct iw_confine {
    int ruleset; /* of Landlock; -1: the kernel has no Landlock */
    bool writes; /* there is a folder to write in */
    /* The caller sets: */
    bool receives; /* the process reads packets of sockets that are open */
    bool serves;   /* the process accepts connections of a listening socket, and answers them */
    bool relays;   /* the process serves, opens TCP connections, and moves octets through pipes */
    bool terminal; /* the process changes the modes of its terminal, and restores them */
};

/* Asks for confinement. Not necessary on every kernel: see iw_confine_enter. */
void iw_confine_begin(struct iw_confine *confine);

/* Lets the process read the file, or the folder with all below it. Call it before iw_confine_enter. A path
 * that does not exist is ignored. */
void iw_confine_read(struct iw_confine *confine, const char *path);

/* Lets the process read, create, write, rename and remove files in the folder and below it;
 * or write the file. A path that does not exist is ignored. */
void iw_confine_write(struct iw_confine *confine, const char *path);

/* Lets the process remove empty folders in the folder and below it. */
void iw_confine_remove(struct iw_confine *confine, const char *folder);

/* Lets the process connect to that TCP port, of any address, if `relays` is set. Landlock limits TCP since
 * its version 4: without it, all ports can be connected to. */
void iw_confine_connect(struct iw_confine *confine, uint16_t port);

/* Confines the process for the rest of its life. Returns false, with what is missing in `text`, if the kernel
 * lacks a part; the other parts are in force. Call it or iw_confine_cancel after iw_confine_begin. */
bool iw_confine_enter(struct iw_confine *confine, char text[IW_CONFINE_TEXT_OCTETS]);
void iw_confine_cancel(struct iw_confine *confine);

/* Writes what this program and kernel can do, such as "system calls by seccomp, files by Landlock version 4".
 * Returns whether that is everything. For `doctor`. */
bool iw_confine_state(char text[IW_CONFINE_TEXT_OCTETS]);
