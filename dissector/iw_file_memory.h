#ifndef IW_FILE_MEMORY_H
#define IW_FILE_MEMORY_H

#include "iw_epan.h"

/* Memory that lives as long as the capture file is open. It is separate from Wireshark's file scope because
 * of the TCP dissector: at every segment, that walks a list of up to 10,000 unacknowledged segments in the
 * file scope, and is slower if other data lie between them. */

/* Call iw_file_memory_open when a capture file is opened, and iw_file_memory_close when it is closed.
 * iw_file_memory_open also frees the memory of the previous file. */
void iw_file_memory_open(void);
void iw_file_memory_close(void);

/* The allocator of this memory; valid between iw_file_memory_open and iw_file_memory_close. */
wmem_allocator_t *iw_file_memory(void);

#endif
