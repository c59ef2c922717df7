#ifndef IW_FILE_MEMORY_H
#define IW_FILE_MEMORY_H

#include "iw_epan.h"

/* Memory that lives as long as the capture file is open, separate from Wireshark's file scope. There, TCP
 * walks a list of up to 10,000 unacknowledged segments at every segment, and is slower if other data lie
 * between them. */

/* Call the first when a capture file is opened, the second when it is closed. The first also frees the memory
 * of the previous file. */
void iw_file_memory_open(void);
void iw_file_memory_close(void);

/* Valid between open and close. */
wmem_allocator_t *iw_file_memory(void);

#endif
