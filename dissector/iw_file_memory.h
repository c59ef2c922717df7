#pragma once

#include "iw_epan.h"

/* Memory that is valid as long as the capture file is open. It is separate from Wireshark's file scope: at
 * every segment, the TCP dissector walks a list of up to 10,000 unacknowledged segments there, which is
 * slower if other data lie between them. */

/* Call these functions when a capture file is opened and closed. iw_file_memory_open also closes an earlier
 * file. */
void iw_file_memory_open(void);
void iw_file_memory_close(void);

/* Returns the allocator of this memory; NULL if no file is open. */
wmem_allocator_t *iw_file_memory(void);
