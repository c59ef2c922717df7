#pragma once

#include <stdbool.h>

/* The files of a cell. A trial writes them to a folder of its own, so that those of the run before remain
 * until the cell has its new result. */

/* Creates out/cells/NAME.new and its parents; the caller frees the path. NULL with errno on failure. */
char *iw_matrix_evidence_new(const char *out, const char *name);

/* Removes the files of the folder, and the folder if nothing else is in it. */
void iw_matrix_evidence_remove(const char *folder);

/* Replaces the files of out/cells/NAME by those of `folder`, which iw_matrix_evidence_new has returned, and
 * removes `folder`. Without files there, removes those of the cell. */
void iw_matrix_evidence_replace(const char *out, const char *name, const char *folder);
