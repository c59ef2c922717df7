#pragma once

#include <stdbool.h>

#include <jansson.h>

/* What happens if memory runs out for JSON values. */

/* From this call on, iw_json_memory_failed returns whether a value is missing because memory ran out. Each
 * call of iw_json_watch_memory resets that result. Applies to the whole process. */
void iw_json_watch_memory(void);
bool iw_json_memory_failed(void);

/* Sets the function to call when memory runs out for a required JSON value: any value after
 * iw_json_require_memory, or a value that iw_json_read reads. NULL (the default): no function. `fail` is
 * called in the thread that needs the memory, and should end the program: if it returns, jansson 2.14 may
 * lose octets of a number or text, or crash. Applies to the whole process. */
typedef void iw_json_fail(void);
void iw_json_on_failure(iw_json_fail *fail);

/* Like iw_json_watch_memory; in addition, calls the function set by iw_json_on_failure when memory for any
 * JSON value runs out. For commands that read JSON. */
void iw_json_require_memory(void);

/* Like json_loadb, but calls the function set by iw_json_on_failure when memory runs out. For commands that
 * continue if memory for output runs out. */
json_t *iw_json_read(const char *octets, size_t count, size_t flags, json_error_t *error);
