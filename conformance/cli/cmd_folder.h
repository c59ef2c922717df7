#pragma once

/* Locks a folder against other runs until the returned descriptor is closed; in a file system without locks,
 * only opens it. Returns -1 with errno on failure: EWOULDBLOCK if another run holds the lock. */
int cmd_folder_lock(const char *folder);

/* Prints on stderr why the folder cannot be used, by `error`, an errno. Returns IW_EXIT_ENVIRONMENT. */
int cmd_folder_fail(const char *folder, int error);
