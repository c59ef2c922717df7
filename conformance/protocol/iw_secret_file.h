#pragma once

/* Prints one line on stderr, which begins with the name of the program, if other users can read or change the
 * file of a token or key. A file that does not exist is not mentioned. `path` may be NULL. */
void iw_secret_file_warn(const char *program, const char *path);
